"""Predictions against the truth: accuracy with an interval, confusion matrix, kappa, costs; errors of numbers.

Rows without a target are left out. If the table has a weight column, every value is weighted, and the interval is
that of as many unweighted rows as carry the same information.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Column, Nominal, SchemaError
from hornbeam.evaluate.plain import Plain, plain_fields
from hornbeam.model.base.align import recode

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table

NORMAL_95 = 1.959963984540054  # the normal distribution's 97.5% point
MOST_EXPONENT = 700.0  # e to more than this is not finite


@dataclass(frozen=True, eq=False)
class ClassificationScore:
    """How well categories were predicted.

    Parameters
    ----------
    categories : tuple of str
        The classes, in the order of rows and columns of `confusion`.
    n_rows : int
        Rows with a known target.
    accuracy : float
        Fraction of their weight that was predicted right; NaN without rows.
    interval : tuple of float
        Wilson's 95% interval of the accuracy.
    baseline : float
        Accuracy of always predicting the most frequent class.
    kappa : float
        Cohen's kappa: 0 is agreement by chance, 1 perfect; NaN if only one class occurs.
    confusion : array of float64, (classes, classes)
        Weight by true class (row) and predicted class (column).
    mean_cost : float, optional
        What a row's prediction cost on average, if costs were given; no prediction costs as much as the dearest one.
    baseline_cost : float, optional
        The mean cost of always predicting the one class that is then cheapest.
    """

    categories: tuple[str, ...]
    n_rows: int
    accuracy: float
    interval: tuple[float, float]
    baseline: float
    kappa: float
    confusion: NDArray[np.float64]
    mean_cost: float | None = None
    baseline_cost: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON; values that do not exist are None."""
        costs = [name for name in ("mean_cost", "baseline_cost") if getattr(self, name) is not None]
        names = "rows=n_rows accuracy interval baseline kappa classes=categories confusion"
        return plain_fields(self, " ".join([*costs, names]))


@dataclass(frozen=True, eq=False)
class RegressionScore(Plain):
    """How well numbers were predicted.

    Parameters
    ----------
    n_rows : int
        Rows with a known target.
    mean_absolute_error, root_mean_squared_error : float
        Of the predictions; NaN without rows.
    r2 : float
        Fraction of the variance explained: 1 is perfect, 0 as good as always predicting the mean, and below that
        worse; NaN if the target does not vary.
    interval : tuple of float
        A 95% interval of `r2`; see `r2_interval`.
    relative_absolute_error, root_relative_squared_error : float
        The errors as fractions of those of always predicting the mean.
    correlation : float
        Of predictions and truth; NaN if either does not vary.
    """

    _json = (
        "rows=n_rows mean_absolute_error root_mean_squared_error relative_absolute_error "
        "root_relative_squared_error correlation r2 interval"
    )

    n_rows: int
    mean_absolute_error: float
    root_mean_squared_error: float
    r2: float
    interval: tuple[float, float] = (math.nan, math.nan)
    relative_absolute_error: float = math.nan
    root_relative_squared_error: float = math.nan
    correlation: float = math.nan


def wilson_interval(share: float, n: float, z: float = NORMAL_95) -> tuple[float, float]:
    """Wilson's interval of a probability seen in `n` draws (Wilson, JASA 22, 1927).

    It stays inside 0 and 1 and is honest for probabilities near the ends, where the textbook interval is not. The
    predictions of a cross-validation are not quite independent, so there it is a little too narrow.

    Examples
    --------
    >>> [round(end, 4) for end in wilson_interval(0.9, 10)]
    [0.5958, 0.9821]
    """
    if n <= 0 or math.isnan(share):
        return (math.nan, math.nan)
    spread = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    center, scale = share + z * z / (2 * n), 1 + z * z / n
    return (max(0.0, (center - spread) / scale), min(1.0, (center + spread) / scale))


