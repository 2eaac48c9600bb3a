"""The content of a report, section by section: the same for a page and for Markdown."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hornbeam.data.in_words import percent
from hornbeam.data.schema import Nominal
from hornbeam.report.content.blocks import (
    Beside,
    Charts,
    Folded,
    Grid,
    Heading,
    Raw,
    Section,
    Verbatim,
    Words,
    counted,
    number_text,
    p_text,
)
from hornbeam.report.content.card import card_section
from hornbeam.report.content.columns import columns_section
from hornbeam.report.content.judged import judged_blocks
from hornbeam.report.content.model import model_section
from hornbeam.report.content.models import models_section
from hornbeam.report.content.sparks import class_indices, key, spark
from hornbeam.schemes import find
from hornbeam.show.chart_svg import histogram_chart
from hornbeam.show.charts.small_charts import SIZE
from hornbeam.show.texts.wording import printable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hornbeam.data.examine import ColumnSummary
    from hornbeam.report.content.blocks import Block
    from hornbeam.report.relations import Relation
    from hornbeam.report.result import Report
    from hornbeam.report.slices import Slice

MOST_COLUMNS = 40  # described at once; the others are folded
MOST_RELATIONS = 10
MOST_LISTED = 200  # columns described at all
MOST_SLICES, MOST_FOLDED_SLICES = 12, 60
MOST_CATEGORIES = 4  # listed per column
MOST_BARS, MOST_FOLDED_CLASSES = 20, 200  # classes listed
NAME_ROOM = 30


def sections(report: Report) -> tuple[Section, ...]:
    """Return all sections of a report."""
    return (
        Section("data", "The data", tuple(_data(report))),
        models_section(report),
        model_section(report),
        columns_section(report),
        Section("figures", "How good is it?", tuple(judged_blocks(report))),
        Section("errors", "Where is it wrong?", tuple(_errors(report))),
        card_section(report),
        Section("again", "How to reproduce this", tuple(_again(report))),
    )


# ---- the data ----


def _data(report: Report) -> list[Block]:
    described, table = report.description, report.table
    missing = sum(column.missing for column in described.columns if column.role == "feature")
    cells = described.rows * max(len(table.schema.features), 1)
    text = f"{printable(described.name)} has {counted(described.rows, 'row')} and "
    text += f"{counted(len(table.schema.features), 'feature column')}; "
    gaps = f"{percent(missing / max(cells, 1))} of their values are missing."
    text += gaps if missing else "none of their values is missing."
    unknown = sum(column.missing for column in described.columns if column.role == "target")
    if unknown:
        text += f" {counted(unknown, 'row')} without a target {'is' if unknown == 1 else 'are'} left out below."
    blocks: list[Block] = [Words(text)]
    if table.notes:
        blocks.append(Folded(f"What was guessed while reading ({len(table.notes)})", tuple(map(Words, table.notes))))
    classes, names = class_indices(table)
    most = min(len(report.relations), MOST_LISTED)
    related = [_related(report, start) for start in range(0, most, MOST_RELATIONS)]
    title = Heading("Columns most related to the target")
    blocks.append(Beside((tuple(_target(report)), (title, *_unfold(related, "columns")))))
    blocks.append(Heading("The columns"))
    if names:
        blocks.append(Raw(key(names)))
    most = min(len(described.columns), MOST_LISTED)
    grids = [_columns(report, start, classes, len(names)) for start in range(0, most, MOST_COLUMNS)]
    left = len(described.columns) - most
    more = [Words(f"Left out: {counted(left, 'more column')}; hornbeam data describes them all.")] if left else []
    return [*blocks, *_unfold(grids, "columns"), *more]


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
        return [heading, Charts(((histogram_chart(values, title="", x_label=name, size=SIZE), ""),))]
    summary = next(column for column in described.columns if column.role == "target")
    fractions = list(described.balance.values())
    pairs = sorted(zip(summary.categories, summary.counts, fractions, strict=True), key=lambda one: -one[1])
    rows = tuple((printable(name), f"{count:,}", percent(fraction)) for name, count, fraction in pairs)
    most = max((fraction for _, _, fraction in pairs), default=0.0) or 1.0
    lengths = tuple(fraction / most for _, _, fraction in pairs)
    head = ("class", "rows", "fraction")

    def grid(start: int, end: int) -> Grid:
        return Grid("Rows of each class", head, rows[start:end], (1, 2), bars=(2, lengths[start:end]))

    if len(rows) <= MOST_BARS:
        return [heading, grid(0, MOST_BARS)]
    text = Words(f"The {MOST_BARS} most common of {len(pairs):,} classes.")
    folded = min(len(rows), MOST_BARS + MOST_FOLDED_CLASSES)
    more = Folded(f"{folded - MOST_BARS:,} more classes", (grid(MOST_BARS, folded),))
    return [heading, text, grid(0, MOST_BARS), more]


def _columns(report: Report, start: int, classes: NDArray[np.int64] | None, n_colors: int) -> Grid:
    described = report.description
    shown = described.columns[start : start + MOST_COLUMNS]
    rows = tuple(
        (
            printable(column.name),
            column.kind if column.role == "feature" else f"{column.kind}, {column.role}",
            f"{column.missing:,} ({percent(column.missing / max(described.rows, 1))})" if column.missing else "0",
            f"{column.distinct:,}",
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
    """Return the range of a column, or its most common categories."""
    if column.categories:
        common = sorted(zip(column.counts, column.categories, strict=True), key=lambda one: -one[0])
        shown = ", ".join(f"{printable(name, NAME_ROOM)} {count:,}" for count, name in common[:MOST_CATEGORIES])
        more = len(common) - MOST_CATEGORIES
        return f"{shown}, {more} more" if more > 0 else shown
    if column.minimum is None:
        return "-"
    low, mean, high = (
        end if isinstance(end, str) else number_text(end)
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
            "value are left out of a column's values, and count as no gain in the order of the columns, which also "
            "allows for what many categories gain by chance."
        )
        head = ("column", "rows", "gain", "gain ratio", "chi-square", "degrees", "p-value")
        rows = tuple(_class_relation(one) for one in shown)
    else:
        caption = (
            "How much of the target's variance lies between a column's categories, or between up to ten intervals with "
            "about equally many rows, with the F-test of their means. Rows without the value are left out of a "
            "column's values, and count as not explained in the order of the columns, which also allows for what many "
            "categories explain by chance."
        )
        head = ("column", "rows", "variance explained", "F", "degrees", "p-value")
        rows = tuple(
            (
                printable(one.column),
                f"{one.rows:,}",
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
        f"{one.rows:,}",
        f"{one.gain or 0.0:.3f}",
        f"{one.gain_ratio or 0.0:.3f}",
        number_text(one.statistic),
        str(one.degrees[0]),
        p_text(one.p_value),
    )


# ---- errors ----


def _errors(report: Report) -> list[Block]:
    standing = [one for one in report.slices if one.stands_out]
    what = "more wrong predictions" if report.predicts == "category" else "larger errors"
    text = (
        f"Held-out rows by category, or by quarter of the numbers, of every column: "
        f"{counted(len(report.slices), 'slice')}. Each is tested against all other rows (one-sided), and p-values are "
        "adjusted for the number of slices by Holm's method. "
    )
    if standing:
        text += f"In {counted(len(standing), 'slice')} there are significantly {what} than elsewhere."
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
    write = percent if nominal else number_text
    error = "wrong" if nominal else "mean absolute error"
    rows = tuple(
        (
            printable(one.column),
            printable(one.part, NAME_ROOM),
            f"{one.rows:,}",
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
        Grid("Versions and settings", ("", "value"), facts),
        Folded(f"Parameters of {scheme.estimator}", (Grid("All parameters", ("parameter", "value", ""), rows),)),
    ]


def _parameter(value: object) -> str:
    return "none" if value is None else printable(str(value))
