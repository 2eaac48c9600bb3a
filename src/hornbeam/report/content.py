"""The content of a report, section by section: the same for a page and for Markdown."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hornbeam.data.in_words import percent, plural
from hornbeam.data.schema import Nominal
from hornbeam.evaluate.comparing.comparison import differs
from hornbeam.evaluate.comparing.methods import BASELINE
from hornbeam.evaluate.measures import ABOUT, MEASURES, SIZES
from hornbeam.evaluate.scores import ClassificationScore
from hornbeam.report.blocks import (
    Beside,
    Charts,
    Folded,
    Grid,
    Heading,
    Raw,
    Section,
    Verbatim,
    Warned,
    Words,
    number_text,
    p_text,
)
from hornbeam.report.choice import is_readable
from hornbeam.report.judged_content import judged_blocks
from hornbeam.report.model_content import model_section
from hornbeam.report.sparks import class_indices, key, spark
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

MOST_COLUMNS = 40  # described at once; the others are folded
MOST_RELATIONS = 10
MOST_SLICES, MOST_FOLDED_SLICES = 12, 60
MOST_CATEGORIES = 4  # listed per column
MOST_BARS = 20  # classes drawn
MOST_COLORS = 7  # classes with their own color
NAME_ROOM = 30


def sections(report: Report) -> tuple[Section, ...]:
    """Give all sections of a report."""
    return (
        Section("data", "The data", tuple(_data(report))),
        Section("models", "The models compared", tuple(_models(report))),
        model_section(report),
        Section("figures", "How good is it?", tuple(judged_blocks(report))),
        Section("errors", "Where is it wrong?", tuple(_errors(report))),
        Section("again", "How to reproduce this", tuple(_again(report))),
    )


def cards(report: Report) -> list[tuple[str, str, str]]:
    """Give the summary of a report: names, values and notes."""
    described, metrics, schema = report.description, report.metrics, report.table.schema
    features = plural(len(schema.features), "feature column")
    shown = [("rows", str(described.rows), f"{features}, target {schema.target_column.name}")]
    shown.append(("model", find(report.choice.scheme, report.predicts).heading, _size_text(report)))
    score = metrics.score
    interval = "95% interval {} to {}".format(*map(percent, score.interval))
    if isinstance(score, ClassificationScore):
        shown.append(("accuracy", percent(metrics.measures["accuracy"]), interval))
        shown.append(("most common class", percent(score.baseline), "accuracy of always predicting it"))
        return shown
    error = short_number(metrics.measures["root mean squared error"])
    shown.append(("typical error", error, "root mean squared error of held-out rows"))
    shown.append(("variance explained", percent(metrics.measures["R2"]), interval))
    return shown


def _size_text(report: Report) -> str:
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
    text = f"{printable(described.name)} has {plural(described.rows, 'row')} and "
    text += f"{plural(len(table.schema.features), 'feature column')}; "
    gaps = f"{percent(missing / max(cells, 1))} of their values are missing."
    text += gaps if missing else "none of their values is missing."
    unknown = sum(column.missing for column in described.columns if column.role == "target")
    if unknown:
        text += f" {plural(unknown, 'row')} without a target {'is' if unknown == 1 else 'are'} left out below."
    blocks: list[Block] = [Words(text)]
    if report.findings:
        blocks.append(Warned(tuple(finding.message for finding in report.findings)))
    if table.notes:
        blocks.append(Folded(f"What was guessed while reading ({len(table.notes)})", tuple(map(Words, table.notes))))
    classes, names = class_indices(table)
    related = [_related(report, start) for start in range(0, len(report.relations), MOST_RELATIONS)]
    title = Heading("Columns most related to the target")
    blocks.append(Beside((tuple(_target(report)), (title, *_unfold(related, "columns")))))
    blocks.append(Heading("The columns"))
    if names:
        blocks.append(Raw(key(names)))
    grids = [_columns(report, start, classes, len(names)) for start in range(0, len(described.columns), MOST_COLUMNS)]
    return [*blocks, *_unfold(grids, "columns")]


def _unfold(grids: list[Grid], what: str) -> list[Block]:
    """Show the first table, and fold the others."""
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
    fractions = list(described.balance.values())
    pairs = sorted(zip(summary.categories, summary.counts, fractions, strict=True), key=lambda one: -one[1])
    rows = tuple((printable(name), str(count), percent(fraction)) for name, count, fraction in pairs)
    shown = pairs[:MOST_BARS]
    chart = bar_chart(
        [name for name, _, _ in shown],
        [count for _, count, _ in shown],
        texts=[f"{count} ({percent(fraction)})" for _, count, fraction in shown],
        title="",
        x_label="rows",
        colors=[target.categories.index(name) for name, _, _ in shown] if len(pairs) <= MOST_COLORS else None,
    )
    grid = Grid("Rows of each class", ("class", "rows", "fraction"), rows, (1, 2))
    caption = f"The {MOST_BARS} most common of {len(pairs)} classes." if len(pairs) > len(shown) else ""
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
    pictures = tuple(spark(report.table, position, classes, n_colors) for position in range(start, start + len(shown)))
    return Grid(
        "Every column: its kind, missing and distinct values, and its values",
        ("column", "kind", "missing", "distinct", "values"),
        rows,
        (2, 3),
        pictures=pictures,
        picture_head="distribution",
    )


def value_words(column: ColumnSummary) -> str:
    """Give the range of a column, or its most common categories."""
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
            "How much each column alone says about the class: information gain in bits, gain ratio, and Pearson's "
            "chi-square test. Numbers are cut into up to ten intervals with about equally many rows. Rows without the "
            "value are left out of a column's values, and count as no gain in the order of the columns."
        )
        head = ("column", "rows", "gain", "gain ratio", "chi-square", "degrees", "p-value")
        rows = tuple(_class_relation(one) for one in shown)
    else:
        caption = (
            "How much of the target's variance lies between a column's categories, or between up to ten intervals with "
            "about equally many rows, with the F-test of their means. Rows without the value are left out of a "
            "column's values, and count as not explained in the order of the columns."
        )
        head = ("column", "rows", "variance explained", "F", "degrees", "p-value")
        rows = tuple(
            (
                printable(one.column),
                str(one.rows),
                percent(one.explained or 0.0),
                number_text(one.statistic),
                ", ".join(map(str, one.degrees)),
                p_text(one.p_value),
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
        number_text(one.statistic),
        str(one.degrees[0]),
        p_text(one.p_value),
    )


# ---- the models ----


def _models(report: Report) -> list[Block]:
    comparison, compared = report.comparison, report.compared
    judged = [one for one in compared.outcomes if one.score is not None]
    judged.sort(key=lambda one: _merit(one, report), reverse=True)
    chart = interval_chart(
        [one.method for one in judged],
        [one.score.mean for one in judged if one.score],
        [_ends(one) for one in judged],
        title=comparison.measure,
        x_label=f"{comparison.measure}, {'higher' if comparison.higher_is_better else 'lower'} is better",
        colors=[2 if one.method == report.choice.scheme else 0 for one in judged],
    )
    names = [name for name in MEASURES[report.predicts == "category"] if any(name in one.figures for one in judged)]
    sizes = [name for name in SIZES if any(one.has(name) for one in judged)]
    head = ("scheme", names[0], "95% interval", *(ABOUT[name].short for name in (*names[1:], *sizes)))
    rows = tuple(_outcome(one, names, sizes) for one in judged)
    chosen = tuple(index for index, one in enumerate(judged) if one.method == report.choice.scheme)
    grid = Grid("The schemes, best first: means over the folds", head, rows, tuple(range(1, len(head))), marked=chosen)
    problems = tuple(f"{one.method} could not learn: {one.problem}" for one in compared.outcomes if one.problem)
    blocks: list[Block] = [Words(_method_text(report)), Charts(((chart, ""),)), grid]
    if problems:
        blocks.append(Warned(problems))
    summaries = [
        f"{name}: {find(name, report.predicts).summary}"
        for name in comparison.methods
        if is_readable(name, report.predicts) or name == report.choice.scheme
    ]
    return [
        *blocks,
        Words(f"The model below: {_reason(report)} {_against_baseline(report)}"),
        Folded("What the schemes are", tuple(map(Words, summaries))),
    ]


def _method_text(report: Report) -> str:
    """Describe how the schemes were compared."""
    repeats = report.comparison.repeats
    text = (
        f"Every scheme was judged by {report.compared.folds}-fold cross-validation"
        f"{f', repeated {repeats} times' if repeats > 1 else ''}, all on the same folds: each row was predicted by a "
        "model that had not seen it. Intervals (95%) allow for folds that share training rows."
    )
    if report.comparison.groups is not None:
        text += f" Rows of one {printable(report.comparison.groups)} are never in two folds."
    if report.left_out:
        names = ", ".join(report.left_out)
        text += f" Left out, since they take long for this many rows: {names}; use --schemes to compare them."
    return text


def _reason(report: Report) -> str:
    """Say why the model was chosen, and what scores count as about equal."""
    choice, comparison = report.choice, report.comparison
    if choice.limit is None:
        return choice.reason
    limit = percent(choice.limit) if ABOUT[comparison.measure].percent else short_number(choice.limit)
    word = "at least" if comparison.higher_is_better else "at most"
    return (
        f"{choice.reason} Within one standard error means {word} {limit}; the simplest has the fewest conditions to "
        "read."
    )


def _against_baseline(report: Report) -> str:
    """Say whether the chosen model is better than a prediction that uses no column."""
    pair = report.compared.pair(report.choice.scheme, BASELINE)
    if pair is None or math.isnan(pair.score.p_value):
        return ""
    better = (pair.score.mean > 0) == report.comparison.higher_is_better and pair.score.mean != 0
    p_value = p_text(pair.score.p_value)
    if better and differs(pair.score.p_value):
        return f"It is better than the baseline (corrected t-test over the folds: p {p_value})."
    return (
        "Note: it is not significantly better than the baseline, which uses no column (corrected t-test over the "
        f"folds: p {p_value})."
    )


def _ends(one: Outcome) -> tuple[float, float]:
    assert one.score is not None
    low, high = one.score.interval
    return (one.score.mean, one.score.mean) if math.isnan(low) or math.isnan(high) else (low, high)


def _merit(one: Outcome, report: Report) -> float:
    assert one.score is not None
    mean = one.score.mean if report.comparison.higher_is_better else -one.score.mean
    return -math.inf if math.isnan(mean) else mean


def _outcome(one: Outcome, names: Sequence[str], sizes: Sequence[str]) -> tuple[str, ...]:
    assert one.score is not None
    low, high = (_measure(names[0], end) for end in one.score.interval)
    cells = [_measure(name, one.figures[name].mean) if one.has(name) else "-" for name in names[1:]]
    cells += [f"{one.figures[name].mean:.1f}" if one.has(name) else "-" for name in sizes]
    return (one.method, _measure(names[0], one.score.mean), f"{low} to {high}", *cells)


def _measure(name: str, value: float) -> str:
    if math.isnan(value):
        return "-"
    return percent(value) if ABOUT[name].percent else short_number(value)


# ---- errors ----


def _errors(report: Report) -> list[Block]:
    standing = [one for one in report.slices if one.stands_out]
    what = "more wrong predictions" if report.predicts == "category" else "larger errors"
    text = (
        f"Held-out rows by category, or by quarter of the numbers, of every column: "
        f"{plural(len(report.slices), 'slice')}. Each is tested against all other rows (one-sided), and p-values are "
        "adjusted for the number of slices by Holm's method. "
    )
    if standing:
        text += f"In {plural(len(standing), 'slice')} there are significantly {what} than elsewhere."
    else:
        text += f"In no slice are there significantly {what} than elsewhere."
    shown = max(MOST_SLICES, len(standing))
    blocks: list[Block] = [Words(text)]
    if report.slices:
        blocks.append(_sliced(report, report.slices[:shown]))
    rest = report.slices[shown : shown + MOST_FOLDED_SLICES]
    if rest:
        blocks.append(Folded(f"{len(rest)} more slices", (_sliced(report, rest),)))
    return blocks


def _sliced(report: Report, shown: tuple[Slice, ...]) -> Grid:
    nominal = report.predicts == "category"
    write = percent if nominal else short_number
    error = "wrong" if nominal else "mean absolute error"
    rows = tuple(
        (
            printable(one.column),
            printable(one.part, NAME_ROOM),
            str(one.rows),
            write(one.error),
            " to ".join("-" if math.isnan(end) else write(end) for end in one.interval),
            write(one.rest),
            p_text(one.adjusted),
            "more than elsewhere" if one.stands_out else "",
        )
        for one in shown
    )
    return Grid(
        "Errors by slice, worst first",
        ("column", "where", "rows", error, "95% interval", "elsewhere", "adjusted p", ""),
        rows,
        (2, 3, 4, 5, 6),
        marked=tuple(index for index, one in enumerate(shown) if one.stands_out),
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
            "The first command makes this report again, byte for byte, from the same data; the second learns the model."
        ),
        Verbatim("\n".join(origin.commands), "sh"),
        Grid("What it was made with", ("", "value"), facts),
        Folded(f"Parameters of {scheme.estimator}", (Grid("All parameters", ("parameter", "value", ""), rows),)),
    ]


def _parameter(value: object) -> str:
    return "none" if value is None else printable(str(value))
