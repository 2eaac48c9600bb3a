"""`from_ydf`: import a model of YDF (Yggdrasil Decision Forests) as a `Tree` or `Forest`; YDF is not imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, Numeric
from hornbeam.model.base.plain import ModelError
from hornbeam.model.imported.draft import EVERY_NUMBER, cuts_of_singles, schema_of
from hornbeam.model.imported.forests import Link, Together, assemble_forest, named_classes
from hornbeam.model.imported.leaves import averaged, leaf_draft

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.data.schema import Column
    from hornbeam.model.forests.forest import Forest
    from hornbeam.model.imported.draft import Draft
    from hornbeam.model.trees.tree import Tree

LINKS: dict[str, Link] = {  # by the activation of boosting
    "IDENTITY": "identity",
    "SIGMOID": "logistic",
    "SOFTMAX": "softmax",
    "EXPONENTIAL": "exp",
}
NUMERICAL, CATEGORICAL, BOOLEAN = 1, 4, 7  # types of columns


def from_ydf(
    model: Any,  # noqa: ANN401 - YDF is not imported here
    *,
    name: str = "table",
) -> Tree | Forest:
    """Return a fitted model of YDF as a `Tree` or a `Forest` that predicts the same.

    Parameters
    ----------
    model : RandomForestModel, GradientBoostedTreesModel or CARTModel
        A model of the package ydf for classification or regression.
    name : str
        The name of the table, shown with the model.

    Returns
    -------
    Tree or Forest
        YDF rounds numbers to 32 bits; cuts are moved to where that rounding changes the branch, so that 64-bit numbers
        take the same branches. Rare categories form the category ``<OOD>``, as in YDF; categories that are not listed
        count as missing values.

    Raises
    ------
    ModelError
        If the object is not such a model, or a split is not supported.
    """
    if not hasattr(model, "get_all_trees") or not hasattr(model, "data_spec"):
        msg = f"found an object of type {type(model).__name__}; expected a model of trees of YDF"
        raise ModelError(msg)
    return _Reader(model).read(name)


class _Reader:
    """Reads the trees of a model."""

    def __init__(self, model: Any) -> None:  # noqa: ANN401 - as above
        self.model = model
        task = str(getattr(model.task(), "name", model.task()))
        if task not in ("CLASSIFICATION", "REGRESSION"):
            msg = f"the task of the model is {task}; expected CLASSIFICATION or REGRESSION"
            raise ModelError(msg)
        self.classes = (
            named_classes(None, model.label_classes(), len(model.label_classes())) if task[0] == "C" else None
        )
        specs = model.data_spec().columns
        self.place: dict[int, int] = {}
        self.columns: list[Column] = []
        for index in model.input_features_col_idxs():
            self.place[index] = len(self.columns)
            self.columns.append(_column(specs[index]))

    def read(self, name: str) -> Tree | Forest:
        goal = Numeric(self.model.label()) if self.classes is None else Nominal(self.model.label(), self.classes)
        schema = schema_of(self.columns, goal, name)
        recipe = {"learner": f"YDF {type(self.model).__name__}"}
        if hasattr(self.model, "initial_predictions"):
            return self._boosting(schema, recipe)
        votes = self.classes is not None and self.model.winner_takes_all()
        return averaged(schema, [self._draft(tree, votes=votes) for tree in self.model.get_all_trees()], recipe)

    def _boosting(self, schema: Any, recipe: Mapping[str, str]) -> Forest:  # noqa: ANN401 - a Schema
        activation = str(getattr(self.model.activation(), "name", self.model.activation()))
        if activation not in LINKS:
            msg = f"the activation of the model is {activation}; expected one of {', '.join(LINKS)}"
            raise ModelError(msg)
        base = np.array(self.model.initial_predictions(), np.float64)
        if self.classes is not None and LINKS[activation] == "identity":
            raise ModelError("the model gives logits (output_logits); expected probabilities")
        if self.classes is None and "Loss: POISSON" in self.model.describe("text"):  # the activation does not show it
            activation = "EXPONENTIAL"
        drafts = [self._draft(tree, votes=False) for tree in self.model.get_all_trees()]
        together = Together(
            base=base,
            link=LINKS[activation],
            output=np.arange(len(drafts), dtype=np.int32) % len(base) if len(base) > 1 else None,
            wide=True,
        )
        return assemble_forest(schema, drafts, together, recipe)

    def _draft(self, tree: Any, *, votes: bool) -> Draft:  # noqa: ANN401 - a tree of YDF
        order: list[Any] = []
        place: dict[int, int] = {}
        pending = [tree.root]
        while pending:
            node = pending.pop()
            place[id(node)] = len(order)
            order.append(node)
            if hasattr(node, "condition"):
                pending += [node.pos_child, node.neg_child]
        n = len(order)
        low, high = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
        column, cut, missing_low = np.zeros(n, np.int32), np.zeros(n), np.zeros(n, np.bool_)
        codes: dict[int, list[int]] = {}
        for k, node in enumerate(order):
            if not hasattr(node, "condition"):
                continue
            column[k], cut[k], listed, true_is_low = self._test(node.condition)
            children = place[id(node.pos_child)], place[id(node.neg_child)]
            low[k], high[k] = children if true_is_low else children[::-1]
            missing_low[k] = bool(node.condition.missing) == true_is_low
            if listed is not None:
                codes[k] = listed
        value, weight = zip(*(self._value(node, votes=votes) for node in order), strict=True)
        return leaf_draft(
            low,
            high,
            column,
            np.where(low >= 0, cut, 0.0),
            missing_low,
            np.array(value),
            codes=codes,
            weight=np.array(weight),
        )

    def _test(self, condition: Any) -> tuple[int, float, list[int] | None, bool]:  # noqa: ANN401 - a condition of YDF
        """Return the column, the cut or the categories of a condition, and whether it is true for low values."""
        kind = type(condition).__name__
        attributes = getattr(condition, "attributes", None)
        place = self.place[condition.attribute if attributes is None else attributes[0]]
        column = self.columns[place]
        if kind in ("NumericalHigherThanCondition", "DiscretizedNumericalHigherThanCondition"):
            if kind[0] == "D":
                raise ModelError("the model has discretized columns (discretize_numerical_columns), which are not read")
            below = np.nextafter(np.float32(condition.threshold), np.float32(-np.inf))
            cut = cuts_of_singles(np.array([float(below)]), np.array([True]), round_inputs=True)
            return place, float(cut[0]), None, False
        if kind == "CategoricalIsInCondition" and isinstance(column, Nominal):
            listed = sorted(int(code) for code in condition.mask)
            if not listed:  # no category passes: list all as failing
                return place, 0.0, list(range(len(column.categories))), False
            return place, 0.0, listed, True
        if kind == "IsTrueCondition" and isinstance(column, Nominal):
            return place, 0.0, [1], True
        if kind == "IsMissingInCondition":
            if isinstance(column, Nominal):
                return place, 0.0, list(range(len(column.categories))), False
            return place, EVERY_NUMBER, None, False
        msg = f"a split of the model is a {kind}, which is not supported"
        raise ModelError(msg)

    def _value(self, node: Any, *, votes: bool) -> tuple[list[float], float]:  # noqa: ANN401 - a node of YDF
        """Return the prediction of a node, and its weight."""
        value = getattr(node, "value", None)
        if hasattr(node, "condition") or value is None:
            is_number = self.classes is None or hasattr(self.model, "initial_predictions")
            return [0.0] * (1 if is_number or self.classes is None else len(self.classes)), 1.0
        weight = float(getattr(value, "num_examples", 1.0)) or 1.0
        if not hasattr(value, "probability"):
            return [float(value.value)], weight
        shares = [float(each) for each in value.probability]
        if votes:
            shares = [float(k == int(np.argmax(shares))) for k in range(len(shares))]
        return shares, weight


def _column(spec: Any) -> Column:  # noqa: ANN401 - a column of the data specification
    """Return a column of YDF; its categories in the order of their numbers."""
    if spec.type == NUMERICAL:
        return Numeric(spec.name)
    if spec.type == BOOLEAN:
        return Nominal(spec.name, ("false", "true"))
    if spec.type != CATEGORICAL or spec.categorical.is_already_integerized:
        msg = f"the column {spec.name!r} has neither numbers nor named categories; other columns are not supported"
        raise ModelError(msg)
    named = {item.index: key for key, item in spec.categorical.items.items()}
    size = int(spec.categorical.number_of_unique_values)
    return Nominal(spec.name, tuple(named.get(index, f"<{index}>") for index in range(size)))
