"""From a tree's changed arrays back to a tree: unreached nodes go, the rest are numbered anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.prune import order_nodes
from hornbeam.model.tree import FRACTIONAL, Tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

SLACK = 1e-6  # class weights closer than this are equal


def rebuild(tree: Tree, changed: Mapping[str, NDArray[Any]]) -> Tree:
    """Make the tree that is left when some nodes of `tree` have lost or changed their children.

    Parameters
    ----------
    tree : Tree
        What was pruned.
    changed : mapping
        Arrays of `tree` that were changed, by name, still with its node numbers.
    """
    arrays = {**tree.arrays(), **changed}
    order = order_nodes(arrays["first_child"], arrays["n_children"])
    number = np.full(tree.n_nodes, -1, np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    first_child = arrays["first_child"][order]
    n_children = arrays["n_children"][order]
    inner = n_children > 0
    first_child = np.where(inner, number[first_child], -1).astype(np.int32)
    parent = np.full(len(order), -1, np.int32)
    parent[1:] = np.repeat(np.arange(len(order), dtype=np.int32)[inner], n_children[inner])[
        np.argsort(_children(first_child[inner], n_children[inner]), kind="stable")
    ]
    split = np.full(len(order), -1, np.int32)
    split[inner] = np.arange(inner.sum(), dtype=np.int32)
    value, weight = arrays["value"][order], arrays["weight"][order]
    kept = arrays["split"][order][inner]
    owners = np.zeros(len(tree.splits), np.intp)  # the node each primary split was made for
    owners[tree.split[tree.split >= 0]] = np.flatnonzero(tree.split >= 0)
    beside: dict[str, Any] = {}
    splits = [kept]
    for name in ("surrogate", "alternative"):
        more, where = _keep_beside(tree, name, owners[kept], len(order), np.flatnonzero(inner), sum(map(len, splits)))
        splits.append(more)
        beside |= where
    label, error = arrays["label"][order], arrays["error"][order]
    if "value" in changed:
        label = labels(value, weight, parent, label, n_children)
        error = weight - value.max(axis=1)
    return Tree(
        schema=tree.schema,
        splits=tree.splits.take(np.concatenate(splits)),
        parent=parent,
        first_child=first_child,
        n_children=n_children,
        split=split,
        missing=np.where(inner, arrays["missing"][order], FRACTIONAL).astype(np.int32),
        rows=arrays["rows"][order],
        weight=weight,
        value=value,
        label=label,
        error=error,
        share=arrays["share"][order],
        pseudo_count=tree.pseudo_count,
        prior=tree.prior,
        recipe=tree.recipe,
        **beside,
    )


def _keep_beside(
    tree: Tree, name: str, owners: NDArray[np.intp], n_nodes: int, inner: NDArray[np.intp], before: int
) -> tuple[NDArray[np.int32], dict[str, Any]]:
    """Surrogate or runner-up splits to keep, and where the new tree finds them: with the split they belong to."""
    found, first = getattr(tree, f"{name}s"), getattr(tree, f"{name}_start")
    if found is None or first is None:
        return np.empty(0, np.int32), {}
    lengths = (first[1:] - first[:-1])[owners]
    entries = np.arange(int(lengths.sum())) + np.repeat(first[owners] - (np.cumsum(lengths) - lengths), lengths)
    per_node = np.zeros(n_nodes, np.int64)
    per_node[inner] = lengths
    start = np.concatenate([[0], np.cumsum(per_node)]).astype(np.int64)
    numbers = before + np.arange(len(entries), dtype=np.int32)
    return found[entries], {f"{name}_start": start, f"{name}s": numbers}


def _children(first_child: NDArray[np.int32], n_children: NDArray[np.int32]) -> NDArray[np.int64]:
    """Numbers of all children, parent by parent."""
    start = np.cumsum(n_children) - n_children
    children: NDArray[np.int64] = np.arange(int(n_children.sum())) + np.repeat(first_child - start, n_children)
    return children


def labels(
    value: NDArray[np.float64],
    weight: NDArray[np.float64],
    parent: NDArray[np.int32],
    old: NDArray[np.int32],
    n_children: NDArray[np.int32],
) -> NDArray[np.int32]:
    """The majority class of each node; of one that no row reached its parent's, or none where it had none before."""
    label = majority(value)
    empty = weight <= SLACK
    empty[0] = False
    for node in np.flatnonzero(empty):  # parents first
        label[node] = -1 if old[node] < 0 and n_children[node] == 0 else label[parent[node]]
    return label


def majority(value: NDArray[np.float64]) -> NDArray[np.int32]:
    """For each row of class weights the class that weighs most; of nearly equal ones the first."""
    best = np.zeros(len(value), np.int32)
    most = np.zeros(len(value))
    for k in range(value.shape[1]):
        better = value[:, k] > most + SLACK
        best[better] = k
        most[better] = value[better, k]
    return best
