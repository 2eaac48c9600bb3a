"""The solver: the same optimum as scikit-learn's, threads and caches that change nothing.

The conditions of an optimum are checked of every problem that is solved here (`optimum.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, SVR

from hornbeam.learn.base.sparse_input import sparse_rows
from hornbeam.learn.svm.problem import Settings, solve
from hornbeam.model.svm.kernel import Kernel

KERNELS = [
    Kernel("linear"),
    Kernel("polynomial", degree=3, gamma=0.2, coef0=1.0),
    Kernel("polynomial", degree=2, gamma=0.3, coef0=0.0),
    Kernel("rbf", gamma=0.3),
]
THEIR = {"linear": "linear", "polynomial": "poly", "rbf": "rbf", "sigmoid": "sigmoid"}


def rows(n: int = 200, seed: int = 0, columns: int = 6) -> tuple[Any, Any]:
    x, y = make_classification(n, columns, n_informative=4, flip_y=0.1, random_state=seed)
    return np.ascontiguousarray((x - x.mean(axis=0)) / x.std(axis=0)), np.where(y == 1, 1.0, -1.0)


def bounds_of(target: Any, limit: Any) -> tuple[Any, Any]:
    wide = np.broadcast_to(np.asarray(limit, float), target.shape)
    return np.where(target > 0, 0.0, -wide), np.where(target > 0, wide, 0.0)


@pytest.mark.parametrize("kernel", KERNELS, ids=Kernel.describe)
@pytest.mark.parametrize("limit", [0.1, 1.0, 100.0])
def test_the_optimum_is_that_of_scikit_learn(kernel: Kernel, limit: float) -> None:
    x, target = rows()
    found = solve(x, target, bounds_of(target, limit), Settings(kernel, tol=1e-4))
    theirs = SVC(
        C=limit, kernel=THEIR[kernel.name], degree=kernel.degree, gamma=kernel.gamma, coef0=kernel.coef0, tol=1e-4
    ).fit(x, target)
    b = np.zeros(len(x))
    b[theirs.support_] = theirs.dual_coef_[0]
    gram = kernel.values(x, x)
    objective = 0.5 * b @ gram @ b - np.abs(b).sum()
    assert found.objective == pytest.approx(objective, rel=1e-4)
    said = gram @ found.coefficients + found.intercept
    np.testing.assert_allclose(said, theirs.decision_function(x), atol=1e-2)


@pytest.mark.parametrize("kernel", KERNELS, ids=Kernel.describe)
def test_numbers_have_the_optimum_of_scikit_learn(kernel: Kernel) -> None:
    x, _ = rows(150)
    target = np.sin(x[:, 0]) + x[:, 1] ** 2
    limit = np.full(len(x), 2.0)
    found = solve(x, target, (-limit, limit), Settings(kernel, tol=1e-4), epsilon=0.2)
    theirs = SVR(
        C=2.0, epsilon=0.2, kernel=THEIR[kernel.name], degree=kernel.degree, gamma=kernel.gamma, coef0=kernel.coef0,
        tol=1e-4,
    ).fit(x, target)  # fmt: skip
    said = kernel.values(x, x) @ found.coefficients + found.intercept
    np.testing.assert_allclose(said, theirs.predict(x), atol=1e-2)


def test_a_kernel_that_is_not_definite_meets_the_conditions() -> None:
    x, target = rows()
    kernel = Kernel("sigmoid", gamma=0.5, coef0=-1.0)
    found = solve(x, target, bounds_of(target, 1.0), Settings(kernel))
    assert found.converged


@given(
    seed=st.integers(0, 1000),
    n=st.integers(4, 80),
    limit=st.sampled_from([0.01, 1.0, 50.0]),
    place=st.integers(0, len(KERNELS) - 1),
    shrinking=st.booleans(),
    slots=st.integers(2, 20),
)
@settings(max_examples=60, deadline=None)
def test_conditions_of_an_optimum(seed: int, n: int, limit: float, place: int, shrinking: bool, slots: int) -> None:
    random = np.random.default_rng(seed)
    x = np.round(random.normal(size=(n, 3)), 1)
    target = np.where(random.random(n) < 0.5, 1.0, -1.0)
    target[:2] = 1.0, -1.0
    weights = random.choice([0.5, 1.0, 2.0], n)
    bounds = bounds_of(target, limit * weights)
    chosen = Settings(KERNELS[place], tol=1e-4, shrinking=shrinking, cache_bytes=slots * (n + 32) * 4)
    found = solve(x, target, bounds, chosen)
    assert found.converged


def test_neither_threads_nor_the_cache_nor_the_way_rows_are_stored_matter() -> None:
    x, target = rows(5000, columns=9)
    bounds = bounds_of(target, 1.0)
    kernel = Kernel("rbf", gamma=0.4)
    one = solve(x, target, bounds, Settings(kernel))
    assert one.steps > 1000
    for other in (
        Settings(kernel, n_threads=3),
        Settings(kernel, cache_bytes=0),
        Settings(kernel, cache_bytes=3 << 20),
    ):
        assert np.array_equal(solve(x, target, bounds, other).coefficients, one.coefficients)


def test_rows_set_aside_come_back() -> None:
    """Steps from a bad start: rows are set aside early, and the optimum is still that of all rows."""
    x, target = rows(3000, seed=3, columns=8)
    bounds, kernel = bounds_of(target, 10.0), Kernel("rbf", gamma=0.2)
    with_all = solve(x, target, bounds, Settings(kernel, shrinking=False))
    fewer = solve(x, target, bounds, Settings(kernel))
    assert fewer.objective == pytest.approx(with_all.objective, rel=1e-5)


@pytest.mark.parametrize("kernel", [*KERNELS, Kernel("sigmoid", gamma=0.1, coef0=0.0)], ids=Kernel.describe)
def test_sparse_rows_and_given_values_have_the_same_optimum(kernel: Kernel) -> None:
    from scipy import sparse

    x, target = rows(150)
    x[np.random.default_rng(1).random(x.shape) < 0.6] = 0.0
    bounds = bounds_of(target, 1.0)
    dense = solve(x, target, bounds, Settings(kernel, tol=1e-5))
    thin = solve(sparse_rows(sparse.csr_array(x)), target, bounds, Settings(kernel, tol=1e-5))
    given_values = solve(kernel.values(x, x), target, bounds, Settings(Kernel("precomputed"), tol=1e-5))
    for other in (thin, given_values):
        assert other.objective == pytest.approx(dense.objective, rel=1e-5)
        if kernel.name != "sigmoid":
            said = kernel.values(x, x) @ other.coefficients + other.intercept
            np.testing.assert_allclose(said, kernel.values(x, x) @ dense.coefficients + dense.intercept, atol=1e-3)


def test_a_start_near_the_optimum_takes_fewer_steps() -> None:
    """At the optimum none is needed; near it, how many are saved is no theorem: half of all, over eight problems."""
    kernel, warm_steps, cold_steps = Kernel("rbf", gamma=0.3), 0, 0
    for seed in range(8):
        x, target = rows(400, seed)
        cold = solve(x, target, bounds_of(target, 1.0), Settings(kernel))
        same = solve(x, target, bounds_of(target, 1.0), Settings(kernel), start=cold.coefficients)
        assert same.steps == 0
        assert np.array_equal(same.coefficients, cold.coefficients)
        warm = solve(x, target, bounds_of(target, 1.1), Settings(kernel), start=cold.coefficients * 1.1)
        again = solve(x, target, bounds_of(target, 1.1), Settings(kernel))
        assert warm.objective == pytest.approx(again.objective, rel=1e-6)
        warm_steps += warm.steps
        cold_steps += again.steps
        unbalanced = np.where(target > 0, 1.0, 0.0)
        assert solve(x, target, bounds_of(target, 1.0), Settings(kernel), start=unbalanced).steps == cold.steps
    assert warm_steps < 0.5 * cold_steps


def test_too_few_steps_warn_and_keep_the_best_so_far() -> None:
    x, target = rows(300)
    kernel = Kernel("rbf", gamma=0.3)
    with pytest.warns(ConvergenceWarning, match="stopped after 20 steps"):
        few = solve(x, target, bounds_of(target, 1.0), Settings(kernel, max_iter=20))
    assert not few.converged
    assert few.objective < 0
    assert solve(x, target, bounds_of(target, 1.0), Settings(kernel)).objective < few.objective


def test_without_a_bound_classes_that_cannot_be_parted_are_given_up() -> None:
    x, target = rows(60)
    target[:10] *= -1
    with pytest.warns(ConvergenceWarning, match="no margin separates the classes"):
        found = solve(x, target, bounds_of(target, np.inf), Settings(Kernel("linear")))
    assert not found.converged
    bounded = solve(x, target, bounds_of(target, 1e3), Settings(Kernel("linear")))
    right = [np.mean(np.sign(x @ (each.coefficients @ x) + each.intercept) == target) for each in (found, bounded)]
    assert right[0] >= right[1] - 0.02  # the fewest violations, as with a large bound


def test_without_a_bound_numbers_beyond_the_tube_are_given_up() -> None:
    x, _ = rows(60)
    bounds = np.full(60, -np.inf), np.full(60, np.inf)
    with pytest.warns(ConvergenceWarning, match="no function is within epsilon of every row"):
        solve(x, x[:, 0] ** 2, bounds, Settings(Kernel("linear")), epsilon=0.01)


def test_a_very_narrow_margin_is_found_without_a_bound() -> None:
    x = np.array([[0.0], [0.5], [0.5004], [1.0]])
    target = np.array([-1.0, -1.0, 1.0, 1.0])
    found = solve(x, target, bounds_of(target, np.inf), Settings(Kernel("linear"), tol=1e-6))
    assert found.coefficients @ x[:, 0] == pytest.approx(2 / 0.0004, rel=1e-4)


def test_a_very_large_bound_is_no_reason_to_crawl() -> None:
    """Steps on pairs alone take more than ten million here."""
    x, target = rows(200, seed=5)
    found = solve(x, target, bounds_of(target, 1e6), Settings(Kernel("linear"), max_iter=200_000))
    assert found.converged


def test_kernel_values_beyond_numbers_are_refused() -> None:
    x, target = rows(20)
    with pytest.raises(ValueError, match="kernel value"):
        solve(x * 1e30, target, bounds_of(target, 1.0), Settings(Kernel("polynomial", degree=3)))
