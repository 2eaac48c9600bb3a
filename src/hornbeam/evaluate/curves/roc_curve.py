"""ROC: the true positive rate against the false positive rate of a class, for every threshold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.in_words import percent
from hornbeam.evaluate.curves.ranked_rows import area, class_rows, others_below, ranked, running
from hornbeam.evaluate.scores import MOST_EXPONENT, NORMAL_95, or_none
from hornbeam.show.texts.columns import aligned
from hornbeam.show.texts.wording import short_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from hornbeam.evaluate.curves.ranked_rows import RankedRows

SHOWN = (0.01, 0.05, 0.1, 0.2, 0.5)  # rates of false alarms that are reported


@dataclass(frozen=True, eq=False)
class RocCurve:
    """Result of `roc`.

    Parameters
    ----------
    thresholds : array of float64
        Descending: a row is predicted to be of the class from this probability on. The first is infinite.
    false_positive_rate, true_positive_rate : array of float64
        Fractions of the other rows, and of the rows of the class, that are taken to be of it. Corners only: between two
        of them the curve is a straight line.
    auc : float
        The area below: how often a row of the class has a higher probability than another one, of all such pairs (equal
        probabilities count half).
    interval : tuple of float
        Its 95% interval (DeLong's variance, on the scale of log-odds); NaN if all pairs are right, or all wrong.
    inside, outside : float
        Weight of the rows of the class, and of the others.
    """

    thresholds: NDArray[np.float64]
    false_positive_rate: NDArray[np.float64]
    true_positive_rate: NDArray[np.float64]
    auc: float
    interval: tuple[float, float]
    inside: float
    outside: float

    @property
    def best(self) -> int:
        """The corner where the rates differ most (Youden's index)."""
        return int(np.argmax(self.true_positive_rate - self.false_positive_rate))

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON; values that do not exist are None."""
        return {
            "auc": or_none(self.auc),
            "interval": [or_none(end) for end in self.interval],
            "inside": self.inside,
            "outside": self.outside,
            "thresholds": [or_none(value) for value in self.thresholds.tolist()],
            "false_positive_rate": self.false_positive_rate.tolist(),
            "true_positive_rate": self.true_positive_rate.tolist(),
        }

    def figures(self) -> dict[str, str]:
        """The key numbers of the curve, as text."""
        low, high = self.interval
        interval = "-" if math.isnan(low) else f"{low:.3f} to {high:.3f}"
        return {"AUC": f"{self.auc:.3f}", "95% interval": interval}

    def text(self) -> str:
        """The curve as text, without a trailing newline."""
        found = np.interp(SHOWN, self.false_positive_rate, self.true_positive_rate)
        rows = [["false positive rate", *(f"{100 * rate:g}%" for rate in SHOWN)]]
        rows.append(["true positive rate", *(percent(rate) for rate in found.tolist())])
        place = self.best
        threshold, rates = self.thresholds[place], (self.true_positive_rate[place], self.false_positive_rate[place])
        rates_there = f"true positive rate {percent(rates[0])}, false positive rate {percent(rates[1])}"
        interval = "" if math.isnan(self.interval[0]) else f" (95% interval {self.figures()['95% interval']})"
        differ = f"the rates differ most at threshold {short_number(float(threshold), 4)}: {rates_there}"
        if not place:  # the corner where nothing is taken for the class
            differ = "no threshold beats chance"
        return "\n".join(
            [
                f"AUC {self.auc:.3f}{interval}",
                "",
                *(line.rstrip() for line in aligned(rows)),
                "",
                differ,
            ]
        )

    def chart(self, *, axes: Any = None) -> Any:  # noqa: ANN401 - matplotlib's Axes
        """The curve, drawn by matplotlib."""
        return roc_chart({"": self}, axes=axes)


def roc(truth: ArrayLike, share: ArrayLike, weights: ArrayLike | None = None, *, positive: int = 1) -> RocCurve:
    """The true positive rate against the false positive rate of a class, for every threshold.

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
    RocCurve

    Notes
    -----
    The interval is by E. DeLong, D. DeLong and D. Clarke-Pearson (Biometrics 44, 1988). It takes rows as independent;
    those of a cross-validation are not quite, so there it is a little too narrow.

    Examples
    --------
    >>> curve = roc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.auc, curve.false_positive_rate.tolist(), curve.true_positive_rate.tolist()
    (0.75, [0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    groups = ranked(class_rows(truth, share, weights, positive))
    found, false = running(groups.inside), running(groups.outside)
    inside, outside = float(found[-1]), float(false[-1])
    auc = area(groups)
    corner = np.ones(len(found), np.bool_)
    across, up = np.diff(false), np.diff(found)
    corner[1:-1] = across[:-1] * up[1:] != across[1:] * up[:-1]
    thresholds = np.concatenate([[math.inf], groups.share])
    return RocCurve(
        thresholds[corner],
        false[corner] / outside,
        found[corner] / inside,
        auc,
        _interval(groups, auc),
        inside,
        outside,
    )


def roc_chart(curves: Mapping[str, RocCurve], *, axes: Any = None) -> Any:  # noqa: ANN401 - matplotlib's Axes
    """Draw ROC curves, with the line of chance."""
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
    """Return the area's interval from the place of each row among those of the other kind."""
    class_above = (np.cumsum(groups.inside) - groups.inside / 2) / groups.inside.sum()
    variance = 0.0
    for weights, squares, places in (
        (groups.inside, groups.inside_squares, others_below(groups)),
        (groups.outside, groups.outside_squares, class_above),
    ):
        total = float(weights.sum())
        rows = total**2 / float(squares.sum())  # as many equal rows as carry the same information
        if rows <= 1:
            return math.nan, math.nan
        variance += float(weights @ (places - auc) ** 2) / total / (rows - 1)
    if not (0 < auc < 1 and variance > 0):
        return math.nan, math.nan
    center, reach = math.log(auc / (1 - auc)), NORMAL_95 * math.sqrt(variance) / (auc * (1 - auc))
    low, high = (min(max(end, -MOST_EXPONENT), MOST_EXPONENT) for end in (center - reach, center + reach))
    return 1 / (1 + math.exp(-low)), 1 / (1 + math.exp(-high))
