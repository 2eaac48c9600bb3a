"""Calibration: whether 70% of the rows with a predicted probability of 70% are of the class."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from hornbeam._display import ShowsText
from hornbeam.evaluate.curves.ranked_rows import class_rows, parts_by_weight, sums
from hornbeam.evaluate.intervals import wilson_interval
from hornbeam.evaluate.plain import Plain
from hornbeam.show.texts.columns import aligned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from hornbeam.show.plot import Axes

By = Literal["width", "weight"]
ROUNDING = 1e-9  # by rounding, a mean of probabilities may be this much above 1


@dataclass(frozen=True, slots=True)
class CalibrationBin(Plain):
    """Rows with probabilities in an interval."""

    # low, high: the limits of the bin; for bins by weight, its smallest and largest probability
    low: float
    high: float
    weight: float  # of the rows
    mean: float  # their mean predicted probability
    observed: float  # the fraction of them that is of the class
    interval: tuple[float, float]  # Wilson's 95% interval of `observed`


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationCurve(ShowsText, Plain):
    """Result of `calibration`.

    Parameters
    ----------
    bins : tuple of CalibrationBin
        The bins that have rows, ascending.
    expected_error : float
        The expected calibration error: the mean absolute difference between predicted and observed probability, over
        rows.
    greatest_error : float
        The same for the worst bin.
    brier : float
        The Brier score, the mean squared error of the probability: ``reliability - resolution + uncertainty + within``.
    reliability : float
        The part that calibration could remove: mean squared difference between predicted and observed probability.
    resolution : float
        The mean squared difference between the observed fraction of a bin and that of all rows: the gain from
        distinguishing rows.
    uncertainty : float
        The score of always predicting the overall fraction of the class.
    within : float
        The rest, because probabilities within a bin differ: their variance minus twice their covariance with the true
        class.
    inside, weight : float
        Weight of the rows of the class, and of all rows.
    """

    _json = "expected_error greatest_error brier reliability resolution uncertainty within inside weight bins"

    bins: tuple[CalibrationBin, ...]
    expected_error: float
    greatest_error: float
    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float
    inside: float
    weight: float

    def key_numbers(self) -> dict[str, str]:
        """The key numbers of the curve, as text."""
        text = {"calibration error": self.expected_error, "largest": self.greatest_error, "Brier score": self.brier}
        return {name: f"{value:.3f}" for name, value in text.items()}

    def text(self) -> str:
        """The curve as text, without a trailing newline."""
        rows = [["predicted", "mean", "observed", "95% interval", "weight"]]
        for one in self.bins:
            ends = " to ".join("-" if math.isnan(end) else f"{end:.3f}" for end in one.interval)
            rows.append(
                [f"{one.low:.3g} to {one.high:.3g}", f"{one.mean:.3f}", f"{one.observed:.3f}", ends, f"{one.weight:g}"]
            )
        parts = f"{self.reliability:.4f} reliability - {self.resolution:.4f} resolution + {self.uncertainty:.4f}"
        head = f"expected calibration error {self.expected_error:.3f}, largest {self.greatest_error:.3f}"
        last = f"Brier score {self.brier:.4f} = {parts} uncertainty {self.within:+.4f} within bins"
        return "\n".join([head, "", *aligned(rows), "", last])

    def chart(self, *, axes: Axes = None) -> Axes:
        """Observed against predicted probability, drawn by matplotlib."""
        return calibration_chart({"": self}, axes=axes)


def calibration(
    truth: ArrayLike,
    probability: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    positive: int = 1,
    bins: int = 10,
    by: By = "width",
) -> CalibrationCurve:
    """Compare the predicted probabilities of a class with its observed frequency.

    Parameters
    ----------
    truth : array
        Codes of the true classes (-1: unknown, left out), or whether each row is of the class.
    probability : array
        The predicted probability of the class, from 0 to 1.
    weights : array, optional
        Row weights.
    positive : int
        The code of the class.
    bins : int
        The number of bins.
    by : {"width", "weight"}
        Bins of equal width, or of about equal weight (equal probabilities stay together).

    Returns
    -------
    CalibrationCurve

    Notes
    -----
    The parts of the Brier score are A. Murphy's (J. Applied Meteorology 12, 1973); with bins they add up exactly only
    with the two terms within bins of D. Stephenson, C. Coelho and I. Jolliffe (Weather and Forecasting 23, 2008).

    Examples
    --------
    >>> curve = calibration([0, 0, 1, 1], [0.25, 0.25, 0.25, 0.75], bins=2)
    >>> [(one.mean, round(one.observed, 3)) for one in curve.bins], curve.brier
    ([(0.25, 0.333), (0.75, 1.0)], 0.1875)
    """
    if bins < 1:
        raise ValueError(f"bins is {bins}; expected 1 or more")
    rows = class_rows(truth, probability, weights, positive, both=False)
    if rows.probability.min() < -ROUNDING or rows.probability.max() > 1 + ROUNDING:
        outside = next(value for value in rows.probability.tolist() if not -ROUNDING <= value <= 1 + ROUNDING)
        raise ValueError(f"a probability is {outside:g}; expected numbers from 0 to 1")
    rows = replace(rows, probability=np.clip(rows.probability, 0.0, 1.0))
    edges = np.linspace(0.0, 1.0, bins + 1)
    place = (
        np.searchsorted(edges[1:-1], rows.probability)
        if by == "width"
        else parts_by_weight(rows.probability, rows.weights, bins)
    )
    said, true = (sums(place, rows.weights * values, bins) for values in (rows.probability, rows.inside))
    weight, squares = sums(place, rows.weights, bins), sums(place, rows.weights**2, bins)
    total = float(weight.sum())
    found = []
    for number in np.flatnonzero(weight > 0).tolist():
        here = rows.probability[place == number]
        low, high = (edges[number], edges[number + 1]) if by == "width" else (here.min(), here.max())
        mean, observed = float(said[number] / weight[number]), float(true[number] / weight[number])
        interval = wilson_interval(observed, float(weight[number] ** 2 / squares[number]))
        found.append(CalibrationBin(float(low), float(high), float(weight[number]), mean, observed, interval))
    counted = np.array([one.weight for one in found]) / total
    gap = np.array([one.mean - one.observed for one in found])
    base = float(true.sum()) / total
    resolution = float(counted @ (np.array([one.observed for one in found]) - base) ** 2)
    brier = float(rows.weights @ (rows.probability - rows.inside) ** 2) / total
    safe = np.where(weight > 0, weight, 1.0)
    of_bin = rows.probability - (said / safe)[place]
    within = float(rows.weights @ (of_bin**2 - 2 * of_bin * (rows.inside - (true / safe)[place]))) / total
    return CalibrationCurve(
        tuple(found),
        float(counted @ np.abs(gap)),
        float(np.abs(gap).max()),
        brier,
        float(counted @ gap**2),
        resolution,
        base * (1 - base),
        within,
        float(true.sum()),
        total,
    )


def calibration_chart(curves: Mapping[str, CalibrationCurve], *, axes: Axes = None) -> Axes:
    """Draw observed against predicted probability; for one class with intervals."""
    from hornbeam.show.charts.curve_charts import curves_on_one  # noqa: PLC0415 - only to draw

    points, bars = {}, {}
    for name, curve in curves.items():
        points[name] = (np.array([one.mean for one in curve.bins]), np.array([one.observed for one in curve.bins]))
        bars[name] = np.array([one.interval for one in curve.bins])
    return curves_on_one(
        points,
        {name: f"calibration error {curve.expected_error:.3f}" for name, curve in curves.items()},
        guides={"perfect": ((0.0, 1.0), (0.0, 1.0))},
        intervals=bars if len(curves) == 1 else {},
        dots={name: [one.weight for one in curve.bins] for name, curve in curves.items()},
        axes=axes,
        title="Calibration",
        x_label="predicted probability",
        y_label="observed fraction",
    )
