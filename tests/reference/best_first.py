"""Which nodes stay split where the number of leaves is limited: the leaf whose split gains most is split first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference.sample import NEAR

if TYPE_CHECKING:
    from collections.abc import Callable


def expand(
    children: Callable[[int], list[int]],
    gains: dict[int, float],
    most_leaves: int,
    choose: Callable[[list[int]], int],
) -> set[int]:
    """Nodes that are split, from the root on.

    Parameters
    ----------
    children : callable
        Nodes below a node, were it split.
    gains : dict
        Mass that its split takes away, for every node that can be split.
    most_leaves : int
        No more leaves than this.
    choose : callable
        Picks among the nodes that gain most (but for rounding).
    """
    leaves = [0]
    split: set[int] = set()
    while True:
        room = most_leaves - len(leaves)
        fitting = [node for node in leaves if node in gains and len(children(node)) - 1 <= room]
        if not fitting:
            return split
        most = max(gains[node] for node in fitting)
        node = choose([node for node in sorted(fitting) if gains[node] >= most - NEAR * max(gains.values())])
        split.add(node)
        leaves.remove(node)
        leaves += children(node)
