"""Which rows are held out: the parts of a table for pruning on rows that the tree was not grown on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from hornbeam.data.schema import Nominal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table


def held_out(table: Table, folds: int, random_state: int | None) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to grow on and rows to prune with: one part in `folds`, with the classes spread evenly where they can be.

    Parameters
    ----------
    table : Table
        With a target.
    folds : int
        In how many parts the rows are divided.
    random_state : int or None
        Seed of the shuffle.

    Returns
    -------
    Two arrays of row numbers.
    """
    enough_rows(table.n_rows, folds)
    stratified = False
    truth = table.target_values()
    if isinstance(table.schema.target_column, Nominal):
        stratified = np.bincount(truth)[np.unique(truth)].min() >= folds
    splitter = (StratifiedKFold if stratified else KFold)(folds, shuffle=True, random_state=random_state)
    growing, pruning = next(iter(splitter.split(np.zeros((table.n_rows, 1)), truth if stratified else None)))
    return growing, pruning


def enough_rows(rows: int, folds: int) -> None:
    """Refuse a table that has fewer rows than parts."""
    if rows < folds:
        msg = f"{rows} rows cannot be held out in {folds} parts; reduced-error pruning needs more rows"
        raise ValueError(msg)
