"""Scores of predictions: accuracy with an interval, confusion matrix, kappa, costs; regression errors.

Rows without a target are left out. If the table has a weight column, every value is weighted; with weights or groups,
intervals are those of the effective number of independent rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam._display import ShowsText
from hornbeam.data.as_table import codes_of, label_text
from hornbeam.data.errors import shorten
from hornbeam.data.in_words import plural
from hornbeam.data.schema import Nominal, SchemaError
from hornbeam.data.takes_rows import takes_rows
from hornbeam.evaluate.intervals import effective_rows, paired_interval, r2_interval, wilson_interval
from hornbeam.evaluate.plain import Plain, plain_fields
from hornbeam.model.base.align import recode

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.evaluate.class_figures import ClassReport


def _no_report() -> ClassReport:
    from hornbeam.evaluate.class_figures import ClassReport  # noqa: PLC0415 - not for numbers

    return ClassReport(())


@dataclass(frozen=True, eq=False, repr=False)
class ClassificationScore(ShowsText):
    """The scores of a classifier.

    Parameters
    ----------
    categories : tuple of str
        The classes, in the order of rows and columns of `confusion`.
    n_rows : int
        Rows with a known target.
    accuracy : float
        Fraction of their weight that was predicted correctly; NaN without rows.
    interval : tuple of float
        Wilson's 95% interval of the accuracy.
    baseline : float
        Accuracy of always predicting the most frequent class.
    kappa : float
        Cohen's kappa: 0 is agreement by chance, 1 perfect; NaN if only one class occurs.
    confusion : array of float64, (classes, classes)
        Weight by true class (row) and predicted class (column).
    mean_cost : float, optional
        The mean cost of a prediction, if costs were given; a missing prediction has the highest cost.
    baseline_cost : float, optional
        The mean cost of always predicting the cheapest class.
    baseline_class : str
        The most frequent class.
    difference_interval : tuple of float
        A 95% interval of the accuracy minus the baseline, from the rows that only one of them predicts correctly; with
        costs, of the baseline's mean cost minus that of the predictions. See `hornbeam.evaluate.intervals`.
    report : ClassReport
        Precision, recall and F1 of every class, and with probabilities ROC AUC and average precision.
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
    baseline_class: str = ""
    difference_interval: tuple[float, float] = (math.nan, math.nan)
    report: ClassReport = field(default_factory=_no_report)

    @property
    def difference(self) -> float:
        """The accuracy minus the baseline; with costs, the baseline's mean cost minus that of the predictions."""
        if self.mean_cost is None or self.baseline_cost is None:
            return self.accuracy - self.baseline
        return self.baseline_cost - self.mean_cost

    @property
    def weight(self) -> float:
        """The total weight of the rows; their number if they have no weights."""
        return sum(one.support for one in self.report.classes) if self.report.classes else float(self.n_rows)

    def _short(self) -> str:
        low, high = self.interval
        figures = f"accuracy {self.accuracy:.3f} (95% interval {low:.3f} to {high:.3f}), kappa {self.kappa:.3f}"
        costs = "" if self.mean_cost is None else f", mean cost {self.mean_cost:.4g}"
        always = f"always {shorten(self.baseline_class)}: {self.baseline:.3f}"
        return f"{plural(self.n_rows, 'row')}, {figures}{costs}; {always}"

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON; undefined values are None."""
        costs = [name for name in ("mean_cost", "baseline_cost") if getattr(self, name) is not None]
        names = (
            "rows=n_rows accuracy interval baseline baseline_class difference difference_interval kappa "
            "classes=categories confusion"
        )
        return plain_fields(self, " ".join([*costs, names])) | self.report.to_json()


@dataclass(frozen=True, eq=False, repr=False)
class RegressionScore(ShowsText, Plain):
    """The scores of a regressor.

    Parameters
    ----------
    n_rows : int
        Rows with a known target.
    mean_absolute_error, root_mean_squared_error : float
        Of the predictions; NaN without rows.
    r2 : float
        Fraction of the variance explained: 1 is perfect, 0 is as good as always predicting the mean, below 0 is worse;
        NaN if the target does not vary.
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

    def _short(self) -> str:
        low, high = self.interval
        errors = f"RMSE {self.root_mean_squared_error:.4g}, mean absolute error {self.mean_absolute_error:.4g}"
        return f"{plural(self.n_rows, 'row')}, R² {self.r2:.3f} (95% interval {low:.3f} to {high:.3f}), {errors}"


