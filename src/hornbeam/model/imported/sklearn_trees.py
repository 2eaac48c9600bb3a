"""`from_sklearn`: a fitted decision tree of scikit-learn as our `Tree`. Reads attributes; imports nothing of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, Numeric
from hornbeam.model.base.errors import ModelError
from hornbeam.model.imported.draft import EVERY_NUMBER, Draft, assemble, names_of, schema_of, spread_of_leaves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hornbeam.model.trees.tree import Tree

SQUARED = ("squared_error", "friedman_mse")  # criteria whose impurity is the mean squared error
WHOLE = 1e-9  # a class weight of unweighted rows is a whole number; shares bring it back this near, relative to all


def from_sklearn(
    tree: Any,  # noqa: ANN401 - scikit-learn is not imported here
    *,
    features: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
    target: str = "target",
    name: str = "table",
    round_inputs: bool = True,
) -> Tree:
    """Return a fitted decision tree of scikit-learn as a `Tree` that predicts alike.

    Parameters
    ----------
    tree : DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier or ExtraTreeRegressor
        Fitted, with one output. A tree of a forest (``forest.estimators_[0]``) is one too; its classes are numbers, so
        give `classes`.
    features : sequence of str, optional
        Names of the columns; by default those seen in fitting, else x0, x1 and so on.
    classes : sequence of str, optional
        Names of the classes, in the order of ``classes_``; by default those as texts.
    target : str
        Name of what is predicted.
    name : str
        What the table is called where the tree is shown.
    round_inputs : bool
        scikit-learn rounds every input to 32 bits before it compares. True moves each cut to where that rounding
        changes sides, so that 64-bit inputs get the same predictions; False keeps the thresholds as they are stored,
        which read better for large numbers and predict the same for inputs that 32 bits hold.

    Returns
    -------
    Tree
        Class weights (or weight, mean and squared error) at every node. Rows without a value go where they go in
        scikit-learn. Criteria other than squared error give none: a leaf's is then 0, and an inner node's is that of
        the predictions below it about their mean.

    Raises
    ------
    ModelError
        Where the object is not a fitted tree, or has several outputs.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> iris = load_iris()
    >>> fitted = DecisionTreeClassifier(max_depth=2, random_state=0).fit(iris.data, iris.target)
    >>> from_sklearn(fitted, features=iris.feature_names, classes=iris.target_names, name="iris")
    Tree('iris': 5 nodes, 3 leaves, depth 2)
    """
    nodes = getattr(tree, "tree_", None)
    if nodes is None or not hasattr(nodes, "children_left"):
        msg = f"found an object of type {type(tree).__name__} without a fitted tree; expected a fitted decision tree"
        raise ModelError(msg)
    if nodes.n_outputs != 1:
        msg = f"the tree predicts {nodes.n_outputs} outputs at once; a tree here predicts one"
        raise ModelError(msg)
    low, high = np.asarray(nodes.children_left, np.int64), np.asarray(nodes.children_right, np.int64)
    weight = np.array(nodes.weighted_n_node_samples, np.float64)
    labeled = getattr(tree, "classes_", None)
    if labeled is not None:
        named = tuple(str(label) for label in (labeled if classes is None else classes))
        _check_classes(named, len(labeled))
        goal: Nominal | Numeric = Nominal(target, named)
        shares = np.asarray(nodes.value[:, 0, : len(named)], np.float64)
        value, label = _class_weights(shares, weight, nodes.n_node_samples), shares.argmax(axis=1).astype(np.int32)
        error = weight - value[np.arange(len(value)), label]
    elif classes is not None:
        msg = f"classes were given, but a {type(tree).__name__} predicts a number"
        raise ModelError(msg)
    else:
        goal = Numeric(target)
        value = np.column_stack([weight, nodes.value[:, 0, 0], nodes.impurity * weight])
        if getattr(tree, "criterion", None) not in SQUARED:
            answers = value[:, 1].copy()
            value[:, 2] = 0.0
            spread_of_leaves(low, high, value)
            value[:, :2] = np.column_stack([weight, answers])
        label, error = np.full(len(value), -1, np.int32), np.ascontiguousarray(value[:, 2])
    named_features = names_of(features, getattr(tree, "feature_names_in_", None), int(nodes.n_features))
    schema = schema_of([Numeric(column) for column in named_features], goal, name)
    cut = _cuts(np.asarray(nodes.threshold, np.float64), low >= 0, round_inputs=round_inputs)
    draft = Draft(
        low=low,
        high=high,
        column=np.asarray(nodes.feature, np.int32),
        cut=cut,
        codes={},
        missing_low=np.asarray(nodes.missing_go_to_left, np.bool_),
        score=_decrease(low, high, weight, np.asarray(nodes.impurity, np.float64)),
        rows=np.asarray(nodes.n_node_samples, np.int64),
        weight=weight,
        value=value,
        label=label,
        error=error,
    )
    recipe = {"learner": f"scikit-learn {type(tree).__name__}", "criterion": str(getattr(tree, "criterion", None))}
    return assemble(schema, draft, recipe)


def _check_classes(named: tuple[str, ...], expected: int) -> None:
    if len(named) != expected:
        msg = f"{len(named)} classes were named; the tree has {expected}"
        raise ModelError(msg)
    if len(set(named)) != len(named):
        msg = f"two classes have the same name: {', '.join(map(repr, named))}; give names that differ as classes=[...]"
        raise ModelError(msg)


def _class_weights(
    shares: NDArray[np.float64], weight: NDArray[np.float64], rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Class weights from shares; counts where every row counts once, so that the shares come back to the last bit."""
    totals = shares.sum(axis=1, keepdims=True)
    value: NDArray[np.float64] = shares / np.where(totals > 0, totals, 1.0) * weight[:, None]
    whole = np.round(value)
    near = (np.abs(value - whole) <= WHOLE * weight[:, None]).all(axis=1) & (whole.sum(axis=1) == weight)
    return np.where(near[:, None] & (weight == rows)[:, None], whole, value)


