"""G17: M5' smoothing, its pruning factor, and the standard-deviation reduction with missing values."""

from __future__ import annotations

import numpy as np
import pytest

import hornbeam
from hornbeam.core.trees.model_tree.equations import smooth

pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")


def test_smoothing_is_the_formula() -> None:
    # A root (q = 10 + 2 x) over a leaf of n rows (p = 1 + 5 x): p' = (n p + k q) / (n + k), k = 15.
    for n in (1.0, 5.0, 40.0):
        start, inputs, coefficients, intercept = smooth(
            np.array([-1, 0, 0], np.int32), np.array([0, 1, 1], np.uint8), np.array([n + 7, n, 7.0]),
            np.array([0, 1, 2]), np.array([1, 2, 2]), np.array([0, 0], np.int32), np.array([2.0, 5.0]),
            np.array([10.0, 1.0, 3.0]), 15.0, 1,
        )  # fmt: skip
        assert start.tolist() == [0, 1, 2, 3]
        assert inputs.tolist() == [0, 0, 0]
        assert coefficients == pytest.approx([2, (n * 5 + 15 * 2) / (n + 15), 15 * 2 / (7 + 15)], rel=1e-12)
        expected = [10, (n * 1 + 15 * 10) / (n + 15), (7 * 3 + 15 * 10) / (7 + 15)]
        assert intercept == pytest.approx(expected, rel=1e-12)


def test_pruning_is_by_the_factor() -> None:
    # Two means against one: with errors a and b and 2 v + 1 = 3 parameters against 1, the split stays while
    # (n + 3) / (n - 3) (a + b) < (n + 1) / (n - 1) c.
    n = 40
    x = np.arange(n, dtype=float)
    for step in np.linspace(0.05, 2.0, 60):
        y = np.where(x < n / 2, 0.0, step) + np.where(np.arange(n) % 2, 1.0, -1.0)
        tree = hornbeam.M5Regressor(leaf="mean", min_samples_leaf=20, smoothing=False).fit(x[:, None], y).model_
        apart = np.abs(y[: n // 2] - y[: n // 2].mean()).sum() + np.abs(y[n // 2 :] - y[n // 2 :].mean()).sum()
        together = np.abs(y - y.mean()).sum()
        stays = (n + 3) / (n - 3) * apart < (n + 1) / (n - 1) * together - 1e-9
        assert (tree.n_leaves == 2) == stays


def test_reduction_is_scaled_by_the_known_share() -> None:
    # SDR = m / T (sd(T) - sum of |Ti| / |T| sd(Ti)), the sums being over the rows whose value is known.
    x = np.array([1.0, 2, 3, 4, 5, 6, np.nan, np.nan])
    y = np.array([1.0, 2, 1, 7, 8, 7, 4, 5])
    tree = hornbeam.TreeRegressor(criterion="sd-reduction", missing="fractional", max_depth=1).fit(x[:, None], y).model_
    known = ~np.isnan(x)
    below, above = y[known & (x <= 3)], y[known & (x > 3)]
    plain = y[known].std() - sum(len(part) / known.sum() * part.std() for part in (below, above))
    assert tree.splits.score[0] == pytest.approx(known.sum() / len(y) * plain, rel=1e-12)
