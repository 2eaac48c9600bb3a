"""`from_xgboost`: import a model of XGBoost as a `Forest` from its JSON; XGBoost is not needed."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, Numeric
from hornbeam.model.base.plain import ModelError
from hornbeam.model.imported.draft import Draft, cuts_of_singles, names_of, schema_of, spread_of_leaves
from hornbeam.model.imported.forests import (
    Link,
    Together,
    assemble_forest,
    given_categories,
    make_target,
    named_classes,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hornbeam.data.schema import Column
    from hornbeam.model.forests.forest import Forest

LINKS: dict[str, Link] = {
    "binary:logistic": "logistic",
    "multi:softprob": "softmax",
    "multi:softmax": "softmax",
    "reg:squarederror": "identity",
    "reg:squaredlogerror": "identity",
    "reg:absoluteerror": "identity",
    "reg:pseudohubererror": "identity",
    "reg:quantileerror": "identity",
    "count:poisson": "exp",
    "reg:gamma": "exp",
    "reg:tweedie": "exp",
}
LEAST = float(np.finfo(np.float32).min)


def from_xgboost(
    model: Any,  # noqa: ANN401 - XGBoost is not imported here
    *,
    features: Sequence[str] | None = None,
    classes: Sequence[Any] | None = None,
    categories: Mapping[str, Sequence[Any]] | None = None,
    target: str = "target",
    name: str = "table",
) -> Forest:
    """Return a fitted model of XGBoost as a `Forest` that predicts the same.

    Parameters
    ----------
    model : Booster, XGBClassifier, XGBRegressor, XGBRFClassifier, XGBRFRegressor or dict
        A trained booster of trees (``gbtree`` or ``dart``), a scikit-learn wrapper of one, or the content of the JSON
        file that ``save_model`` writes. For a wrapper, early stopping limits the trees to the best iteration, as in its
        `predict`; for a booster all trees are used.
    features : sequence of str, optional
        Names of the columns; by default those seen in training, otherwise x0, x1 and so on.
    classes : sequence, optional
        Names of the classes, in the order of their numbers; by default the numbers.
    categories : mapping, optional
        The names of the categories of a column, in the order of the codes. By default those of the frame that the model
        was trained on, which XGBoost 3.1 and later keep.
    target : str
        Name of what is predicted.
    name : str
        The name of the table, shown with the forest.

    Returns
    -------
    Forest
        XGBoost rounds inputs to 32 bits and compares ``x < cut``; cuts are moved to where that rounding changes the
        branch, so that 64-bit inputs take the same branches. XGBoost adds scores in single precision, hornbeam in
        double: predictions differ by that rounding.

    Raises
    ------
    ModelError
        If the object is not a model of trees, the objective is not supported, there are several outputs, or the
        categories of a column are unknown.
    """
    content, n_iterations = _content_of(model)
    try:
        reader = _Reader(content["learner"], n_iterations)
        return reader.read(
            named=(features, classes, categories, target, name),
            found_classes=getattr(model, "classes_", None),
        )
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        msg = f"this is not the JSON of an XGBoost model: {type(error).__name__}: {error}"
        raise ModelError(msg) from None


def _content_of(model: Any) -> tuple[Mapping[str, Any], int | None]:  # noqa: ANN401 - as above
    """The JSON of the model, and the number of iterations that its `predict` uses; None: all."""
    if isinstance(model, dict):
        return model, None
    n_iterations = None
    booster = model
    if hasattr(model, "get_booster"):
        try:
            booster = model.get_booster()
        except Exception as error:
            if type(error).__name__ != "NotFittedError":
                raise
            msg = f"the {type(model).__name__} is not fitted; fit it first"
            raise ModelError(msg) from None
        best = booster.attr("best_iteration") if hasattr(booster, "attr") else None
        n_iterations = None if best is None else int(best) + 1
    if not hasattr(booster, "save_raw"):
        msg = f"found an object of type {type(model).__name__}; expected a booster of XGBoost or a wrapper of one"
        raise ModelError(msg)
    return json.loads(bytes(booster.save_raw("json"))), n_iterations


class _Reader:
    """Reads the JSON of a model."""

    def __init__(self, learner: Mapping[str, Any], n_iterations: int | None) -> None:
        self.learner = learner
        booster = learner["gradient_booster"]
        if booster["name"] not in {"gbtree", "dart"}:
            msg = f"the booster is {booster['name']!r}; expected gbtree or dart, which have trees"
            raise ModelError(msg)
        self.objective = str(learner["objective"]["name"])
        if self.objective not in LINKS:
            msg = f"the objective is {self.objective!r}; can import {', '.join(LINKS)}"
            raise ModelError(msg)
        self.link = LINKS[self.objective]
        self.model = booster["gbtree"]["model"] if booster["name"] == "dart" else booster["model"]
        self.n_features = int(learner["learner_model_param"]["num_feature"])
        n_targets = int(learner["learner_model_param"].get("num_target", 1))
        if n_targets > 1:
            msg = f"the model predicts {n_targets} targets at once; a forest of hornbeam predicts one"
            raise ModelError(msg)
        self.trees = self.model["trees"]
        self.factors = [float(each) for each in booster.get("weight_drop", [1.0] * len(self.trees))]
        if n_iterations is not None:
            self.trees = self.trees[: self.model["iteration_indptr"][n_iterations]]

    def read(self, named: tuple[Any, ...], found_classes: Any) -> Forest:  # noqa: ANN401 - whatever the object holds
        features, classes, categories, target, name = named
        names = names_of(features, self.learner.get("feature_names") or None, self.n_features)
        n_classes = int(self.learner["learner_model_param"]["num_class"]) or 2
        labels = None
        if self.link in {"logistic", "softmax"}:
            labels = named_classes(classes, found_classes, n_classes)
        elif classes is not None:
            msg = f"classes were given, but the objective {self.objective} predicts a number"
            raise ModelError(msg)
        columns = self._columns(names, given_categories(names, categories))
        drafts = [self._draft(tree, factor, columns) for tree, factor in zip(self.trees, self.factors, strict=False)]
        n_outputs = n_classes if self.link == "softmax" else 1
        together = Together(
            base=self._base(n_outputs),
            link=self.link,
            output=np.array(self.model["tree_info"][: len(drafts)], np.int32) if n_outputs > 1 else None,
        )
        schema = schema_of(columns, make_target(target, self.link, labels), name)
        return assemble_forest(schema, drafts, together, {"learner": "XGBoost", "objective": self.objective})

    def _base(self, n_outputs: int) -> Any:  # noqa: ANN401 - an array
        text = str(self.learner["learner_model_param"]["base_score"])
        stored = json.loads(text) if text.startswith("[") else [float(text)]
        base = np.array(stored, np.float32)
        if self.link == "logistic":  # as XGBoost computes it, in single precision
            base = -np.log(np.float32(1.0) / base - np.float32(1.0))
        elif self.link == "exp":
            base = np.log(base)
        return np.broadcast_to(base, n_outputs).astype(np.float64)

    def _columns(self, names: list[str], given: Mapping[int, tuple[str, ...]]) -> list[Column]:
        types = self.learner.get("feature_types") or ["float"] * self.n_features
        encoded = (self.model.get("cats") or {}).get("enc") or [{}] * self.n_features
        columns: list[Column] = []
        for place, (title, kind) in enumerate(zip(names, types, strict=True)):
            if kind != "c":
                if place in given:
                    msg = f"categories were given for {title!r}, which the model treats as a number"
                    raise ModelError(msg)
                columns.append(Numeric(title))
                continue
            listed = given.get(place) or _decoded(encoded[place])
            if not listed:
                msg = (
                    f"the model does not list the categories of the column {title!r}; "
                    f"give them in the order of their codes: categories={{{title!r}: [...]}}"
                )
                raise ModelError(msg)
            columns.append(Nominal(title, listed))
        return columns

    def _draft(self, tree: Mapping[str, Any], factor: float, columns: Sequence[Column]) -> Draft:
        if int(tree["tree_param"].get("size_leaf_vector") or 1) > 1:
            raise ModelError("the leaves hold several outputs (multi_output_tree); expected one tree per output")
        low, high = np.array(tree["left_children"], np.int64), np.array(tree["right_children"], np.int64)
        inner = low >= 0
        condition = np.array(tree["split_conditions"], np.float32)
        by_set = np.array(tree["split_type"], np.bool_) & inner
        missing_low = np.array(tree["default_left"], np.bool_)
        column = np.array(tree["split_indices"], np.int32)
        codes = _listed(tree, columns, column)
        for node in np.flatnonzero(by_set).tolist():  # listed categories go right
            low[node], high[node], missing_low[node] = high[node], low[node], not missing_low[node]
        numeric = inner & ~by_set
        if (condition[numeric] <= LEAST).any():
            raise ModelError("a cut is below every 32-bit number; no number is on its lower side")
        below = np.nextafter(condition, np.float32(-np.inf)).astype(np.float64)
        weight = np.array(tree["sum_hessian"], np.float64)
        leaf = condition * np.float32(factor)
        value = np.column_stack([weight, leaf.astype(np.float64), np.zeros(len(low))])
        value[inner] = 0.0
        spread_of_leaves(low, high, value)
        return Draft(
            low=low,
            high=high,
            column=column,
            cut=cuts_of_singles(below, numeric, round_inputs=True),
            codes=codes,
            missing_low=missing_low,
            score=np.where(inner, np.array(tree["loss_changes"], np.float64), np.nan),
            rows=np.rint(weight).astype(np.int64),
            weight=weight,
            value=value,
            label=np.full(len(low), -1, np.int32),
            error=np.zeros(len(low)),
        )


def _listed(tree: Mapping[str, Any], columns: Sequence[Column], column: Any) -> dict[int, list[int]]:  # noqa: ANN401 - an array
    """The categories of each node with a split by categories."""
    found = {}
    for node, start, size in zip(
        tree["categories_nodes"], tree["categories_segments"], tree["categories_sizes"], strict=True
    ):
        asked = columns[column[node]]
        codes = sorted(int(code) for code in tree["categories"][start : start + size])
        if isinstance(asked, Nominal) and codes[-1] >= len(asked.categories):
            msg = (
                f"column {asked.name!r}: a split uses the category with the code {codes[-1]}, "
                f"but only {len(asked.categories)} categories are named"
            )
            raise ModelError(msg)
        found[node] = codes
    return found


def _decoded(encoded: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the categories of a column from the JSON: numbers, or the bytes of texts."""
    values, edges = encoded.get("values") or [], encoded.get("offsets") or []
    if not edges:
        return tuple(text_of(value) for value in values)
    packed = bytes(value % 256 for value in values)
    return tuple(packed[first:stop].decode() for first, stop in pairwise(edges))
