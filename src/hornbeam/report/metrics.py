"""Metrics of the chosen model, from its predictions for held-out rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.evaluate.curves.calibration_curve import calibration
from hornbeam.evaluate.curves.ranking_curves import roc
from hornbeam.evaluate.curves.residual_figures import LEVELS, residuals
from hornbeam.evaluate.measures import balanced_accuracy, of_probabilities
from hornbeam.evaluate.plain import Plain, plain_fields
from hornbeam.evaluate.scores import ClassificationScore, RegressionScore, score

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import AnyArray, Bools, Floats
    from hornbeam.data.table import Table
    from hornbeam.evaluate.curves.calibration_curve import CalibrationCurve
    from hornbeam.evaluate.curves.ranking_curves import RocCurve
    from hornbeam.evaluate.curves.residual_figures import Residuals

MOST_CURVES = 7  # as many as there are colors


@dataclass(frozen=True, slots=True)
class ClassMetric(Plain):
    """One class: its weight, precision, recall and F1 score; NaN where one is not defined."""

    _json = "class=name weight precision recall f1"

    name: str
    weight: float
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, eq=False)
class ClassMetrics:
    """Metrics of a classifier."""

    score: ClassificationScore  # accuracy with its interval, kappa, confusion matrix, accuracy of the most common class
    measures: Mapping[str, float]  # accuracy, balanced accuracy, AUC, log loss and Brier score
    classes: tuple[ClassMetric, ...]  # in the target's order
    # roc, calibration: for the rarer of two classes, else for the seven most common; empty if the model gives no
    # probabilities
    roc: Mapping[str, RocCurve]
    calibration: Mapping[str, CalibrationCurve]

    def to_json(self) -> dict[str, Any]:
        """Plain data for programs."""
        roc = {name: plain_fields(curve, "auc interval") for name, curve in self.roc.items()}
        about = self.score.to_json() | plain_fields(self, "measures by_class=classes")
        return about | {"roc": roc} | plain_fields(self, "calibration")


@dataclass(frozen=True, eq=False)
class RegressionMetrics:
    """Metrics of a regressor: the errors with the interval of R², the same by name, and the residuals."""

    score: RegressionScore
    measures: Mapping[str, float]
    residuals: Residuals

    def to_json(self) -> dict[str, Any]:
        """Plain data for programs, with a summary of the residuals."""
        left = plain_fields(self.residuals, "mean spread") | {"levels": list(LEVELS)}
        residuals = left | plain_fields(self.residuals, "quantiles")
        return self.score.to_json() | plain_fields(self, "measures") | {"residuals": residuals}


def metrics_of(
    table: Table, predicted: AnyArray, probabilities: Floats | None, held: Bools
) -> ClassMetrics | RegressionMetrics:
    """Compute every metric that a report shows from held-out predictions.

    Parameters
    ----------
    table : Table
        The rows, with their target and weights.
    predicted : array, one entry per row
        Codes (-1: no prediction), or numbers.
    probabilities : array, (rows, classes), or None
        In the order of the target's categories.
    held : array of bool
        Which rows were predicted while they were held out; the others are left out.

    Returns
    -------
    ClassMetrics or RegressionMetrics
        For a nominal or a numeric target.
    """
    rows = table.take(held)
    truth, predicted = rows.target_values(), predicted[held]
    probabilities = None if probabilities is None else probabilities[held]
    scored = score(predicted, rows)
    if not isinstance(scored, ClassificationScore):
        measures = {
            "root mean squared error": scored.root_mean_squared_error,
            "mean absolute error": scored.mean_absolute_error,
            "R2": scored.r2,
        }
        return RegressionMetrics(scored, measures, residuals(truth, predicted, rows.weights))
    measures = {
        "accuracy": scored.accuracy,
        "balanced accuracy": balanced_accuracy(truth, predicted, rows.weights),
        **({} if probabilities is None else of_probabilities(truth, probabilities, rows.weights)),
    }
    curves: dict[str, RocCurve] = {}
    calibrated: dict[str, CalibrationCurve] = {}
    if probabilities is not None:
        for code in _with_curves(truth, rows.weights, len(scored.categories)):
            name = scored.categories[code]
            curves[name] = roc(truth, probabilities[:, code], rows.weights, positive=code)
            calibrated[name] = calibration(truth, probabilities[:, code], rows.weights, positive=code)
    return ClassMetrics(scored, measures, _by_class(scored, truth, rows.weights), curves, calibrated)


def errors_of(table: Table, predicted: AnyArray, held: Bools) -> Floats:
    """Return 1 for a wrong class and 0 for a right one, or the absolute error; NaN for rows that were not held out."""
    truth = table.target_values()
    if isinstance(table.schema.target_column, Nominal):
        return np.where(held, (predicted != truth).astype(np.float64), np.nan)
    return np.where(held, np.abs(predicted - truth), np.nan)


def _with_curves(truth: AnyArray, weights: Floats | None, n_classes: int) -> list[int]:
    """Return the classes whose curves are shown; each has some of the weight, but not all."""
    counts = np.bincount(truth, weights, n_classes)
    there = np.flatnonzero(counts).tolist()
    if len(there) < 2:  # noqa: PLR2004 - there is no other class
        return []
    if len(there) == 2:  # noqa: PLR2004 - the two curves mirror each other
        return [min(there, key=lambda code: (counts[code], -code))]
    return sorted(sorted(there, key=lambda code: (-counts[code], code))[:MOST_CURVES])


def _by_class(scored: ClassificationScore, truth: AnyArray, weights: Floats | None) -> tuple[ClassMetric, ...]:
    n_classes = len(scored.categories)
    right = np.diag(scored.confusion)
    in_class = np.bincount(truth, weights, n_classes)  # rows without a prediction are in no column of the matrix
    predicted = scored.confusion.sum(axis=0)

    def ratio(part: float, whole: float) -> float:
        return part / whole if whole > 0 else math.nan

    return tuple(
        ClassMetric(
            name,
            float(in_class[code]),
            ratio(float(right[code]), float(predicted[code])),
            ratio(float(right[code]), float(in_class[code])),
            ratio(2 * float(right[code]), float(predicted[code] + in_class[code])),
        )
        for code, name in enumerate(scored.categories)
    )
