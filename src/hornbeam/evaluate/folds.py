"""How rows are assigned to folds.

Rows that belong together (of one patient, of one field) stay in one fold; otherwise a model would be tested on rows
that it has seen.

In time order, rows are sorted by a column and divided into one more block than there are folds: the first fold trains
on the first block and is tested on the second, the next trains on the first two, and so on. A model is never trained on
rows later than those it is tested on, and rows with the same time stay together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.in_words import plural
from hornbeam.data.schema import Nominal, SchemaError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hornbeam.data.table import Table


@dataclass(frozen=True, slots=True)
class TimeFolds:
    """Folds in time order, for any function that takes `folds`.

    Parameters
    ----------
    order : str
        A column (numbers, dates or ordered categories) that gives the time order: every fold trains on earlier rows and
        is tested on later ones. The earliest rows are in no fold.
    folds : int
        How many folds.
    """

    order: str
    folds: int = 10


def fold_of_rows(table: Table, folds: int | ArrayLike, seed: int) -> NDArray[np.int64]:
    """Return the fold of every row, -1 if its target is missing.

    Parameters
    ----------
    table : Table
        With a target. If a column has the role ``"group"``, rows of one group are in one fold.
    folds : int or array
        How many, with the classes spread evenly over them; or the fold of every row, renumbered from 0.
    seed : int
        Seed of the shuffle.
    """
    from hornbeam.learn.base.estimator import has_target  # noqa: PLC0415 - needs scikit-learn, as below

    column, truth = table.schema.target_column, table.target_values()
    known = np.flatnonzero(has_target(table))
    fold = np.full(table.n_rows, -1, np.int64)
    grouped = table.schema.with_role("group")
    if isinstance(folds, int) and grouped is not None:
        classes = truth[known].astype(np.int64) if isinstance(column, Nominal) else np.zeros(len(known), np.int64)
        fold[known] = assign_groups(groups_of(table, grouped, known), classes, folds, seed)
    elif isinstance(folds, int):
        fold[known] = _stratified(truth[known], folds, seed, nominal=isinstance(column, Nominal))
    else:
        given = np.asarray(folds, np.int64)
        if given.shape != (table.n_rows,):
            msg = f"folds has shape {given.shape}; expected one fold number for each of the {table.n_rows} rows"
            raise ValueError(msg)
        fold[known] = np.unique(given[known], return_inverse=True)[1]
    total = int(fold.max(initial=-1)) + 1
    if total < 2:  # noqa: PLR2004 - one part cannot be learned from the others
        found = f"found {plural(total, 'fold')} ({plural(len(known), 'row')} with a target)"
        msg = f"cross-validation needs at least two folds with rows; {found}"
        raise ValueError(msg)
    return fold


def _stratified(truth: NDArray[Any], folds: int, seed: int, *, nominal: bool) -> NDArray[np.int64]:
    """Return a fold for each row, with the classes spread as evenly as possible."""
    from sklearn.model_selection import KFold, StratifiedKFold  # noqa: PLC0415 - as above

    check_folds(folds)
    folds = min(folds, len(truth))
    fold = np.zeros(len(truth), np.int64)
    if folds < 2:  # noqa: PLR2004 - text by the caller, who knows how many rows there were
        return fold
    # A stratified split needs a class with as many rows as there are folds; without one, all classes are rare, and no
    # assignment is more even than another.
    stratified = nominal and np.bincount(truth).max() >= folds
    splitter = (StratifiedKFold if stratified else KFold)(folds, shuffle=True, random_state=seed)
    rare = np.zeros((len(truth), 1))
    if not stratified:
        for number, (_, part) in enumerate(splitter.split(rare)):
            fold[part] = number
        return fold
    import warnings  # noqa: PLC0415

    with warnings.catch_warnings():
        # A class with fewer rows than folds is in fewer folds: the caller need not do anything about it.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        for number, (_, part) in enumerate(splitter.split(rare, truth)):
            fold[part] = number
    return fold


def assign_groups(groups: NDArray[np.int64], classes: NDArray[np.int64], folds: int, seed: int) -> NDArray[np.int64]:
    """Assign whole groups to folds, with rows and classes spread as evenly as a greedy choice can.

    Groups are assigned in random order, each to the fold with the fewest rows of the group's classes, measured by the
    sum of squared class fractions.

    Parameters
    ----------
    groups, classes : arrays of whole numbers from 0, one per row
    folds : int
        At most as many as there are groups.
    seed : int
        Of the order.

    Returns
    -------
    array of int64
        The fold of every row.

    Examples
    --------
    >>> assign_groups(np.array([0, 0, 1, 1, 2, 3]), np.zeros(6, int), 2, seed=1).tolist()
    [0, 0, 1, 1, 0, 1]
    """
    check_folds(folds)
    n_groups = int(groups.max(initial=-1)) + 1
    held = np.zeros((n_groups, int(classes.max(initial=-1)) + 1))
    np.add.at(held, (groups, classes), 1.0)
    held /= np.maximum(held.sum(axis=0), 1.0)
    loads = np.zeros((min(folds, max(n_groups, 1)), held.shape[1]))
    fold_of_group = np.zeros(n_groups, np.int64)
    for done, group in enumerate(np.random.default_rng(seed).permutation(n_groups).tolist()):
        # No fold stays empty: the last groups go to empty folds.
        empty = np.flatnonzero(loads.sum(axis=1) == 0)
        among = empty if 0 < n_groups - done <= len(empty) else np.arange(len(loads))
        best = int(among[np.argmin(loads[among] @ held[group])])
        fold_of_group[group] = best
        loads[best] += held[group]
    return fold_of_group[groups]


def groups_of(table: Table, position: int, rows: NDArray[np.intp]) -> NDArray[np.int64]:
    """Number the groups of some rows from 0."""
    column, values = table.schema.columns[position], table.columns[position][rows]
    unknown = column.missing(values)
    if unknown.any():
        msg = f"column {column.name!r}, row {rows[unknown][0] + 1}: no value; expected the group of every row"
        raise SchemaError(msg)
    names, numbers = np.unique(values, return_inverse=True)
    if len(names) == 1:
        msg = f"all rows are of one group (column {column.name!r}); expected two or more, as a group is in one fold"
        raise ValueError(msg)
    return numbers.astype(np.int64)


def check_folds(folds: int) -> None:
    """Raise an error for an invalid number of folds."""
    if folds < 2:  # noqa: PLR2004 - one part cannot be learned from the others
        raise ValueError(f"folds is {folds}; expected at least 2")


@dataclass(frozen=True, eq=False)
class Assignment:
    """The assignment of rows to folds.

    Parameters
    ----------
    fold : array of int64, one entry per row
        The fold in which the row is tested; -1 for a row that is in none.
    block : array of int64, optional
        In time order: the block of every row, one more than its fold; -1 for rows without a target.
    """

    fold: NDArray[np.int64]
    block: NDArray[np.int64] | None = None

    @property
    def n_folds(self) -> int:
        """How many folds there are."""
        return int(self.fold.max()) + 1

    @property
    def n_rows(self) -> int:
        """How many rows are used for training or testing."""
        return int(((self.fold if self.block is None else self.block) >= 0).sum())

    def train(self, number: int) -> NDArray[np.intp]:
        """The training rows of a fold."""
        if self.block is not None:
            return np.flatnonzero((self.block >= 0) & (self.block <= number))
        return np.flatnonzero((self.fold != number) & (self.fold >= 0))

    def test(self, number: int) -> NDArray[np.intp]:
        """The test rows of a fold."""
        return np.flatnonzero(self.fold == number)


def check_repeats(repeats: int, order: str | None) -> None:
    """Raise an error for an invalid number of repeats."""
    if repeats < 1:
        raise ValueError(f"repeats is {repeats}; expected 1 or more")
    if order is not None and repeats > 1:
        raise ValueError(f"repeats is {repeats}; folds in time order ({order!r}) are always the same: expected 1")


def assign_folds(
    table: Table, folds: int | ArrayLike | TimeFolds, seed: int, order: str | int | None = None
) -> Assignment:
    """Assign rows to folds.

    Parameters
    ----------
    table : Table
        With a target. Rows of one group (the column with that role) are always in one fold.
    folds : int, array or TimeFolds
        How many folds, with the classes spread evenly over them; or the fold of every row; or folds in time order.
    seed : int
        Seed of the shuffle.
    order : str or int, optional
        A column of numbers, dates or ordered categories: folds are in time order.

    Examples
    --------
    >>> import hornbeam
    >>> found = assign_folds(hornbeam.read("cpu"), 3, seed=1, order="MYCT")
    >>> [(len(found.train(number)), len(found.test(number))) for number in range(found.n_folds)]
    [(61, 45), (106, 52), (158, 51)]
    """
    if isinstance(folds, TimeFolds):
        return _by_time(table, folds.folds, folds.order)
    return Assignment(fold_of_rows(table, folds, seed)) if order is None else _by_time(table, folds, order)


def _by_time(table: Table, folds: int | ArrayLike, order: str | int) -> Assignment:
    from hornbeam.learn.base.estimator import has_target  # noqa: PLC0415 - needs scikit-learn

    position = table.schema.position(order)
    column, values = table.schema.columns[position], table.columns[position]
    if not isinstance(folds, int):
        msg = f"folds were given row by row, and an order ({column.name!r}) too; expected one of them"
        raise ValueError(msg)  # noqa: TRY004 - a table of folds is fine, but not with an order
    if table.schema.with_role("group") is not None:
        raise ValueError(f"the table has groups, and an order ({column.name!r}) was given too; expected one of them")
    if position == table.schema.target:
        raise SchemaError(f"the column {column.name!r} is the target; expected another one to order rows by")
    if isinstance(column, Nominal) and not column.ordered:
        msg = f"the column {column.name!r} holds categories without an order; expected numbers, dates or ordered ones"
        raise SchemaError(msg)
    rows = np.flatnonzero(has_target(table))
    unknown = column.missing(values[rows])
    if unknown.any():
        msg = (
            f"column {column.name!r}, row {rows[unknown][0] + 1}: no value; expected one in every row, to order them by"
        )
        raise SchemaError(msg)
    if folds < 1:
        raise ValueError(f"folds is {folds}; expected at least 1")
    _, place, counts = np.unique(values[rows], return_inverse=True, return_counts=True)
    folds = min(folds, len(counts) - 1)
    if folds < 1:
        few = f"the column {column.name!r} does not vary over the {len(rows)} rows with a target"
        raise ValueError(f"{few}; expected two values or more to order rows by")
    block = np.full(table.n_rows, -1, np.int64)
    block[rows] = np.searchsorted(_begins(np.cumsum(counts), folds), place, side="right")
    return Assignment(np.maximum(block - 1, -1), block)


def _begins(reached: NDArray[np.int64], folds: int) -> NDArray[np.int64]:
    """Where the blocks after the first begin among the distinct values, so that blocks are as even as possible.

    `reached` is the number of rows up to each value.
    """
    before = reached[:-1]  # rows before value 1, 2, ...
    begins: list[int] = []
    for number in range(1, folds + 1):
        ideal = number * reached[-1] / (folds + 1)
        low, high = (begins[-1] if begins else 0), len(before) - (folds - number) - 1
        nearest = int(np.argmin(np.abs(before[low : high + 1] - ideal))) + low
        begins.append(nearest + 1)
    return np.array(begins, np.int64)
