"""Joining pieces to one tree: splits of single nodes, and subtrees."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hornbeam.core.base.arrays import Ints64
    from hornbeam.model.trees.split import SplitStore
    from hornbeam.model.trees.tree import Tree

BY_NODE = ("rows", "weight", "value", "label", "error", "share")


def join(pieces: Mapping[int, Tree], subtrees: Mapping[int, Tree], rows: Mapping[int, int]) -> Tree:
    """Join all pieces to one tree.

    Parameters
    ----------
    pieces : mapping
        Trees of depth one, by the node that they split; children are numbered in the order of the pieces, from 1.
    subtrees : mapping
        Trees by the node that they replace, a leaf of the pieces.
    rows : mapping
        How many rows each node of the pieces has.

    Returns
    -------
    The tree; nodes of the pieces keep their numbers, and those of the subtrees follow.
    """
    arrays: dict[str, list[Any]] = {name: [getattr(pieces[0], name)[:1]] for name in BY_NODE}
    n_top = 1 + sum(len(piece.parent) - 1 for piece in pieces.values())
    grown = [tree for tree in subtrees.values() if tree.n_nodes > 1]
    n_nodes = n_top + sum(tree.n_nodes - 1 for tree in grown)
    parent, first_child = np.full(n_nodes, -1, np.int32), np.full(n_nodes, -1, np.int32)
    n_children, split = np.zeros(n_nodes, np.int32), np.full(n_nodes, -1, np.int32)
    missing = np.full(n_nodes, pieces[0].missing[1] if n_nodes > 1 else -1, np.int32)
    stores, n_splits = [], 0
    several = {node: tree for node, tree in subtrees.items() if tree.n_nodes > 1}
    for number, tree in zip(numbering({**pieces, **several}), [*pieces.values(), *several.values()], strict=True):
        first_child[number] = np.where(tree.first_child < 0, -1, number[tree.first_child])
        n_children[number] = tree.n_children
        split[number] = np.where(tree.split < 0, -1, tree.split + n_splits)
        missing[number] = tree.missing
        parent[number[1:]] = number[tree.parent[1:]]
        for name, parts in arrays.items():
            parts.append(getattr(tree, name)[1:])
        stores.append(tree.splits)
        n_splits += len(tree.splits)
    joined: dict[str, Any] = {name: np.concatenate(parts) for name, parts in arrays.items()}
    for node, count in rows.items():
        joined["rows"][node] = count
    return replace(
        pieces[0], splits=_all_splits(stores), parent=parent, first_child=first_child, n_children=n_children,
        split=split, missing=missing, **joined,
    )  # fmt: skip


def numbering(trees: Mapping[int, Tree]) -> Iterator[Ints64]:
    """The numbers of the nodes of each tree, given the number of its root: the others follow, one tree after another.

    Examples
    --------
    >>> from types import SimpleNamespace as Some
    >>> [number.tolist() for number in numbering({0: Some(n_nodes=3), 2: Some(n_nodes=1), 1: Some(n_nodes=3)})]
    [[0, 1, 2], [2], [1, 3, 4]]
    """
    base = 1
    for node, tree in trees.items():
        yield np.concatenate([[node], np.arange(base, base + tree.n_nodes - 1)])
        base += tree.n_nodes - 1


def _all_splits(stores: list[SplitStore]) -> SplitStore:
    """All splits, one store after another; joined pairwise, to copy little."""
    while len(stores) > 1:
        stores = [stores[i].join(stores[i + 1]) if i + 1 < len(stores) else stores[i] for i in range(0, len(stores), 2)]
    return stores[0]
