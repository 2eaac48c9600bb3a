"""Rows that belong together (one patient's, one field's) stay in one fold, or a model is tested on what it knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import SchemaError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table


def deal_groups(groups: NDArray[np.int64], classes: NDArray[np.int64], folds: int, seed: int) -> NDArray[np.int64]:
    """Deal whole groups to folds, with rows and classes spread as evenly as a greedy choice can.

    Groups come in random order, and each goes to the fold that has least of what the group holds: shares of all rows
    of a class are counted, and their squares are kept small.

    Parameters
    ----------
    groups, classes : arrays of whole numbers from 0, one a row
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
    >>> deal_groups(np.array([0, 0, 1, 1, 2, 3]), np.zeros(6, int), 2, seed=1).tolist()
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
        # No fold stays empty: the last groups go where there is none.
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
    """Refuse a number of folds that is none."""
    if folds < 2:  # noqa: PLR2004 - one part cannot be learned from the others
        msg = f"folds is {folds}; expected at least 2"
        raise ValueError(msg)
