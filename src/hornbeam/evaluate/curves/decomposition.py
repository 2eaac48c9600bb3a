"""Decomposition of the expected error into noise, bias and variance, for squared and for zero-one loss.

Predictions of many models are added one model after another, so that only sums by row are kept. A row may be predicted
by only some of the models (those that have not seen it).

Squared loss: for a row with the noise-free value t, the target y = t + noise, and predictions f: the mean of (y - f)²
is (y - t)² + (t - mean f)² + variance of f, and a cross term that is zero on average. Zero-one loss is decomposed as by
P. Domingos, *A unified bias-variance decomposition* (2000): the main prediction is the most frequent one among the
models, bias is its error, and variance is how often models differ from it. If the main prediction is right, variance
adds to the error; if it is wrong, variance reduces the error whenever a model predicts the right class.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam._display import ShowsText
from hornbeam.data.in_words import percent
from hornbeam.evaluate.curves.ranked_rows import row_weights
from hornbeam.evaluate.plain import plain_fields
from hornbeam.show.texts.columns import aligned
from hornbeam.show.texts.wording import LARGE, SMALL, short_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import Bools, Floats, Indices

FEWEST = 2  # minimum number of predictions of a row: one has no variance
FIGURES = 4  # significant digits of the largest number shown
NO_NOISE = "noise is not known separately, so bias includes it"


@dataclass(frozen=True, slots=True, repr=False)
class SquaredLoss(ShowsText):
    """The expected squared error and its parts: ``error = noise + bias + variance + cross``.

    Parameters
    ----------
    error : float
        The mean squared error of a single model, over models and rows.
    noise : float or None
        Squared distance of the target from its noise-free value; None if unknown.
    bias : float
        Squared distance of the models' mean prediction from the noise-free value or, if that is unknown, from the
        target, so that it includes noise. An unbiased estimate, which may be below zero.
    variance : float
        Squared distance of the models from their mean (unbiased).
    cross : float
        The correlation of noise and bias by chance: zero on average over targets, and zero if noise is unknown.
    n_rows : int
        Rows with two or more predictions.
    models_per_row : float
        How many models predicted a row, on average.
    """

    error: float
    noise: float | None
    bias: float
    variance: float
    cross: float
    n_rows: int
    models_per_row: float

    def parts(self) -> dict[str, float]:
        """The parts of the error by name, in the order in which they are drawn."""
        known = {} if self.noise is None else {"noise": self.noise}
        return known | {"bias²" if known else "bias² and noise": self.bias, "variance": self.variance}

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"loss": "squared"} | plain_fields(self, "error noise bias variance cross rows=n_rows models_per_row")

    def text(self) -> str:
        """The parts as text, without a trailing newline."""
        text = {"noise": "known from the noise-free values", "variance": "models from their mean"}
        write = decimals_for(self.error)
        rows = [
            [name, write(value), text.get(name, "mean prediction from the truth")]
            for name, value in self.parts().items()
        ]
        if self.noise is not None:
            rows.append(["cross term", write(self.cross), "noise and bias, by chance; 0 on average"])
        rows.append(["expected squared error", write(self.error), "their sum"])
        lines = aligned(rows, left=(0, 2))
        return "\n".join(lines if self.noise is not None else [*lines, NO_NOISE])


@dataclass(frozen=True, slots=True, repr=False)
class ZeroOneLoss(ShowsText):
    """The expected fraction of wrong predictions and its parts: ``error = noise + bias + net variance``.

    Parameters
    ----------
    error : float
        The fraction of wrong predictions of a single model, over models and rows.
    noise : float or None
        The effect of noise: a wrong target adds an error if a model predicts the best class, and removes one if it
        predicts the wrong target. None if the best class is unknown.
    bias : float
        Fraction of rows whose main prediction is not the best class (or the target, if that is unknown).
    variance : float
        How often a model's prediction differs from the main one.
    unbiased_variance : float
        The same for rows whose main prediction is right: the errors that variance adds.
    biased_variance : float
        For rows whose main prediction is wrong, how often models differ from it and are right: the errors that variance
        removes. With two classes, every prediction that differs is right.
    n_rows : int
        Rows with two or more predictions.
    models_per_row : float
        How many models predicted a row, on average.
    """

    error: float
    noise: float | None
    bias: float
    variance: float
    unbiased_variance: float
    biased_variance: float
    n_rows: int
    models_per_row: float

    @property
    def net_variance(self) -> float:
        """The errors that variance adds minus those that it removes."""
        return self.unbiased_variance - self.biased_variance

    def parts(self) -> dict[str, float]:
        """The parts of the error by name, in the order in which they are drawn."""
        known = {} if self.noise is None else {"noise": self.noise}
        return known | {"bias" if known else "bias and noise": self.bias, "net variance": self.net_variance}

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON."""
        names = "error noise bias variance unbiased_variance biased_variance net_variance rows=n_rows models_per_row"
        return {"loss": "zero-one"} | plain_fields(self, names)

    def text(self) -> str:
        """The parts as text, without a trailing newline."""
        sum_of = "bias and net variance" if self.noise is None else "noise, bias and net variance"
        rows: list[tuple[str, float, str]] = []
        if self.noise is not None:
            rows.append(("noise", self.noise, "error caused by wrong targets"))
        rows += [
            ("bias" if rows else "bias and noise", self.bias, "rows whose main prediction is wrong"),
            ("net variance", self.net_variance, "cost of differing from the main prediction minus its gain:"),
            ("  costs", self.unbiased_variance, "predictions that differ if the main one is right"),
            ("  saves", self.biased_variance, "predictions that differ if it is wrong, and are right"),
            ("expected error", self.error, f"the sum of {sum_of}"),
            ("variance", self.variance, "all predictions that differ from the main one"),
        ]
        cells = [[name, percent(value, 2), what] for name, value, what in rows]
        lines = aligned(cells, left=(0, 2))
        return "\n".join(lines if self.noise is not None else [*lines, NO_NOISE])


