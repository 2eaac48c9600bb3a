"""The rows of some nodes, brought together from partitions.

Workers import this module, so it imports nothing that only the process that calls `fit` needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.scale.trees.coded import RowsAsCoded

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Ints64
    from hornbeam.data.table import Table
    from hornbeam.scale.parts import Key
    from hornbeam.scale.parts.typed import Rows
    from hornbeam.scale.trees.bins import Coding
    from hornbeam.scale.trees.coded import Way

Pieces = dict[int, list[tuple["Key", list["AnyArray"], "Ints64 | None"]]]


def bring(rows: Rows, way: Way, codings: tuple[Coding, ...], nodes: frozenset[int]) -> Pieces:
    """Collect the rows of some nodes in one partition."""
    found: Pieces = {}
    whole: Table | None = None
    for node, numbers, weight in way.arrivals(RowsAsCoded(rows, codings)):
        if node in nodes:
            whole = rows.table(rows.usable) if whole is None else whole
            found[node] = [(rows.key, [column[numbers] for column in whole.columns], weight)]
    return found


def join_pieces(one: Pieces, other: Pieces) -> Pieces:
    """The rows of both."""
    for node, pieces in other.items():
        one[node] = one.get(node, []) + pieces
    return one
