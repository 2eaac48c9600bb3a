"""Import decision trees of scikit-learn from their attributes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, Numeric
from hornbeam.model.base.plain import ModelError
from hornbeam.model.imported.draft import Draft, assemble, cuts_of_singles, names_of, schema_of, spread_of_leaves
from hornbeam.model.imported.forests import named_classes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.core.base.arrays import Floats, Ints64
    from hornbeam.model.trees.tree import Tree

SQUARED = ("squared_error", "friedman_mse")  # criteria whose impurity is the mean squared error
WHOLE = 1e-9  # class weights of unweighted rows are whole numbers, which proportions restore with this relative error


@dataclass(frozen=True)
class Naming:
    """Names given for an imported model; None: those of the object."""

    features: Sequence[str] | None
    classes: Sequence[Any] | None
    target: str
    name: str


def read_tree(tree: Any, naming: Naming, *, round_inputs: bool) -> Tree:  # noqa: ANN401 - scikit-learn is not imported here
    """Return a fitted decision tree as a `Tree`."""
    nodes = tree.tree_
    weight = np.array(nodes.weighted_n_node_samples, np.float64)
    labeled = getattr(tree, "classes_", None)
    if labeled is not None:
        named = named_classes(naming.classes, labeled, len(labeled))
        goal: Nominal | Numeric = Nominal(naming.target, named)
        shares = class_shares(tree)
        value, label = _class_weights(shares, weight, nodes.n_node_samples), shares.argmax(axis=1).astype(np.int32)
        error = weight - value[np.arange(len(value)), label]
    else:
        refuse_classes(tree, naming)
        goal = Numeric(naming.target)
        value = means(tree)
        label, error = np.full(len(value), -1, np.int32), np.ascontiguousarray(value[:, 2])
    named_features = names_of(naming.features, getattr(tree, "feature_names_in_", None), int(nodes.n_features))
    schema = schema_of([Numeric(column) for column in named_features], goal, naming.name)
    draft = replace(draft_of(tree, value, round_inputs=round_inputs), label=label, error=error)
    recipe = {"learner": f"scikit-learn {type(tree).__name__}", "criterion": str(getattr(tree, "criterion", None))}
    return assemble(schema, draft, recipe)


def refuse_classes(model: Any, naming: Naming) -> None:  # noqa: ANN401 - as above
    """Raise an error if class names are given for regression."""
    if naming.classes is not None:
        msg = f"classes were given, but a {type(model).__name__} predicts a number"
        raise ModelError(msg)


def class_shares(tree: Any) -> Floats:  # noqa: ANN401 - as above
    """Class probabilities of every node."""
    return np.asarray(tree.tree_.value[:, 0, : len(tree.classes_)], np.float64)


def means(tree: Any) -> Floats:  # noqa: ANN401 - as above
    """Weight, mean and squared error of every node."""
    nodes = tree.tree_
    weight = np.array(nodes.weighted_n_node_samples, np.float64)
    value = np.column_stack([weight, nodes.value[:, 0, 0], nodes.impurity * weight])
    if getattr(tree, "criterion", None) not in SQUARED:
        predictions = value[:, 1].copy()
        value[:, 2] = 0.0
        spread_of_leaves(np.asarray(nodes.children_left, np.int64), np.asarray(nodes.children_right, np.int64), value)
        value[:, :2] = np.column_stack([weight, predictions])
    return value


def draft_of(tree: Any, value: Floats, *, round_inputs: bool) -> Draft:  # noqa: ANN401 - as above
    """Return the nodes of a fitted decision tree with these values."""
    nodes = tree.tree_
    low, high = np.asarray(nodes.children_left, np.int64), np.asarray(nodes.children_right, np.int64)
    weight = np.array(nodes.weighted_n_node_samples, np.float64)
    return Draft(
        low=low,
        high=high,
        column=np.asarray(nodes.feature, np.int32),
        cut=cuts_of_singles(np.asarray(nodes.threshold, np.float64), low >= 0, round_inputs=round_inputs),
        codes={},
        missing_low=np.asarray(nodes.missing_go_to_left, np.bool_),
        score=_decrease(low, high, weight, np.asarray(nodes.impurity, np.float64)),
        rows=np.asarray(nodes.n_node_samples, np.int64),
        weight=weight,
        value=value,
        label=np.full(len(low), -1, np.int32),
        error=np.zeros(len(low)),
    )


def _class_weights(shares: Floats, weight: Floats, rows: Ints64) -> Floats:
    """Class weights from proportions; whole numbers if rows have no weights, so that proportions are exact."""
    totals = shares.sum(axis=1, keepdims=True)
    value: Floats = shares / np.where(totals > 0, totals, 1.0) * weight[:, None]
    whole = np.round(value)
    near = (np.abs(value - whole) <= WHOLE * weight[:, None]).all(axis=1) & (whole.sum(axis=1) == weight)
    return np.where(near[:, None] & (weight == rows)[:, None], whole, value)


def _decrease(low: Ints64, high: Ints64, weight: Floats, impurity: Floats) -> Floats:
    """The decrease of impurity by each split, per unit of weight of its node; NaN at leaves."""
    inner = low >= 0
    score = np.full(len(low), np.nan)
    weighted_impurity = weight * impurity
    below = weighted_impurity[low[inner]] + weighted_impurity[high[inner]]
    score[inner] = (weighted_impurity[inner] - below) / np.where(weight[inner] > 0, weight[inner], 1.0)
    return score
