"""How much of a large tree is drawn: heavy nodes in full, lighter ones small, the lightest as ticks.

The nodes that most rows go through can be read; the rest is drawn in outline, with its text in tooltips. A node is
never drawn larger than its parent. In a very large tree, only the heaviest nodes are expanded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Ints8
    from hornbeam.model.clusters.concepts import ConceptTree
    from hornbeam.model.trees.tree import Tree

HIDDEN, TICK, SMALL, FULL = range(4)

MOST_FULL_LEAVES = 80  # a tree with at most this many leaves is drawn in full
FULL_NODES, SMALL_NODES = 70, 250  # number of nodes of a larger tree that are drawn in full, or small
MOST_LEAVES = 2000


def levels_of_detail(tree: Tree | ConceptTree, max_depth: int | None = None, *, everything: bool = False) -> Ints8:
    """Choose how every node is drawn.

    Parameters
    ----------
    tree : Tree or ConceptTree
        What is drawn.
    max_depth : int, optional
        Nodes below are hidden.
    everything : bool
        Draw every node in full that is not too deep.

    Returns
    -------
    array of int8
        HIDDEN, TICK, SMALL or FULL.
    """
    depth = np.zeros(tree.n_nodes, np.int64)
    for node in range(1, tree.n_nodes):  # parents come first
        depth[node] = depth[tree.parent[node]] + 1
    deepest = tree.n_nodes if max_depth is None else max_depth
    detail = np.where(depth <= deepest, FULL, HIDDEN).astype(np.int8)
    ends = (detail > HIDDEN) & ((tree.n_children == 0) | (depth == deepest))
    if everything or ends.sum() <= MOST_FULL_LEAVES:
        return detail
    # Heaviest first; ties are resolved by node number, so that no node comes before its parent.
    order = np.lexsort((np.arange(tree.n_nodes), -tree.weight))
    opened = np.zeros(tree.n_nodes, np.bool_)
    leaves = 1
    for node in order[(tree.n_children[order] > 0) & (depth[order] < deepest)].tolist():
        parent = int(tree.parent[node])
        more = int(tree.n_children[node]) - 1
        if (parent < 0 or opened[parent]) and leaves + more <= MOST_LEAVES:
            opened[node] = True
            leaves += more
    detail[1:][~opened[tree.parent[1:]]] = HIDDEN
    shown = order[detail[order] > HIDDEN]
    detail[shown[FULL_NODES:]] = SMALL
    detail[shown[FULL_NODES + SMALL_NODES :]] = TICK
    for node in range(1, tree.n_nodes):
        detail[node] = min(detail[node], detail[tree.parent[node]])
    return detail
