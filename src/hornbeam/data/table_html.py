"""A table in a notebook: its columns with kinds and roles, and its first rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam._display import safe
from hornbeam.data import dates
from hornbeam.data.in_words import plural
from hornbeam.data.infer import show_number
from hornbeam.data.schema import Column, Nominal

if TYPE_CHECKING:
    from hornbeam.data.table import Table

MOST_ROWS, MOST_COLUMNS, MOST_CHARS = 8, 20, 40
CELL = "padding:.2em .6em;white-space:nowrap"


def table_html(table: Table) -> str:
    """Write the first rows of a table as HTML; numbers are aligned to the right.

    Examples
    --------
    >>> import hornbeam
    >>> "<th" in table_html(hornbeam.read("weather"))
    True
    """
    places = range(min(len(table.columns), MOST_COLUMNS))
    heads, kinds = "", ""
    for place in places:
        column, role = table.schema.columns[place], table.schema.roles[place]
        heads += f'<th style="{CELL};text-align:{_side(column)}">{_short(column.name)}</th>'
        said = _kind(column) if role == "feature" else f"{_kind(column)}, {role}"
        kinds += f'<td style="{CELL};text-align:{_side(column)}"><small>{said}</small></td>'
    first = table.take(np.arange(min(table.n_rows, MOST_ROWS)))
    rows = ""
    for row in range(first.n_rows):
        cells = (
            f'<td style="{CELL};text-align:{_side(column)}">{_value(column, first.columns[place][row])}</td>'
            for place, column in ((place, table.schema.columns[place]) for place in places)
        )
        rows += f"<tr>{''.join(cells)}</tr>"
    left = [f"{table.n_rows - first.n_rows} more rows"] * (table.n_rows > first.n_rows)
    left += [f"{len(table.columns) - len(places)} more columns"] * (len(table.columns) > len(places))
    note = f"; not shown: {' and '.join(left)}" if left else ""
    size = f"{plural(table.n_rows, 'row')}, {plural(len(table.columns), 'column')}{note}"
    return (
        f'<div class="hornbeam"><p><b>{_short(table.schema.name)}</b>: {size}</p><div style="overflow-x:auto">'
        f"<table><thead><tr>{heads}</tr><tr>{kinds}</tr></thead><tbody>{rows}</tbody></table></div></div>"
    )


def _side(column: Column) -> str:
    return "left" if isinstance(column, Nominal) else "right"


def _kind(column: Column) -> str:
    if isinstance(column, Nominal):
        return f"{len(column.categories)} {'ordered ' * column.ordered}categories"
    return "number" if column.format is None else "date"


def _value(column: Column, value: float) -> str:
    if column.missing(np.asarray([value]))[0]:
        return ""
    if isinstance(column, Nominal):
        return _short(column.categories[int(value)])
    return _short(show_number(value) if column.format is None else dates.show(float(value), column.format))


def _short(text: str) -> str:
    return safe(text if len(text) <= MOST_CHARS else f"{text[: MOST_CHARS - 1]}…")
