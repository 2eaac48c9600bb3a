"""Importance of columns: the gains of their splits on the training rows.

The gain of a split counts for its column; for a sum of columns it is divided equally among them. The columns of
surrogates also get a part of the gain: the improvement of the surrogate over sending every row to the larger branch. So
a column that is always second best has some importance.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.model.trees.criterion import ENTROPY, criterion_of, sums_entropy

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats, Indices, Ints32
    from hornbeam.model.trees.tree import Tree

NATS = math.log(2.0)  # of a bit


def importance(tree: Tree) -> Floats:
    """The total gain of the splits of each feature; 0 for features without splits.

    Parameters
    ----------
    tree : Tree
        With surrogates, gains are the scores of splits, on rows with known values; otherwise the decrease of impurity
        from node to children.

    Returns
    -------
    array of float
        One per feature, in the schema's order; entropies in nats, not normalized.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.CartClassifier(folds=0).fit(hornbeam.read("iris")).model_
    >>> importance(tree).round(2).tolist()
    [54.1, 35.01, 81.34, 88.97]
    """
    found = np.zeros(len(tree.schema.columns))
    nodes = np.flatnonzero(tree.split >= 0)
    gain = _gains(tree, nodes)
    _add(tree, found, tree.split[nodes], gain)
    if tree.surrogates is not None and tree.surrogate_start is not None:
        count = np.diff(tree.surrogate_start)
        of_node = np.zeros(tree.n_nodes)
        of_node[nodes] = gain
        stand_in = tree.splits.score[tree.surrogates]
        _add(tree, found, tree.surrogates, np.repeat(of_node, count) * stand_in)
    return found[list(tree.schema.features)]


def _add(tree: Tree, found: Floats, used: Ints32, gain: Floats) -> None:
    """Add the gain of each split to its column, or to the columns of its sum."""
    splits = tree.splits
    if splits.term_start is None or splits.term_column is None:
        np.add.at(found, splits.column[used], gain)
        return
    n_terms = np.diff(splits.term_start)[used]
    alone = n_terms == 0
    np.add.at(found, splits.column[used[alone]], gain[alone])
    for split, part in zip(used[~alone].tolist(), (gain[~alone] / n_terms[~alone]).tolist(), strict=True):
        found[splits.columns_of(split)] += part


def impurity_decrease(tree: Tree) -> Floats:
    """The decrease of impurity by each node's split, from class weights or squared errors; 0 at leaves."""
    impurity = _impurity(tree)
    below = np.bincount(tree.parent[1:], impurity[1:], tree.n_nodes)
    return np.where(tree.n_children > 0, impurity - below, 0.0)


def _gains(tree: Tree, nodes: Indices) -> Floats:
    """The gain of the split of each of these nodes, times weight."""
    criterion = criterion_of(tree)
    if tree.surrogates is None or criterion is None or not criterion.score_is_decrease:
        return impurity_decrease(tree)[nodes]
    per_weight = tree.splits.score[tree.split[nodes]]
    total: Floats = per_weight * tree.weight[nodes]
    return total * NATS if criterion.impurity is ENTROPY else total


def _impurity(tree: Tree) -> Floats:
    """Impurity times weight: squared error, entropy in nats, or gini."""
    if tree.task == "regression":
        return tree.value[:, 2]
    value = tree.value
    total = value.sum(axis=1, keepdims=True)
    share = np.divide(value, total, out=np.zeros_like(value), where=total > 0)
    if sums_entropy(tree):
        logs = np.log(share, out=np.zeros_like(share), where=share > 0)
        return np.asarray(-(value * logs).sum(axis=1))
    return np.asarray((value * (1.0 - share)).sum(axis=1))
