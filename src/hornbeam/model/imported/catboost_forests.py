"""`from_catboost`: a model of CatBoost as our `Forest`. Reads its JSON; CatBoost is not imported."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, Numeric
from hornbeam.model.base.plain import ModelError
from hornbeam.model.imported.draft import Draft, cuts_of_singles, mean_of_leaves, names_of, schema_of
from hornbeam.model.imported.forests import (
    Link,
    Together,
    assemble_forest,
    given_categories,
    make_target,
    named_classes,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from hornbeam.data.schema import Column
    from hornbeam.model.forests.forest import Forest

    Split = Mapping[str, Any]

LINKS: dict[str, Link] = {
    "Logloss": "logistic",
    "CrossEntropy": "logistic",
    "MultiClass": "softmax",
    "RMSE": "identity",
    "MAE": "identity",
    "MAPE": "identity",
    "Quantile": "identity",
    "Huber": "identity",
    "Expectile": "identity",
    "Lq": "identity",
    "Poisson": "exp",
    "Tweedie": "exp",
}


def from_catboost(
    model: Any,  # noqa: ANN401 - CatBoost is not imported here
    *,
    features: Sequence[str] | None = None,
    classes: Sequence[Any] | None = None,
    categories: Mapping[str, Sequence[Any]] | None = None,
    target: str = "target",
    name: str = "table",
) -> Forest:
    """Return a fitted model of CatBoost as a `Forest` that predicts the same.

    Parameters
    ----------
    model : CatBoost, CatBoostClassifier, CatBoostRegressor or dict
        A fitted model, or the content of the JSON file that ``save_model(..., format="json")`` writes.
    features : sequence of str, optional
        Names of the columns; by default those of the model.
    classes : sequence, optional
        Names of the classes; by default those of the model.
    categories : mapping, optional
        For a column of categories their names. CatBoost keeps only hashes of them, so they must be given for every
        column that a tree splits by category; names that no split uses may be left out.
    target : str
        Name of what is predicted.
    name : str
        The name of the table, shown with the forest.

    Returns
    -------
    Forest
        CatBoost's symmetric trees, with the same split at every node of a level, become ordinary trees. CatBoost rounds
        numbers to 32 bits; cuts are moved to where that rounding changes the branch.

    Raises
    ------
    ModelError
        If the object is not such a model, its loss is not supported, or a split uses statistics of categories (CTR),
        texts or embeddings.
    """
    content = _content_of(model)
    try:
        return _Reader(content, model).read(features, classes, categories, target, name)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        msg = f"this is not the JSON of a CatBoost model: {type(error).__name__}: {error}"
        raise ModelError(msg) from None


def _content_of(model: Any) -> Mapping[str, Any]:  # noqa: ANN401 - as above
    if isinstance(model, dict):
        return model
    if not hasattr(model, "save_model") or not hasattr(model, "calc_leaf_indexes"):
        msg = f"found an object of type {type(model).__name__}; expected a fitted model of CatBoost"
        raise ModelError(msg)
    if not model.is_fitted():
        msg = f"the {type(model).__name__} is not fitted; fit it first"
        raise ModelError(msg)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        content: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


class _Reader:
    """Reads the JSON of a model."""

    def __init__(self, content: Mapping[str, Any], model: Any) -> None:  # noqa: ANN401 - as above
        self.content, self.model = content, model
        info = content["model_info"]
        self.loss = str(info["params"]["loss_function"]["type"])
        if self.loss not in LINKS:
            msg = f"the loss is {self.loss!r}; can import {', '.join(LINKS)}"
            raise ModelError(msg)
        self.link = LINKS[self.loss]
        self.labels = (info.get("class_params") or {}).get("class_names")
        self.numbers = content["features_info"].get("float_features") or []
        self.nominal = content["features_info"].get("categorical_features") or []
        flat = [int(each["flat_feature_index"]) for each in (*self.numbers, *self.nominal)]
        named = None if isinstance(model, dict) else list(model.feature_names_)
        self.names = named or [""] * (max(flat, default=-1) + 1)
        if named is None:
            for each in (*self.numbers, *self.nominal):
                place = int(each["flat_feature_index"])
                self.names[place] = str(each.get("feature_id") or place)
        self.scale, self.bias = float(content["scale_and_bias"][0]), np.array(content["scale_and_bias"][1], np.float64)
        self.codes: dict[tuple[int, int], int] = {}  # our code, by column of categories and hash

    def read(
        self,
        features: Sequence[str] | None,
        classes: Sequence[Any] | None,
        categories: Mapping[str, Sequence[Any]] | None,
        target: str,
        name: str,
    ) -> Forest:
        self.names = names_of(features, self.names, len(self.names))
        labels = None
        n_outputs = len(self.bias)
        if self.link in {"logistic", "softmax"}:
            labels = named_classes(classes, self.labels, n_outputs if self.link == "softmax" else 2)
        elif classes is not None:
            msg = f"classes were given, but the loss {self.loss} predicts a number"
            raise ModelError(msg)
        columns = self._columns(given_categories(self.names, categories))
        if "oblivious_trees" in self.content:
            drafts = [self._level_draft(tree) for tree in self.content["oblivious_trees"]]
        else:
            drafts = [self._nested_draft(tree) for tree in self.content["trees"]]
        together = Together(base=self.bias, link=self.link, wide=True, scale=self.scale)
        schema = schema_of(columns, make_target(target, self.link, labels), name)
        return assemble_forest(schema, drafts, together, {"learner": "CatBoost", "loss": self.loss})

    def _columns(self, given: Mapping[int, tuple[str, ...]]) -> list[Column]:
        columns: list[Column] = [Numeric(title) for title in self.names]
        for each in self.nominal:
            place = int(each["flat_feature_index"])
            hashes = [int(value) for value in each.get("values") or []]
            columns[place] = Nominal(self.names[place], given.get(place, ()))
            if hashes:
                self._match(each, given.get(place, ()), hashes)
        return columns

    def _match(self, feature: Mapping[str, Any], listed: tuple[str, ...], hashes: list[int]) -> None:
        """Find the category of each hash by applying the model to every category and looking at its leaves."""
        title = self.names[int(feature["flat_feature_index"])]
        if not listed or isinstance(self.model, dict) or "oblivious_trees" not in self.content:
            msg = (
                f"the model splits the column {title!r} by category, and keeps only hashes of the categories; "
                f"give the fitted model, with symmetric trees, and categories={{{title!r}: [...]}}"
            )
            raise ModelError(msg)
        nominal = {int(each["flat_feature_index"]) for each in self.nominal}
        row: list[Any] = ["" if place in nominal else 0.0 for place in range(len(self.names))]
        rows = []
        for category in listed:
            row[int(feature["flat_feature_index"])] = category
            rows.append(row.copy())
        leaves = np.asarray(self.model.calc_leaf_indexes(np.array(rows, dtype=object)))
        number = int(feature["feature_index"])
        for place, tree in enumerate(self.content["oblivious_trees"]):
            for bit, split in enumerate(tree.get("splits") or []):
                if split["split_type"] == "OneHotFeature" and int(split["cat_feature_index"]) == number:
                    for code in np.flatnonzero(leaves[:, place] >> bit & 1).tolist():
                        self.codes[number, int(split["value"])] = code
        if any((number, value) not in self.codes for value in hashes):
            msg = f"a split on the column {title!r} tests for a category that is not among those given; add it"
            raise ModelError(msg)

    def _asked(self, split: Split) -> tuple[int, float, list[int] | None, bool]:
        """The column of a split, its cut or codes, and whether missing values take the low branch."""
        kind = split["split_type"]
        if kind == "FloatFeature":
            feature = self.numbers[int(split["float_feature_index"])]
            low = feature["nan_value_treatment"] != "AsTrue"
            return int(feature["flat_feature_index"]), float(split["border"]), None, low
        if kind == "OneHotFeature":
            number = int(split["cat_feature_index"])
            code = self.codes[number, int(split["value"])]
            return int(self.nominal[number]["flat_feature_index"]), 0.0, [code], False
        what = "statistics of categories (CTR)" if kind == "OnlineCtr" else f"a feature of the kind {kind!r}"
        msg = f"a split uses {what}, which hornbeam does not support: train with numbers, or a greater one_hot_max_size"
        raise ModelError(msg)

    def _level_draft(self, tree: Mapping[str, Any]) -> Draft:
        """A tree with one split for each level: the branches of a row, 0 or 1, are the bits of its leaf number."""
        asked = list(tree.get("splits") or [])
        depth, n_outputs = len(asked), len(self.bias)
        n_inner = 2**depth - 1
        splits = [split for level, split in enumerate(asked) for _ in range(2**level)]
        place = np.arange(2**depth)
        leaf = sum(((place >> (depth - 1 - bit) & 1) << bit for bit in range(depth)), np.zeros(2**depth, np.int64))
        value = np.zeros((n_inner + len(place), n_outputs))
        value[n_inner:] = np.array(tree["leaf_values"], np.float64).reshape(-1, n_outputs)[leaf]
        weight = np.zeros(len(value))
        weight[n_inner:] = np.array(tree.get("leaf_weights") or np.ones(len(place)), np.float64)[leaf]
        left = [2 * node + 1 for node in range(n_inner)] + [-1] * len(place)
        right = [2 * node + 2 for node in range(n_inner)] + [-1] * len(place)
        return self._draft([*splits, *([None] * len(place))], left, right, weight, value)

    def _nested_draft(self, tree: Mapping[str, Any]) -> Draft:
        splits: list[Split | None] = []
        left: list[int] = []
        right: list[int] = []
        weight: list[float] = []
        value: list[Any] = []
        pending: list[tuple[Mapping[str, Any], list[int] | None, int]] = [(tree, None, -1)]
        while pending:
            item, side, parent = pending.pop()
            node = len(splits)
            if side is not None:
                side[parent] = node
            splits.append(item.get("split"))
            left.append(-1)
            right.append(-1)
            weight.append(float(item.get("weight", 0.0)))
            value.append(np.zeros(len(self.bias)) if "split" in item else np.ravel(item["value"]))
            if "split" in item:
                pending += [(item["right"], right, node), (item["left"], left, node)]
        return self._draft(splits, left, right, np.array(weight), np.array(value, np.float64))

    def _draft(
        self,
        splits: list[Split | None],
        left: list[int],
        right: list[int],
        weight: NDArray[np.float64],
        value: NDArray[np.float64],
    ) -> Draft:
        n_nodes = len(splits)
        low, high = np.array(left, np.int64), np.array(right, np.int64)
        column, cut = np.zeros(n_nodes, np.int32), np.zeros(n_nodes)
        numeric, missing_low = np.zeros(n_nodes, np.bool_), np.zeros(n_nodes, np.bool_)
        codes = {}
        for node, split in enumerate(splits):
            if split is None:
                continue
            column[node], cut[node], listed, missing_low[node] = self._asked(split)
            if listed is None:
                numeric[node] = True
            else:  # a row with the category goes right
                codes[node] = listed
                low[node], high[node] = high[node], low[node]
        mean_of_leaves(low, high, weight, value)
        return Draft(
            low=low,
            high=high,
            column=column,
            cut=cuts_of_singles(cut, numeric, round_inputs=True),
            codes=codes,
            missing_low=missing_low,
            score=np.full(n_nodes, np.nan),
            rows=np.rint(weight).astype(np.int64),
            weight=weight,
            value=value,
            label=np.full(n_nodes, -1, np.int32),
            error=np.zeros(n_nodes),
        )
