"""G30: entropy, Gini 2p(1-p) and misclassification against p: all 0 at 0 and 1, all greatest at 1/2."""

from __future__ import annotations

import math

import pytest

from hornbeam.learn.trees import criteria
from hornbeam.show import plot

MEASURES = {
    "entropy": criteria.entropy,
    "gini": criteria.gini,
    "misclassification": criteria.misclassification,
}
FORMULAS = {
    "entropy": lambda p: -p * math.log2(p) - (1 - p) * math.log2(1 - p) if 0 < p < 1 else 0.0,
    "gini": lambda p: 2 * p * (1 - p),
    "misclassification": lambda p: min(p, 1 - p),
}
GREATEST = {"entropy": 1.0, "gini": 0.5, "misclassification": 0.5}


@pytest.mark.parametrize("name", MEASURES)
def test_the_measure(name: str) -> None:
    measure = MEASURES[name]
    assert measure([0.0, 1.0]) == measure([1.0, 0.0]) == 0.0
    assert measure([0.5, 0.5]) == GREATEST[name]
    for numerator in range(1025):  # all shares are exact
        p = numerator / 1024
        assert measure([p, 1 - p]) == pytest.approx(FORMULAS[name](p), abs=1e-15)
        assert measure([p, 1 - p]) <= GREATEST[name]


def test_the_curves_as_drawn() -> None:
    axes = plot.impurities(MEASURES, points=129)
    assert [drawn.get_label() for drawn in axes.lines] == list(MEASURES)
    for name, drawn in zip(MEASURES, axes.lines, strict=True):
        shares, values = drawn.get_xdata().tolist(), list(drawn.get_ydata())
        assert (shares[0], shares[64], shares[-1]) == (0.0, 0.5, 1.0)
        assert (values[0], values[-1]) == (0.0, 0.0)
        assert max(values) == values[64] == GREATEST[name]
        assert all(value < values[64] for place, value in enumerate(values) if place != 64)
