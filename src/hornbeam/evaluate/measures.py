"""Metrics of predictions, on arrays: the values that a comparison reports for every fold.

Rows are weighted. A metric that is not defined (such as the ROC AUC if only one class occurs) is NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from hornbeam.evaluate.curves.ranked_rows import ClassRows, area, ranked

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.core.base.arrays import AnyArray, Floats


Measure = Literal[
    "accuracy",
    "balanced accuracy",
    "AUC",
    "log loss",
    "Brier score",
    "mean cost",
    "root mean squared error",
    "mean absolute error",
    "R2",
]
LEAST_PROBABILITY = 1e-15  # a true class with probability 0 would have infinite loss
MEASURES: dict[bool, tuple[Measure, ...]] = {  # by whether the target is nominal; the first is the default
    True: ("accuracy", "balanced accuracy", "AUC", "log loss", "Brier score", "mean cost"),
    False: ("root mean squared error", "mean absolute error", "R2"),
}
OWN_UNITS = ("root mean squared error", "mean absolute error", "mean cost")  # not comparable between tables
SIZES = ("leaves", "rules", "conditions")
TIMES = ("fit seconds", "predict seconds")


@dataclass(frozen=True, slots=True)
class About:
    """A metric: its short name, whether higher is better, its limits, and whether it is reported in percent."""

    short: str
    higher_is_better: bool = False
    least: float = 0.0
    most: float = math.inf
    percent: bool = False


ABOUT: dict[str, About] = {
    "accuracy": About("accuracy", higher_is_better=True, most=1.0, percent=True),
    "balanced accuracy": About("balanced", higher_is_better=True, most=1.0, percent=True),
    "AUC": About("AUC", higher_is_better=True, most=1.0),
    "log loss": About("log loss"),
    "Brier score": About("Brier", most=1.0),
    "mean cost": About("cost", least=-math.inf),
    "root mean squared error": About("RMSE"),
    "mean absolute error": About("MAE"),
    "R2": About("R²", higher_is_better=True, least=-math.inf, most=1.0),
    "leaves": About("leaves"),
    "rules": About("rules"),
    "conditions": About("conditions"),
    "fit seconds": About("fit, s"),
    "predict seconds": About("predict, s"),
}


def printed(measure: str) -> str:
    """Write the name of a metric for people.

    Examples
    --------
    >>> printed("R2"), printed("mean cost")
    ('R²', 'mean cost')
    """
    return measure.replace("R2", "R²")


def of_probabilities(truth: AnyArray, probabilities: Floats, weights: Floats | None = None) -> dict[str, float]:
    """Evaluate class probabilities: ``AUC``, ``log loss`` and ``Brier score``.

    Parameters
    ----------
    truth : array of codes, one per row
        There are no missing values.
    probabilities : array, (rows, classes)
        The classes are in the order of codes.
    weights : array, optional Row weights.

    Examples
    --------
    >>> import numpy as np
    >>> found = of_probabilities(np.array([0, 0, 0, 1]), np.full((4, 2), 0.5))
    >>> {name: round(figure, 3) for name, figure in found.items()}
    {'AUC': 0.5, 'log loss': 0.693, 'Brier score': 0.25}
    """
    return {name: measured(truth, probabilities, weights) for name, measured in OF_PROBABILITIES.items()}


def balanced_accuracy(truth: AnyArray, predictions: AnyArray, weights: Floats | None = None) -> float:
    """Mean recall of the classes that occur; -1 counts as wrong.

    Examples
    --------
    >>> import numpy as np
    >>> balanced_accuracy(np.array([0, 0, 0, 1]), np.array([0, 0, 0, 0]))
    0.5
    """
    weight = _weights(truth, weights)
    in_class, right = np.bincount(truth, weight), np.bincount(truth, weight * (predictions == truth))
    occurs = in_class > 0
    return float(np.mean(right[occurs] / in_class[occurs])) if occurs.any() else math.nan


def area_under_roc(truth: AnyArray, probabilities: Floats, weights: Floats | None = None) -> float:
    """ROC AUC: the probability that a row of a class has a higher predicted probability of it than another row.

    Ties count half. With more than two classes, every class is compared with all others, and the areas are averaged by
    the classes' weight (with two classes both areas are equal). A class has no area if all rows or no rows are of it;
    NaN if no class has one.

    Examples
    --------
    >>> import numpy as np
    >>> probabilities = np.array([[0.9, 0.1], [0.4, 0.6], [0.4, 0.6], [0.2, 0.8]])
    >>> area_under_roc(np.array([0, 0, 1, 1]), probabilities)
    0.875
    """
    weight = _weights(truth, weights)
    total = float(weight.sum())
    in_class = np.bincount(truth, weight, probabilities.shape[1])
    areas, parts = [], []
    for code in np.flatnonzero((in_class > 0) & (in_class < total)).tolist():
        areas.append(area(ranked(ClassRows(truth == code, probabilities[:, code], weight))))
        parts.append(float(in_class[code]))
    return float(np.average(areas, weights=parts)) if areas else math.nan


def log_loss(truth: AnyArray, probabilities: Floats, weights: Floats | None = None) -> float:
    """Mean of minus the natural logarithm of the predicted probability of the true class (at least 1e-15).

    Examples
    --------
    >>> import numpy as np
    >>> round(log_loss(np.array([0, 1]), np.full((2, 2), 0.5)), 4)
    0.6931
    """
    given = np.maximum(probabilities[np.arange(len(truth)), truth], LEAST_PROBABILITY)
    return _mean(-np.log(given), weights)


def brier_score(truth: AnyArray, probabilities: Floats, weights: Floats | None = None) -> float:
    """Mean of half the squared distance between the predicted probabilities and the true class, from 0 to 1.

    With two classes this is the squared error of the probability of either class.

    Examples
    --------
    >>> import numpy as np
    >>> round(brier_score(np.array([0, 1]), np.array([[0.8, 0.2], [0.4, 0.6]])), 3)
    0.1
    """
    own = probabilities[np.arange(len(truth)), truth]
    return _mean(((probabilities**2).sum(axis=1) - 2 * own + 1) / 2, weights)


OF_PROBABILITIES: dict[str, Callable[[AnyArray, Floats, Floats | None], float]] = {
    "AUC": area_under_roc,
    "log loss": log_loss,
    "Brier score": brier_score,
}


def _mean(figures: Floats, weights: Floats | None) -> float:
    weight = _weights(figures, weights)
    total = float(weight.sum())
    return float(weight @ figures) / total if total > 0 else math.nan


def _weights(truth: AnyArray, weights: Floats | None) -> Floats:
    return np.ones(len(truth)) if weights is None else weights
