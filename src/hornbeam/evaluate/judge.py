"""One estimator learned from some rows and judged on others: what comparing and tuning both do, fold by fold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.evaluate.score import ClassificationScore, codes_of, costs_of, score

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.evaluate.comparison import Measure

LEAST_SHARE = 1e-15  # a true class that was given no chance at all would cost without end


@dataclass(frozen=True, slots=True)
class Judged:
    """An estimator on one fold: figures, or why there are none."""

    score: float = math.nan
    size: float = math.nan
    error: Exception | None = None


def judge(estimator: Any, lesson: Table, test: Table, measure: Measure, seed: int) -> Judged:  # noqa: ANN401
    """Learn from one table and judge the answers on another.

    Parameters
    ----------
    estimator : estimator
        Not changed; a clone is fitted. Where its `random_state` is None, the seed takes its place.
    lesson, test : Table
        Rows to learn from, and rows to be judged on.
    measure : str
        What the score is.
    seed : int
        Of what is drawn at random.

    Returns
    -------
    Judged
        What went wrong with the data or the parameters is told in it, not raised.
    """
    from sklearn.base import clone  # noqa: PLC0415 - half a second that reading a result does not need

    learner = clone(estimator)
    if learner.get_params().get("random_state", 0) is None:
        learner.set_params(random_state=seed)
    try:
        learner.fit(lesson)
        return Judged(_score(learner, test, measure), _size(learner))
    except (ValueError, ArithmeticError) as error:  # told beside the results of the others
        return Judged(error=error)


def log_loss(shares: NDArray[np.float64], classes: NDArray[Any], table: Table) -> float:
    """Mean of minus the natural logarithm of the share that the true class was given.

    Parameters
    ----------
    shares : array, (rows, classes)
        Of an estimator's `predict_proba`.
    classes : array of str
        The names of its columns.
    table : Table
        The rows, with a target; those without a class are left out.

    Examples
    --------
    >>> import hornbeam, numpy as np
    >>> weather = hornbeam.read("weather")
    >>> round(log_loss(np.full((14, 2), 0.5), np.array(["yes", "no"]), weather), 4)
    0.6931
    """
    column, truth = table.schema.target_column, table.target_values()
    assert isinstance(column, Nominal)
    places = {str(name): place for place, name in enumerate(classes)}
    place = np.array([places.get(name, -1) for name in column.categories])[truth]
    known = truth >= 0
    given = np.where(place >= 0, shares[np.arange(len(truth)), place], 0.0)[known]
    weights = None if table.weights is None else table.weights[known]
    return float(np.average(-np.log(np.maximum(given, LEAST_SHARE)), weights=weights))


def _score(learner: Any, test: Table, measure: Measure) -> float:  # noqa: ANN401 - any estimator of ours
    if measure == "log loss":
        return log_loss(learner.predict_proba(test), learner.classes_, test)
    found = score(codes_of(learner.predict(test), test.schema.target_column), test, costs_of(learner))
    if not isinstance(found, ClassificationScore):
        return found.root_mean_squared_error
    if measure == "accuracy":
        return found.accuracy
    return math.nan if found.mean_cost is None else found.mean_cost


def _size(learner: Any) -> float:  # noqa: ANN401 - any estimator of ours
    """How large a model is: leaves of a tree, rules of a list; NaN where it has neither."""
    model: Any = getattr(learner, "model_", None)
    if hasattr(model, "n_leaves"):
        return float(model.n_leaves)
    return float(len(model.rules)) if hasattr(model, "rules") else math.nan
