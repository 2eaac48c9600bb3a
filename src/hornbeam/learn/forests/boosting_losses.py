"""The losses that boosting minimizes: by name, their starting scores, and their values on rows.

Gradients are computed by the kernel (`hornbeam.core.forests.boost.boost`); this module is needed once per fit, or once
per round on the held-out rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hornbeam.core.forests.boost.boost import LOSSES

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats


Link = Literal["identity", "logistic", "softmax", "exp"]
LEAST_BEND = 1e-37  # of Huber's loss, so that gradients are not all zero
LEAST_SHARE = 1e-15  # the fraction of a class without rows, so that its logarithm is a number
NUMBER_LOSSES = ("squared", "absolute", "huber", "quantile", "poisson")
CLASS_LOSSES = ("auto", "logistic", "multinomial")
LINKS: dict[str, Link] = {"poisson": "exp", "logistic": "logistic", "multinomial": "softmax"}
MEETS = 1e-12  # fraction of the whole weight up to which a level counts as met exactly


@dataclass(frozen=True)
class Loss:
    """A loss of scores against targets."""

    name: str  # one of `LOSSES`
    n_outputs: int = 1  # the number of scores of a row: the classes of the multinomial loss, otherwise 1
    level: float = 0.5  # the quantile; for Huber's loss, the fraction of rows whose error counts squared

    @property
    def code(self) -> int:
        """The kernel's number for it."""
        return LOSSES.index(self.name)

    @property
    def link(self) -> Link:
        """The function from a score to a prediction."""
        return LINKS.get(self.name, "identity")

    def base(self, target: Floats, weights: Floats | None) -> Floats:
        """The best scores if nothing is known about a row."""
        if self.name in {"absolute", "huber", "quantile"}:
            return np.array([weighted_quantile(target, weights, 0.5 if self.name != "quantile" else self.level)])
        if self.name == "multinomial":
            total = np.bincount(target.astype(np.intp), weights, self.n_outputs)
            return np.asarray(np.log(np.maximum(total / total.sum(), LEAST_SHARE)))
        mean = float(target[0] if (target == target[0]).all() else np.average(target, weights=weights))
        if self.name == "poisson":
            return np.array([np.log(mean)])
        if self.name == "logistic":
            return np.array([np.log(max(mean, LEAST_SHARE)) - np.log(max(1.0 - mean, LEAST_SHARE))])
        return np.array([mean])

    def parameter(self, scores: Floats, target: Floats, weights: Floats | None) -> float:
        """Further parameters for the kernel: Huber's threshold, the quantile, the factor of second derivatives."""
        if self.name == "huber":
            return max(weighted_quantile(np.abs(target - scores[0]), weights, self.level), LEAST_BEND)
        if self.name == "multinomial":
            return self.n_outputs / max(self.n_outputs - 1, 1)
        return self.level

    def mean(self, scores: Floats, target: Floats, weights: Floats | None, parameter: float) -> float:
        """The mean loss of rows; `scores` are outputs x rows."""
        return float(np.average(self.each(scores, target, parameter), weights=weights))

    def each(self, scores: Floats, target: Floats, parameter: float) -> Floats:
        """The loss of every row."""
        return np.asarray(self._each(scores, target, parameter), np.float64)

    def _each(self, scores: Floats, target: Floats, parameter: float) -> Any:
        score = scores[0]
        if self.name == "logistic":
            return np.logaddexp(0.0, score) - target * score
        if self.name == "multinomial":
            top = scores.max(axis=0)
            own = scores[target.astype(np.intp), np.arange(scores.shape[1])]
            return np.log(np.exp(scores - top).sum(axis=0)) + top - own
        if self.name == "poisson":
            return np.exp(score) - target * score
        off = target - score
        size = np.abs(off)
        if self.name == "squared":
            return 0.5 * off * off
        if self.name == "huber":
            return np.where(size <= parameter, 0.5 * off * off, parameter * (size - 0.5 * parameter))
        return size if self.name == "absolute" else np.where(off >= 0, parameter * size, (1.0 - parameter) * size)


def weighted_quantile(numbers: Floats, weights: Floats | None, level: float) -> float:
    """The least number at which the cumulative weight reaches the level; halfway to the next if it is met exactly."""
    order = np.argsort(numbers, kind="stable")
    reached = np.cumsum(np.ones(len(order)) if weights is None else weights[order])
    wanted = level * reached[-1]
    index = min(int(np.searchsorted(reached, wanted - MEETS * reached[-1])), len(order) - 1)
    quantile = float(numbers[order[index]])
    later = numbers[order[index + 1 :]]
    if len(later) and abs(reached[index] - wanted) <= MEETS * reached[-1]:
        return 0.5 * (quantile + float(later[0]))
    return quantile