@takes_rows(needs_target=True, labels="predictions")
def score(
    predictions: NDArray[Any],
    table: Table,
    costs: NDArray[np.float64] | None = None,
    probabilities: NDArray[np.float64] | None = None,
) -> ClassificationScore | RegressionScore:
    """Compare predictions with a table's target.

    Parameters
    ----------
    predictions : array, one entry per row
        Codes into the target's categories (-1: no prediction, counted as wrong), or numbers.
    table : Table
        The rows predicted, with a target.
    costs : array, (classes, classes), optional
        The cost of predicting the class of the column if the class of the row is true.
    probabilities : array, (rows, classes), optional
        The predicted probabilities of the classes, for the ROC AUC and the average precision.

    Returns
    -------
    ClassificationScore or RegressionScore
        Depending on the target: nominal or numeric.
    """
    if len(predictions) != table.n_rows:
        raise ValueError(f"{len(predictions)} predictions were given for {table.n_rows} rows")
    column, rows = table.schema.target_column, _Rows.of(table)
    if isinstance(column, Nominal):
        return _of_codes(column, predictions, rows, costs, probabilities)
    return _of_numbers(predictions, rows)


@dataclass(frozen=True, eq=False)
class _Rows:
    """The true targets of some rows, with weights and groups."""

    truth: NDArray[Any]
    weights: NDArray[np.float64]
    groups: NDArray[np.int64] | None

    @classmethod
    def of(cls, table: Table) -> _Rows:
        place = table.schema.with_role("group")
        groups = None if place is None else np.unique(table.columns[place], return_inverse=True)[1]
        return cls(table.target_values(), np.ones(table.n_rows) if table.weights is None else table.weights, groups)

    def take(self, known: NDArray[np.bool_]) -> _Rows:
        return _Rows(self.truth[known], self.weights[known], None if self.groups is None else self.groups[known])


@takes_rows(needs_target=True)
def score_estimator(
    estimator: Any,  # noqa: ANN401 - any estimator
    table: Table,
    *,
    ranked: bool = True,
) -> ClassificationScore | RegressionScore:
    """Score a fitted estimator on other rows, such as a test file.

    Parameters
    ----------
    estimator : estimator or model
        A fitted estimator, or a model such as `hornbeam.load` returns.
    table : Table
        Rows with the target's column. Categories are matched by name; a class that the estimator does not know is
        added after its own, and is never predicted right.
    ranked : bool
        Whether to also predict probabilities, for the ROC AUC and the average precision.

    Returns
    -------
    ClassificationScore or RegressionScore
        Depending on the target: nominal or numeric.
    """
    target = (estimator.schema_ if hasattr(estimator, "schema_") else estimator.schema).target_column
    if target.name not in table.schema.names:
        from hornbeam._names import listed  # noqa: PLC0415 (only for messages)

        msg = f"the test table has no column {target.name!r}, the target; its columns: {listed(table.schema.names)}"
        raise SchemaError(msg)
    rows = table.with_target(target.name)
    predictions, probabilities = codes_of(estimator.predict(rows), target), None
    given = rows.schema.target_column
    if not isinstance(target, Nominal) or not isinstance(given, Nominal):
        if isinstance(target, Nominal) or isinstance(given, Nominal):
            raise SchemaError(f"the target {target.name!r} is numeric in one of the tables and nominal in the other")
        return score(predictions, rows)
    own = set(target.categories)
    classes = replace(target, categories=(*target.categories, *(c for c in given.categories if c not in own)))
    truth = recode(given, classes, rows.target_values())
    if ranked and hasattr(estimator, "predict_proba"):
        probabilities = in_order(estimator, rows, classes.categories)
    return _of_codes(classes, predictions, replace(_Rows.of(rows), truth=truth), costs_of(estimator), probabilities)


def in_order(estimator: Any, table: Table, categories: tuple[str, ...]) -> NDArray[np.float64]:  # noqa: ANN401
    """The class probabilities of a fitted classifier, in the order of these categories; 0 for an unknown one."""
    given = np.asarray(estimator.predict_proba(table), np.float64)
    places = {name: place for place, name in enumerate(categories)}
    probabilities = np.zeros((table.n_rows, len(categories)))
    for own, name in enumerate(_classes_of(estimator)):
        if label_text(name) in places:
            probabilities[:, places[label_text(name)]] = given[:, own]
    return probabilities


def _classes_of(estimator: Any) -> Any:  # noqa: ANN401
    """The classes of an estimator or a model, in the order of its probabilities."""
    return estimator.classes_ if hasattr(estimator, "classes_") else estimator.schema.target_column.categories


