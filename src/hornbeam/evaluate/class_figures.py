"""Metrics by class: precision, recall, F1, ROC AUC and average precision, with averages over the classes.

The names and definitions are those of scikit-learn; a metric that is not defined (the precision of a class that is
never predicted) is NaN, and is left out of averages.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.in_words import percent, plural, shortened
from hornbeam.evaluate.plain import Plain, plain, plain_fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FIGURES = ("precision", "recall", "f1", "auc", "average_precision")
MOST_RANKED = 100  # classes whose ROC AUC is computed
MOST_SHOWN = 10  # classes in a table or a matrix for people
NAME_LIMIT, LEAST_NAME = 24, 8
ROOM = 110  # columns of a terminal
TWO = 2


@dataclass(frozen=True, slots=True)
class ClassMetrics(Plain):
    """One class.

    Parameters
    ----------
    name : str
        The class.
    support : float
        Weight of its rows.
    precision : float
        Of the rows predicted to be of the class, the fraction that is.
    recall : float
        Of the rows of the class, the fraction that is predicted to be of it.
    f1 : float
        The harmonic mean of both.
    auc : float
        Area under the ROC curve of this class against all others: the probability that a random row of the class has
        a higher predicted probability of it than a random other row. NaN without probabilities.
    auc_interval : tuple of float
        Its 95% interval.
    average_precision : float
        Area under the steps of the precision-recall curve.
    """

    _json = "class=name support precision recall f1 auc auc_interval average_precision"

    name: str
    support: float
    precision: float
    recall: float
    f1: float
    auc: float = math.nan
    auc_interval: tuple[float, float] = (math.nan, math.nan)
    average_precision: float = math.nan


@dataclass(frozen=True, slots=True)
class ClassReport:
    """The metrics of all classes.

    Parameters
    ----------
    classes : tuple of ClassMetrics
        In the order of the target's categories.
    """

    classes: tuple[ClassMetrics, ...]

    @property
    def occurring(self) -> tuple[ClassMetrics, ...]:
        """The classes that have rows."""
        return tuple(one for one in self.classes if one.support > 0)

    @property
    def positive(self) -> ClassMetrics | None:
        """If two classes have rows, the rarer one (the second in a tie), which is called positive; else None."""
        there = self.occurring
        return min(reversed(there), key=lambda one: one.support) if len(there) == TWO else None

    @property
    def balanced_accuracy(self) -> float:
        """Mean recall of the classes that have rows."""
        there = self.occurring
        return float(np.mean([one.recall for one in there])) if there else math.nan

    def average(self, figure: str, *, weighted: bool = False) -> float:
        """Mean of a metric over the classes that have rows or predictions, unweighted or weighted by support.

        Parameters
        ----------
        figure : {"precision", "recall", "f1", "auc", "average_precision"}
        weighted : bool
            Whether classes are weighted by their support (``"weighted"`` in scikit-learn) or not (``"macro"``).
        """
        known = [(getattr(one, figure), one.support) for one in self.classes]
        known = [(value, support) for value, support in known if not math.isnan(value)]
        parts = [support if weighted else 1.0 for _, support in known]
        if not known or sum(parts) <= 0:
            return math.nan
        return float(np.average([value for value, _ in known], weights=parts))

    @property
    def auc(self) -> float:
        """ROC AUC of the positive class, or the mean if there are more than two classes; NaN without probabilities."""
        positive = self.positive
        return self.average("auc") if positive is None else positive.auc

    def lines(self, room: int = ROOM, n_rows: int | None = None) -> list[str]:
        """A table of at most `room` characters per line: the metrics of every class, or of the ten with most rows.

        `n_rows` is the number of rows; if their weight differs from it, the last column is the weight.
        """
        from hornbeam.show.texts.columns import aligned  # noqa: PLC0415 - only to print

        ranked = any(not math.isnan(one.auc) for one in self.classes)
        whole = all(one.support == round(one.support) for one in self.classes)
        total = sum(one.support for one in self.classes)
        counted = "rows" if whole and n_rows in (None, total) else "weight"
        rows = [["class", "precision", "recall", "F1", *(["AUC"] if ranked else []), counted]]
        for place in shown_classes([one.support for one in self.classes]):
            one = self.classes[place]
            figures = [percent(figure) for figure in (one.precision, one.recall, one.f1)]
            auc = ["-" if math.isnan(one.auc) else f"{one.auc:.3f}"] if ranked else []
            support = f"{one.support:.0f}" if whole else f"{one.support:.2f}"
            rows.append([one.name, *figures, *auc, support])
        taken = sum(max(map(len, column)) + 2 for column in list(zip(*rows, strict=True))[1:])
        most = max(min(NAME_LIMIT, room - taken), LEAST_NAME)
        names = shortened([row[0] for row in rows[1:]], most)
        rows[1:] = [[name, *figures] for name, (_, *figures) in zip(names, rows[1:], strict=True)]
        more = len(self.classes) - len(rows) + 1
        return aligned(rows) + ([f"and {plural(more, 'more class', 'more classes')}"] if more else [])

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON."""
        positive = self.positive
        averages = {
            kind: plain({name: self.average(name, weighted=kind == "weighted") for name in FIGURES})
            for kind in ("macro", "weighted")
        }
        return {
            **plain_fields(self, "balanced_accuracy"),
            "positive_class": None if positive is None else positive.name,
            "by_class": plain(self.classes),
            "averages": averages,
        }


