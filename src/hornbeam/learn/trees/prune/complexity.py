"""The complexity table: the nested sequence of trees in which every split pays for itself, as growers stop by it.

A node's complexity is what its subtree saves for each split, as a share of the root's error. A tree pruned at `cp`
keeps the nodes of greater complexity: as `cp` rises, the weakest subtrees go first. All this follows from the nodes'
errors alone.

A child that saves less for each split than the node itself counts as cut back already, there and for every ancestor. An
ancestor that saves less than that child may then get another complexity than Breiman's definition gives it. The
sequence by that definition is `hornbeam.prune.cost_complexity`.

References
----------
L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone, *Classification and Regression Trees*, Wadsworth (1984), ch. 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.core.rows.presort import sort_known
from hornbeam.core.trees.prune.complexity import complexity_walk
from hornbeam.learn.trees.prune.figures import Cost, costs_of
from hornbeam.learn.trees.prune.rebuild import with_leaves

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.model.trees.tree import Tree


@dataclass(frozen=True, eq=False, slots=True)
class CpTable:
    """The sequence of pruned trees, from the lone root to the whole tree; errors are shares of the root's.

    Parameters
    ----------
    cp : array of float
        The least complexity at which the tree is this one, falling.
    n_splits : array of int
        Its splits.
    error : array of float
        Its error on the training rows.
    cv_error : array of float
        Its error when cross-validated; NaN where that was not done.
    cv_std_error : array of float
        The standard error of that.
    """

    cp: NDArray[np.float64]
    n_splits: NDArray[np.int64]
    error: NDArray[np.float64]
    cv_error: NDArray[np.float64]
    cv_std_error: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.cp)


def complexities(tree: Tree, *, cost: Cost = "error") -> NDArray[np.float64]:
    """What each node's subtree saves for each split, as a share of the root's error; never more than above it.

    Parameters
    ----------
    tree : Tree
        Any tree.
    cost : {"error", "impurity"}
        What is saved: weight misclassified (squared error of numbers), or impurity times weight.

    Returns
    -------
    array of float
        One a node; 0 at leaves. A node is a leaf of the tree pruned at `cp` where this is not above `cp`.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.CartClassifier(folds=0).fit(hornbeam.read("iris")).model_
    >>> complexities(tree).round(2).tolist()
    [0.5, 0.0, 0.44, 0.0, 0.0]
    """
    own = costs_of(tree, cost)
    found, _ = _walk(tree, own, 0.0)
    return _shares(found, float(own[0]))


def cp_table(tree: Tree, cp: float = 0.0, *, cost: Cost = "error") -> CpTable:
    """The sequence of trees that are left as the price of a split falls to `cp`.

    Parameters
    ----------
    tree : Tree
        Grown without regard to `cp`, or with it: the table is the same.
    cp : float
        Where the sequence ends: complexities below are not told apart.
    cost : {"error", "impurity"}
        See `complexities`.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.CartClassifier(folds=0).fit(hornbeam.read("iris")).model_
    >>> steps = cp_table(tree, 0.01)
    >>> steps.cp.tolist(), steps.n_splits.tolist(), steps.error.round(2).tolist()
    ([0.5, 0.44, 0.01], [0, 1, 2], [1.0, 0.5, 0.06])
    """
    own = costs_of(tree, cost)
    root = float(own[0])
    raw, inner = _walk(tree, own, cp * root)
    complexity = _shares(raw, root)
    if not inner[0]:
        tried = min(float(complexity[0]), cp) if tree.n_children[0] > 0 else cp
        return _table(np.array([tried]), np.zeros(1, np.int64), np.ones(1))
    nodes = np.flatnonzero(inner)
    nodes = nodes[sort_known(-raw[nodes])]
    saved = own[nodes] - np.bincount(tree.parent[1:], own[1:], tree.n_nodes)[nodes]  # less what its children cost
    falling = raw[nodes]
    steps = np.append(np.unique(falling)[::-1], cp * root)
    levels = np.append(_shares(steps[:-1], root), cp)
    n_splits = np.searchsorted(-falling, -steps, side="left")
    errors = root - np.concatenate([[0.0], np.cumsum(saved)])[n_splits]
    return _table(levels, n_splits, errors / root)


def prune_at(tree: Tree, cp: float, *, cost: Cost = "error") -> Tree:
    """The tree in which every node of complexity not above `cp` is a leaf.

    Parameters
    ----------
    tree : Tree
        Any tree; it is not changed.
    cp : float
        What a split must save more than, as a share of the root's error.
    cost : {"error", "impurity"}
        See `complexities`.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.CartClassifier(folds=0).fit(hornbeam.read("iris")).model_
    >>> [prune_at(tree, cp).n_leaves for cp in (0.0, 0.44, 0.5)]
    [3, 2, 1]
    """
    return with_leaves(tree, complexities(tree, cost=cost) <= cp)


def stop_at(tree: Tree, cp: float, *, cost: Cost = "error") -> Tree:
    """The tree as it would have been grown had splits that cannot save `cp` not been tried.

    Such a grower stops where even a perfect split could not pay for itself and for the splits above it. Nearly always
    this is `prune_at`; where it differs, a node was given up although what lies below it would have paid.

    Parameters
    ----------
    tree : Tree
        Grown without regard to `cp`.
    cp : float
        What a split must save more than, as a share of the root's error.
    cost : {"error", "impurity"}
        See `complexities`.
    """
    own = costs_of(tree, cost)
    _, inner = _walk(tree, own, cp * float(own[0]))
    return with_leaves(tree, ~inner)


def _walk(tree: Tree, own: NDArray[np.float64], alpha: float) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Complexities, in the costs' own units, and which nodes are split where a split must save more than `alpha`."""
    return complexity_walk(tree.first_child, tree.n_children, tree.parent, own, alpha)


def _shares(complexity: NDArray[np.float64], root: float) -> NDArray[np.float64]:
    return complexity / root if root > 0 else np.zeros(len(complexity))


def _table(cp: NDArray[np.float64], n_splits: NDArray[np.int64], error: NDArray[np.float64]) -> CpTable:
    unknown = np.full(len(cp), np.nan)
    return CpTable(cp, n_splits, error, unknown, unknown.copy())
