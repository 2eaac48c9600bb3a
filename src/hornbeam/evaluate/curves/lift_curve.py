"""Gain and lift: how much of a class is found by selecting rows by decreasing probability, and at random."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.in_words import percent
from hornbeam.evaluate.curves.ranked_rows import class_rows, ranked, running
from hornbeam.evaluate.scores import or_none
from hornbeam.show.texts.columns import aligned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

SHOWN = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0)  # fractions of rows that are reported


@dataclass(frozen=True, eq=False)
class LiftCurve:
    """Result of `lift`.

    Parameters
    ----------
    thresholds : array of float64
        Descending: rows with this fraction or more are asked. The first is infinite: none is.
    asked : array of float64
        The fraction of all rows that is asked.
    gain : array of float64
        The fraction of the class that is found.
    lift : array of float64
        Gain by share asked: how many times as many rows of the class as among as many rows at random. NaN for no row.
    baseline : float
        The class's fraction of all rows.
    inside : float
        Weight of the rows of the class.
    """

    thresholds: NDArray[np.float64]
    asked: NDArray[np.float64]
    gain: NDArray[np.float64]
    lift: NDArray[np.float64]
    baseline: float
    inside: float

    def gain_at(self, asked: ArrayLike) -> NDArray[np.float64]:
        """Return the fraction of the class found where this fraction of rows is asked; within equal rows at random."""
        return np.asarray(np.interp(np.asarray(asked, np.float64), self.asked, self.gain))

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON; values that do not exist are None."""
        return {
            "baseline": self.baseline,
            "inside": self.inside,
            "thresholds": [or_none(value) for value in self.thresholds.tolist()],
            "asked": self.asked.tolist(),
            "gain": self.gain.tolist(),
            "lift": [or_none(value) for value in self.lift.tolist()],
        }

    def figures(self) -> dict[str, str]:
        """The key numbers of the curve, as text."""
        tenth = float(self.gain_at(0.1))
        return {"found in the first tenth": percent(tenth), "lift there": f"{10 * tenth:.2f}"}

    def text(self) -> str:
        """The curve as text, without a trailing newline."""
        found = self.gain_at(SHOWN)
        rows = [["rows selected", *(f"{100 * share:g}%" for share in SHOWN)]]
        rows.append(["of the class found", *(percent(gain) for gain in found.tolist())])
        rows.append(["lift", *(f"{gain / share:.2f}" for gain, share in zip(found.tolist(), SHOWN, strict=True))])
        head = f"the class is {percent(self.baseline)} of all rows; rows are selected by decreasing probability"
        return "\n".join([head, "", *(line.rstrip() for line in aligned(rows))])

    def chart(self, *, axes: Any = None) -> Any:  # noqa: ANN401 - matplotlib's Axes
        """The gain, drawn by matplotlib, with those of an order at random and of a perfect one."""
        return lift_chart({"": self}, axes=axes)


def lift(truth: ArrayLike, share: ArrayLike, weights: ArrayLike | None = None, *, positive: int = 1) -> LiftCurve:
    """How much of a class is found by asking rows in the order of their probability.

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
    LiftCurve

    Examples
    --------
    >>> curve = lift([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> curve.asked.tolist(), curve.gain.tolist()
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0, 1.0])
    >>> float(curve.lift[1])
    2.5
    """
    groups = ranked(class_rows(truth, share, weights, positive))
    found, taken = running(groups.inside), running(groups.inside + groups.outside)
    asked, gain = taken / taken[-1], found / found[-1]
    ratio = np.concatenate([[math.nan], gain[1:] / asked[1:]])
    thresholds = np.concatenate([[math.inf], groups.share])
    return LiftCurve(thresholds, asked, gain, ratio, float(found[-1] / taken[-1]), float(found[-1]))


def lift_chart(curves: Mapping[str, LiftCurve], *, axes: Any = None) -> Any:  # noqa: ANN401 - matplotlib's Axes
    """Draw gains, with those of an order at random and (for one class) of a perfect one."""
    from hornbeam.show.charts.curve_charts import curves_on_one  # noqa: PLC0415 - only to draw

    guides: dict[str, Any] = {"at random": ((0.0, 1.0), (0.0, 1.0))}
    if len(curves) == 1:
        guides["perfect"] = ((0.0, next(iter(curves.values())).baseline, 1.0), (0.0, 1.0, 1.0))
    return curves_on_one(
        {name: (curve.asked, curve.gain) for name, curve in curves.items()},
        {name: f"lift {10 * float(curve.gain_at(0.1)):.2f} in the first tenth" for name, curve in curves.items()},
        guides=guides,
        axes=axes,
        title="Gain",
        x_label="rows selected, by decreasing probability",
        y_label="fraction of the class found",
    )
