"""Small pictures of columns: the distribution of the rows, in the colors of their classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.in_words import shortened
from hornbeam.data.schema import Nominal
from hornbeam.report.parts import parts_of
from hornbeam.show.pictures.svg_parts import safe, short
from hornbeam.show.texts.wording import short_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.core.base.arrays import Ints64
    from hornbeam.data.table import Table

WIDE, HIGH = 130.0, 30.0
BARS = 14
COLORS = 7  # one more is used for all other classes
NAME_ROOM = 30


def class_indices(table: Table) -> tuple[Ints64 | None, tuple[str, ...]]:
    """Return the index of every row's class among those that have a color, and the names of these.

    Returns
    -------
    tuple
        Indices by row (-1: no class), None if the target is numeric; and names, the last ``other classes`` where not
        every class has its own color.
    """
    target, truth = table.schema.target_column, table.target_values()
    if not isinstance(target, Nominal):
        return None, ()
    counts = np.bincount(truth[truth >= 0], minlength=len(target.categories))
    if len(counts) <= COLORS:
        return truth.astype(np.int64), target.categories
    kept = np.sort(np.argsort(-counts, kind="stable")[:COLORS])
    index = np.full(len(counts) + 1, COLORS, np.int64)
    index[kept] = np.arange(len(kept))
    index[-1] = -1
    return index[truth], (*(target.categories[code] for code in kept), "other classes")


def spark(table: Table, position: int, classes: Ints64 | None, n_colors: int) -> str:
    """Draw one column: a bar per category or per interval of equal width, in the colors of the classes.

    Parameters
    ----------
    table : Table
        The rows.
    position : int
        The position of the column.
    classes : array, optional
        The color of every row; -1: the row is left out.
    n_colors : int
        The number of colors.

    Returns
    -------
    str
        SVG for a page whose style has the colors; empty if no value is known.
    """
    names, codes = _bars(table, position)
    colors = np.zeros(table.n_rows, np.int64) if classes is None else classes
    known = (codes >= 0) & (colors >= 0)
    if not known.any():
        return ""
    n_colors = max(n_colors, 1)
    counts = np.bincount(codes[known] * n_colors + colors[known], minlength=len(names) * n_colors)
    return _draw(names, counts.reshape(-1, n_colors), table.schema.columns[position].name)


def key(names: Sequence[str]) -> str:
    """Write the key of the colors."""
    items = [
        f'<li><svg class="spark" viewBox="0 0 10 10" aria-hidden="true"><rect class="b{index}" width="10" height="10" '
        f'rx="2"/></svg>{safe(name)}</li>'
        for index, name in enumerate(shortened(names, NAME_ROOM))
    ]
    return f'<ul class="key" aria-label="colors of the classes">{"".join(items)}</ul>'


def _bars(table: Table, position: int) -> tuple[list[str], Ints64]:
    """Return the names of the bars, and the bar of every row."""
    column, values = table.schema.columns[position], table.columns[position]
    if isinstance(column, Nominal):
        parts = parts_of(table, position, BARS, BARS)
        return shortened(parts.names, NAME_ROOM), parts.codes.astype(np.int64)
    known = ~np.isnan(values)
    codes = np.full(len(values), -1, np.int64)
    if not known.any():
        return [], codes
    low, high = float(values[known].min()), float(values[known].max())
    edges = np.linspace(low, high, BARS + 1) if high > low else np.array([low, high])
    codes[known] = np.clip(np.searchsorted(edges, values[known], side="right") - 1, 0, len(edges) - 2)
    pairs = zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    return [f"{short_number(one)} to {short_number(two)}" for one, two in pairs], codes


def _draw(names: list[str], counts: Ints64, title: str) -> str:
    tallest, step = int(counts.sum(axis=1).max()), WIDE / len(names)
    drawn = [f'<svg class="spark" viewBox="0 0 {short(WIDE)} {short(HIGH)}" role="img">']
    drawn.append(f"<title>{safe(f'distribution of {title}')}</title>")
    for index, (name, row) in enumerate(zip(names, counts.tolist(), strict=True)):
        foot = HIGH
        parts = []
        for color, count in enumerate(row):
            tall = HIGH * count / tallest
            if tall < 0.05:  # noqa: PLR2004 - less cannot be seen
                continue
            foot -= tall
            parts.append(
                f'<rect class="b{color}" x="{short(index * step)}" y="{short(foot)}" '
                f'width="{short(max(step - 1, 0.8))}" height="{short(tall)}"/>'
            )
        drawn.append(f"<g><title>{safe(f'{name}: {sum(row)}')}</title>{''.join(parts)}</g>")
    return "".join([*drawn, "</svg>"])
