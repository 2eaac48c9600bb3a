"""Means and deviations by cluster, against sums of fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam.core.clusters.profile import moments

VALUE = st.one_of(st.just(np.nan), st.integers(-3, 3).map(float), st.floats(-1e6, 1e6), st.floats(1e9, 1e9 + 1))


def found(
    values: list[float], member: list[int], weights: list[float], k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    known, mean, deviation = np.full((3, k + 1), np.nan)
    moments(np.array(values), np.array(member, np.int32), np.array(weights, float), known, mean, deviation)
    return known, mean, deviation


@given(st.lists(st.tuples(VALUE, st.integers(-1, 2), st.integers(1, 4)), max_size=12), st.booleans())
def test_moments(rows: list[tuple[float, int, int]], weighted: bool) -> None:
    values, member, weights = ([row[part] for row in rows] for part in range(3))
    known, mean, deviation = found(values, member, weights if weighted else [], 3)
    for cluster in range(4):
        inside = [
            (Fraction(v), w if weighted else 1)
            for v, m, w in zip(values, member, weights, strict=True)
            if m >= 0 and not np.isnan(v) and cluster in (m, 3)
        ]
        whole = sum(w for _, w in inside)
        assert known[cluster] == whole
        if not inside:
            assert mean[cluster] == deviation[cluster] == 0
            continue
        center = sum(v * w for v, w in inside) / whole
        variance = sum(w * (v - center) ** 2 for v, w in inside) / whole
        apart = max(abs(v) for v in values if not np.isnan(v))
        assert mean[cluster] == pytest.approx(float(center), rel=1e-12, abs=1e-14 * apart)
        assert deviation[cluster] == pytest.approx(float(variance) ** 0.5, rel=1e-9, abs=1e-14 * apart)


def test_the_largest_numbers() -> None:
    known, mean, deviation = found([1.6e308, 1.7e308, 1.5e308, 1.6e308], [0, 0, 1, 1], [], 2)
    assert known.tolist() == [2, 2, 4]
    np.testing.assert_allclose(mean, [1.65e308, 1.55e308, 1.6e308], rtol=1e-12)
    np.testing.assert_allclose(deviation, np.array([0.05, 0.05, 0.1 / 2**0.5]) * 1e308, rtol=1e-9)