def shown_classes(supports: Sequence[float]) -> list[int]:
    """Choose the classes to show: all of them in order, or, if there are many, the ten with most rows.

    Examples
    --------
    >>> shown_classes([1, 5, 3]), shown_classes(range(100, 130))[:3]
    ([0, 1, 2], [29, 28, 27])
    """
    if len(supports) <= MOST_SHOWN:
        return list(range(len(supports)))
    return sorted(range(len(supports)), key=lambda place: -supports[place])[:MOST_SHOWN]


def class_report(
    categories: tuple[str, ...],
    confusion: Floats,
    support: Floats,
    truth: NDArray[Any] | None = None,
    probabilities: Floats | None = None,
    weights: Floats | None = None,
) -> ClassReport:
    """Compute the metrics of every class.

    Parameters
    ----------
    categories : tuple of str
        The classes.
    confusion : array, (classes, classes)
        Weight by true class (row) and predicted class (column).
    support : array, one entry per class
        Weight of all its rows, including those without a prediction.
    truth, probabilities, weights : arrays, optional
        Codes of the rows' classes, (rows, classes) the predicted probabilities, and the rows' weights: for the ROC AUC
        and the average precision.

    Examples
    --------
    >>> report = class_report(("no", "yes"), np.array([[6.0, 2.0], [1.0, 3.0]]), np.array([8.0, 4.0]))
    >>> report.positive.name, report.positive.precision, report.positive.recall, round(report.positive.f1, 3)
    ('yes', 0.6, 0.75, 0.667)
    """
    right, predicted = np.diag(confusion), confusion.sum(axis=0)

    def ratio(part: float, whole: float) -> float:
        return float(part) / float(whole) if whole > 0 else math.nan

    found = []
    for code, name in enumerate(categories):
        figures = ClassMetrics(
            name,
            float(support[code]),
            ratio(right[code], predicted[code]),
            ratio(right[code], support[code]),
            ratio(2 * right[code], predicted[code] + support[code]),
            *_ranked(code, support, truth, probabilities, weights),
        )
        found.append(figures)
    return ClassReport(tuple(found))


def _ranked(
    code: int, support: Floats, truth: NDArray[Any] | None, probabilities: Floats | None, weights: Floats | None
) -> tuple[float, tuple[float, float], float]:
    """ROC AUC with its interval, and average precision; NaN if they are not defined."""
    nothing = math.nan, (math.nan, math.nan), math.nan
    if truth is None or probabilities is None or np.count_nonzero(support) > MOST_RANKED:
        return nothing
    if not 0 < support[code] < support.sum():
        return nothing
    from hornbeam.evaluate.curves.ranking_curves import precision_recall, roc  # noqa: PLC0415 - it needs scores

    curve = roc(truth, probabilities[:, code], weights, positive=code)
    precise = precision_recall(truth, probabilities[:, code], weights, positive=code)
    return curve.auc, curve.interval, precise.average_precision
