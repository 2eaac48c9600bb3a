"""The complexity table: a nested sequence of pruned trees.

The complexity of a node is what its subtree saves per split, as a fraction of the error of the root. A tree pruned at
`cp` keeps the nodes of greater complexity: as `cp` rises, the weakest subtrees are removed first. All this follows from
the errors of the nodes alone.

A child that saves less per split than the node itself counts as already pruned, there and for every ancestor. So an
ancestor that saves less than that child may get another complexity than by Breiman's definition. The sequence by that
definition is `hornbeam.prune.cost_complexity`.

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
from hornbeam.learn.trees.prune.rebuild import Cost, costs_of, with_leaves

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Bools, Floats, Ints64
    from hornbeam.model.trees.tree import Tree


@dataclass(frozen=True, eq=False, slots=True)
class CpTable:
    """The sequence of pruned trees, from the root alone to the whole tree; errors are fractions of that of the root."""

    cp: Floats  # the least complexity that gives each tree, in falling order
    n_splits: Ints64  # its number of splits
    error: Floats  # its error on the training rows
    cv_error: Floats  # its cross-validated error; NaN without cross-validation
    cv_std_error: Floats  # the standard error of `cv_error`

    def __len__(self) -> int:
        return len(self.cp)


def complexities(tree: Tree, *, cost: Cost = "error") -> Floats:
    """What the subtree of each node saves per split, as a fraction of the root's error; at most that of its parent.

    Parameters
    ----------
    tree : Tree
        Any tree.
    cost : {"error", "impurity"}
        What is saved: misclassified weight (for numbers squared error), or impurity times weight.

    Returns
    -------
    array of float
        One value per node; 0 at leaves. In the tree pruned at `cp`, nodes with at most `cp` are leaves.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.CartClassifier(folds=0).fit(hornbeam.read("iris")).model_
    >>> complexities(tree).round(2).tolist()
    [0.5, 0.0, 0.44, 0.0, 0.0]
    """
    own = costs_of(tree, cost)
    complexity, _ = _walk(tree, own, 0.0)
    return _fractions(complexity, float(own[0]))


def cp_table(tree: Tree, cp: float = 0.0, *, cost: Cost = "error") -> CpTable:
    """The sequence of pruned trees as the price of a split falls to `cp`.

    Parameters
    ----------
    tree : Tree
        The table is the same for a tree grown with or without `cp`.
    cp : float
        Where the sequence ends: smaller complexities are not distinguished.
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
    complexity = _fractions(raw, root)
    if not inner[0]:
        tried = min(float(complexity[0]), cp) if tree.n_children[0] > 0 else cp
        return _table(np.array([tried]), np.zeros(1, np.int64), np.ones(1))
    nodes = np.flatnonzero(inner)
    nodes = nodes[sort_known(-raw[nodes])]
    saved = own[nodes] - np.bincount(tree.parent[1:], own[1:], tree.n_nodes)[nodes]  # less what its children cost
    falling = raw[nodes]
    steps = np.append(np.unique(falling)[::-1], cp * root)
    levels = np.append(_fractions(steps[:-1], root), cp)
    n_splits = np.searchsorted(-falling, -steps, side="left")
    errors = root - np.concatenate([[0.0], np.cumsum(saved)])[n_splits]
    return _table(levels, n_splits, errors / root)


def prune_at(tree: Tree, cp: float, *, cost: Cost = "error") -> Tree:
    """The tree in which every node of complexity at most `cp` is a leaf.

    Parameters
    ----------
    tree : Tree
        Any tree; it is not changed.
    cp : float
        A split must save more than this, as a fraction of the error of the root.
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
    """The tree that a grower makes that does not try splits which cannot save `cp`.

    It stops where even a perfect split could not pay for itself and for the splits above it. The result is nearly
    always that of `prune_at`; otherwise a node was made a leaf although the splits below it would have paid for
    themselves.

    Parameters
    ----------
    tree : Tree
        A tree grown without `cp`.
    cp : float
        A split must save more than this, as a fraction of the error of the root.
    cost : {"error", "impurity"}
        See `complexities`.
    """
    own = costs_of(tree, cost)
    _, inner = _walk(tree, own, cp * float(own[0]))
    return with_leaves(tree, ~inner)


def _walk(tree: Tree, own: Floats, alpha: float) -> tuple[Floats, Bools]:
    """Complexities in the unit of the costs, and which nodes are split if a split must save more than `alpha`."""
    return complexity_walk(tree.first_child, tree.n_children, tree.parent, own, alpha)


def _fractions(complexity: Floats, root: float) -> Floats:
    return complexity / root if root > 0 else np.zeros(len(complexity))


def _table(cp: Floats, n_splits: Ints64, error: Floats) -> CpTable:
    unknown = np.full(len(cp), np.nan)
    return CpTable(cp, n_splits, error, unknown, unknown.copy())