def decimals_for(largest: float) -> Callable[[float], str]:
    """Return a function that writes numbers with the same number of decimals, chosen for the largest of them.

    Examples
    --------
    >>> write = decimals_for(0.306)
    >>> write(0.306), write(0.00005371), write(-0.00001)
    ('0.3060', '0.0001', '0.0000')
    """
    if not SMALL <= largest < LARGE:
        return lambda value: short_number(value, FIGURES)
    decimals = max(FIGURES - 1 - math.floor(math.log10(largest)), 0)
    return lambda value: f"{round(value, decimals) + 0.0:.{decimals}f}"  # adding 0.0 turns -0 into 0


class SumsOfNumbers:
    """Running sums of the predictions of regression models.

    Parameters
    ----------
    target : array
        The true value of each row.

    Examples
    --------
    >>> sums = SumsOfNumbers([1.0, 2.0])
    >>> for predictions in ([1.0, 4.0], [3.0, 4.0]):
    ...     sums.add(predictions)
    >>> found = sums.split()
    >>> found.error, found.bias, found.variance
    (3.0, 2.0, 1.0)
    """

    def __init__(self, target: ArrayLike) -> None:
        self.target = np.asarray(target, np.float64)
        self.count = np.zeros(len(self.target))
        # Sums of distances from the target, whose squares have the size of the errors even if the target is large.
        self.total = np.zeros(len(self.target))
        self.squares = np.zeros(len(self.target))

    def add(self, predicted: ArrayLike, held_out: ArrayLike | None = None) -> None:
        """Add a model's predictions, if `held_out` is given only those of held-out rows."""
        away = np.asarray(predicted, np.float64) - self.target
        here = np.ones(len(away), np.bool_) if held_out is None else np.asarray(held_out, np.bool_)
        if not np.isfinite(away[here]).all():
            row = int(np.flatnonzero(here & ~np.isfinite(away))[0])
            raise ValueError(
                f"a model predicted {np.asarray(predicted)[row]} at row {row + 1}; expected a finite number"
            )
        self.count += here
        self.total[here] += away[here]
        self.squares[here] += away[here] ** 2

    def split(self, truth: ArrayLike | None = None, weights: ArrayLike | None = None) -> SquaredLoss:
        """Decompose the expected error.

        Parameters
        ----------
        truth : array, optional
            The noise-free value of each row.
        weights : array, optional
            Row weights.
        """
        kept, counted = _kept(self.count, weights)
        count, total = self.count[kept], self.total[kept] / self.count[kept]
        error = self.squares[kept] / count
        spread = np.maximum(error - total**2, 0.0)  # variance of these predictions around their mean
        variance = spread * count / (count - 1)
        noise, mean_away = None, total
        cross = 0.0
        if truth is not None:
            given = np.asarray(truth, np.float64)
            if given.shape != self.target.shape or not np.isfinite(given).all():
                msg = (
                    f"truth has shape {given.shape}; expected {len(self.target)} finite numbers: the noise-free values"
                )
                raise ValueError(msg)
            off = (given - self.target)[kept]
            mean_away = total - off
            noise, cross = float(counted @ off**2), 2 * float(counted @ (off * mean_away))
        bias = mean_away**2 - variance / count  # the mean of `count` predictions varies too
        return SquaredLoss(
            error=float(counted @ error),
            noise=noise,
            bias=float(counted @ bias),
            variance=float(counted @ variance),
            cross=cross,
            n_rows=len(count),
            models_per_row=float(count.mean()),
        )


