"""Best-first trees: of all leaves the one whose split gains most is split next, until there are enough.

What a node's split is does not depend on the order in which nodes are split, so the whole tree is grown first, and then
opened from the root.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.learn.trees.prune.rebuild import nodes_left, with_leaves

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from hornbeam.model.trees.tree import Tree


def best_first(
    tree: Tree, most_leaves: int, gain: NDArray[np.float64], candidates: Mapping[str, Any] | None
) -> tuple[Tree, dict[str, Any] | None]:
    """Open a grown tree best first.

    Parameters
    ----------
    tree : Tree
        As grown.
    most_leaves : int
        How many leaves there may be; a split with more branches than there is room for is passed over.
    gain : array
        What each split takes away in all.
    candidates : mapping or None
        Every column's candidate at every node.

    Returns
    -------
    The tree, and the candidates at its inner nodes.
    """
    n_leaves, opened = 1, np.zeros(tree.n_nodes, np.bool_)
    waiting = [(-gain[tree.split[0]], 0)] if tree.n_children[0] else []
    while waiting:
        _, node = heapq.heappop(waiting)
        count = int(tree.n_children[node])
        if n_leaves + count - 1 > most_leaves:
            continue
        opened[node] = True
        n_leaves += count - 1
        for child in range(tree.first_child[node], tree.first_child[node] + count):
            if tree.n_children[child]:
                heapq.heappush(waiting, (-gain[tree.split[child]], child))
    kept = None
    if candidates is not None:
        order, _, _ = nodes_left(tree, ~opened)
        number = np.full(tree.n_nodes, -1, np.int32)
        number[order] = np.arange(len(order), dtype=np.int32)
        inside = number[candidates["node"]] >= 0
        kept = {
            name: array[inside] if name not in ("extra", "average_gain") else array
            for name, array in candidates.items()
        }
        kept["node"] = number[kept["node"]]
        kept["average_gain"] = candidates["average_gain"][order]
    return with_leaves(tree, ~opened), kept