def _cuts(threshold: NDArray[np.float64], inner: NDArray[np.bool_], *, round_inputs: bool) -> NDArray[np.float64]:
    """Cuts that a number is at most where its 32-bit rounding is at most the threshold.

    The rounding must be at most the greatest 32-bit number `under` the threshold. What rounds to that or less lies
    below the middle between it and the 32-bit number above; the middle itself rounds to the one of the two whose last
    bit is 0. An infinite threshold parts known values from missing ones.
    """
    endless = ~np.isfinite(threshold) & inner
    finite = np.where(inner & ~endless, threshold, 0.0)
    if not round_inputs:
        return np.where(endless, EVERY_NUMBER, finite)
    under = finite.astype(np.float32)
    with np.errstate(over="ignore"):  # beside the least number, which is not asked for
        under = np.where(under > finite, np.nextafter(under, np.float32(-np.inf)), under)
    wide = under.astype(np.float64)
    greatest = under == np.finfo(np.float32).max  # the step above it would be infinite; as wide as the one below
    neighbor = np.nextafter(under, np.where(greatest, np.float32(0), np.float32(np.inf)))
    middle = wide + np.abs(neighbor.astype(np.float64) - wide) / 2
    even = (under.view(np.uint32) & 1) == 0
    return np.where(endless, EVERY_NUMBER, np.where(even, middle, np.nextafter(middle, -np.inf)))


def _decrease(
    low: NDArray[np.int64], high: NDArray[np.int64], weight: NDArray[np.float64], impurity: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How much of the impurity a split takes away, for each unit of its node's weight; NaN at a leaf."""
    inner = low >= 0
    score = np.full(len(low), np.nan)
    weighted_impurity = weight * impurity
    below = weighted_impurity[low[inner]] + weighted_impurity[high[inner]]
    score[inner] = (weighted_impurity[inner] - below) / np.where(weight[inner] > 0, weight[inner], 1.0)
    return score
