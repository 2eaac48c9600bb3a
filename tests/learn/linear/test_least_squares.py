"""Least squares against NumPy's, and the choice of terms against a program that solves every system anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam.learn.linear.least_squares import GramSystem, moments, select, solve, spread
from hornbeam.learn.linear.polynomial import solve_by_triangle
from hornbeam.learn.linear.row_by_row import by_quicksort, solve_row_by_row

if TYPE_CHECKING:
    from numpy.typing import NDArray


def drawn(seed: int, rows: int = 60, columns: int = 5, noise: float = 1.0) -> tuple[NDArray[Any], NDArray[Any]]:
    random = np.random.default_rng(seed)
    x = random.normal(size=(rows, columns)) * 10.0 ** random.integers(-3, 4, columns) + random.normal(size=columns) * 50
    true = random.normal(size=columns) * (random.random(columns) < 0.6) / x.std(axis=0)
    return x, x @ true + noise * random.normal(size=rows) + 7


def naive(
    x: NDArray[Any], y: NDArray[Any], kept: list[int], ridge: float, w: NDArray[Any]
) -> tuple[NDArray[Any], float]:
    """Standardized coefficients and squared error, straight from the definition."""
    z = (x - np.average(x, axis=0, weights=w)) / np.sqrt(
        np.average((x - np.average(x, axis=0, weights=w)) ** 2, axis=0, weights=w)
    )
    t = y - np.average(y, weights=w)
    t = t / np.sqrt(np.average(t**2, weights=w))
    z = z[:, kept]
    b = np.linalg.solve(z.T @ (z * w[:, None]) + ridge * np.eye(len(kept)), z.T @ (t * w)) if kept else np.zeros(0)
    return b, float((w * (t - z @ b) ** 2).sum())


def naive_selection(x: NDArray[Any], y: NDArray[Any], how: str, ridge: float, w: NDArray[Any]) -> list[int]:
    kept = list(range(x.shape[1]))
    b, full = naive(x, y, kept, ridge, w)
    parameters = len(kept) + 1
    best = w.sum() - parameters + 2 * parameters
    while kept:
        without = [[k for k in kept if k != gone] for gone in kept]
        errors = [naive(x, y, rest, ridge, w)[1] for rest in without]
        place = int(np.abs(b).argmin()) if how == "smallest" else int(np.argmin(errors))
        found = errors[place] / full * (w.sum() - parameters) + 2 * (len(kept) - 1 + 1)
        if not found < best:
            break
        kept, best = without[place], found
        b = naive(x, y, kept, ridge, w)[0]
    return kept


@given(st.integers(0, 10_000), st.sampled_from(["smallest", "greedy"]), st.sampled_from([1e-8, 0.5, 30.0]))
def test_the_terms_that_stay_are_those_of_the_definition(seed: int, how: Any, ridge: float) -> None:
    x, y = drawn(seed)
    w = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float)
    fit = solve(moments(list(x.T), y, w), ridge, how)
    kept = naive_selection(x, y, how, ridge, w)
    assert fit.kept.tolist() == kept
    b, error = naive(x, y, kept, ridge, w)
    assert fit.standardized == pytest.approx(b)
    scale = np.sqrt(np.average((y - np.average(y, weights=w)) ** 2, weights=w))
    assert fit.error == pytest.approx(error * scale**2)


@given(st.integers(0, 10_000))
def test_without_ridge_it_is_numpy_s_solution(seed: int) -> None:
    x, y = drawn(seed)
    w = np.random.default_rng(seed).random(len(y)) + 0.1
    design = np.column_stack([np.ones(len(y)), x]) * np.sqrt(w)[:, None]
    expected = np.linalg.lstsq(design, y * np.sqrt(w), rcond=None)[0]
    for fit in (solve(moments(list(x.T), y, w), 0.0), solve_by_triangle(list(x.T), y, w)):
        assert fit.intercept == pytest.approx(expected[0], rel=1e-6, abs=1e-6)
        assert fit.coefficients == pytest.approx(expected[1:], rel=1e-6)
        residual = y - fit.intercept - x[:, fit.kept] @ fit.coefficients
        assert fit.error == pytest.approx((w * residual**2).sum())


@given(st.integers(0, 10_000), st.sampled_from(["smallest", "greedy", None]))
def test_row_by_row_gives_the_same_where_rounding_does_not_decide(seed: int, how: Any) -> None:
    x, y = drawn(seed)
    x = (x - x.mean(axis=0)) / x.std(axis=0) + 3  # an offset costs digits there
    fast = solve(moments(list(x.T), y), 1e-8, how, drop_collinear=True)
    slow = solve_row_by_row(list(x.T), y, 1e-8, how, drop_collinear=True)
    assert slow.kept.tolist() == fast.kept.tolist()
    assert slow.coefficients == pytest.approx(fast.coefficients, rel=1e-6)
    assert slow.intercept == pytest.approx(fast.intercept, rel=1e-6, abs=1e-6)
    assert slow.error == pytest.approx(fast.error, rel=1e-6)


def test_a_step_is_a_new_solution() -> None:
    x, y = drawn(3)
    system = GramSystem(moments(list(x.T), y), np.arange(5), 0.7)
    for place in range(5):
        stepped, solved = system.without(place), system.without(place, afresh=True)
        assert stepped.coefficients == pytest.approx(solved.coefficients)
        assert stepped.error == pytest.approx(solved.error)
        assert system.errors_without_each()[place] == pytest.approx(solved.error)


@pytest.mark.parametrize("ridge", [0.0, 1e-8, 1.0])
def test_collinear_columns_share_and_predict_well(ridge: float) -> None:
    x, y = drawn(1, rows=200, columns=4, noise=0.01)
    both = np.column_stack([x, x[:, 0] * 2 + 5, x[:, 1] - x[:, 2], x[:, 0]])
    single = solve(moments(list(x.T), y), ridge)
    for fit in (solve(moments(list(both.T), y), ridge), solve_by_triangle(list(both.T), y)):
        assert np.isfinite(fit.coefficients).all()
        answers = fit.intercept + both[:, fit.kept] @ fit.coefficients
        assert answers == pytest.approx(single.intercept + x @ single.coefficients, abs=0.02 * y.std())
        assert np.abs(fit.standardized).max() < 10
    dropped = solve(moments(list(both.T), y), 1e-8, drop_collinear=True)
    assert np.abs(dropped.standardized).max(initial=0) <= 1.5


def test_of_collinear_terms_the_later_go_before_terms_are_chosen() -> None:
    x, y = drawn(1, rows=200, columns=3)
    x = x / x.std(axis=0)
    y = y + 5 * x[:, 0] - 4 * x[:, 1]
    both = np.column_stack([x[:, 0], x[:, 0] * 2 + 5, x[:, 1], x[:, 1] - x[:, 0], x[:, 2]])
    for how in ("smallest", "greedy"):
        fit = solve(moments(list(both.T), y), 1e-8, how)
        assert set(fit.kept.tolist()) <= {0, 2, 4}
        alone = solve(moments(list(x.T), y), 1e-8, how)
        assert fit.coefficients == pytest.approx(alone.coefficients)
    system = GramSystem(moments(list(both.T), y), np.arange(5), 1e-8)
    assert not system.regular
    assert system.errors_without_each()[1] == pytest.approx(system.error)


def test_more_columns_than_rows() -> None:
    x, y = drawn(5, rows=6, columns=20)
    for fit in (
        solve(moments(list(x.T), y), 1e-8),
        solve(moments(list(x.T), y), 0.0, "greedy"),
        solve_by_triangle(list(x.T), y),
    ):
        assert np.isfinite(fit.coefficients).all()
        assert np.isfinite(fit.intercept)


@pytest.mark.parametrize("size", [1e300, 1e-300, 1.0])
def test_numbers_of_any_size(size: float) -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(50, 2))
    y = 3 + x @ [1.0, -2.0]
    for fit in (solve(moments(list(x.T * size), y * 1e3), 0.0), solve_by_triangle(list(x.T * size), y * 1e3)):
        if size == 1.0 or fit.coefficients[0] != 0:
            assert fit.coefficients * size == pytest.approx([1e3, -2e3])
        assert fit.intercept == pytest.approx(3e3)
    assert spread(np.array([-1.7e308, 1.7e308]), None) == pytest.approx((0.0, 1.7e308))
    with pytest.raises(ValueError, match="too large for a number"):
        solve(moments(list(x.T * 1e-300), y * 1e300), 0.0)


def test_what_does_not_vary_has_no_coefficient() -> None:
    x = np.column_stack([np.full(9, 0.1), np.arange(9.0)])
    fit = solve(moments(list(x.T), 2 * np.arange(9.0)), 1e-8)
    assert fit.kept.tolist() == [1]
    for still in (
        solve(moments(list(x.T), np.full(9, 2.5)), 1e-8, "smallest"),
        solve_by_triangle(list(x.T), np.full(9, 2.5)),
        solve_row_by_row(list(x.T), np.full(9, 2.5), 1e-8, "smallest", drop_collinear=True),
    ):
        assert still.intercept == pytest.approx(2.5)
        assert still.error == pytest.approx(0)
        assert np.abs(still.coefficients).max(initial=0) == 0
    none = solve(moments([], np.arange(4.0)), 1e-8, "greedy")
    assert (none.intercept, none.error) == (1.5, pytest.approx(5.0))


def test_blocks_do_not_change_the_sums() -> None:
    x, y = drawn(8, rows=20_000, columns=3)
    expected = np.linalg.lstsq(np.column_stack([np.ones(len(y)), x]), y, rcond=None)[0]
    for fit in (solve(moments(list(x.T), y), 0.0), solve_by_triangle(list(x.T), y)):
        assert fit.coefficients == pytest.approx(expected[1:], rel=1e-6)
    w = np.full(len(y), 2.0)
    assert solve(moments(list(x.T), y, w), 0.0).error == pytest.approx(2 * solve(moments(list(x.T), y), 0.0).error)


@given(st.integers(0, 10_000), st.floats(1e-6, 1e3), st.booleans())
def test_the_penalty_is_on_coefficients_as_they_are(seed: int, ridge: float, penalize: bool) -> None:
    random = np.random.default_rng(seed)
    x, y, w = random.normal(size=(30, 3)) + 2, random.normal(size=30) + 5, random.random(30) + 0.1
    fit = solve_by_triangle(list(x.T), y, w, ridge, penalize_intercept=penalize)
    design = np.column_stack([np.ones(30), x])
    penalty = ridge * np.diag([float(penalize), 1, 1, 1])
    expected = np.linalg.solve(design.T @ (design * w[:, None]) + penalty, design.T @ (w * y))
    assert [fit.intercept, *fit.coefficients] == pytest.approx(expected, rel=1e-7, abs=1e-9)
    assert fit.error == pytest.approx((w * (y - design @ expected) ** 2).sum())


def test_powers_that_sums_of_products_could_not_tell_apart() -> None:
    x = np.linspace(0, 1, 30)
    true = np.array([1.0, -2, 3, -4, 5, -6, 7, -8, 9])
    fit = solve_by_triangle([x**power for power in range(1, 9)], sum(c * x**p for p, c in enumerate(true)))
    assert fit.coefficients == pytest.approx(true[1:], rel=1e-5)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40))
def test_quicksort_sorts(values: list[int]) -> None:
    order = by_quicksort(np.array(values, float))
    assert sorted(order.tolist()) == list(range(len(values)))
    assert np.array(values)[order].tolist() == sorted(values)


def test_no_selection_keeps_every_term() -> None:
    x, y = drawn(2)
    system = GramSystem(moments(list(x.T), y), np.arange(5), 1e-8)
    assert select(system, None) is system
