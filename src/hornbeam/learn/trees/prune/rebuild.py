"""Rebuild a tree whose nodes became leaves or got other children: unreached nodes are dropped, the rest renumbered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.base.tolerance import SLACK
from hornbeam.core.rows.gather import take
from hornbeam.core.trees.prune.cut_back import sum_over_leaves
from hornbeam.core.trees.prune.order import cut_below, order_nodes, take_splits
from hornbeam.data.indices import offsets
from hornbeam.learn.trees.prune.costs import loss_of
from hornbeam.model.trees.split import take_ranges
from hornbeam.model.trees.training import without_training_error
from hornbeam.model.trees.tree import FRACTIONAL, Tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

MARGIN = 1e-3  # a subtree must save more errors than this (Quinlan 1993)


def with_leaves(tree: Tree, leaf: NDArray[Any]) -> Tree:
    """The tree in which these nodes (numbers, or a mask) are leaves; the tree itself if they all are already."""
    order, parent, first_child = nodes_left(tree, leaf)
    return tree if len(order) == tree.n_nodes else _in_order(tree, {}, order, parent, first_child)


def nodes_left(tree: Tree, leaf: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.int32]]:
    """The old numbers of the nodes of the tree that `with_leaves` makes, and their new parents and first children."""
    chosen = leaf
    if leaf.dtype != np.bool_:
        chosen = np.zeros(tree.n_nodes, np.bool_)
        chosen[leaf] = True
    return cut_below(tree.parent, tree.n_children, chosen.view(np.uint8))


def rebuild(tree: Tree, changed: Mapping[str, NDArray[Any]]) -> Tree:
    """Make the tree in which some nodes of `tree` have other children, or none.

    Parameters
    ----------
    tree : Tree
        The tree before pruning.
    changed : mapping
        Arrays of `tree` that were changed, by name, still with its node numbers.
    """
    children = (changed.get(name, getattr(tree, name)) for name in ("first_child", "n_children"))
    return _in_order(tree, changed, *order_nodes(*children))


def _in_order(
    tree: Tree,
    changed: Mapping[str, NDArray[Any]],
    order: NDArray[np.intp],
    parent: NDArray[np.int32],
    first_child: NDArray[np.int32],
) -> Tree:
    """The tree of these nodes, with these parents and first children."""
    arrays = {**tree.arrays(), **changed}
    n_children, split, missing, kept = take_splits(
        order, first_child, arrays["n_children"], arrays["split"], arrays["missing"], FRACTIONAL
    )
    value, weight = take(arrays["value"], order), take(arrays["weight"], order)
    beside: dict[str, Any] = {}
    splits: list[NDArray[Any]] = [kept]
    if tree.surrogates is not None or tree.alternatives is not None:
        owners = np.zeros(len(tree.splits), np.intp)  # the node each primary split was made for
        owners[tree.split[tree.split >= 0]] = np.flatnonzero(tree.split >= 0)
        for name in ("surrogate", "alternative"):
            before = sum(map(len, splits))
            more, where = _keep_beside(tree, name, owners[kept], len(order), np.flatnonzero(split >= 0), before)
            splits.append(more)
            beside |= where
    if tree.intercept is not None:
        beside |= _linear_models(tree, order)
    label, error = take(arrays["label"], order), take(arrays["error"], order)
    if "value" in changed:
        loss = loss_of(tree)
        label = labels(value if loss is None else -(value @ loss), weight, parent, label, n_children)
        error = weight - value.max(axis=1) if loss is None else (value @ loss).min(axis=1)
    built = Tree(
        schema=tree.schema,
        splits=tree.splits.take(np.concatenate(splits) if len(splits) > 1 else kept),
        parent=parent,
        first_child=first_child,
        n_children=n_children,
        split=split,
        missing=missing,
        rows=take(arrays["rows"], order),
        weight=weight,
        value=value,
        label=label,
        error=error,
        share=take(arrays["share"], order),
        pseudo_count=tree.pseudo_count,
        prior=tree.prior,
        recipe=without_training_error(tree.recipe),
        **beside,
    )
    return built.known_sound() if tree.is_known_sound else built


def _keep_beside(
    tree: Tree, name: str, owners: NDArray[np.intp], n_nodes: int, inner: NDArray[np.intp], before: int
) -> tuple[NDArray[np.int32], dict[str, Any]]:
    """Surrogate or alternative splits to keep, and the arrays by which the new tree finds them."""
    beside, first = getattr(tree, f"{name}s"), getattr(tree, f"{name}_start")
    if beside is None or first is None:
        return np.empty(0, np.int32), {}
    taken, entries = take_ranges(first, owners)
    per_node = np.zeros(n_nodes, np.int64)
    per_node[inner] = np.diff(taken)
    start = offsets(per_node)
    numbers = before + np.arange(len(entries), dtype=np.int32)
    return beside[entries], {f"{name}_start": start, f"{name}s": numbers}


def _linear_models(tree: Tree, order: NDArray[np.intp]) -> dict[str, Any]:
    """The linear models of these nodes."""
    assert tree.intercept is not None
    arrays: dict[str, Any] = {"intercept": tree.intercept[order]}
    if tree.residual is not None:
        arrays["residual"] = tree.residual[order]
    if tree.term_start is None:
        return arrays
    arrays["term_start"], terms = take_ranges(tree.term_start, order)
    for name in ("term_column", "term_coefficient", "term_fill"):
        array = getattr(tree, name)
        arrays[name] = None if array is None else array[terms]
    if tree.term_code_start is not None and tree.term_codes is not None:
        arrays["term_code_start"], codes = take_ranges(tree.term_code_start, terms)
        arrays["term_codes"] = tree.term_codes[codes]
    return arrays


def labels(
    value: NDArray[np.float64],
    weight: NDArray[np.float64],
    parent: NDArray[np.int32],
    old: NDArray[np.int32],
    n_children: NDArray[np.int32],
) -> NDArray[np.int32]:
    """The class with most weight at each node; for a node without rows that of its parent, or none if it had none."""
    label = majority(value)
    empty = weight <= SLACK
    empty[0] = False
    nearest = np.where(empty, parent, np.arange(len(parent), dtype=np.int32))
    while empty[nearest].any():
        nearest = nearest[nearest]
    label = label[nearest]
    label[empty & (old < 0) & (n_children == 0)] = -1
    return label


def majority(value: NDArray[np.float64]) -> NDArray[np.int32]:
    """The class with most weight in each row of class weights; of nearly equal ones the first."""
    best = np.zeros(len(value), np.int32)
    most = value[:, 0].copy()
    for k in range(1, value.shape[1]):
        better = value[:, k] > most + SLACK
        best[better] = k
        most[better] = value[better, k]
    return best


def collapse(tree: Tree) -> Tree:
    """Replace every subtree that does not make fewer training errors than a leaf."""
    return with_leaves(tree, collapsible(tree))


def collapsible(tree: Tree) -> NDArray[np.intp]:
    """Inner nodes whose subtrees do not reduce the training errors."""
    below = sum_over_leaves(tree.first_child, tree.n_children, tree.error)
    return np.flatnonzero((tree.n_children > 0) & (below >= tree.error - MARGIN))


def childless(tree: Tree, nodes: NDArray[np.intp]) -> dict[str, Any]:
    """Arrays of the tree with these nodes as leaves; node numbers stay, and nodes below are no longer reached."""
    first_child, n_children, split = tree.first_child.copy(), tree.n_children.copy(), tree.split.copy()
    first_child[nodes], n_children[nodes], split[nodes] = -1, 0, -1
    return {"first_child": first_child, "n_children": n_children, "split": split}
