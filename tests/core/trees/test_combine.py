"""The best cut of a weighted sum of columns: never worse than one column's, and what it claims is what it does."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam.core.trees.split.combine import combine
from hornbeam.core.trees.split.cuts import impurities

CLASSES = ("entropy", "gini", "misclassification", "chi-square")
NUMBERS = ("variance", "deviation")
LOSS = [[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [1.0, 3.0, 0.0]]


def sides(matrix: np.ndarray, coefficients: np.ndarray, cut: float) -> np.ndarray:
    """Which rows go low, the sum added up in column order."""
    total = np.zeros(len(matrix))
    for column, coefficient in zip(matrix.T, coefficients, strict=True):
        total += coefficient * column
    return total <= cut


def left(low: np.ndarray, target: np.ndarray, criterion: Any, weights: np.ndarray, **options: Any) -> float:
    """What is left by a division into two, by the formulas of one branch."""
    stats = []
    for side in (low, ~low):
        if criterion in NUMBERS:
            value = target - np.average(target, weights=weights)
            stats.append([(weights * value**power)[side].sum() for power in range(3)])
        else:
            stats.append(np.bincount(target[side], weights[side], minlength=int(target.max()) + 1).tolist())
    if criterion == "chi-square":
        part = np.array(stats)
        shares = part.sum(axis=0) / part.sum()
        with np.errstate(invalid="ignore"):
            return float(-np.nansum(part**2 / shares / part.sum(axis=1, keepdims=True)))
    return float(impurities(stats, criterion, **options).sum())


def best_single(matrix: np.ndarray, target: np.ndarray, criterion: Any, weights: np.ndarray, least: float) -> float:
    best = math.inf
    for column in matrix.T:
        values = np.unique(column)
        for low_value in values[:-1]:
            low = column <= low_value
            if min(weights[low].sum(), weights[~low].sum()) >= least - 1e-6:
                best = min(best, left(low, target, criterion, weights))
    return best


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, Any, np.ndarray | None]:
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n_columns = draw(st.integers(2, 40)), draw(st.integers(1, 4))
    criterion = draw(st.sampled_from(CLASSES + NUMBERS))
    matrix = random.integers(-3, 4, (n_rows, n_columns)) * draw(st.sampled_from([1.0, 0.1, 1e6]))
    if draw(st.booleans()):
        matrix = matrix + random.normal(size=matrix.shape)
    target = random.normal(size=n_rows) if criterion in NUMBERS else random.integers(0, 3, n_rows)
    weights = random.choice([0.25, 0.5, 1.0, 3.0], n_rows) if draw(st.booleans()) else None
    return matrix, target, criterion, weights


@given(problems(), st.sampled_from([0.0, 1.0, 2.5]))
def test_never_worse_than_one_column_and_what_is_told_is_so(problem: Any, least: float) -> None:
    matrix, target, criterion, weights = problem
    coefficients, cut, mass = combine(matrix, target, criterion, weights, least)
    weight = np.ones(len(matrix)) if weights is None else weights
    single = best_single(matrix, target, criterion, weight, least)
    if mass == math.inf:
        assert single == math.inf
        assert not coefficients.any()
        return
    # The root of what rounding leaves of squares is not small.
    scale = (1e-6 if criterion == "deviation" else 1e-9) * max(1.0, abs(single))
    assert mass <= single + scale
    low = sides(matrix, coefficients, cut)
    assert 0 < low.sum() < len(matrix)
    assert min(weight[low].sum(), weight[~low].sum()) >= least - 1e-6
    assert left(low, target, criterion, weight) == pytest.approx(mass, rel=1e-9, abs=scale)
    assert coefficients[np.flatnonzero(coefficients)[0]] == 1.0
    if np.count_nonzero(coefficients) == 1:
        assert mass == pytest.approx(single, rel=1e-9, abs=scale)


def aslant(n_rows: int, noise: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    matrix = random.uniform(size=(n_rows, 2 + noise))
    return matrix, (matrix[:, 0] + matrix[:, 1] > 1.0).astype(int)


@pytest.mark.parametrize("criterion", CLASSES)
@pytest.mark.parametrize("n_rows", [300, 3000])  # sorted by merging, and by digits
def test_a_slanting_border_is_found(criterion: Any, n_rows: int) -> None:
    matrix, target = aslant(n_rows)
    coefficients, cut, _ = combine(matrix, target, criterion)
    np.testing.assert_allclose(coefficients, [1.0, 1.0], rtol=0.05)
    assert cut == pytest.approx(1.0, rel=0.05)
    assert (sides(matrix, coefficients, cut) != (target == 0)).mean() < 0.01
    single = best_single(matrix[:300], target[:300], "misclassification", np.ones(300), 0.0)
    assert single > 0.15 * 300  # no column alone comes near


def test_columns_that_say_nothing_are_dropped() -> None:
    matrix, target = aslant(1000, noise=4)
    coefficients, _, _ = combine(matrix[:, ::-1], target, "gini")
    assert np.flatnonzero(coefficients).tolist() == [4, 5]
    every, _, _ = combine(matrix, target, "gini", least_share=0.0)
    assert np.count_nonzero(every) > 2


def test_numbers_are_cut_aslant_too() -> None:
    matrix, border = aslant(500, noise=1)
    target = 5.0 * border + np.random.default_rng(2).normal(size=500) * 0.1
    coefficients, cut, _ = combine(matrix, target, "variance")
    np.testing.assert_allclose(coefficients, [1.0, 1.0, 0.0], rtol=0.05)
    assert cut == pytest.approx(1.0, rel=0.05)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_the_order_of_columns_does_not_matter(criterion: Any) -> None:
    random = np.random.default_rng(3)
    matrix = random.normal(size=(200, 3))
    target = (matrix @ [1.0, -2.0, 0.7] + random.normal(size=200) > 0.3).astype(int)
    found = [combine(matrix[:, list(order)], target, criterion)[2] for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0))]
    single = best_single(matrix, target, criterion, np.ones(200), 0.0)
    # The search goes from column to column, so another order may end elsewhere, but about as well.
    assert max(found) < single
    assert max(found) - min(found) < 0.5 * (single - min(found))
    two = matrix[:, :2]
    one, other = combine(two, target, criterion), combine(two[:, ::-1], target, criterion)
    assert one[2] == pytest.approx(other[2], rel=0.05)


@given(st.integers(0, 2**32 - 1), st.sampled_from(["gini", "entropy", "misclassification"]))
def test_a_weight_is_a_row_repeated(seed: int, criterion: Any) -> None:
    random = np.random.default_rng(seed)
    matrix, target = random.integers(-4, 5, (30, 3)) * 0.5, random.integers(0, 3, 30)
    times = random.integers(1, 4, 30)
    weighted = combine(matrix, target, criterion, times.astype(float), 4.0)
    repeated = combine(np.repeat(matrix, times, axis=0), np.repeat(target, times), criterion, None, 4.0)
    assert weighted[0].tolist() == repeated[0].tolist()
    assert weighted[1:] == repeated[1:]


@given(st.integers(0, 2**32 - 1))
def test_scale_and_origin_of_a_column_do_not_matter(seed: int) -> None:
    random = np.random.default_rng(seed)
    matrix, target = random.integers(-8, 9, (40, 2)) * 1.0, random.integers(0, 2, 40)
    plain, _, mass = combine(matrix, target, "gini")
    scaled, _, same = combine(matrix * [4.0, 0.5] + [16.0, 0.0], target, "gini")
    assert same == mass
    assert (scaled != 0).tolist() == (plain != 0).tolist()
    if np.count_nonzero(plain) == 2:
        assert scaled[1] == pytest.approx(plain[1] * 8.0)


def test_costs_of_errors_count() -> None:
    random = np.random.default_rng(4)
    matrix = random.normal(size=(120, 2))
    target = np.digitize(matrix.sum(axis=1) + random.normal(size=120), [-0.5, 0.5])
    coefficients, cut, mass = combine(matrix, target, "misclassification", loss=LOSS)
    low = sides(matrix, coefficients, cut)
    assert mass == pytest.approx(left(low, target, "misclassification", np.ones(120), loss=LOSS))


def test_nothing_to_cut() -> None:
    for matrix in ([[1.0, 2.0]], [[1.0, 2.0]] * 5):
        coefficients, _, mass = combine(matrix, [0] * len(matrix), "gini")
        assert mass == math.inf
        assert not coefficients.any()
    assert combine([[1.0], [2.0], [3.0]], [0, 1, 1], "gini") == (np.array([1.0]), 1.5, 0.0)
    huge = combine([[-1e308, 1e-300], [1e308, 2e-300], [1e308, 1e-300]], [0, 1, 1], "gini")
    assert huge[1:] == (0.0, 0.0)


def test_what_cannot_be_combined_is_refused() -> None:
    with pytest.raises(ValueError, match="finite numbers"):
        combine([[np.nan, 1.0]], [0], "gini")
    with pytest.raises(ValueError, match="2 targets for 1 rows"):
        combine([[1.0]], [0, 1], "gini")
    with pytest.raises(ValueError, match="start at 0"):
        combine([[1.0]], [-1], "gini")
    with pytest.raises(ValueError, match="1 weights for 2 rows"):
        combine([[1.0], [2.0]], [0, 1], "gini", [1.0])
    with pytest.raises(ValueError, match="each pair of 2 classes"):
        combine([[1.0], [2.0]], [0, 1], "misclassification", loss=[[0.0]])
