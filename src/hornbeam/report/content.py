"""What a report says, section by section, in plain words: the same for a page and for Markdown."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hornbeam.data.schema import Nominal
from hornbeam.evaluate.comparing.comparison import differs
from hornbeam.evaluate.comparing.methods import BASELINE
from hornbeam.evaluate.measures import ABOUT, MEASURES, SIZES
from hornbeam.evaluate.score import ClassificationScore
from hornbeam.report.blocks import Beside, Charts, Folded, Grid, Heading, Raw, Section, Verbatim, Warned, Words
from hornbeam.report.choice import is_readable
from hornbeam.report.judged_content import judged_blocks
from hornbeam.report.model_content import model_section
from hornbeam.report.sparks import class_places, key, spark
from hornbeam.report.telling import figure_words, p_words, percent, plural
from hornbeam.schemes import find
from hornbeam.show.chart_svg import histogram_chart
from hornbeam.show.charts.chart_rows import bar_chart, interval_chart
from hornbeam.show.texts.wording import printable, short_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from hornbeam.data.examine import ColumnSummary
    from hornbeam.evaluate.comparing.comparison import Outcome
    from hornbeam.report.blocks import Block
    from hornbeam.report.relations import Relation
    from hornbeam.report.result import Report
    from hornbeam.report.slices import Slice

MOST_COLUMNS = 40  # described at once; the others are folded away
MOST_RELATIONS = 10
MOST_SLICES, MOST_FOLDED_SLICES = 12, 60
MOST_CATEGORIES = 4  # of a column are named
MOST_BARS = 20  # classes drawn
MOST_COLORS = 7  # classes that have a color each
NAME_ROOM = 30


def sections(report: Report) -> tuple[Section, ...]:
    """Put the whole report together."""
    return (
        Section("data", "The data", tuple(_data(report))),
        Section("models", "The models compared", tuple(_models(report))),
        model_section(report),
        Section("figures", "How good is it?", tuple(judged_blocks(report))),
        Section("errors", "Where does it err?", tuple(_errors(report))),
        Section("again", "How to reproduce this", tuple(_again(report))),
    )


def cards(report: Report) -> list[tuple[str, str, str]]:
    """What the report comes to: a name, a figure and what it means, a few times."""
    described, figures, schema = report.description, report.figures, report.table.schema
    features = len(schema.features)
    found = [("rows", str(described.rows), f"{plural(features, 'feature column')}, target {schema.target_column.name}")]
    scheme = find(report.choice.scheme, report.predicts)
    size = _size_words(report)
    found.append(("model", scheme.heading, size))
    score = figures.score
    low, high = score.interval
    if isinstance(score, ClassificationScore):
        found.append(
            ("answers right", percent(figures.measures["accuracy"]), f"95% interval {percent(low)} to {percent(high)}")
        )
        found.append(("commonest class alone", percent(score.baseline), "right if it is always the answer"))
        return found
    error = figures.measures["root mean squared error"]
    found.append(("typical error", short_number(error), "root mean squared error of held-out rows"))
    explained = figures.measures["R2"]
    found.append(("variance explained", percent(explained), f"95% interval {percent(low)} to {percent(high)}"))
    return found


def _size_words(report: Report) -> str:
    count = len(report.lines)
    makes = find(report.choice.scheme, report.predicts).makes
    if not count:
        return ""
    return plural(count, "leaf", "leaves") if makes == "tree" else plural(count, "rule")


# ---- the data ----


def _data(report: Report) -> list[Block]:
    described, table = report.description, report.table
    missing = sum(column.missing for column in described.columns if column.role == "feature")
    cells = described.rows * max(len(table.schema.features), 1)
    told = f"{printable(described.name)} has {plural(described.rows, 'row')} and "
    told += f"{plural(len(table.schema.features), 'feature column')}; "
    gaps = f"{percent(missing / max(cells, 1))} of their values are missing."
    told += gaps if missing else "none of their values is missing."
    unknown = sum(column.missing for column in described.columns if column.role == "target")
    if unknown:
        told += f" {plural(unknown, 'row')} without a target {'is' if unknown == 1 else 'are'} left out below."
    blocks: list[Block] = [Words(told)]
    if report.findings:
        blocks.append(Warned(tuple(finding.message for finding in report.findings)))
    if table.notes:
        blocks.append(Folded(f"What was guessed in reading ({len(table.notes)})", tuple(map(Words, table.notes))))
    classes, names = class_places(table)
    related = [_related(report, start) for start in range(0, len(report.relations), MOST_RELATIONS)]
    title = Heading("Columns most related to the target")
    blocks.append(Beside((tuple(_target(report)), (title, *_unfold(related, "columns")))))
    blocks.append(Heading("The columns"))
    if names:
        blocks.append(Raw(key(names)))
    grids = [_columns(report, start, classes, len(names)) for start in range(0, len(described.columns), MOST_COLUMNS)]
    return [*blocks, *_unfold(grids, "columns")]


def _unfold(grids: list[Grid], what: str) -> list[Block]:
    """Show the first table, and fold the others away."""
    if len(grids) <= 1:
        return list(grids)
    more = sum(len(grid.rows) for grid in grids[1:])
    return [grids[0], Folded(f"{more} more {what}", tuple(grids[1:]))]


def _target(report: Report) -> list[Block]:
    target, described = report.table.schema.target_column, report.description
    heading = Heading(f"The target, {printable(target.name)}")
    if not isinstance(target, Nominal):
        values = report.table.target_values()
        name = printable(target.name, NAME_ROOM)
        return [heading, Charts(((histogram_chart(values, title="", x_label=name), ""),))]
    summary = next(column for column in described.columns if column.role == "target")
    shares = list(described.balance.values())
    pairs = sorted(zip(summary.categories, summary.counts, shares, strict=True), key=lambda one: -one[1])
    rows = tuple((printable(name), str(count), percent(share)) for name, count, share in pairs)
    shown = pairs[:MOST_BARS]
    chart = bar_chart(
        [name for name, _, _ in shown],
        [count for _, count, _ in shown],
        texts=[f"{count} ({percent(share)})" for _, count, share in shown],
        title="",
        x_label="rows",
        colors=[target.categories.index(name) for name, _, _ in shown] if len(pairs) <= MOST_COLORS else None,
    )
    grid = Grid("Rows of each class", ("class", "rows", "share"), rows, (1, 2))
    caption = f"The {MOST_BARS} commonest of {len(pairs)} classes." if len(pairs) > len(shown) else ""
    return [heading, Charts(((chart, caption),)), Folded("The classes as a table", (grid,))]


def _columns(report: Report, start: int, classes: NDArray[np.int64] | None, n_colors: int) -> Grid:
    described = report.description
    shown = described.columns[start : start + MOST_COLUMNS]
    rows = tuple(
        (
            printable(column.name),
            column.kind if column.role == "feature" else f"{column.kind}, {column.role}",
            f"{column.missing} ({percent(column.missing / max(described.rows, 1))})" if column.missing else "0",
            str(column.distinct),
            value_words(column),
        )
        for column in shown
    )
    pictures = tuple(spark(report.table, place, classes, n_colors) for place in range(start, start + len(shown)))
    return Grid(
        "Every column: its kind, missing and different values, and what they are",
        ("column", "kind", "missing", "different", "values"),
        rows,
        (2, 3),
        pictures=pictures,
        picture_head="how they are spread",
    )


def value_words(column: ColumnSummary) -> str:
    """A range, or the commonest categories."""
    if column.categories:
        common = sorted(zip(column.counts, column.categories, strict=True), key=lambda one: -one[0])
        shown = ", ".join(f"{printable(name, NAME_ROOM)} {count}" for count, name in common[:MOST_CATEGORIES])
        more = len(common) - MOST_CATEGORIES
        return f"{shown}, {more} more" if more > 0 else shown
    if column.minimum is None:
        return "-"
    low, mean, high = (
        end if isinstance(end, str) else short_number(end)
        for end in (column.minimum, column.mean or 0.0, column.maximum or 0.0)
    )
    return f"{low} to {high}, mean {mean}"


def _related(report: Report, start: int) -> Grid:
    shown = report.relations[start : start + MOST_RELATIONS]
    strongest = max((one.strength for one in report.relations), default=0.0)
    head: tuple[str, ...]
    lengths = tuple(one.strength / strongest if strongest > 0 else 0.0 for one in shown)
    if report.predicts == "category":
        caption = (
            "How much each column alone tells of the class: bits of information gain, gain for every bit that the "
            "column itself takes, and Pearson's chi-square test. Numbers are cut into up to ten intervals of about as "
            "many rows; rows without the value are left out, and columns are in the order of what they tell of all "
            "rows."
        )
        head = ("column", "rows", "gain", "gain ratio", "chi-square", "degrees", "p-value")
        rows = tuple(_class_relation(one) for one in shown)
    else:
        caption = (
            "How much of the target's variance lies between a column's categories, or between up to ten intervals of "
            "about as many rows, with the F-test of their means; rows without the value are left out, and columns are "
            "in the order of what they tell of all rows."
        )
        head = ("column", "rows", "variance explained", "F", "degrees", "p-value")
        rows = tuple(
            (
                printable(one.column),
                str(one.rows),
                percent(one.explained or 0.0),
                figure_words(one.statistic),
                ", ".join(map(str, one.degrees)),
                p_words(one.p_value),
            )
            for one in shown
        )
    return Grid(caption, head, rows, tuple(range(1, len(head))), bars=(2, lengths))


def _class_relation(one: Relation) -> tuple[str, ...]:
    return (
        printable(one.column),
        str(one.rows),
        f"{one.gain or 0.0:.3f}",
        f"{one.gain_ratio or 0.0:.3f}",
        figure_words(one.statistic),
        str(one.degrees[0]),
        p_words(one.p_value),
    )


# ---- the models ----


def _models(report: Report) -> list[Block]:
    found, compared = report.comparison, report.compared
    times = f", repeated {found.repeats} times" if found.repeats > 1 else ""
    told = (
        f"Every scheme was judged by {compared.folds}-fold cross-validation{times}, all on the same folds: each row "
        "was answered by a model that had not seen it. Intervals (95%) allow for folds that share rows."
    )
    if found.groups is not None:
        told += f" Rows of one {printable(found.groups)} are never in two folds."
    if report.left_out:
        named = ", ".join(report.left_out)
        told += f" Left out, as they take long for so many rows: {named}; --schemes says what to compare."
    judged = [one for one in compared.outcomes if one.score is not None]
    judged.sort(key=lambda one: _merit(one, report), reverse=True)
    chart = interval_chart(
        [one.method for one in judged],
        [one.score.mean for one in judged if one.score],
        [_ends(one) for one in judged],
        title=found.measure,
        x_label=f"{found.measure}, {'more' if found.higher_is_better else 'less'} is better",
        colors=[2 if one.method == report.choice.scheme else 0 for one in judged],
    )
    names = [name for name in MEASURES[report.predicts == "category"] if any(name in one.figures for one in judged)]
    sizes = [name for name in SIZES if any(_there(one, name) for one in judged)]
    head = ("scheme", names[0], "95% interval", *(ABOUT[name].short for name in (*names[1:], *sizes)))
    rows = tuple(_outcome(one, names, sizes) for one in judged)
    chosen = tuple(place for place, one in enumerate(judged) if one.method == report.choice.scheme)
    grid = Grid(
        "The schemes, the best first: means over the folds", head, rows, tuple(range(1, len(head))), marked=chosen
    )
    problems = tuple(f"{one.method} could not learn: {one.problem}" for one in compared.outcomes if one.problem)
    blocks: list[Block] = [Words(told), Charts(((chart, ""),)), grid]
    if problems:
        blocks.append(Warned(problems))
    summaries = [
        f"{name}: {find(name, report.predicts).summary}"
        for name in found.methods
        if is_readable(name, report.predicts) or name == report.choice.scheme
    ]
    reason = report.choice.reason
    if report.choice.limit is not None:
        about = ABOUT[found.measure]
        limit = percent(report.choice.limit) if about.percent else short_number(report.choice.limit)
        word = "at least" if found.higher_is_better else "at most"
        reason += f" Within one standard error means {word} {limit}; the simplest has the fewest conditions to read."
    return [
        *blocks,
        Words(f"The model below: {reason} {_against_baseline(report)}"),
        Folded("What the schemes are", tuple(map(Words, summaries))),
    ]


def _against_baseline(report: Report) -> str:
    """Whether the chosen model is better than answering without looking at the row."""
    found = report.compared.pair(report.choice.scheme, BASELINE)
    if found is None or math.isnan(found.score.p_value):
        return ""
    better = (found.score.mean > 0) == report.comparison.higher_is_better and found.score.mean != 0
    p_value = p_words(found.score.p_value)
    if better and differs(found.score.p_value):
        return f"It is better than the baseline (corrected t-test over the folds: p {p_value})."
    return (
        "Mind: it is not significantly better than the baseline, which answers without looking at the row (corrected "
        f"t-test over the folds: p {p_value})."
    )


def _ends(one: Outcome) -> tuple[float, float]:
    assert one.score is not None
    low, high = one.score.interval
    return (one.score.mean, one.score.mean) if math.isnan(low) or math.isnan(high) else (low, high)


def _merit(one: Outcome, report: Report) -> float:
    assert one.score is not None
    mean = one.score.mean if report.comparison.higher_is_better else -one.score.mean
    return -math.inf if math.isnan(mean) else mean


def _there(one: Outcome, name: str) -> bool:
    return name in one.figures and not math.isnan(one.figures[name].mean)


def _outcome(one: Outcome, names: Sequence[str], sizes: Sequence[str]) -> tuple[str, ...]:
    assert one.score is not None
    low, high = (_measure(names[0], end) for end in one.score.interval)
    told = [_measure(name, one.figures[name].mean) if _there(one, name) else "-" for name in names[1:]]
    told += [f"{one.figures[name].mean:.1f}" if _there(one, name) else "-" for name in sizes]
    return (one.method, _measure(names[0], one.score.mean), f"{low} to {high}", *told)


def _measure(name: str, figure: float) -> str:
    if math.isnan(figure):
        return "-"
    return percent(figure) if ABOUT[name].percent else short_number(figure)


# ---- errors ----


def _errors(report: Report) -> list[Block]:
    standing = [one for one in report.slices if one.stands_out]
    what = "more wrong answers" if report.predicts == "category" else "larger errors"
    told = (
        f"Held-out rows by category, or quarter of a number, of every column: {plural(len(report.slices), 'slice')}. "
        f"Each is tested against all other rows (one-sided), and p-values are adjusted for the number of slices by "
        "Holm's method. "
    )
    if standing:
        told += f"In {plural(len(standing), 'slice')} there are significantly {what} than elsewhere."
    else:
        told += f"In no slice are there significantly {what} than elsewhere."
    shown = max(MOST_SLICES, len(standing))
    blocks: list[Block] = [Words(told)]
    if report.slices:
        blocks.append(_sliced(report, report.slices[:shown]))
    rest = report.slices[shown : shown + MOST_FOLDED_SLICES]
    if rest:
        blocks.append(Folded(f"{len(rest)} more slices", (_sliced(report, rest),)))
    return blocks


def _sliced(report: Report, shown: tuple[Slice, ...]) -> Grid:
    nominal = report.predicts == "category"
    tell = percent if nominal else short_number
    error = "wrong" if nominal else "mean absolute error"
    rows = tuple(
        (
            printable(one.column),
            printable(one.part, NAME_ROOM),
            str(one.rows),
            tell(one.error),
            " to ".join("-" if math.isnan(end) else tell(end) for end in one.interval),
            tell(one.rest),
            p_words(one.adjusted),
            "more than elsewhere" if one.stands_out else "",
        )
        for one in shown
    )
    return Grid(
        "Errors by slice, those first that stand out",
        ("column", "where", "rows", error, "95% interval", "elsewhere", "adjusted p", ""),
        rows,
        (2, 3, 4, 5, 6),
        marked=tuple(place for place, one in enumerate(shown) if one.stands_out),
    )


# ---- how to reproduce ----


def _again(report: Report) -> list[Block]:
    origin = report.origin
    scheme = find(report.choice.scheme, report.predicts)
    usual = {parameter.name: parameter.default for parameter in scheme.parameters}
    rows = tuple(
        (name, _parameter(value), "" if value == usual.get(name) else f"instead of {_parameter(usual.get(name))}")
        for name, value in origin.parameters.items()
    )
    facts = (
        ("fingerprint of the data", origin.fingerprint),
        ("folds, repeats, seed", f"{origin.folds}, {origin.repeats}, {origin.seed}"),
        *((f"version of {name}", version) for name, version in origin.versions.items()),
    )
    return [
        Words(
            "The first command makes this report again, byte for byte, from the same data; the second learns its model."
        ),
        Verbatim("\n".join(origin.commands), "sh"),
        Grid("What it was made with", ("", "value"), facts),
        Folded(f"Parameters of {scheme.estimator}", (Grid("All parameters", ("parameter", "value", ""), rows),)),
    ]


def _parameter(value: object) -> str:
    return "none" if value is None else printable(str(value))
