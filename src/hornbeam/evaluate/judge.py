"""Fit an estimator on some rows and evaluate it on others, as comparing and tuning do for every fold.

`size_of` counts the parts of a model that a reader sees: leaves, rules and conditions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from hornbeam.data.as_table import codes_of
from hornbeam.data.schema import Nominal
from hornbeam.evaluate import measures
from hornbeam.evaluate.scores import ClassificationScore, RegressionScore, costs_of, in_order, score
from hornbeam.model.forests.ensemble import Ensemble
from hornbeam.model.forests.forest import Forest
from hornbeam.model.linear.discretized import DiscretizedModel
from hornbeam.model.neighbors.corrected import CorrectedModel
from hornbeam.model.rules.exceptions import places
from hornbeam.model.rules.rule import RuleList
from hornbeam.model.trees.tree import Tree

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.evaluate.measures import Measure

PROBLEMS = (ValueError, ArithmeticError)  # errors of the data or the parameters are reported, not raised


@dataclass(frozen=True, slots=True)
class Judged:
    """The evaluation of an estimator on one fold: values, or why there are none."""

    score: float = math.nan
    size: float = math.nan
    error: Exception | None = None
    training: float = math.nan  # the score on the training rows, if requested


@dataclass(frozen=True, slots=True, eq=False)
class Examined:
    """The evaluation of an estimator on one fold: all values by name and the predictions, or why there are none."""

    metrics: dict[str, float] = field(default_factory=dict)
    predictions: NDArray[Any] | None = None
    probabilities: NDArray[np.float64] | None = None
    error: Exception | None = None

    def without_predictions(self) -> Examined:
        """Return only the values."""
        return replace(self, predictions=None, probabilities=None)


def judge(
    estimator: Any,  # noqa: ANN401 - any estimator of ours
    train: Table,
    test: Table,
    measure: Measure,
    seed: int,
    *,
    training: bool = False,
) -> Judged:
    """Fit on one table and evaluate the predictions on another, by one metric.

    Parameters
    ----------
    estimator : estimator
        Not changed; a clone is fitted. If its `random_state` is None, the seed is used.
    train, test : Table
        Training rows and test rows; all test rows have a target.
    measure : str
        The metric.
    seed : int
        Random seed.
    training : bool
        Whether to score the training rows, too.

    Returns
    -------
    Judged
        Errors of the data or the parameters are stored in it, not raised.
    """
    learner = seeded(estimator, seed)
    try:
        learner.fit(train)
        seen = _score(learner, train, measure) if training else math.nan
        return Judged(_score(learner, test, measure), size_in(_size(learner)), training=seen)
    except PROBLEMS as error:
        return Judged(error=error)


def examine(estimator: Any, train: Table, test: Table, seed: int) -> Examined:  # noqa: ANN401
    """Fit on one table and evaluate the predictions on another, by every metric.

    Parameters are those of `judge`. Times are wall-clock times.
    """
    learner = seeded(estimator, seed)
    column, truth = test.schema.target_column, test.target_values()
    try:
        started = perf_counter()
        learner.fit(train)
        fitted = perf_counter()
        predicted = learner.predict(test)
        done = perf_counter()
        predictions, probabilities = codes_of(predicted, column), probabilities_of(learner, test)
        metrics = _figures(score(predictions, test, costs_of(learner)))
        if isinstance(column, Nominal):
            metrics["balanced accuracy"] = measures.balanced_accuracy(truth, predictions, test.weights)
        if probabilities is not None:
            metrics |= measures.of_probabilities(truth, probabilities, test.weights)
    except PROBLEMS as error:
        return Examined(error=error)
    times = {"fit seconds": fitted - started, "predict seconds": done - fitted}
    return Examined(metrics | _size(learner) | times, predictions, probabilities)


def probabilities_of(learner: Any, table: Table) -> NDArray[np.float64] | None:  # noqa: ANN401 - any classifier
    """Return the class probabilities of a fitted classifier, in the order of the target's categories.

    Returns
    -------
    array, (rows, classes), or None
        Zeros for a class that the classifier does not know; None if it has no probabilities.
    """
    column = table.schema.target_column
    if not hasattr(learner, "predict_proba") or not isinstance(column, Nominal):
        return None
    return in_order(learner, table, column.categories)


def size_in(sizes: dict[str, float]) -> float:
    """Return the size of a model as one number: leaves of trees, or rules of a list; NaN if it has neither."""
    return sizes["rules"] if math.isnan(sizes["leaves"]) else sizes["leaves"]


def seeded(estimator: Any, seed: int) -> Any:  # noqa: ANN401 - any estimator
    """Return a clone of an estimator, with the seed where its `random_state` is None."""
    from sklearn.base import clone  # noqa: PLC0415 - half a second that reading a result does not need

    learner = clone(estimator)
    if learner.get_params().get("random_state", 0) is None:
        learner.set_params(random_state=seed)
    return learner


def _score(learner: Any, test: Table, measure: Measure) -> float:  # noqa: ANN401 - any estimator of ours
    truth = test.target_values()
    if measure in measures.OF_PROBABILITIES:
        probabilities = probabilities_of(learner, test)
        assert probabilities is not None
        return measures.OF_PROBABILITIES[measure](truth, probabilities, test.weights)
    predictions = codes_of(learner.predict(test), test.schema.target_column)
    if measure == "balanced accuracy":
        return measures.balanced_accuracy(truth, predictions, test.weights)
    return _figures(score(predictions, test, costs_of(learner))).get(measure, math.nan)


def _figures(found: ClassificationScore | RegressionScore) -> dict[str, float]:
    """Return the values of a score by name."""
    if not isinstance(found, ClassificationScore):
        return {
            "root mean squared error": found.root_mean_squared_error,
            "mean absolute error": found.mean_absolute_error,
            "R2": found.r2,
        }
    return {"accuracy": found.accuracy} | ({} if found.mean_cost is None else {"mean cost": found.mean_cost})


def _size(learner: Any) -> dict[str, float]:  # noqa: ANN401 - any estimator of ours
    return size_of(getattr(learner, "model_", None))


def size_of(model: Any) -> dict[str, float]:  # noqa: ANN401 - any model
    """Count the parts of a model that a reader sees.

    Parameters
    ----------
    model : Tree, RuleList, Forest, Ensemble or any other

    Returns
    -------
    dict
        ``leaves`` of a tree, of all trees of a forest, and of all trees among the members of an ensemble; ``rules`` of
        a list, exceptions included, not the default; ``conditions``: those of all rules, and for a tree one per branch.
        Counts that a model does not have are NaN.

    Examples
    --------
    >>> import hornbeam
    >>> size_of(hornbeam.C45Classifier().fit(hornbeam.read("weather")).model_)
    {'leaves': 5.0, 'rules': nan, 'conditions': 7.0}
    """
    leaves = rules = conditions = math.nan
    if isinstance(model, DiscretizedModel):
        return size_of(model.classifier)
    if isinstance(model, CorrectedModel):
        return size_of(model.base)
    if isinstance(model, Ensemble):
        return _sums([size_of(member) for member in model.members])
    if isinstance(model, Tree):
        leaves, conditions = float(model.n_leaves), float(model.n_nodes - 1)
    elif isinstance(model, Forest):
        leaves, conditions = float(model.n_leaves), float(model.n_nodes - model.n_trees)
    elif isinstance(model, RuleList):
        listed = [rule for place, rule in places(model) if place[-1] >= 0]
        rules, conditions = float(len(listed)), float(sum(len(rule.conditions) for rule in listed))
    return {"leaves": leaves, "rules": rules, "conditions": conditions}


def _sums(sizes: list[dict[str, float]]) -> dict[str, float]:
    """Add up the sizes of members; NaN if no member has one."""
    found = {}
    for name in ("leaves", "rules", "conditions"):
        known = [size[name] for size in sizes if not math.isnan(size[name])]
        found[name] = sum(known) if known else math.nan
    return found
