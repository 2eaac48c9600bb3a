"""The section about columns: which ones the predictions depend on, and how."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hornbeam.data import dates
from hornbeam.data.in_words import printable
from hornbeam.data.schema import Nominal
from hornbeam.report.content.blocks import Charts, Folded, Grid, Heading, Section, Words, distinct, number_text
from hornbeam.report.effects import DRAWN, FOLDS, SHUFFLES
from hornbeam.report.markup import interval_bar
from hornbeam.show.charts.chart_rows import bar_chart, interval_chart
from hornbeam.show.charts.small_charts import curve_chart

if TYPE_CHECKING:
    from hornbeam.report.content.blocks import Block
    from hornbeam.report.effects import Effect, Importance
    from hornbeam.report.result import Report

MOST_SHOWN, MOST_FOLDED = 10, 100
NAME_ROOM = 30
CATEGORY_ROOM, BARS_WIDE = 14, 120.0


def columns_section(report: Report) -> Section:
    """Show the importance of columns, and the effects of the most important ones."""
    blocks: list[Block] = [Words(_text(report))]
    if report.importance:
        blocks.append(_important(report, report.importance[:MOST_SHOWN]))
        rest = report.importance[MOST_SHOWN : MOST_SHOWN + MOST_FOLDED]
        if rest:
            blocks.append(Folded(f"{len(rest)} more columns", (_important(report, rest),)))
    if report.effects:
        blocks += [
            Heading("How predictions change with them"),
            Words(_effects_text(report)),
            Charts(tuple((_chart(report, one), "") for one in report.effects)),
            Folded("The curves as tables", tuple(_table(report, one) for one in report.effects)),
        ]
    return Section("columns", "Which columns matter?", tuple(blocks))


def _text(report: Report) -> str:
    lost = "accuracy lost" if report.predicts == "category" else "root mean squared error added"
    return (
        f"Importance is the {lost} when the values of a column are shuffled among held-out rows: 0 means that the "
        f"predictions do not need the column. It is measured with {report.choice.scheme} models learned without those "
        f"rows, in up to {FOLDS} folds, with {SHUFFLES} shuffles each; ± is the standard deviation over these. Of "
        "columns that say the same, each alone may look unimportant."
    )


def _important(report: Report, shown: tuple[Importance, ...]) -> Grid:
    low = min(0.0, *(one.range[0] for one in report.importance))
    high = max(1e-12, *(one.range[1] for one in report.importance))

    scale = 100.0 if report.predicts == "category" else 1.0
    rows = tuple((printable(one.column), _spread(scale * one.mean, scale * one.deviation)) for one in shown)
    unit = "points of accuracy" if report.predicts == "category" else "error added"
    pictures = tuple(
        interval_bar(one.mean, one.range, (low, high), row[1], from_zero=True)
        for one, row in zip(shown, rows, strict=True)
    )
    caption = "Importance of columns for held-out rows, most important first"
    return Grid(caption, ("column", unit), rows, (1,), pictures=pictures, picture_head="mean and deviation")


def _spread(mean: float, deviation: float) -> str:
    """Write a mean with its deviation, which has two digits.

    Examples
    --------
    >>> _spread(4.24311, 0.4545), _spread(1234.5, 210.0), _spread(0.0, 0.0)
    ('4.24 ± 0.45', '1,234 ± 210', '0 ± 0')
    """
    largest = max(abs(mean) / 10, deviation)
    digits = max(0, 1 - math.floor(math.log10(largest))) if largest > 0 else 0
    return f"{mean:,.{digits}f} ± {deviation:,.{digits}f}"


def _effects_text(report: Report) -> str:
    what = "the prediction"
    if report.predicts == "category":
        names = list(dict.fromkeys(one.category or "" for one in report.effects))
        what = f"the probability of '{printable(names[0], NAME_ROOM)}'"
        if len(names) > 1:
            what = "the probability of the class that the column changes most"
    return (
        f"Each chart varies one column and leaves the others as they are. The thick line is {what}, averaged over a "
        f"sample of rows (partial dependence); faint lines are up to {DRAWN} single rows. For categories the bar or "
        "dot is the mean; a range holds 80% of the rows. A curve may pass combinations of values that do not occur."
    )


def _label(report: Report, one: Effect) -> str:
    target = printable(report.table.schema.target_column.name, NAME_ROOM)
    return f"mean {target}" if one.category is None else f"probability of {printable(one.category, NAME_ROOM)}"


def _chart(report: Report, one: Effect) -> str:
    column = report.table.schema.columns[report.table.schema.position(one.column)]
    name, label = printable(one.column, NAME_ROOM), _label(report, one)
    unit = (0.0, 1.0) if one.category is not None else None
    if not isinstance(column, Nominal):
        numbers = [float(value) for value in one.values]
        return curve_chart(
            {"": (numbers, one.mean)},
            title=name,
            x_label=name,
            y_label=label,
            faint=[(numbers, curve) for curve in one.curves],
            y_range=unit,
            date_format=column.format,
        )
    names = distinct([str(value) for value in one.values], CATEGORY_ROOM)
    if one.category is not None:
        texts = [f"{100 * value:.0f}%" for value in one.mean]
        return bar_chart(names, one.mean, title=name, x_label=label, texts=texts, x_range=unit, wide=BARS_WIDE)
    ends = list(zip(one.low.tolist(), one.high.tolist(), strict=True))
    return interval_chart(names, one.mean, ends, title=name, x_label=label, wide=1.6 * BARS_WIDE)


def _table(report: Report, one: Effect) -> Grid:
    column = report.table.schema.columns[report.table.schema.position(one.column)]

    def value_text(value: float | str) -> str:
        if isinstance(value, str):
            return printable(value, NAME_ROOM)
        pattern = None if isinstance(column, Nominal) else column.format
        return number_text(value) if pattern is None else dates.show(value, pattern)

    rows = tuple(
        (value_text(value), number_text(float(mean)), f"{number_text(float(low))} to {number_text(float(high))}")
        for value, mean, low, high in zip(one.values, one.mean, one.low, one.high, strict=True)
    )
    name = printable(one.column, NAME_ROOM)
    return Grid(f"Effect of {name}", (name, _label(report, one), "80% of the rows"), rows, (1, 2))
