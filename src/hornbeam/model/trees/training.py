"""The errors of a tree's predictions on its training rows.

For most trees they follow from the values at the leaves. For some they do not: if rows with missing values are counted
in parts or stop above the leaves, if some of the rows were held out for pruning, if leaves predict medians, or if
classes have prior probabilities. Such a tree keeps the statistics of its predictions in its recipe.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import Floats, Ints32
    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree

KEYS = ("training_weight", "training_error", "training_squares")


@dataclass(frozen=True, slots=True)
class TrainingError:
    """Figures of a tree's predictions on its training rows."""

    weight: float  # of the training rows
    # the misclassified weight, or the cost if errors have costs; for numbers, the weighted sum of squared errors
    error: float
    squares: float = 0.0  # for numbers, the weighted sum of squares around their mean


def training_error(tree: Tree) -> TrainingError:
    """Return the statistics of a tree's predictions on its training rows.

    Parameters
    ----------
    tree : Tree
        The learned tree.
    """
    if all(isinstance(tree.recipe.get(key), float) for key in KEYS):
        return TrainingError(*(float(tree.recipe[key] or 0.0) for key in KEYS))
    leaf = tree.n_children == 0
    squares = float(tree.value[0, 2]) if tree.task == "regression" else 0.0
    return TrainingError(float(tree.weight[0]), float(tree.error[leaf].sum()), squares)


def without_training_error(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recipe without these statistics, for a tree with other nodes."""
    return {key: value for key, value in recipe.items() if key not in KEYS}


def with_training_error(tree: Tree, table: Table) -> Tree:
    """Return the tree with the statistics of its predictions on training rows, if they do not follow from its leaves.

    Parameters
    ----------
    tree : Tree
        The learned tree.
    table : Table
        The training rows, each with a target.
    """
    if _leaves_suffice(tree, table):
        return tree
    truth, predicted = table.target_values(), tree.predict_codes(table)
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    squares = 0.0
    if tree.task == "classification":
        error = float((weights * _costs(tree, truth, predicted)).sum())
    else:
        error = float((weights * np.square(predicted - truth)).sum())
        squares = float((weights * np.square(truth - np.average(truth, weights=weights))).sum())
    statistics = dict(zip(KEYS, (float(weights.sum()), error, squares), strict=True))
    return replace(tree, recipe={**tree.recipe, **statistics})


def _leaves_suffice(tree: Tree, table: Table) -> bool:
    """Whether every training row is counted, with its weight, only at the leaf that predicts it."""
    below = np.bincount(tree.parent[1:], tree.rows[1:], minlength=tree.n_nodes)
    inner = tree.n_children > 0
    whole = tree.rows[0] == table.n_rows and bool((below[inner] == tree.rows[inner]).all())
    if not whole or tree.recipe.get("leaf") == "median" or tree.prior is not None:
        return False
    if tree.task == "regression":
        return True
    weights = np.bincount(table.target_values(), table.weights, minlength=tree.value.shape[1])
    return bool(np.allclose(tree.value[0], weights, rtol=1e-9, atol=0.0))


def _costs(tree: Tree, truth: Ints32, predicted: Ints32) -> Floats:
    """The cost of every prediction: 1 for an error, or by the losses that the tree was learned with."""
    written = tree.recipe.get("loss")
    if not isinstance(written, str):
        return np.asarray(truth != predicted, np.float64)
    loss = np.array(json.loads(written), np.float64)
    return np.asarray(np.where(predicted >= 0, loss[truth, predicted], loss.max(axis=1)[truth]), np.float64)