def costs_of(estimator: Any) -> NDArray[np.float64] | None:  # noqa: ANN401
    """The costs by which an estimator decides, as a matrix; None if it has none."""
    decision = getattr(estimator, "decision", None)  # a model has it
    matrix = getattr(estimator, "cost_matrix_", None if decision is None else decision.costs)
    return None if matrix is None else np.asarray(matrix, np.float64)


def _of_codes(
    column: Nominal,
    predicted: NDArray[Any],
    rows: _Rows,
    costs: NDArray[np.float64] | None,
    probabilities: NDArray[np.float64] | None,
) -> ClassificationScore:
    from hornbeam.evaluate.class_figures import class_report  # noqa: PLC0415 - not for numbers

    known = rows.truth >= 0
    predicted, rows = predicted[known], rows.take(known)
    probabilities = None if probabilities is None else probabilities[known]
    truth, weights = rows.truth, rows.weights
    classes = len(column.categories)
    total = float(weights.sum())
    predicted_rows = predicted >= 0
    confusion = np.zeros((classes, classes))
    np.add.at(confusion, (truth[predicted_rows], predicted[predicted_rows]), weights[predicted_rows])
    in_class = np.bincount(truth, weights, classes).astype(np.float64)
    accuracy = baseline = kappa = math.nan
    commonest = int(in_class.argmax()) if classes else -1
    if total > 0:
        accuracy = float(np.trace(confusion)) / total
        baseline = float(in_class.max()) / total
        by_chance = float(confusion.sum(axis=0) @ in_class) / total**2
        kappa = (accuracy - by_chance) / (1 - by_chance) if by_chance < 1 else math.nan
    right = (predicted == truth).astype(np.float64)
    mean_cost, baseline_cost, gained = None, None, right - (truth == commonest)
    if costs is not None:
        mean_cost, baseline_cost, gained = _mean_costs(costs, predicted, truth, weights)
    return ClassificationScore(
        categories=column.categories,
        n_rows=len(truth),
        accuracy=accuracy,
        interval=wilson_interval(accuracy, effective_rows(right, weights, rows.groups)),
        baseline=baseline,
        kappa=kappa,
        confusion=confusion,
        mean_cost=mean_cost,
        baseline_cost=baseline_cost,
        baseline_class=column.categories[commonest] if total > 0 else "",
        difference_interval=paired_interval(gained, weights, rows.groups),
        report=class_report(column.categories, confusion, in_class, truth, probabilities, weights),
    )


def _mean_costs(
    costs: NDArray[np.float64], predicted: NDArray[Any], truth: NDArray[np.int32], weights: NDArray[np.float64]
) -> tuple[float, float, NDArray[np.float64]]:
    """Mean cost of the predictions and of the best constant one, and the savings of each row; NaN without rows.

    Rows of classes without costs are left out.
    """
    priced = truth < len(costs)
    weights = np.where(priced, weights, 0.0)
    known = np.where(priced, truth, 0)
    total = float(weights.sum())
    if total <= 0:
        return math.nan, math.nan, np.zeros(len(truth))
    paid = np.where(predicted >= 0, costs[known, predicted], costs[known].max(axis=1))
    cheapest = int((weights @ costs[known]).argmin())
    saved = np.where(priced, costs[known, cheapest] - paid, 0.0)
    return float(weights @ paid) / total, float(weights @ costs[known, cheapest]) / total, saved


def _of_numbers(predicted: NDArray[Any], rows: _Rows) -> RegressionScore:
    known = ~np.isnan(rows.truth)
    predicted, rows = predicted[known], rows.take(known)
    truth, weights = rows.truth, rows.weights
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
        interval=r2_interval(error**2, distance**2, weights, rows.groups),
        relative_absolute_error=absolute / from_mean if varies else math.nan,
        root_relative_squared_error=math.sqrt(squared / around_mean) if varies else math.nan,
        correlation=_correlation(_from_mean(predicted, weights), distance, weights),
    )


def _from_mean(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distances from the weighted mean: exactly zero if all values are equal, despite rounding of the mean."""
    counted = values[weights > 0]
    if (counted == counted[0]).all():
        return np.zeros(len(values))
    return np.asarray(values - float(weights @ values) / float(weights.sum()))


def _correlation(one: NDArray[np.float64], other: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Correlation of two arrays that are both given as distances from their means."""
    spread = math.sqrt(float(weights @ one**2)) * math.sqrt(float(weights @ other**2))
    return min(1.0, max(-1.0, float(weights @ (one * other)) / spread)) if spread > 0 else math.nan
