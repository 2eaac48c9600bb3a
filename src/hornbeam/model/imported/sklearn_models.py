"""`from_sklearn`: import trees, forests and boosting of scikit-learn from their attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hornbeam.data.schema import Column, Nominal, Numeric
from hornbeam.model.base.plain import ModelError
from hornbeam.model.imported.draft import EVERY_NUMBER, Draft, names_of, schema_of, spread_of_leaves
from hornbeam.model.imported.forests import Together, assemble_forest, make_target, named_classes, text_of
from hornbeam.model.imported.sklearn_trees import (
    Naming,
    class_shares,
    draft_of,
    means,
    read_tree,
    refuse_classes,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hornbeam.model.forests.forest import Forest
    from hornbeam.model.trees.tree import Tree

LOG_LINKS = ("poisson", "gamma")  # regression losses whose score is a logarithm
WORD_BITS = 32  # of the sets of categories


def from_sklearn(
    model: Any,  # noqa: ANN401 - scikit-learn is not imported here
    *,
    features: Sequence[str] | None = None,
    classes: Sequence[Any] | None = None,
    target: str = "target",
    name: str = "table",
    round_inputs: bool = True,
) -> Tree | Forest:
    """Return a fitted tree, forest or boosting model of scikit-learn as a `Tree` or `Forest` that predicts the same.

    Parameters
    ----------
    model : fitted estimator of scikit-learn
        ``DecisionTree*`` and ``ExtraTree*`` give a `Tree`; ``RandomForest*``, ``ExtraTrees*``, ``GradientBoosting*``
        and ``HistGradientBoosting*`` a `Forest`. Only models with one output are supported. The classes of a tree of a
        forest (``forest.estimators_[0]``) are numbers, so `classes` should be given for it.
    features : sequence of str, optional
        Names of the columns; by default those seen in fitting, otherwise x0, x1 and so on.
    classes : sequence of str, optional
        Names of the classes, in the order of ``classes_``; by default these as texts.
    target : str
        Name of what is predicted.
    name : str
        The name of the table, shown with the model.
    round_inputs : bool
        scikit-learn rounds every input to 32 bits before comparisons, except in ``HistGradientBoosting*``. True moves
        each cut to where that rounding changes the branch, so that 64-bit inputs get the same predictions; False keeps
        the stored thresholds, which are easier to read for large numbers and predict the same for 32-bit inputs.

    Returns
    -------
    Tree or Forest
        Rows with missing values take the same branches as in scikit-learn. A tree has class weights (or weight, mean
        and squared error) at every node. For criteria other than squared error it is 0 at leaves, and at inner nodes
        that of the predictions below around their mean.

    Raises
    ------
    ModelError
        If the object is not a fitted model of these kinds, has several outputs, or starts from another estimator
        (``init``).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> iris = load_iris()
    >>> fitted = DecisionTreeClassifier(max_depth=2, random_state=0).fit(iris.data, iris.target)
    >>> from_sklearn(fitted, features=iris.feature_names, classes=iris.target_names, name="iris")
    Tree('iris': 5 nodes, 3 leaves, depth 2)
    """
    naming = Naming(features, classes, target, name)
    n_outputs = getattr(model, "n_outputs_", 1)
    if n_outputs != 1:
        msg = f"the {type(model).__name__} predicts {n_outputs} outputs at once; a model of hornbeam predicts one"
        raise ModelError(msg)
    if hasattr(getattr(model, "tree_", None), "children_left"):
        return read_tree(model, naming, round_inputs=round_inputs)
    if hasattr(model, "_predictors") and hasattr(model, "_baseline_prediction"):
        return _histogram_boosting(model, naming)
    members = getattr(model, "estimators_", ())
    trees = list(np.ravel(np.asarray(members, dtype=object)))
    if trees and all(hasattr(getattr(tree, "tree_", None), "children_left") for tree in trees):
        if hasattr(model, "_raw_predict_init"):
            return _boosting(model, trees, naming, round_inputs=round_inputs)
        if hasattr(model, "estimator") and type(model).__name__.startswith(("RandomForest", "ExtraTrees")):
            return _forest(model, trees, naming, round_inputs=round_inputs)
    msg = (
        f"found an object of type {type(model).__name__}; expected a fitted DecisionTree, ExtraTree, RandomForest, "
        "ExtraTrees, GradientBoosting or HistGradientBoosting classifier or regressor of scikit-learn"
    )
    raise ModelError(msg)


def _forest(model: Any, trees: list[Any], naming: Naming, *, round_inputs: bool) -> Forest:  # noqa: ANN401 - as above
    """Trees that are averaged."""
    labels = _labels(model, naming)
    drafts = [
        draft_of(tree, means(tree) if labels is None else class_shares(tree), round_inputs=round_inputs)
        for tree in trees
    ]
    together = Together(base=np.zeros(1 if labels is None else len(labels)), combine="mean", wide=labels is not None)
    return _assembled(model, naming, drafts, together, labels)


def _boosting(model: Any, trees: list[Any], naming: Naming, *, round_inputs: bool) -> Forest:  # noqa: ANN401 - as above
    """Trees that are added up, multiplied by the learning rate."""
    start = model.init_
    if not (isinstance(start, str) or type(start).__name__ in {"DummyClassifier", "DummyRegressor"}):
        msg = f"the {type(model).__name__} starts from a {type(start).__name__}; expected init=None or init='zero'"
        raise ModelError(msg)
    labels = _labels(model, naming)
    # Probabilities of the exponential loss are the logistic function of twice the score.
    factor = 2.0 if labels is not None and model.loss == "exponential" else 1.0
    base = np.ravel(model._raw_predict_init(np.zeros((1, model.n_features_in_)))).astype(np.float64)
    drafts = []
    for tree in trees:
        value = means(tree)
        value[:, 1] *= model.learning_rate
        value[:, 2] = 0.0
        draft = draft_of(tree, value, round_inputs=round_inputs)
        spread_of_leaves(draft.low, draft.high, value)
        drafts.append(draft)
    n_outputs = len(base)
    together = Together(
        base=base * factor,
        link="identity" if labels is None else "softmax" if n_outputs > 1 else "logistic",
        output=np.arange(len(trees), dtype=np.int32) % n_outputs if n_outputs > 1 else None,
        scale=factor,
    )
    return _assembled(model, naming, drafts, together, labels)


def _labels(model: Any, naming: Naming) -> tuple[str, ...] | None:  # noqa: ANN401 - as above
    """The names of the classes; None for regression."""
    found = getattr(model, "classes_", None)
    if found is None:
        refuse_classes(model, naming)
        return None
    return named_classes(naming.classes, found, len(found))


def _assembled(
    model: Any,  # noqa: ANN401 - as above
    naming: Naming,
    drafts: list[Draft],
    together: Together,
    labels: tuple[str, ...] | None,
    columns: list[Column] | None = None,
) -> Forest:
    names = names_of(naming.features, getattr(model, "feature_names_in_", None), int(model.n_features_in_))
    if columns is None:
        columns = [Numeric(title) for title in names]
    schema = schema_of(columns, make_target(naming.target, together.link, labels), naming.name)
    return assemble_forest(schema, drafts, together, {"learner": f"scikit-learn {type(model).__name__}"})


# ---- boosting on histograms -----------------------------------------------------------------------------------------


def _histogram_boosting(model: Any, naming: Naming) -> Forest:  # noqa: ANN401 - as above
    """Trees on 64-bit numbers, with sets of categories. The model has categorical columns before all others."""
    labels = _labels(model, naming)
    names = names_of(naming.features, getattr(model, "feature_names_in_", None), int(model.n_features_in_))
    by_category = np.zeros(len(names), np.bool_) if model.is_categorical_ is None else model.is_categorical_
    places = np.concatenate([np.flatnonzero(by_category), np.flatnonzero(~by_category)])
    columns: list[Column] = [Numeric(title) for title in names]
    known: dict[int, list[int]] = {}
    if by_category.any():
        encoder = model._preprocessor.named_transformers_["encoder"]
        bits, rows = model._bin_mapper.make_known_categories_bitsets()
        for number, listed in enumerate(encoder.categories_):
            present = [text_of(each) for each in listed if each is not None and each == each]  # noqa: PLR0124 - not NaN
            place = int(places[number])
            columns[place] = Nominal(names[place], tuple(present))
            seen = set(_codes_of(bits[rows[number]]))
            known[place] = [code for code in range(len(present)) if code in seen]
    drafts = [_histogram_draft(tree, places, columns, known) for group in model._predictors for tree in group]
    base = np.ravel(model._baseline_prediction).astype(np.float64)
    n_outputs = len(base)
    number_link: Literal["exp", "identity"] = "exp" if model.loss in LOG_LINKS else "identity"
    together = Together(
        base=base,
        link=number_link if labels is None else "softmax" if n_outputs > 1 else "logistic",
        output=np.arange(len(drafts), dtype=np.int32) % n_outputs if n_outputs > 1 else None,
    )
    return _assembled(model, naming, drafts, together, labels, columns)


def _histogram_draft(
    tree: Any,  # noqa: ANN401 - as above
    places: NDArray[np.int64],
    columns: list[Column],
    known: dict[int, list[int]],
) -> Draft:
    nodes = tree.nodes
    leaf = nodes["is_leaf"].astype(np.bool_)
    low, high = (np.where(leaf, -1, nodes[side].astype(np.int64)) for side in ("left", "right"))
    missing_low = nodes["missing_go_to_left"].astype(np.bool_)
    column = places[nodes["feature_idx"]].astype(np.int32)
    codes: dict[int, list[int]] = {}
    for node in np.flatnonzero(nodes["is_categorical"].astype(np.bool_) & ~leaf).tolist():
        place = int(column[node])
        asked = columns[place]
        assert isinstance(asked, Nominal)
        everything = range(len(asked.categories))
        listed = set(_codes_of(tree.raw_left_cat_bitsets[nodes["bitset_idx"][node]]))
        if missing_low[node]:  # categories not seen in training take the branch of missing values
            listed |= set(everything) - set(known[place])
        if not listed & set(everything):  # only missing values take it: list all categories
            listed = set(everything)
            low[node], high[node], missing_low[node] = high[node], low[node], not missing_low[node]
        codes[node] = sorted(listed & set(everything))
    weight = nodes["count"].astype(np.float64)
    value = np.column_stack([weight, nodes["value"], np.zeros(len(leaf))])
    spread_of_leaves(low, high, value)
    cut = np.where(np.isposinf(nodes["num_threshold"]), EVERY_NUMBER, nodes["num_threshold"])
    return Draft(
        low=low,
        high=high,
        column=column,
        cut=cut,
        codes=codes,
        missing_low=missing_low,
        score=np.where(leaf, np.nan, nodes["gain"]),
        rows=nodes["count"].astype(np.int64),
        weight=weight,
        value=value,
        label=np.full(len(leaf), -1, np.int32),
        error=np.zeros(len(leaf)),
    )


def _codes_of(words: NDArray[np.uint32]) -> list[int]:
    """The positions of the set bits."""
    listed = enumerate(words.tolist())
    return [place * WORD_BITS + bit for place, word in listed for bit in range(WORD_BITS) if word >> bit & 1]
