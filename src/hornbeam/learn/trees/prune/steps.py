"""A record of pruning decisions, for the trace: every inner node once, with its cost as a leaf and as a subtree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.trees.prune.order import leaves_first
from hornbeam.model.trees.trace import KEPT, MADE_LEAF

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.model.trees.tree import Tree

RECORD = [("node", "i4"), ("action", "i1"), ("leaf", "f8"), ("subtree", "f8"), ("branch", "f8")]


def no_steps() -> Any:
    """A record of nothing."""
    return np.zeros(0, RECORD)


def steps_of(tree: Tree, made_leaves: NDArray[Any], leaf: NDArray[np.float64], below: NDArray[np.float64]) -> Any:
    """Decisions in the order in which they are taken: each inner node after all below it.

    Parameters
    ----------
    tree : Tree
        As given.
    made_leaves : array of int
        Inner nodes that become leaves.
    leaf, below : array of float
        What each node costs as a leaf, and with what is left below it.
    """
    order = leaves_first(tree.first_child, tree.n_children)
    chosen = np.zeros(tree.n_nodes, np.bool_)
    chosen[made_leaves] = True
    steps = np.zeros(len(order), RECORD)
    steps["node"] = order
    steps["action"] = np.where(chosen[order], MADE_LEAF, KEPT)
    steps["leaf"], steps["subtree"], steps["branch"] = leaf[order], below[order], np.nan
    return steps
