"""Quantiles by a forest that keeps its leaves' targets (Meinshausen 2006)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.indices import offsets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.model.forests.forest import Forest

BLOCK_TARGETS = 2_000_000  # held at a time


def quantiles(forest: Forest, table: Table, levels: NDArray[np.float64], n_threads: int = 1) -> NDArray[np.float64]:
    """Weighted quantiles of the training targets that share a leaf with each row: every tree counts alike.

    Parameters
    ----------
    forest : Forest
        With `targets`.
    table : Table
        Rows with the model's features.
    levels : array
        From 0 to 1.
    n_threads : int
        For finding the leaves.

    Returns
    -------
    array of shape (rows, levels)
        The least target whose share of the weight, with all below it, reaches the level.
    """
    if forest.target_start is None or forest.targets is None:
        msg = "this forest does not keep its leaves' targets; expected one learned with keep_targets=True"
        raise ValueError(msg)
    leaves = forest.apply(table, n_threads)
    start = forest.target_start[leaves]
    count = forest.target_start[leaves + 1] - start
    result = np.empty((table.n_rows, len(levels)))
    reached = offsets(count.sum(axis=1))
    first = 0
    while first < table.n_rows:
        stop = max(first + 1, int(np.searchsorted(reached, reached[first] + BLOCK_TARGETS, side="right")) - 1)
        result[first:stop] = _of_block(forest.targets, start[first:stop], count[first:stop], levels)
        first = stop
    return result if forest.unit is None else result * forest.unit[0] + forest.base[0]


def _of_block(
    targets: NDArray[np.float32], start: NDArray[np.int64], count: NDArray[np.int64], levels: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The quantiles of some rows, given where each tree's targets begin and how many they are."""
    n_rows, n_trees = count.shape
    flat = count.ravel()
    inside = np.arange(flat.sum()) - np.repeat(np.cumsum(flat) - flat, flat)
    values = targets[np.repeat(start.ravel(), flat) + inside].astype(np.float64)
    weights = np.repeat(1.0 / (n_trees * np.maximum(flat, 1)), flat)
    row = np.repeat(np.arange(n_rows), count.sum(axis=1))
    order = np.lexsort((values, row))
    values, weights = values[order], weights[order]
    stop = np.cumsum(count.sum(axis=1))
    reached = np.cumsum(weights)
    before = np.concatenate([[0.0], reached[stop[:-1] - 1]])
    result = np.empty((n_rows, len(levels)))
    for number, level in enumerate(levels):
        # sums of shares are rounded: a level is reached where it is missed by less than that
        place = np.searchsorted(reached, before + level - 1e-9)
        result[:, number] = values[np.clip(place, np.concatenate([[0], stop[:-1]]), stop - 1)]
    return result