def r2_interval(
    squared_error: NDArray[np.float64], squared_distance: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[float, float]:
    """A 95% interval of R² from each row's squared error and squared distance from the mean.

    R² is one less a ratio of two means over the same rows. The interval is that of the ratio's logarithm by its
    linearisation (the delta method), whose rows are taken as they are: no errors of one size or shape are assumed, and
    no end lies above 1. In simulations it held the true value in 92% of draws of 20 rows and 95% from 200 rows on where
    errors were normal, in 85% and 92% where a few rows carried most of the error.

    Examples
    --------
    >>> import numpy as np
    >>> error, distance = np.array([1.0, 2.0, 1.0, 2.0] * 10), np.array([8.0, 2.0, 8.0, 2.0] * 10)
    >>> [round(end, 2) for end in r2_interval(error, distance, np.ones(40))]
    [0.59, 0.78]
    """
    total = float(weights.sum())
    squares = float(weights @ weights)
    rows = total**2 / squares if squares > 0 else 0.0
    if rows <= 1:
        return (math.nan, math.nan)
    error, distance = float(weights @ squared_error) / total, float(weights @ squared_distance) / total
    if distance <= 0:
        return (math.nan, math.nan)
    if error <= 0:
        return (1.0, 1.0)
    from scipy.special import stdtrit  # noqa: PLC0415 - only numbers need SciPy

    influence = squared_error / error - squared_distance / distance
    spread = math.sqrt(float(weights @ influence**2) / total / (rows - 1))
    reach = float(stdtrit(rows - 1, 0.975)) * spread
    ratio = error / distance
    return (1 - ratio * math.exp(min(reach, MOST_EXPONENT)), 1 - ratio * math.exp(-reach))


def score(
    predictions: NDArray[Any], table: Table, costs: NDArray[np.float64] | None = None
) -> ClassificationScore | RegressionScore:
    """Compare predictions with a table's target.

    Parameters
    ----------
    predictions : array, one entry per row
        Codes into the target's categories (-1: no prediction, counted as wrong), or numbers.
    table : Table
        The rows predicted, with a target.
    costs : array, (classes, classes), optional
        What it costs to predict the column's class where the row's is true.

    Returns
    -------
    ClassificationScore or RegressionScore
        As the target is nominal or numeric.
    """
    if len(predictions) != table.n_rows:
        raise ValueError(f"{len(predictions)} predictions were given for {table.n_rows} rows")
    column, truth = table.schema.target_column, table.target_values()
    if isinstance(column, Nominal):
        return _of_codes(column, predictions, truth, table.weights, costs)
    return _of_numbers(predictions, truth, table.weights)


def score_estimator(estimator: Any, table: Table) -> ClassificationScore | RegressionScore:  # noqa: ANN401
    """Score a fitted estimator on other rows, such as a test file.

    Parameters
    ----------
    estimator : estimator
        Fitted on a Table.
    table : Table
        Rows with the target's column. Categories are matched by name; a class that the estimator does not know is
        added after its own, and is never predicted right.

    Returns
    -------
    ClassificationScore or RegressionScore
        As the target is nominal or numeric.
    """
    target = estimator.schema_.target_column
    if target.name not in table.schema.names:
        msg = f"the test table has no column {target.name!r}, the target; its columns: {', '.join(table.schema.names)}"
        raise SchemaError(msg)
    rows = table.with_target(target.name)
    predictions = codes_of(estimator.predict(rows), target)
    given = rows.schema.target_column
    if not isinstance(target, Nominal) or not isinstance(given, Nominal):
        if isinstance(target, Nominal) or isinstance(given, Nominal):
            raise SchemaError(f"the target {target.name!r} is numeric in one of the tables and nominal in the other")
        return score(predictions, rows)
    own = set(target.categories)
    classes = replace(target, categories=(*target.categories, *(c for c in given.categories if c not in own)))
    truth = recode(given, classes, rows.target_values())
    return _of_codes(classes, predictions, truth, rows.weights, costs_of(estimator))


def costs_of(estimator: Any) -> NDArray[np.float64] | None:  # noqa: ANN401
    """The costs by which an estimator decides, as a matrix; None if it has none."""
    matrix = getattr(estimator, "cost_matrix_", None)
    return None if matrix is None else np.asarray(matrix, np.float64)


def codes_of(predictions: NDArray[Any], column: Column) -> NDArray[Any]:
    """Turn an estimator's predictions (category names, or numbers) into what the target column holds."""
    if not isinstance(column, Nominal):
        return np.asarray(predictions, np.float64)
    names, inverse = np.unique(np.asarray(predictions, dtype=np.str_), return_inverse=True)
    predicted = Nominal(column.name, tuple(map(str, names)))
    return recode(predicted, column, inverse.astype(np.int32))


def _of_codes(
    column: Nominal,
    predicted: NDArray[Any],
    truth: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
    costs: NDArray[np.float64] | None = None,
) -> ClassificationScore:
    known = truth >= 0
    predicted, truth = predicted[known], truth[known]
    weights = np.ones(len(truth)) if weights is None else weights[known]
    classes = len(column.categories)
    total = float(weights.sum())
    answered = predicted >= 0
    confusion = np.zeros((classes, classes))
    np.add.at(confusion, (truth[answered], predicted[answered]), weights[answered])
    in_class = np.bincount(truth, weights, classes)
    accuracy = baseline = kappa = math.nan
    if total > 0:
        accuracy = float(np.trace(confusion)) / total
        baseline = float(in_class.max()) / total
        by_chance = float(confusion.sum(axis=0) @ in_class) / total**2
        kappa = (accuracy - by_chance) / (1 - by_chance) if by_chance < 1 else math.nan
    mean_cost, baseline_cost = (None, None) if costs is None else _mean_costs(costs, predicted, truth, weights)
    squares = float(weights @ weights)
    effective = total**2 / squares if squares > 0 else 0.0
    return ClassificationScore(
        categories=column.categories,
        n_rows=len(truth),
        accuracy=accuracy,
        interval=wilson_interval(accuracy, effective),
        baseline=baseline,
        kappa=kappa,
        confusion=confusion,
        mean_cost=mean_cost,
        baseline_cost=baseline_cost,
    )


def _mean_costs(
    costs: NDArray[np.float64], predicted: NDArray[Any], truth: NDArray[np.int32], weights: NDArray[np.float64]
) -> tuple[float, float]:
    """Mean cost of the predictions, and of the cheapest constant one; rows of classes without costs are left out."""
    priced = truth < len(costs)
    predicted, truth, weights = predicted[priced], truth[priced], weights[priced]
    total = float(weights.sum())
    if total <= 0:
        return math.nan, math.nan
    paid = np.where(predicted >= 0, costs[truth, predicted], costs[truth].max(axis=1))
    return float(weights @ paid) / total, float((weights @ costs[truth]).min()) / total


def _of_numbers(
    predicted: NDArray[Any], truth: NDArray[np.float64], weights: NDArray[np.float64] | None
) -> RegressionScore:
    known = ~np.isnan(truth)
    predicted, truth = predicted[known], truth[known]
    weights = np.ones(len(truth)) if weights is None else weights[known]
    total = float(weights.sum())
    if total <= 0:
        return RegressionScore(len(truth), math.nan, math.nan, math.nan)
    error = predicted - truth
    distance = _from_mean(truth, weights)
    squared, around_mean = float(weights @ error**2) / total, float(weights @ distance**2) / total
    absolute, from_mean = float(weights @ np.abs(error)) / total, float(weights @ np.abs(distance)) / total
    varies = around_mean > 0
    return RegressionScore(
        n_rows=len(truth),
        mean_absolute_error=absolute,
        root_mean_squared_error=math.sqrt(squared),
        r2=1 - squared / around_mean if varies else math.nan,
        interval=r2_interval(error**2, distance**2, weights),
        relative_absolute_error=absolute / from_mean if varies else math.nan,
        root_relative_squared_error=math.sqrt(squared / around_mean) if varies else math.nan,
        correlation=_correlation(_from_mean(predicted, weights), distance, weights),
    )


def _from_mean(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distances from the weighted mean: exactly zero where values are equal, whose mean may miss them by rounding."""
    counted = values[weights > 0]
    if (counted == counted[0]).all():
        return np.zeros(len(values))
    return np.asarray(values - float(weights @ values) / float(weights.sum()))


def _correlation(one: NDArray[np.float64], other: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Correlation of two arrays that are both given as distances from their means."""
    spread = math.sqrt(float(weights @ one**2)) * math.sqrt(float(weights @ other**2))
    return min(1.0, max(-1.0, float(weights @ (one * other)) / spread)) if spread > 0 else math.nan
