"""What pruning reads from a tree: the costs of errors, the errors of each node, the kind of its target."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

import numpy as np

from hornbeam.model.base.errors import ModelError
from hornbeam.model.trees.criterion import sums_entropy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.model.trees.tree import Tree

Cost = Literal["error", "impurity"]


def loss_of(tree: Tree) -> NDArray[np.float64] | None:
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


def weight_wrong(tree: Tree) -> NDArray[np.float64]:
    """For each node the weight of the training rows that are not of the class it predicts."""
    right = tree.value[np.arange(tree.n_nodes), np.maximum(tree.label, 0)]
    return np.asarray(tree.weight - np.where(tree.label >= 0, right, 0.0))


def costs_of(tree: Tree, cost: Cost = "error") -> NDArray[np.float64]:
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


def _times_log(values: NDArray[np.float64]) -> NDArray[np.float64]:
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
