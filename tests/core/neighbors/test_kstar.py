"""K*: the rate of a number is the one at which the wanted number of rows counts, whatever the values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam.core.neighbors import kstar

AVERAGE = 0


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.sampled_from((1, 2, 31, 33, 64, 65, 700)),
    scale=st.sampled_from((1e-9, 1.0, 1e12)),
    tails=st.booleans(),
    blend=st.sampled_from((0.01, 0.2, 0.9)),
)
def test_the_wanted_number_of_rows_counts(seed: int, n: int, scale: float, tails: bool, blend: float) -> None:
    random = np.random.default_rng(seed)
    drawn = random.standard_cauchy(n) if tails else random.normal(size=n)
    values = np.unique(scale * drawn)
    weights = random.integers(1, 4, len(values)).astype(float)
    asked = np.unique(np.concatenate([scale * random.normal(size=5), random.choice(values, 2)]))
    rates, without = np.empty(len(asked)), np.empty(len(asked))
    kstar.rates(asked, values, weights, blend, 0.0, 0.0, AVERAGE, rates, without)
    for number, rate, lost in zip(asked, rates, without, strict=True):
        away = np.abs(values - number)
        near = weights[away <= away.min() * (1 + 1e-12)].sum()
        likely = weights * np.exp(-rate * (away - away.min()))
        aim = near + blend * (weights.sum() - near)
        if near < weights.sum():
            assert likely.sum() ** 2 / (likely**2 / weights).sum() == pytest.approx(aim, rel=1e-9)
        assert lost == pytest.approx(rate * away.min() - np.log(likely.sum() / weights.sum()), rel=1e-9, abs=1e-9)
