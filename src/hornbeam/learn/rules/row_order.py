"""An order of rows that depends on nothing but the rows, and columns in the order of their values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.core.rows.presort import sort_known
from hornbeam.data.schema import Nominal

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats, Indices, Ints64, Uints32, Uints64
    from hornbeam.data.table import Table

MOST_REPEATED = 20  # weights do not become repeated rows where that would give this many times as many rows
FEW = 100_000  # unless they are no more than this
MIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)  # odd numbers with bits all over


def own_order(table: Table) -> tuple[Indices, Floats | None]:
    """Rows in an order that does not depend on the one they are in, and their weights.

    Rows are sorted by a number mixed from their target and from the ranks of their values, which are the same whatever
    the unit of a column and the names of its categories. Whole-number weights become repeated rows, unless that would
    give too many.

    Parameters
    ----------
    table : Table
        Every row has a target and a weight above zero.

    Returns
    -------
    (array of int, array of float or None)
        Row numbers, and weights in the same order; None: every row counts once.
    """
    target = table.schema.target
    assert target is not None
    truth = table.target_values()
    nominal = isinstance(table.schema.target_column, Nominal)
    mixed = _mix((truth if nominal else _ranks(table, target)).astype(np.uint64), 0)
    for number, place in enumerate(table.schema.features, start=1):
        column = table.schema.columns[place]
        if isinstance(column, Nominal) and not column.ordered:
            ranks = table.columns[place].astype(np.int64)
        else:
            ranks = _ranks(table, place)
        mixed += _mix(ranks.astype(np.uint64), number)
    weights = table.weights
    if weights is None:
        return np.argsort(mixed, kind="stable"), None
    if (weights == np.floor(weights)).all() and weights.sum() <= max(MOST_REPEATED * table.n_rows, FEW):
        rows = np.argsort(mixed, kind="stable")
        return np.repeat(rows, weights[rows].astype(np.intp)), None
    rows = np.lexsort((weights, mixed))
    return rows, np.ascontiguousarray(weights[rows])


def _mix(values: Uints64, number: int) -> Uints64:
    """Numbers whose bits depend on all bits of the values, and on the number of the column."""
    mixed = (values + np.uint64(number << 32)) * np.uint64(MIX[0])
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(MIX[1])
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(MIX[2])
    return mixed ^ (mixed >> np.uint64(31))


def _ranks(table: Table, place: int) -> Ints64:
    """The rank of every row's value among those of a column, the same for equal values; -1: missing."""
    values, order = sorted_values(table, place)
    ordered = values[order]
    ranks = np.full(table.n_rows, -1, np.int64)
    ranks[order] = np.cumsum(np.r_[0, ordered[1:] != ordered[:-1]])[: len(order)]
    return ranks


def sorted_values(table: Table, place: int) -> tuple[Floats, Uints32]:
    """A column to be cut as numbers, and its known rows by rising value; an ordered category is its code."""
    values = table.columns[place]
    if not isinstance(table.schema.columns[place], Nominal):
        return values, table.sort_order(place)
    values = np.where(values < 0, np.nan, values.astype(np.float64))
    return values, sort_known(values)
