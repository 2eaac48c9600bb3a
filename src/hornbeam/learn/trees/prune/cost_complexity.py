"""Cost-complexity pruning: the nested sequence of trees in which every split pays for itself.

A node's complexity is what its subtree saves for each split, as a share of the root's error. A tree pruned at `cp`
keeps the nodes of greater complexity: as `cp` rises, the weakest subtrees go first. All this follows from the nodes'
errors alone.

A child that saves less for each split than the node itself counts as cut back already, there and for every ancestor. An
ancestor that saves less than that child may then get another complexity than Breiman's definition gives it.

References
----------
L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone, *Classification and Regression Trees*, Wadsworth (1984), ch. 3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from hornbeam.learn.trees.prune.collapse import childless
from hornbeam.learn.trees.prune.rebuild import rebuild

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.model.tree import Tree

Costs = Literal["error", "impurity"]


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


def complexities(tree: Tree, *, costs: Costs = "error") -> NDArray[np.float64]:
    """What each node's subtree saves for each split, as a share of the root's error; never more than above it.

    Parameters
    ----------
    tree : Tree
        Any tree.
    costs : {"error", "impurity"}
        What is saved: weight misclassified (squared error of numbers), or gini impurity times weight.

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
    cost = costs_of(tree, costs)
    found, _ = _walk(tree, cost, 0.0)
    return _shares(found, float(cost[0]))


def cp_table(tree: Tree, cp: float = 0.0, *, costs: Costs = "error") -> CpTable:
    """The sequence of trees that are left as the price of a split falls to `cp`.

    Parameters
    ----------
    tree : Tree
        Grown without regard to `cp`, or with it: the table is the same.
    cp : float
        Where the sequence ends: complexities below are not told apart.
    costs : {"error", "impurity"}
        See `complexities`.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.CartClassifier(folds=0).fit(hornbeam.read("iris")).model_
    >>> steps = cp_table(tree, 0.01)
    >>> steps.cp.tolist(), steps.n_splits.tolist(), steps.error.round(2).tolist()
    ([0.5, 0.44, 0.01], [0, 1, 2], [1.0, 0.5, 0.06])
    """
    cost = costs_of(tree, costs)
    root = float(cost[0])
    raw, inner = _walk(tree, cost, cp * root)
    complexity = _shares(raw, root)
    if not inner[0]:
        tried = min(float(complexity[0]), cp) if tree.n_children[0] > 0 else cp
        return _table(np.array([tried]), np.zeros(1, np.int64), np.ones(1))
    nodes = np.flatnonzero(inner)
    nodes = nodes[np.argsort(-raw[nodes], kind="stable")]
    saved = cost[nodes] - _below(tree, cost)[nodes]
    falling = raw[nodes]
    steps = np.append(np.unique(falling)[::-1], cp * root)
    levels = np.append(_shares(steps[:-1], root), cp)
    n_splits = np.searchsorted(-falling, -steps, side="left")
    errors = root - np.concatenate([[0.0], np.cumsum(saved)])[n_splits]
    return _table(levels, n_splits, errors / root)


def prune_at(tree: Tree, cp: float, *, costs: Costs = "error") -> Tree:
    """The tree in which every node of complexity not above `cp` is a leaf.

    Parameters
    ----------
    tree : Tree
        Any tree; it is not changed.
    cp : float
        What a split must save more than, as a share of the root's error.
    costs : {"error", "impurity"}
        See `complexities`.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.CartClassifier(folds=0).fit(hornbeam.read("iris")).model_
    >>> [prune_at(tree, cp).n_leaves for cp in (0.0, 0.44, 0.5)]
    [3, 2, 1]
    """
    return _without(tree, complexities(tree, costs=costs) > cp)


def stop_at(tree: Tree, cp: float, *, costs: Costs = "error") -> Tree:
    """The tree as it would have been grown had splits that cannot save `cp` not been tried.

    Such a grower stops where even a perfect split could not pay for itself and for the splits above it. Nearly always
    this is `prune_at`; where it differs, a node was given up although what lies below it would have paid.

    Parameters
    ----------
    tree : Tree
        Grown without regard to `cp`.
    cp : float
        What a split must save more than, as a share of the root's error.
    costs : {"error", "impurity"}
        See `complexities`.
    """
    cost = costs_of(tree, costs)
    _, inner = _walk(tree, cost, cp * float(cost[0]))
    return _without(tree, inner)


