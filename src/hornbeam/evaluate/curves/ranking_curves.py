"""Curves of rows ranked by the predicted probability of a class: ROC, precision and recall, gain and lift.

ROC is the true positive rate against the false positive rate; gain is the fraction of a class that is found by
selecting rows by decreasing probability, and lift is the ratio to a random selection.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam._display import ShowsText
from hornbeam.data.in_words import percent
from hornbeam.evaluate.curves.ranked_rows import area, class_rows, others_below, ranked, running
from hornbeam.evaluate.intervals import MOST_EXPONENT, NORMAL_95
from hornbeam.evaluate.plain import Plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import Floats
    from hornbeam.evaluate.curves.ranked_rows import RankedRows
    from hornbeam.show.plot import Axes

# Shown in texts: false positive rates, recalls, and fractions of rows selected.
FALSE_RATES = (0.01, 0.05, 0.1, 0.2, 0.5)
RECALLS = (0.5, 0.8, 0.9, 0.95, 1.0)
SELECTED = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0)


@dataclass(frozen=True, eq=False, repr=False)
class RocCurve(ShowsText, Plain):
    """Result of `roc`.

    Parameters
    ----------
    thresholds : array of float64
        Descending: a row is predicted to be of the class if its probability is at least this. The first is infinite.
    false_positive_rate, true_positive_rate : array of float64
        Fractions of the other rows, and of the rows of the class, that are predicted to be of it. Only the corners:
        between two of them the curve is a straight line.
    auc : float
        The area under the curve: the probability that a random row of the class has a higher predicted probability than
        a random other row (ties count half).
    interval : tuple of float
        Its 95% interval (DeLong's variance, on the scale of log-odds); NaN if it is 0 or 1.
    inside, outside : float
        Weight of the rows of the class, and of the others.
    """

    _json = "auc interval inside outside thresholds false_positive_rate true_positive_rate"

    thresholds: Floats
    false_positive_rate: Floats
    true_positive_rate: Floats
    auc: float
    interval: tuple[float, float]
    inside: float
    outside: float

    @property
    def best(self) -> int:
        """The corner where the rates differ most (Youden's index)."""
        return int(np.argmax(self.true_positive_rate - self.false_positive_rate))

    def key_numbers(self) -> dict[str, str]:
        """The key numbers of the curve, as text."""
        low, high = self.interval
        interval = "-" if math.isnan(low) else f"{low:.3f} to {high:.3f}"
        return {"AUC": f"{self.auc:.3f}", "95% interval": interval}

    def text(self) -> str:
        """The curve as text, without a trailing newline."""
        from hornbeam.show.texts.columns import aligned  # noqa: PLC0415 - not for scores
        from hornbeam.show.texts.wording import short_number  # noqa: PLC0415 - not for scores

        found = np.interp(FALSE_RATES, self.false_positive_rate, self.true_positive_rate)
        rows = [["false positive rate", *(f"{100 * rate:g}%" for rate in FALSE_RATES)]]
        rows.append(["true positive rate", *(percent(rate) for rate in found.tolist())])
        place = self.best
        threshold, rates = self.thresholds[place], (self.true_positive_rate[place], self.false_positive_rate[place])
        rates_there = f"true positive rate {percent(rates[0])}, false positive rate {percent(rates[1])}"
        interval = "" if math.isnan(self.interval[0]) else f" (95% interval {self.key_numbers()['95% interval']})"
        differ = f"the rates differ most at threshold {short_number(float(threshold), 4)}: {rates_there}"
        if not place:  # the corner where no row is predicted to be of the class
            differ = "no threshold beats chance"
        return "\n".join([f"AUC {self.auc:.3f}{interval}", "", *aligned(rows), "", differ])

    def chart(self, *, axes: Axes = None) -> Axes:
        """The curve, drawn by matplotlib."""
        return roc_chart({"": self}, axes=axes)


def roc(truth: ArrayLike, probability: ArrayLike, weights: ArrayLike | None = None, *, positive: int = 1) -> RocCurve:
    """The true positive rate against the false positive rate of a class, for every threshold.

    Parameters
    ----------
    truth : array
        Codes of the true classes (-1: unknown, left out), or whether each row is of the class.
    probability : array
        The predicted probability of the class, or any score that is larger if the class is more likely.
    weights : array, optional
        Row weights.
    positive : int
        The code of the class.

    Returns
    -------
    RocCurve

    Notes
    -----
    The interval is by E. DeLong, D. DeLong and D. Clarke-Pearson (Biometrics 44, 1988). It assumes independent rows;
    those of a cross-validation are not quite independent, so there it is a little too narrow.

    Examples
    --------
    >>> curve = roc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.auc, curve.false_positive_rate.tolist(), curve.true_positive_rate.tolist()
    (0.75, [0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    groups = ranked(class_rows(truth, probability, weights, positive))
    found, false = running(groups.inside), running(groups.outside)
    inside, outside = float(found[-1]), float(false[-1])
    auc = area(groups)
    corner = np.ones(len(found), np.bool_)
    across, up = np.diff(false), np.diff(found)
    corner[1:-1] = across[:-1] * up[1:] != across[1:] * up[:-1]
    thresholds = np.concatenate([[math.inf], groups.probability])
    return RocCurve(
        thresholds[corner],
        false[corner] / outside,
        found[corner] / inside,
        auc,
        _interval(groups, auc),
        inside,
        outside,
    )


def roc_chart(curves: Mapping[str, RocCurve], *, axes: Axes = None) -> Axes:
    """Draw ROC curves, with the line of random guessing."""
    from hornbeam.show.charts.curve_charts import curves_on_one  # noqa: PLC0415 - only to draw

    return curves_on_one(
        {name: (curve.false_positive_rate, curve.true_positive_rate) for name, curve in curves.items()},
        {name: f"AUC {curve.auc:.3f}" for name, curve in curves.items()},
        guides={"chance": ((0.0, 1.0), (0.0, 1.0))},
        axes=axes,
        title="ROC curve",
        x_label="false positive rate",
        y_label="true positive rate",
    )


def _interval(groups: RankedRows, auc: float) -> tuple[float, float]:
    """Return the interval of the area, from the rank of each row among those of the other kind."""
    class_above = (np.cumsum(groups.inside) - groups.inside / 2) / groups.inside.sum()
    variance = 0.0
    for weights, squares, places in (
        (groups.inside, groups.inside_squares, others_below(groups)),
        (groups.outside, groups.outside_squares, class_above),
    ):
        total = float(weights.sum())
        rows = total**2 / float(squares.sum())  # the effective number of rows
        if rows <= 1:
            return math.nan, math.nan
        variance += float(weights @ (places - auc) ** 2) / total / (rows - 1)
    if not (0 < auc < 1 and variance > 0):
        return math.nan, math.nan
    center, reach = math.log(auc / (1 - auc)), NORMAL_95 * math.sqrt(variance) / (auc * (1 - auc))
    low, high = (min(max(end, -MOST_EXPONENT), MOST_EXPONENT) for end in (center - reach, center + reach))
    return 1 / (1 + math.exp(-low)), 1 / (1 + math.exp(-high))


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecallCurve(ShowsText, Plain):
    """Result of `precision_recall`.

    Parameters
    ----------
    thresholds : array of float64
        Descending: a row is predicted to be of the class if its probability is at least this. The first is infinite.
    precision, recall : array of float64
        The fraction of the selected rows that is of the class (1 if none is selected), and the fraction of the class
        that is selected.
    average_precision : float
        The mean of the precisions at each step, weighted by the increase in recall; there is no interpolation between
        steps, which would be too optimistic.
    baseline : float
        The class's fraction of all rows: the precision of selecting every row.
    inside : float
        Weight of the rows of the class.
    """

    _json = "average_precision baseline inside thresholds precision recall"

    thresholds: Floats
    precision: Floats
    recall: Floats
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

    def key_numbers(self) -> dict[str, str]:
        """The key numbers of the curve, as text."""
        return {"average precision": f"{self.average_precision:.3f}", "fraction of all rows": f"{self.baseline:.3f}"}

    def text(self) -> str:
        """The curve as text, without a trailing newline."""
        from hornbeam.show.texts.columns import aligned  # noqa: PLC0415 - not for scores
        from hornbeam.show.texts.wording import short_number  # noqa: PLC0415 - not for scores

        rows = [["recall, at least", *(f"{100 * recall:g}%" for recall in RECALLS)]]
        rows.append(["precision", *(percent(self.precision_at(recall)) for recall in RECALLS)])
        place = self.best
        precision, recall = float(self.precision[place]), float(self.recall[place])
        text = f"precision {percent(precision)}, recall {percent(recall)}"
        head = f"average precision {self.average_precision:.3f}; selecting every row: {self.baseline:.3f}"
        shown = short_number(float(self.thresholds[place]), 4)
        last = f"F1 is largest at threshold {shown}: {2 * precision * recall / (precision + recall):.3f}, {text}"
        return "\n".join([head, "", *aligned(rows), "", last])

    def chart(self, *, axes: Axes = None) -> Axes:
        """The curve, drawn by matplotlib."""
        return precision_recall_chart({"": self}, axes=axes)


def precision_recall(
    truth: ArrayLike, probability: ArrayLike, weights: ArrayLike | None = None, *, positive: int = 1
) -> PrecisionRecallCurve:
    """Precision against recall for every threshold.

    Parameters
    ----------
    truth, probability, weights, positive
        See `roc`.

    Returns
    -------
    PrecisionRecallCurve

    Examples
    --------
    >>> curve = precision_recall([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> round(curve.average_precision, 3), curve.recall.tolist(), curve.precision.round(2).tolist()
    (0.833, [0.0, 0.5, 0.5, 1.0, 1.0], [1.0, 1.0, 0.5, 0.67, 0.5])
    """
    groups = ranked(class_rows(truth, probability, weights, positive))
    found, taken = running(groups.inside), running(groups.inside + groups.outside)
    recall = found / found[-1]
    precision = np.concatenate([[1.0], found[1:] / taken[1:]])
    return PrecisionRecallCurve(
        np.concatenate([[math.inf], groups.probability]),
        precision,
        recall,
        float(np.diff(recall) @ precision[1:]),
        float(found[-1] / taken[-1]),
        float(found[-1]),
    )


def precision_recall_chart(curves: Mapping[str, PrecisionRecallCurve], *, axes: Axes = None) -> Axes:
    """Draw precision against recall as steps, with the precision of selecting every row."""
    from hornbeam.show.charts.curve_charts import curves_on_one  # noqa: PLC0415 - only to draw

    bases = [curve.baseline for curve in curves.values()]
    every = {"every row": ((0.0, 1.0), bases * 2)} if len(bases) == 1 else {}  # it differs between classes
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


@dataclass(frozen=True, eq=False, repr=False)
class LiftCurve(ShowsText, Plain):
    """Result of `lift`.

    Parameters
    ----------
    thresholds : array of float64
        Descending: rows with at least this probability are selected. The first is infinite: no row is selected.
    selected : array of float64
        The fraction of all rows that are selected.
    gain : array of float64
        The fraction of the class that is found.
    lift : array of float64
        `gain` divided by `selected`: how many times as many rows of the class as in a random selection of the same
        size. NaN if no row is selected.
    baseline : float
        The class's fraction of all rows.
    inside : float
        Weight of the rows of the class.
    """

    _json = "baseline inside thresholds selected gain lift"

    thresholds: Floats
    selected: Floats
    gain: Floats
    lift: Floats
    baseline: float
    inside: float

    def gain_at(self, selected: ArrayLike) -> Floats:
        """Return the fraction of the class found among this fraction of the rows; ties are selected at random."""
        return np.asarray(np.interp(np.asarray(selected, np.float64), self.selected, self.gain))

    def key_numbers(self) -> dict[str, str]:
        """The key numbers of the curve, as text."""
        tenth = float(self.gain_at(0.1))
        return {"found in the first tenth": percent(tenth), "lift there": f"{10 * tenth:.2f}"}

    def text(self) -> str:
        """The curve as text, without a trailing newline."""
        from hornbeam.show.texts.columns import aligned  # noqa: PLC0415 - not for scores

        found = self.gain_at(SELECTED)
        rows = [["rows selected", *(f"{100 * fraction:g}%" for fraction in SELECTED)]]
        rows.append(["of the class found", *(percent(gain) for gain in found.tolist())])
        rows.append(
            ["lift", *(f"{gain / fraction:.2f}" for gain, fraction in zip(found.tolist(), SELECTED, strict=True))]
        )
        head = f"the class is {percent(self.baseline)} of all rows; rows are selected by decreasing probability"
        return "\n".join([head, "", *aligned(rows)])

    def chart(self, *, axes: Axes = None) -> Axes:
        """The gain, drawn by matplotlib, with those of a random and of a perfect order."""
        return lift_chart({"": self}, axes=axes)


def lift(truth: ArrayLike, probability: ArrayLike, weights: ArrayLike | None = None, *, positive: int = 1) -> LiftCurve:
    """The fraction of a class that is found by selecting rows by decreasing probability.

    Parameters
    ----------
    truth, probability, weights, positive
        See `roc`.

    Returns
    -------
    LiftCurve

    Examples
    --------
    >>> curve = lift([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> curve.selected.tolist(), curve.gain.tolist()
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0, 1.0])
    >>> float(curve.lift[1])
    2.5
    """
    groups = ranked(class_rows(truth, probability, weights, positive))
    found, taken = running(groups.inside), running(groups.inside + groups.outside)
    selected, gain = taken / taken[-1], found / found[-1]
    ratio = np.concatenate([[math.nan], gain[1:] / selected[1:]])
    thresholds = np.concatenate([[math.inf], groups.probability])
    return LiftCurve(thresholds, selected, gain, ratio, float(found[-1] / taken[-1]), float(found[-1]))


def lift_chart(curves: Mapping[str, LiftCurve], *, axes: Axes = None) -> Axes:
    """Draw gains, with those of a random and (for one class) of a perfect order."""
    from hornbeam.show.charts.curve_charts import curves_on_one  # noqa: PLC0415 - only to draw

    guides: dict[str, Any] = {"at random": ((0.0, 1.0), (0.0, 1.0))}
    if len(curves) == 1:
        guides["perfect"] = ((0.0, next(iter(curves.values())).baseline, 1.0), (0.0, 1.0, 1.0))
    return curves_on_one(
        {name: (curve.selected, curve.gain) for name, curve in curves.items()},
        {name: f"lift {10 * float(curve.gain_at(0.1)):.2f} in the first tenth" for name, curve in curves.items()},
        guides=guides,
        axes=axes,
        title="Gain",
        x_label="rows selected, by decreasing probability",
        y_label="fraction of the class found",
    )
