"""Precision against recall: of the rows taken for a class, how many are of it; of its rows, how many are found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.in_words import percent
from hornbeam.evaluate.curves.ranked_rows import class_rows, ranked, running
from hornbeam.evaluate.scores import or_none
from hornbeam.show.texts.columns import aligned
from hornbeam.show.texts.wording import short_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

SHOWN = (0.5, 0.8, 0.9, 0.95, 1.0)  # recalls that are reported


@dataclass(frozen=True, eq=False)
class PrecisionRecallCurve:
    """Result of `precision_recall`.

    Parameters
    ----------
    thresholds : array of float64
        Descending: a row is predicted to be of the class from this probability on. The first is infinite.
    precision, recall : array of float64
        Of the rows taken, the probability that is of the class (1 if none is taken); of its rows, the probability
        taken.
    average_precision : float
        The precision at each step, weighed by the recall that the step gains; no line is drawn between steps, which
        would promise more than a threshold can give.
    baseline : float
        The class's fraction of all rows: the precision of taking every row.
    inside : float
        Weight of the rows of the class.
    """

    thresholds: NDArray[np.float64]
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    average_precision: float
    baseline: float
    inside: float

    @property
    def best(self) -> int:
        """The step with the largest F1, the harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return int(np.argmax(np.where(total > 0, 2 * self.precision * self.recall / np.where(total > 0, total, 1), 0)))

    def precision_at(self, recall: float) -> float:
        """Return the largest precision of a threshold that finds at least this fraction of the class."""
        return float(self.precision[self.recall >= recall].max())

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON; values that do not exist are None."""
        return {
            "average_precision": self.average_precision,
            "baseline": self.baseline,
            "inside": self.inside,
            "thresholds": [or_none(value) for value in self.thresholds.tolist()],
            "precision": self.precision.tolist(),
            "recall": self.recall.tolist(),
        }

    def figures(self) -> dict[str, str]:
        """The key numbers of the curve, as text."""
        return {"average precision": f"{self.average_precision:.3f}", "fraction of all rows": f"{self.baseline:.3f}"}

    def text(self) -> str:
        """The curve as text, without a trailing newline."""
        rows = [["recall, at least", *(f"{100 * recall:g}%" for recall in SHOWN)]]
        rows.append(["precision", *(percent(self.precision_at(recall)) for recall in SHOWN)])
        place = self.best
        precision, recall = float(self.precision[place]), float(self.recall[place])
        text = f"precision {percent(precision)}, recall {percent(recall)}"
        head = f"average precision {self.average_precision:.3f}; selecting every row: {self.baseline:.3f}"
        shown = short_number(float(self.thresholds[place]), 4)
        last = f"F1 is largest at threshold {shown}: {2 * precision * recall / (precision + recall):.3f}, {text}"
        return "\n".join([head, "", *(line.rstrip() for line in aligned(rows)), "", last])

    def chart(self, *, axes: Any = None) -> Any:  # noqa: ANN401 - matplotlib's Axes
        """The curve, drawn by matplotlib."""
        return precision_recall_chart({"": self}, axes=axes)


def precision_recall(
    truth: ArrayLike, share: ArrayLike, weights: ArrayLike | None = None, *, positive: int = 1
) -> PrecisionRecallCurve:
    """Precision against recall for every threshold.

    Parameters
    ----------
    truth : array
        Codes of the true classes (-1: not known, left out), or whether each row is of the class.
    share : array
        The predicted probability of the class, or any score that is larger if the class is more likely.
    weights : array, optional
        Row weights.
    positive : int
        The code of the class.

    Returns
    -------
    PrecisionRecallCurve

    Examples
    --------
    >>> curve = precision_recall([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> round(curve.average_precision, 3), curve.recall.tolist(), curve.precision.round(2).tolist()
    (0.833, [0.0, 0.5, 0.5, 1.0, 1.0], [1.0, 1.0, 0.5, 0.67, 0.5])
    """
    groups = ranked(class_rows(truth, share, weights, positive))
    found, taken = running(groups.inside), running(groups.inside + groups.outside)
    recall = found / found[-1]
    precision = np.concatenate([[1.0], found[1:] / taken[1:]])
    return PrecisionRecallCurve(
        np.concatenate([[math.inf], groups.share]),
        precision,
        recall,
        float(np.diff(recall) @ precision[1:]),
        float(found[-1] / taken[-1]),
        float(found[-1]),
    )


def precision_recall_chart(curves: Mapping[str, PrecisionRecallCurve], *, axes: Any = None) -> Any:  # noqa: ANN401 - matplotlib's
    """Draw precision against recall as steps, with the precision of taking every row."""
    from hornbeam.show.charts.curve_charts import curves_on_one  # noqa: PLC0415 - only to draw

    bases = [curve.baseline for curve in curves.values()]
    every = {"every row": ((0.0, 1.0), bases * 2)} if len(bases) == 1 else {}  # it differs from class to class
    return curves_on_one(
        {name: (curve.recall, curve.precision) for name, curve in curves.items()},
        {name: f"average precision {curve.average_precision:.3f}" for name, curve in curves.items()},
        guides=every,
        steps=True,
        axes=axes,
        title="Precision and recall",
        x_label="recall: fraction of the class that is found",
        y_label="precision: fraction of the selected rows that are of the class",
    )