class Votes:
    """Counts of the predictions of classification models.

    Parameters
    ----------
    target : array of int
        The code of each row's class.
    classes : int
        How many classes there are.

    Examples
    --------
    >>> votes = Votes([0, 1], 2)
    >>> for predictions in ([0, 0], [0, 1], [1, 0]):
    ...     votes.add(predictions)
    >>> found = votes.split()
    >>> [round(figure, 3) for figure in (found.error, found.bias, found.net_variance)]
    [0.5, 0.5, 0.0]
    """

    def __init__(self, target: ArrayLike, classes: int) -> None:
        self.target = np.asarray(target, np.intp)
        self.counts = np.zeros((len(self.target), classes + 1))  # the last column: no prediction, never right

    def add(self, predicted: ArrayLike, held_out: ArrayLike | None = None) -> None:
        """Count a model's predictions (-1: none), if `held_out` is given only those of held-out rows."""
        rows = np.arange(len(self.target)) if held_out is None else np.flatnonzero(held_out)
        self.counts[rows, np.asarray(predicted, np.intp)[rows]] += 1  # -1 is the last column

    def split(self, truth: ArrayLike | None = None, weights: ArrayLike | None = None) -> ZeroOneLoss:
        """Decompose the expected error.

        Parameters
        ----------
        truth : array of int, or of float (rows, classes), optional
            The noise-free class of each row; or the true probability of every class, and then the expectation is over
            targets too. Without it, targets are assumed noise-free.
        weights : array, optional
            Row weights.
        """
        totals = self.counts.sum(axis=1)
        kept, counted = _kept(totals, weights)
        shares, rows = self.counts[kept] / totals[kept, None], np.arange(int(kept.sum()))
        best, probabilities = self._best(truth, kept)
        main = shares.argmax(axis=1)  # the first in a tie
        right = main == best
        differs, hits = 1 - shares[rows, main], shares[rows, best]
        error = 1 - (probabilities * shares[:, :-1]).sum(axis=1)
        return ZeroOneLoss(
            error=float(counted @ error),
            noise=None if truth is None else float(counted @ (error - (1 - hits))),
            bias=float(counted @ ~right),
            variance=float(counted @ differs),
            unbiased_variance=float(counted @ np.where(right, differs, 0.0)),
            biased_variance=float(counted @ np.where(right, 0.0, hits)),
            n_rows=len(rows),
            models_per_row=float(totals[kept].mean()),
        )

    def _best(self, truth: ArrayLike | None, kept: Bools) -> tuple[Indices, Floats]:
        """Return each row's best class, and the probability that each class is its target."""
        classes = self.counts.shape[1] - 1
        given = None if truth is None else np.asarray(truth)
        if given is not None and given.ndim > 1:
            if given.shape != (len(self.target), classes) or not np.allclose(given.sum(axis=1), 1.0):
                shape = f"({len(self.target)}, {classes})"
                raise ValueError(f"truth has shape {given.shape}; expected probabilities that add up to 1, {shape}")
            return given[kept].argmax(axis=1), given[kept].astype(np.float64)
        if given is not None and (given.shape != self.target.shape or given.min() < 0 or given.max() >= classes):
            msg = f"truth is not an array of {len(self.target)} codes from 0 to {classes - 1}: the noise-free classes"
            raise ValueError(msg)
        probabilities = np.eye(classes)[self.target[kept]]
        return (self.target if given is None else given.astype(np.intp))[kept], probabilities


def _kept(count: Floats, weights: ArrayLike | None) -> tuple[Bools, Floats]:
    """Return which rows have enough predictions, and their normalized weights."""
    counted = row_weights(weights, len(count))
    kept = (count >= FEWEST) & (counted > 0)
    if not kept.any():
        raise ValueError(f"no row was predicted by {FEWEST} models or more; expected more models")
    return kept, counted[kept] / counted[kept].sum()
