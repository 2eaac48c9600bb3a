"""Residuals (true minus predicted), against the prediction and against a normal distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam._display import ShowsText
from hornbeam.evaluate.curves.ranked_rows import parts_by_weight, row_weights
from hornbeam.evaluate.plain import plain_fields
from hornbeam.show.texts.columns import aligned
from hornbeam.show.texts.wording import short_number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import Floats
    from hornbeam.show.plot import Axes

LEVELS = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
PARTS = 10  # number of parts of equal weight, by prediction, whose residuals are summarized


@dataclass(frozen=True, slots=True)
class ResidualPart:
    """Residuals of rows with predictions in an interval."""

    # low, high: the smallest and the largest prediction
    low: float
    high: float
    weight: float  # of the rows
    # mean, spread: mean and standard deviation of their residuals
    mean: float
    spread: float


@dataclass(frozen=True, eq=False, repr=False)
class Residuals(ShowsText):
    """Result of `residuals`.

    Parameters
    ----------
    predicted, residual, weights : array of float64
        By row; rows without a target or a weight are left out.
    mean, spread : float
        Mean and standard deviation of the residuals.
    quantiles : array of float64
        At the probabilities `LEVELS` of the weight.
    parts : tuple of ResidualPart
        Tenths of the rows by prediction and weight: if the mean or the spread changes along them, the model misses
        something.
    """

    predicted: Floats
    residual: Floats
    weights: Floats
    mean: float
    spread: float
    quantiles: Floats
    parts: tuple[ResidualPart, ...]

    def normal_places(self) -> tuple[Floats, Floats]:
        """Return the quantiles of a normal distribution with this mean and spread, and the observed ones, ascending."""
        from scipy.special import ndtri  # noqa: PLC0415 - only to draw

        order = np.argsort(self.residual, kind="stable")
        weights = self.weights[order]
        places = (np.cumsum(weights) - weights / 2) / weights.sum()
        return self.mean + self.spread * ndtri(places), self.residual[order]

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON."""
        about = {"rows": len(self.residual)} | plain_fields(self, "mean spread") | {"levels": list(LEVELS)}
        return about | plain_fields(self, "quantiles parts predicted residual weights")

    def text(self) -> str:
        """The residuals as text, without a trailing newline."""
        names = ("least", *(f"{100 * level:g}%" for level in LEVELS[1:-1]), "greatest")
        rows = [["", *names], ["residual", *(short_number(value, 4) for value in self.quantiles.tolist())]]
        along = [["predicted", "weight", "mean residual", "spread"]]
        for part in self.parts:
            ends = f"{short_number(part.low, 4)} to {short_number(part.high, 4)}"
            figures = (short_number(part.mean, 3), "-" if math.isnan(part.spread) else short_number(part.spread, 3))
            along.append([ends, f"{part.weight:g}", *figures])
        head = f"true minus predicted: mean {short_number(self.mean, 4)}, spread {short_number(self.spread, 4)}"
        return "\n".join([f"{head} ({len(self.residual)} rows)", "", *aligned(rows), "", *aligned(along)])

    def chart(self, *, axes: Axes = None) -> Axes:
        """Residuals against predictions and (in a second chart) against a normal distribution."""
        from hornbeam.show.charts.curve_charts import residual_panels  # noqa: PLC0415 - only to draw

        means = [(part.low, part.high, part.mean) for part in self.parts]
        return residual_panels(self.predicted, self.residual, means, self.normal_places(), axes=axes)


def residuals(truth: ArrayLike, predicted: ArrayLike, weights: ArrayLike | None = None) -> Residuals:
    """Compute the residuals: true minus predicted.

    Parameters
    ----------
    truth, predicted : array
        Numbers by row; rows where either is NaN are left out.
    weights : array, optional
        Row weights.

    Returns
    -------
    Residuals

    Examples
    --------
    >>> found = residuals([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])
    >>> found.residual.tolist(), round(found.mean, 3)
    ([-0.5, 0.0, 1.0], 0.167)
    """
    true, said = np.asarray(truth, np.float64), np.asarray(predicted, np.float64)
    if true.ndim != 1 or said.shape != true.shape:
        raise ValueError(f"truth has shape {true.shape} and predicted {said.shape}; expected one number per row")
    counted = row_weights(weights, len(true))
    kept = ~np.isnan(true) & ~np.isnan(said) & (counted > 0)
    if not kept.any():
        raise ValueError(f"none of {len(true)} rows has a target, a prediction and a weight")
    said, left, counted = said[kept], (true - said)[kept], counted[kept]
    mean, spread = _summed(left, counted)
    place = parts_by_weight(said, counted, PARTS)
    parts = []
    for number in np.unique(place).tolist():
        here = place == number
        low, high = float(said[here].min()), float(said[here].max())
        parts.append(ResidualPart(low, high, float(counted[here].sum()), *_summed(left[here], counted[here])))
    return Residuals(said, left, counted, mean, spread, _quantiles(left, counted), tuple(parts))


def _summed(values: Floats, weights: Floats) -> tuple[float, float]:
    """Mean and standard deviation, the latter for the effective number of rows."""
    total = float(weights.sum())
    mean = float(weights @ values) / total
    rows = total**2 / float(weights @ weights)
    if rows <= 1 + 1e-12:
        return mean, math.nan
    return mean, math.sqrt(float(weights @ (values - mean) ** 2) / total * rows / (rows - 1))


def _quantiles(values: Floats, weights: Floats) -> Floats:
    """The smallest value at or below which a fraction of the weight lies."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    wanted = np.array(LEVELS) * reached[-1] * (1 - 1e-12)  # allow for rounding of the sum of weights
    found: Floats = values[order][np.searchsorted(reached, wanted)]
    return found
