"""Which rows are learned from and which are tested, fold by fold: dealt at random, or by time.

By time, rows are put in the order of a column and cut into one block more than there are folds: the first fold learns
from the first block and is tested on the second, the next learns from the first two, and so on. Nothing later than the
rows tested is ever learned from, and rows of the same time stay together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal, Numeric, SchemaError
from hornbeam.evaluate.cross_validation import fold_of_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hornbeam.data.table import Table


@dataclass(frozen=True, eq=False)
class Deal:
    """The folds of a table's rows.

    Parameters
    ----------
    fold : array of int64, one entry a row
        The fold in which the row is tested; -1 for a row that is in none.
    block : array of int64, optional
        By time: the block of every row, one more than its fold; -1 for rows without a target.
    """

    fold: NDArray[np.int64]
    block: NDArray[np.int64] | None = None

    @property
    def n_folds(self) -> int:
        """How many folds there are."""
        return int(self.fold.max()) + 1

    def lesson(self, number: int) -> NDArray[np.intp]:
        """Rows that a fold learns from."""
        if self.block is not None:
            return np.flatnonzero((self.block >= 0) & (self.block <= number))
        return np.flatnonzero((self.fold != number) & (self.fold >= 0))

    def test(self, number: int) -> NDArray[np.intp]:
        """Rows that a fold is tested on."""
        return np.flatnonzero(self.fold == number)


def deal(table: Table, folds: int | ArrayLike, seed: int, order: str | int | None = None) -> Deal:
    """Deal rows to folds.

    Parameters
    ----------
    table : Table
        With a target. Rows of one group (the column with that role) are always in one fold.
    folds : int or array
        How many folds, with the classes spread evenly over them; or the fold of every row.
    seed : int
        Seed of the shuffle.
    order : str or int, optional
        A column of numbers, dates or ordered categories: folds go by time.

    Examples
    --------
    >>> import hornbeam
    >>> found = deal(hornbeam.read("cpu"), 3, seed=1, order="MYCT")
    >>> [(len(found.lesson(number)), len(found.test(number))) for number in range(found.n_folds)]
    [(61, 45), (106, 52), (158, 51)]
    """
    return Deal(fold_of_rows(table, folds, seed)) if order is None else _by_time(table, folds, order)


def _by_time(table: Table, folds: int | ArrayLike, order: str | int) -> Deal:
    from hornbeam.learn.base.estimator import has_target  # noqa: PLC0415 - needs scikit-learn

    position = table.schema.position(order)
    column, values = table.schema.columns[position], table.columns[position]
    if not isinstance(folds, int):
        msg = f"folds were given row by row, and an order ({column.name!r}) too; expected one of them"
        raise ValueError(msg)  # noqa: TRY004 - a table of folds is fine, but not with an order
    if table.schema.with_role("group") is not None:
        msg = f"the table has groups, and an order ({column.name!r}) was given too; expected one of them"
        raise ValueError(msg)
    if position == table.schema.target:
        msg = f"the column {column.name!r} is the target; expected another one to order rows by"
        raise SchemaError(msg)
    if isinstance(column, Nominal) and not column.ordered:
        msg = f"the column {column.name!r} holds categories without an order; expected numbers, dates or ordered ones"
        raise SchemaError(msg)
    rows = np.flatnonzero(has_target(table))
    unknown = np.isnan(values[rows]) if isinstance(column, Numeric) else values[rows] < 0
    if unknown.any():
        msg = (
            f"column {column.name!r}, row {rows[unknown][0] + 1}: no value; expected one in every row, to order them by"
        )
        raise SchemaError(msg)
    if folds < 1:
        msg = f"folds is {folds}; expected at least 1"
        raise ValueError(msg)
    _, place, counts = np.unique(values[rows], return_inverse=True, return_counts=True)
    folds = min(folds, len(counts) - 1)
    if folds < 1:
        few = f"the column {column.name!r} does not vary over the {len(rows)} rows with a target"
        msg = f"{few}; expected two values or more to order rows by"
        raise ValueError(msg)
    block = np.full(table.n_rows, -1, np.int64)
    block[rows] = np.searchsorted(_begins(np.cumsum(counts), folds), place, side="right")
    return Deal(np.maximum(block - 1, -1), block)


def _begins(reached: NDArray[np.int64], folds: int) -> NDArray[np.int64]:
    """Where blocks after the first begin among the distinct values, so that blocks are as even as values allow.

    `reached` says how many rows there are up to each value.
    """
    before = reached[:-1]  # rows in front of value 1, 2, ...
    begins: list[int] = []
    for number in range(1, folds + 1):
        ideal = number * reached[-1] / (folds + 1)
        low, high = (begins[-1] if begins else 0), len(before) - (folds - number) - 1
        nearest = int(np.argmin(np.abs(before[low : high + 1] - ideal))) + low
        begins.append(nearest + 1)
    return np.array(begins, np.int64)
