"""A column in parts, for counting: its categories, or intervals of numbers with about equally many rows.

Relations to the target and errors by slice count rows by part.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data import dates
from hornbeam.data.schema import Nominal
from hornbeam.learn.columns.discretize import equal_frequency_cuts
from hornbeam.show.texts.wording import number_column

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Ints32
    from hornbeam.data.schema import Numeric
    from hornbeam.data.table import Table


@dataclass(frozen=True, eq=False, slots=True)
class Parts:
    """The parts of a column."""

    names: tuple[str, ...]  # the names of the parts
    codes: Ints32  # one entry per row: the part of each row; -1 where its value is missing


def parts_of(table: Table, position: int, bins: int, most: int | None = None) -> Parts:
    """Put the rows of a table into the parts of one column.

    Parameters
    ----------
    table : Table
        The rows.
    position : int
        The position of the column.
    bins : int
        The maximum number of intervals of numbers.
    most : int, optional
        The maximum number of categories: the most common; the others are one part.

    Examples
    --------
    >>> import hornbeam
    >>> parts_of(hornbeam.read("iris"), 2, bins=3).names
    ('≤ 2.45', '2.45 to 4.85', '> 4.85')
    """
    column, values = table.schema.columns[position], table.columns[position]
    if not isinstance(column, Nominal):
        cuts = equal_frequency_cuts(values, bins=bins, order=table.sort_order(position))
        codes = np.searchsorted(cuts, values, side="left").astype(np.int32)
        codes[np.isnan(values)] = -1
        return Parts(interval_words(column, cuts.tolist()), codes)
    if most is None or len(column.categories) <= most:
        return Parts(column.categories, values)
    counts = np.bincount(values[values >= 0], minlength=len(column.categories))
    kept = np.sort(np.argsort(-counts, kind="stable")[: most - 1])
    part = np.full(len(column.categories) + 1, most - 1, np.int32)
    part[kept] = np.arange(len(kept), dtype=np.int32)
    part[-1] = -1  # the code of a missing value
    others = f"{len(column.categories) - len(kept)} others"
    return Parts((*(column.categories[code] for code in kept), others), part[values])


def interval_words(column: Numeric, cuts: list[float]) -> tuple[str, ...]:
    """Name the intervals between cuts of numbers or dates; an interval includes its upper end."""
    if not cuts:
        return ("all",)
    ends = number_column(cuts) if column.format is None else [dates.show(cut, column.format) for cut in cuts]
    between = [f"{low} to {high}" for low, high in pairwise(ends)]
    return (f"≤ {ends[0]}", *between, f"> {ends[-1]}")
