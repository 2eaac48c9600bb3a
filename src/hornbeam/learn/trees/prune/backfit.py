"""Backfitting: a tree pruned on held-out rows gets its figures from all training rows.

The splits were chosen on the rows that the tree was grown on, and kept by the others. Once they are settled, the
held-out rows are as good as any for the means of the leaves, and leaves are small.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree


def backfitted(tree: Tree, table: Table) -> Tree:
    """Count all rows into the nodes of a tree of means.

    Parameters
    ----------
    tree : Tree
        Of numbers, grown on some of the rows and pruned on the others.
    table : Table
        All training rows, each with a target.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.TreeRegressor(prune="reduced-error", random_state=0).fit(hornbeam.read("cpu")).model_
    >>> int(tree.rows[0])
    209
    """
    start, nodes, parts = tree.decision_path(table)
    row = np.repeat(np.arange(table.n_rows), np.diff(start))
    weights = parts if table.weights is None else parts * table.weights[row]
    truth = table.target_values()[row]
    weight = np.bincount(nodes, weights, minlength=tree.n_nodes).astype(np.float64)
    least, greatest = np.full(tree.n_nodes, np.inf), np.full(tree.n_nodes, -np.inf)
    np.minimum.at(least, nodes, truth)
    np.maximum.at(greatest, nodes, truth)
    reached = weight > 0
    sums = np.bincount(nodes, weights * truth, minlength=tree.n_nodes)
    mean = np.divide(sums, weight, out=tree.value[:, 1].copy(), where=reached)
    mean[reached] = np.clip(mean[reached], least[reached], greatest[reached])  # exact where all are equal
    squares = np.bincount(nodes, weights * np.square(truth - mean[nodes]), minlength=tree.n_nodes).astype(np.float64)
    value = np.column_stack([weight, mean, squares])
    rows = np.bincount(nodes, minlength=tree.n_nodes).astype(np.int64)
    return replace(tree, rows=rows, weight=weight, value=value, error=squares.copy())
