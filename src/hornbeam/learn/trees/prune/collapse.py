"""Collapse: subtrees that do not even fit the training rows better than a leaf become leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.trees.prune.cut_back import sum_over_leaves
from hornbeam.learn.trees.prune.rebuild import with_leaves

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.model.trees.tree import Tree

MARGIN = 1e-3  # a subtree must save more errors than this (Quinlan 1993)


def collapse(tree: Tree) -> Tree:
    """Replace, from the root down, every subtree whose training errors are no fewer than a leaf's."""
    return with_leaves(tree, collapsible(tree))


def collapsible(tree: Tree) -> NDArray[np.intp]:
    """Inner nodes whose subtrees save no training errors."""
    below = sum_over_leaves(tree.first_child, tree.n_children, tree.error)
    return np.flatnonzero((tree.n_children > 0) & (below >= tree.error - MARGIN))


def childless(tree: Tree, nodes: NDArray[np.intp]) -> dict[str, Any]:
    """Arrays of the tree were some nodes leaves; node numbers stay, and what lay below is no longer reached."""
    first_child, n_children, split = tree.first_child.copy(), tree.n_children.copy(), tree.split.copy()
    first_child[nodes], n_children[nodes], split[nodes] = -1, 0, -1
    return {"first_child": first_child, "n_children": n_children, "split": split}