def costs_of(tree: Tree, costs: Costs = "error") -> NDArray[np.float64]:
    """What each node costs were it a leaf: its error, or gini impurity times weight (of numbers: squared error)."""
    if costs == "error":
        return tree.error
    if costs != "impurity":
        msg = f"costs is {costs!r}; expected 'error' or 'impurity'"
        raise ValueError(msg)
    if tree.task == "regression":
        return tree.value[:, 2]
    total = tree.value.sum(axis=1)
    impurity: NDArray[np.float64] = total - np.divide(
        (tree.value**2).sum(axis=1), total, out=np.zeros(tree.n_nodes), where=total > 0
    )
    return impurity


def _walk(tree: Tree, cost: NDArray[np.float64], alpha: float) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Complexities, in the costs' own units, and which nodes are split where a split must save more than `alpha`.

    Depth first: what a branch can save at most depends on what the branches before it did save.
    """
    own = cost.tolist()
    first, count = tree.first_child.tolist(), tree.n_children.tolist()
    risk = list(own)  # of the subtree, as it is cut back so far
    splits = [0] * len(own)
    complexity = [0.0] * len(own)
    bound = [math.inf] * len(own)
    stack = [(0, 0)]  # a node, and how many of its branches are done
    while stack:
        node, done = stack.pop()
        children = range(first[node], first[node] + count[node])
        if done == 0:
            bound[node] = min(bound[node], own[node])
            if not children or bound[node] <= alpha:
                continue
        if done < len(children):
            over = bound[node]
            if done:
                before = children[:done]
                saved = (own[node] - sum(risk[k] for k in before)) / (sum(splits[k] for k in before) + 1)
                over = min(over, max(saved, own[node] - sum(own[k] for k in before)))
            bound[children[done]] = over - alpha
            stack += [(node, done + 1), (children[done], 0)]
            continue
        complexity[node], below, inside = _settle(own[node], children, own, risk, splits, complexity)
        if complexity[node] > alpha:
            risk[node], splits[node] = below, inside
    inner = np.array(splits) > 0
    return _capped(tree, np.array(complexity), inner)


def _settle(
    own: float, children: range, costs: list[float], risk: list[float], splits: list[int], complexity: list[float]
) -> tuple[float, float, int]:
    """A node's complexity, and the cost and the splits of its subtree when weaker children are cut back."""
    left = {child: risk[child] for child in children}
    inside = sum(splits[child] for child in children) + 1
    for child in sorted(children, key=complexity.__getitem__):
        if not (own - sum(left.values())) / inside > complexity[child]:
            break
        if splits[child]:
            left[child] = costs[child]
            inside -= splits[child]
    below = sum(left.values())  # summed anew, so that equal complexities stay equal
    return (own - below) / inside, below, inside


def _capped(
    tree: Tree, complexity: NDArray[np.float64], inner: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """A node goes with its parent at the latest, and is not reached where that is a leaf."""
    level = np.zeros(1, np.int64)
    while len(level):
        level = level[tree.n_children[level] > 0]
        number = tree.n_children[level].astype(np.int64)
        above = np.repeat(level, number)
        level = np.repeat(tree.first_child[level] - np.cumsum(number) + number, number) + np.arange(len(above))
        complexity[level] = np.minimum(complexity[level], complexity[above])
        inner[level] &= inner[above]
    return complexity, inner


def _shares(complexity: NDArray[np.float64], root: float) -> NDArray[np.float64]:
    return complexity / root if root > 0 else np.zeros(len(complexity))


def _below(tree: Tree, cost: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each node the costs of its children together."""
    return np.bincount(tree.parent[1:], cost[1:], tree.n_nodes).astype(np.float64, copy=False)


def _table(cp: NDArray[np.float64], n_splits: NDArray[np.int64], error: NDArray[np.float64]) -> CpTable:
    unknown = np.full(len(cp), np.nan)
    return CpTable(cp, n_splits, error, unknown, unknown.copy())


def _without(tree: Tree, inner: NDArray[np.bool_]) -> Tree:
    """The tree in which only these nodes are split."""
    leaves = np.flatnonzero((tree.n_children > 0) & ~inner)
    if not len(leaves):
        return tree
    return rebuild(tree, childless(tree, leaves))
