"""An order of rows that depends only on their values, and sorted columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.core.rows.presort import sort_known
from hornbeam.data.schema import Nominal

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats, Indices, Ints64, Uints32, Uints64
    from hornbeam.data.table import Table

MOST_REPEATED = 20  # weights do not become repeated rows if that would multiply the rows by more than this
FEW = 100_000  # unless there are at most this many
WORDS = 1 << 64
MIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)  # odd multipliers of a hash


def own_order(table: Table) -> tuple[Indices, Floats | None]:
    """Rows in an order that depends neither on the given order nor on that of the columns, and their weights.

    Rows are sorted by a hash of their target and of the ranks of their values, which do not depend on the units of
    columns and the names of categories. The hash of a column depends on how its ranks go with the target, and on its
    position only if another column is the same in this. Whole-number weights become repeated rows, unless that would
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
    weights = table.weights
    repeated = weights is not None and bool(
        (weights == np.floor(weights)).all() and weights.sum() <= max(MOST_REPEATED * table.n_rows, FEW)
    )
    often = weights.astype(np.uint64) if repeated and weights is not None else None
    mixed = of_target = mix((truth if nominal else _ranks(table, target)).astype(np.uint64), 0)
    numbers: set[int] = set()
    for place in table.schema.features:
        column = table.schema.columns[place]
        if isinstance(column, Nominal) and not column.ordered:
            ranks = table.columns[place].astype(np.int64).astype(np.uint64)
        else:
            ranks = _ranks(table, place).astype(np.uint64)
        number = _number(ranks, of_target, often)
        while number in numbers:  # a column that goes with the target just as an earlier one does
            number = (number + 1) % WORDS
        numbers.add(number)
        mixed = mixed + mix(ranks, number)
    if weights is None:
        return np.argsort(mixed, kind="stable"), None
    if often is not None:
        rows = np.argsort(mixed, kind="stable")
        return np.repeat(rows, often[rows].astype(np.intp)), None
    rows = np.lexsort((weights, mixed))
    return rows, np.ascontiguousarray(weights[rows])


def _number(ranks: Uints64, of_target: Uints64, often: Uints64 | None) -> int:
    """A number for a column that depends on which ranks occur how often with which targets."""
    pairs = mix(ranks + of_target, 1)
    return int((pairs if often is None else pairs * often).sum())


def mix(values: Uints64, number: int) -> Uints64:
    """Hashes that depend on all bits of the values, and on the number of the column."""
    mixed = (values ^ np.uint64(number)) * np.uint64(MIX[0])
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
    """A column as numbers to cut, and its known rows by ascending value; an ordered category is its code."""
    values = table.columns[place]
    if not isinstance(table.schema.columns[place], Nominal):
        return values, table.sort_order(place)
    values = np.where(values < 0, np.nan, values.astype(np.float64))
    return values, sort_known(values)
