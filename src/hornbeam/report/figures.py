"""How good the chosen model is, from the answers that it gave to rows while they were held out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.evaluate.curves.calibration_curve import calibration
from hornbeam.evaluate.curves.ranking_curves import roc
from hornbeam.evaluate.curves.residual_figures import LEVELS, residuals
from hornbeam.evaluate.measures import balanced_accuracy, of_shares
from hornbeam.evaluate.scores import ClassificationScore, RegressionScore, or_none, score

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.evaluate.curves.calibration_curve import CalibrationCurve
    from hornbeam.evaluate.curves.ranking_curves import RocCurve
    from hornbeam.evaluate.curves.residual_figures import Residuals

MOST_CURVES = 7  # as many as there are colors


@dataclass(frozen=True, slots=True)
class ClassFigure:
    """One class: its weight, how much of what was answered so is right, how much of it was found; NaN: no figure."""

    name: str
    weight: float
    precision: float
    recall: float
    f1: float

    def to_json(self) -> dict[str, Any]:
        """Plain data for programs."""
        figures = {name: or_none(getattr(self, name)) for name in ("precision", "recall", "f1")}
        return {"class": self.name, "weight": self.weight, **figures}


@dataclass(frozen=True, eq=False)
class ClassFigures:
    """Of classes.

    Parameters
    ----------
    score : ClassificationScore
        Accuracy with its interval, kappa, confusion matrix, accuracy of the commonest class.
    measures : mapping of name to float
        Balanced accuracy, AUC, log loss and Brier score beside the accuracy.
    classes : tuple of ClassFigure
        In the target's order.
    roc, calibration : mapping of class to curve
        Of the rarer one of two classes, else of the commonest seven; empty where the model gives no shares.
    """

    score: ClassificationScore
    measures: Mapping[str, float]
    classes: tuple[ClassFigure, ...]
    roc: Mapping[str, RocCurve]
    calibration: Mapping[str, CalibrationCurve]

    def to_json(self) -> dict[str, Any]:
        """Plain data for programs."""
        return {
            **self.score.to_json(),
            "measures": {name: or_none(figure) for name, figure in self.measures.items()},
            "by_class": [one.to_json() for one in self.classes],
            "roc": {
                name: {"auc": or_none(c.auc), "interval": [*map(or_none, c.interval)]} for name, c in self.roc.items()
            },
            "calibration": {name: curve.to_json() for name, curve in self.calibration.items()},
        }


@dataclass(frozen=True, eq=False)
class NumberFigures:
    """Of numbers: the errors with the interval of R², the same by name, and the residuals."""

    score: RegressionScore
    measures: Mapping[str, float]
    residuals: Residuals

    def to_json(self) -> dict[str, Any]:
        """Plain data for programs; of the residuals a summary."""
        left = self.residuals
        return {
            **self.score.to_json(),
            "measures": {name: or_none(figure) for name, figure in self.measures.items()},
            "residuals": {
                "mean": or_none(left.mean),
                "spread": or_none(left.spread),
                "levels": list(LEVELS),
                "quantiles": left.quantiles.tolist(),
            },
        }


def figures(
    table: Table, answers: NDArray[Any], shares: NDArray[np.float64] | None, held: NDArray[np.bool_]
) -> ClassFigures | NumberFigures:
    """Judge held-out answers by every figure that a report tells.

    Parameters
    ----------
    table : Table
        The rows, with their target and weights.
    answers : array, one entry a row
        Codes (-1: no answer), or numbers.
    shares : array, (rows, classes), or None
        In the order of the target's categories.
    held : array of bool
        Which rows were answered while they were held out; the others have no target.

    Returns
    -------
    ClassFigures or NumberFigures
        As the target is nominal or numeric.
    """
    rows = table.take(held)
    truth, answers = rows.target_values(), answers[held]
    shares = None if shares is None else shares[held]
    found = score(answers, rows)
    if not isinstance(found, ClassificationScore):
        named = {
            "root mean squared error": found.root_mean_squared_error,
            "mean absolute error": found.mean_absolute_error,
            "R2": found.r2,
        }
        return NumberFigures(found, named, residuals(truth, answers, rows.weights))
    named = {
        "accuracy": found.accuracy,
        "balanced accuracy": balanced_accuracy(truth, answers, rows.weights),
        **({} if shares is None else of_shares(truth, shares, rows.weights)),
    }
    curves: dict[str, RocCurve] = {}
    shown: dict[str, CalibrationCurve] = {}
    if shares is not None:
        for code in _curved(truth, rows.weights, len(found.categories)):
            name = found.categories[code]
            curves[name] = roc(truth, shares[:, code], rows.weights, positive=code)
            shown[name] = calibration(truth, shares[:, code], rows.weights, positive=code)
    return ClassFigures(found, named, _by_class(found, truth, rows.weights), curves, shown)


def errors_of(table: Table, answers: NDArray[Any], held: NDArray[np.bool_]) -> NDArray[np.float64]:
    """1 for every row answered wrongly, else 0; of numbers the absolute error; NaN for rows that were not held out."""
    truth = table.target_values()
    if isinstance(table.schema.target_column, Nominal):
        return np.where(held, (answers != truth).astype(np.float64), np.nan)
    return np.where(held, np.abs(answers - truth), np.nan)


def _curved(truth: NDArray[Any], weights: NDArray[np.float64] | None, n_classes: int) -> list[int]:
    """Classes whose curves are shown: those that some of the weight is of, and some not."""
    counts = np.bincount(truth, weights, n_classes)
    there = np.flatnonzero(counts).tolist()
    if len(there) < 2:  # noqa: PLR2004 - there is nothing to tell it from
        return []
    if len(there) == 2:  # noqa: PLR2004 - the curve of one tells that of the other
        return [min(there, key=lambda code: (counts[code], -code))]
    return sorted(sorted(there, key=lambda code: (-counts[code], code))[:MOST_CURVES])


def _by_class(
    found: ClassificationScore, truth: NDArray[Any], weights: NDArray[np.float64] | None
) -> tuple[ClassFigure, ...]:
    n_classes = len(found.categories)
    right = np.diag(found.confusion)
    in_class = np.bincount(truth, weights, n_classes)  # rows without an answer are in no column of the matrix
    answered = found.confusion.sum(axis=0)

    def share(part: float, whole: float) -> float:
        return part / whole if whole > 0 else math.nan

    return tuple(
        ClassFigure(
            name,
            float(in_class[code]),
            share(float(right[code]), float(answered[code])),
            share(float(right[code]), float(in_class[code])),
            share(2 * float(right[code]), float(answered[code] + in_class[code])),
        )
        for code, name in enumerate(found.categories)
    )
