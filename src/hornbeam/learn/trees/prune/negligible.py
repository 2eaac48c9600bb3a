"""Splits that gain nothing but a rounding error become leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.learn.trees.prune.rebuild import with_leaves

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.model.trees.tree import Tree

NEGLIGIBLE = 1e-10  # of the greatest gain so far


def without_negligible(tree: Tree) -> Tree:
    """Take back splits whose gain is negligible beside the greatest gain of the nodes that were split before them.

    Nodes are split one after another, the first branch with all that is below it before the second. For classes a gain
    is what the split takes off the impurity times the weight, for numbers what it explains of the squared error.

    Parameters
    ----------
    tree : Tree
        With two-way splits whose scores are gains per weight.
    """
    inner = np.flatnonzero(tree.n_children > 0)
    gain = _gains(tree, inner)
    if not len(inner) or gain.min() > NEGLIGIBLE * gain.max():
        return tree
    taken_back: list[int] = []
    gone = np.zeros(tree.n_nodes, np.bool_)
    greatest = 0.0
    order = np.argsort(tree.first_child[inner], kind="stable")
    for node, gained in zip(inner[order].tolist(), gain[order].tolist(), strict=True):
        children = slice(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
        if gone[node]:
            gone[children] = True
            continue
        greatest = max(greatest, gained)
        if not gained > NEGLIGIBLE * greatest:
            taken_back.append(node)
            gone[children] = True
    return with_leaves(tree, np.array(taken_back, np.intp)) if taken_back else tree


def _gains(tree: Tree, inner: NDArray[np.intp]) -> NDArray[np.float64]:
    total: NDArray[np.float64] = tree.splits.score[tree.split[inner]] * tree.weight[inner]
    if tree.task == "classification":
        return total
    return np.divide(total, tree.error[inner], out=np.zeros_like(total), where=tree.error[inner] > 0)
