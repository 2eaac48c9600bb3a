"""The greedy tree with which the search starts: grown as usual, then cut back to the least cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.learn.trees.build import build_tree
from hornbeam.learn.trees.prune.rebuild import with_leaves
from hornbeam.learn.trees.recipe import Recipe

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Bools, Ints64
    from hornbeam.learn.trees.optimal.problem import Problem
    from hornbeam.model.trees.tree import Tree


def recipe_of(problem: Problem, *, splitting: bool) -> Recipe:
    """The recipe of the greedy tree, or the one that describes the optimal tree.

    Parameters
    ----------
    problem : Problem
        The table and the goal.
    splitting : bool
        Splits are ranked by the Gini index, not by the errors.
    """
    goal, numbers = problem.goal, problem.options["numbers"]
    return Recipe(
        criterion="variance" if numbers else "gini" if splitting else "misclassification",
        loss=None if goal.loss is None else tuple(map(tuple, goal.loss.tolist())),
        nominal=goal.nominal,  # type: ignore[arg-type]
        missing=goal.missing,  # type: ignore[arg-type]
        min_branch=goal.least,
        max_depth=goal.max_depth,
        tolerance=0.0,
        leaf="mean" if numbers else "distribution",
    )


def greedy_start(problem: Problem, n_threads: int) -> tuple[Tree, int]:
    """The greedy tree, and its cost.

    Parameters
    ----------
    problem : Problem
        The table and the goal.
    n_threads : int
        Number of threads for growing.
    """
    tree = build_tree(problem.table, recipe_of(problem, splitting=True), n_threads=n_threads).tree
    sums = np.zeros((tree.n_nodes, problem.sums.shape[1]), np.int64)
    np.add.at(sums, tree.apply(problem.table), problem.sums)
    for node in range(tree.n_nodes - 1, 0, -1):
        sums[tree.parent[node]] += sums[node]
    leaf, cost = _cheapest(problem, tree, sums)
    return with_leaves(tree, leaf), cost


def _cheapest(problem: Problem, tree: Tree, sums: Ints64) -> tuple[Bools, int]:
    """Which nodes become leaves in the cheapest part of the tree that has the root, and what it costs."""
    weight = sums[:, -1]
    light = weight < problem.options["least"]
    # plain numbers: the sum over many branches may exceed 64 bits
    as_leaf = [
        0 if total == 0 else None if too_light else cost
        for total, too_light, cost in zip(
            weight.tolist(), light.tolist(), problem.leaf_costs(sums).tolist(), strict=True
        )
    ]
    best: list[int | None] = [0] * tree.n_nodes
    leaf = tree.n_children == 0
    for node in range(tree.n_nodes - 1, -1, -1):
        first = int(tree.first_child[node])
        below = None if leaf[node] else [best[child] for child in range(first, first + int(tree.n_children[node]))]
        kept, own = None if below is None or None in below else sum(below), as_leaf[node]  # type: ignore[arg-type]
        leaf[node] = kept is None or (own is not None and own <= kept)
        best[node] = own if leaf[node] else kept
    assert best[0] is not None  # as a leaf, the root is heavy enough
    return leaf, best[0]
