"""Rebuild a tree whose nodes became leaves or got other children: unreached nodes are dropped, the rest renumbered."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hornbeam.core.base.tolerance import SLACK
from hornbeam.core.rows.gather import take
from hornbeam.core.trees.prune.cut_back import sum_over_leaves
from hornbeam.core.trees.prune.order import cut_below, order_nodes, take_splits
from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal, SchemaError
from hornbeam.model.base.plain import ModelError
from hornbeam.model.trees.criterion import sums_entropy
from hornbeam.model.trees.split import take_ranges
from hornbeam.model.trees.training import without_training_error
from hornbeam.model.trees.tree import FRACTIONAL, Tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import AnyArray, Floats, Indices, Ints32
    from hornbeam.data.table import Table

MARGIN = 1e-3  # a subtree must save more errors than this (Quinlan 1993)


def the_tree(given: Any) -> Tree:
    """Return a tree as it is, or that of a fitted estimator."""
    tree = getattr(given, "model_", given)
    if not isinstance(tree, Tree):
        msg = f"expected a Tree, or a fitted estimator with one; found a {type(given).__name__}"
        raise TypeError(msg)
    return tree


def with_leaves(tree: Tree, leaf: AnyArray) -> Tree:
    """The tree in which these nodes (numbers, or a mask) are leaves; the tree itself if they all are already."""
    order, parent, first_child = nodes_left(tree, leaf)
    return tree if len(order) == tree.n_nodes else _in_order(tree, {}, order, parent, first_child)


def nodes_left(tree: Tree, leaf: AnyArray) -> tuple[Indices, Ints32, Ints32]:
    """The old numbers of the nodes of the tree that `with_leaves` makes, and their new parents and first children."""
    chosen = leaf
    if leaf.dtype != np.bool_:
        chosen = np.zeros(tree.n_nodes, np.bool_)
        chosen[leaf] = True
    return cut_below(tree.parent, tree.n_children, chosen.view(np.uint8))


def rebuild(tree: Tree, changed: Mapping[str, AnyArray]) -> Tree:
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


def _in_order(tree: Tree, changed: Mapping[str, AnyArray], order: Indices, parent: Ints32, first_child: Ints32) -> Tree:
    """The tree of these nodes, with these parents and first children."""
    arrays = {**tree.arrays(), **changed}
    n_children, split, missing, kept = take_splits(
        order, first_child, arrays["n_children"], arrays["split"], arrays["missing"], FRACTIONAL
    )
    value, weight = take(arrays["value"], order), take(arrays["weight"], order)
    beside: dict[str, Any] = {}
    splits: list[AnyArray] = [kept]
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
    tree: Tree, name: str, owners: Indices, n_nodes: int, inner: Indices, before: int
) -> tuple[Ints32, dict[str, Any]]:
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


def _linear_models(tree: Tree, order: Indices) -> dict[str, Any]:
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


def labels(value: Floats, weight: Floats, parent: Ints32, old: Ints32, n_children: Ints32) -> Ints32:
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


def majority(value: Floats) -> Ints32:
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


def collapsible(tree: Tree) -> Indices:
    """Inner nodes whose subtrees do not reduce the training errors."""
    below = sum_over_leaves(tree.first_child, tree.n_children, tree.error)
    return np.flatnonzero((tree.n_children > 0) & (below >= tree.error - MARGIN))


def childless(tree: Tree, nodes: Indices) -> dict[str, Any]:
    """Arrays of the tree with these nodes as leaves; node numbers stay, and nodes below are no longer reached."""
    first_child, n_children, split = tree.first_child.copy(), tree.n_children.copy(), tree.split.copy()
    first_child[nodes], n_children[nodes], split[nodes] = -1, 0, -1
    return {"first_child": first_child, "n_children": n_children, "split": split}


Cost = Literal["error", "impurity"]


def loss_of(tree: Tree) -> Floats | None:
    """The cost of predicting a class (column) when another (row) is true; None if every error counts once."""
    written = tree.recipe.get("loss")
    if not isinstance(written, str) or tree.task != "classification":
        return None
    try:
        loss = np.ascontiguousarray(json.loads(written), np.float64)
    except (ValueError, TypeError, RecursionError):
        msg = f"the costs of errors in the tree's recipe are {written!r:.60}; expected a matrix as JSON"
        raise ModelError(msg) from None
    if loss.shape != (tree.value.shape[1],) * 2 or not (np.isfinite(loss) & (loss >= 0)).all():
        msg = f"the costs of errors in the tree's recipe have the shape {loss.shape}; expected one for two classes each"
        raise ModelError(msg)
    return loss


def weight_wrong(tree: Tree) -> Floats:
    """For each node the weight of the training rows that are not of the class it predicts."""
    right = tree.value[np.arange(tree.n_nodes), np.maximum(tree.label, 0)]
    return np.asarray(tree.weight - np.where(tree.label >= 0, right, 0.0))


def costs_of(tree: Tree, cost: Cost = "error") -> Floats:
    """The cost of each node as a leaf: its error, or its impurity times weight (for numbers the squared error).

    The impurity is the entropy (in bits) if the tree was grown by it, otherwise the Gini index.
    """
    if cost == "error":
        return tree.error
    if cost != "impurity":
        msg = f"cost is {cost!r}; expected 'error' or 'impurity'"
        raise ValueError(msg)
    if tree.task == "regression":
        return np.ascontiguousarray(tree.value[:, 2])
    total = tree.value.sum(axis=1)
    if sums_entropy(tree):
        return np.asarray(_times_log(total) - _times_log(tree.value).sum(axis=1))
    squares = (tree.value**2).sum(axis=1)
    return np.asarray(total - np.divide(squares, total, out=np.zeros(tree.n_nodes), where=total > 0))


def _times_log(values: Floats) -> Floats:
    return values * np.log2(values, out=np.zeros(values.shape), where=values > 0)


def ask_for_classes(tree: Tree, method: str, reason: str) -> None:
    """Refuse a regression tree."""
    if tree.task != "classification":
        name = tree.schema.target_column.name
        msg = f"{method} pruning is for a target of classes, and {name!r} is numeric: {reason}"
        raise ValueError(msg)


def ask_for_numbers(tree: Tree, method: str, reason: str) -> None:
    """Refuse a classification tree."""
    if tree.task != "regression":
        name = tree.schema.target_column.name
        msg = f"{method} pruning is for a target of numbers, and {name!r} holds classes: {reason}"
        raise ValueError(msg)


def with_target(tree: Tree, table: Table) -> Table:
    """The table, if its target has the name and kind of that of the tree."""
    wanted = tree.schema.target_column
    if wanted.name not in table.schema.names:
        names = ", ".join(map(repr, table.schema.names)) or "none"
        msg = f"pruning by the errors on a table needs its target {wanted.name!r}; the table's columns: {names}"
        raise SchemaError(msg)
    place = table.schema.position(wanted.name)
    if isinstance(table.schema.columns[place], Nominal) != isinstance(wanted, Nominal):
        kinds = ("nominal", "numeric") if isinstance(wanted, Nominal) else ("numeric", "nominal")
        msg = f"the tree's target {wanted.name!r} is {kinds[0]}, and the table's column of that name {kinds[1]}"
        raise SchemaError(msg)
    if table.schema.target != place:
        msg = f"the table's target is not {wanted.name!r}, which the tree predicts; read it with target={wanted.name!r}"
        raise SchemaError(msg)
    return table
