"""What is checked of every fit (`optimum.py`) can fail; the last stretch is exact; memory is bounded."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optimum import UNIT, WatchedPlane, check, gram_of
from sklearn.datasets import make_classification

from hornbeam.core.svm.predict import Vectors
from hornbeam.learn.svm import machines, regressor
from hornbeam.learn.svm.problem import Finish, Settings, solve
from hornbeam.model.svm.kernel import Kernel

KERNELS = [
    Kernel("linear"),
    Kernel("polynomial", degree=3, gamma=0.2, coef0=1.0),
    Kernel("rbf", gamma=0.3),
]


def problem_of(n: int = 120, columns: int = 6) -> tuple[Any, Any, Any]:
    x, y = make_classification(n, columns, n_informative=4, flip_y=0.1, random_state=1)
    target = np.where(y == 1, 1.0, -1.0)
    return np.ascontiguousarray(x), target, (np.where(y == 1, 0.0, -1.0), np.where(y == 1, 1.0, 0.0))


def test_all_that_solve_are_watched() -> None:
    for module in (machines, regressor, sys.modules[__name__]):
        assert module.solve.__module__ == "optimum"
    assert machines.Plane is WatchedPlane


@pytest.mark.parametrize("kernel", KERNELS, ids=Kernel.describe)
def test_a_solution_that_is_off_by_a_little_is_found_out(kernel: Kernel) -> None:
    x, target, bounds = problem_of()
    chosen = Settings(kernel, tol=1e-4)
    found = solve(x, target, bounds, chosen)
    free = np.flatnonzero((np.abs(found.coefficients) > 0.02) & (np.abs(found.coefficients) < 0.98))
    gram = gram_of(x, kernel)[0]
    apart = gram[free[0], free[0]] + gram[free[1], free[1]] - 2 * gram[free[0], free[1]]
    moved = found.coefficients.copy()
    moved[free[0]] += 2e-3 / apart  # twenty times what the tolerance allows
    moved[free[1]] -= 2e-3 / apart
    with pytest.raises(AssertionError, match="violates the conditions"):
        check(x, target, bounds, chosen, replace(found, coefficients=moved), 0.0)
    for wrong in (
        {"intercept": found.intercept + 1e-2},
        {"objective": found.objective * 1.001},
        {"coefficients": found.coefficients * 1.5},
        {"coefficients": np.where(np.arange(len(x)) == free[0], found.coefficients * 0.9, found.coefficients)},
    ):
        with pytest.raises(AssertionError):
            check(x, target, bounds, chosen, replace(found, **wrong), 0.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("kernel", [*KERNELS, Kernel("sigmoid", gamma=0.2, coef0=0.5)], ids=Kernel.describe)
def test_rounding_is_no_more_than_its_bound(kernel: Kernel) -> None:
    x = problem_of()[0]
    exact, bound = gram_of(x, kernel)
    off = np.abs(Vectors(x, kernel.choices).values(x) - exact)
    assert (off <= bound).all()
    assert bound.max() < 100 * UNIT * max(1.0, np.abs(exact).max())  # and the bound is a narrow one


@pytest.mark.parametrize("kernel", KERNELS, ids=Kernel.describe)
@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_the_last_stretch_is_exact(kernel: Kernel, epsilon: float) -> None:
    """From a rough solution, with all the work it wants, to one that no pair violates."""
    x, target, bounds = problem_of()
    if epsilon:
        target, bounds = x[:, 0] ** 2 + x[:, 1], (np.full(len(x), -1.0), np.full(len(x), 1.0))
    rough = solve(x, target, bounds, Settings(kernel, tol=0.1), epsilon=epsilon)
    values = target - gram_of(x, kernel)[0] @ rough.coefficients
    exact = Finish(x, kernel, bounds, epsilon, 1e-6, rough.coefficients.copy(), values)
    exact.run(target, 10**9)
    assert exact.gap < 1e-7
    fresh = target - gram_of(x, kernel)[0] @ exact.coefficients
    np.testing.assert_allclose(exact.values, fresh, atol=1e-9)


def test_the_last_stretch_keeps_to_its_means() -> None:
    x, target, bounds = problem_of()
    rough = solve(x, target, bounds, Settings(KERNELS[2], tol=0.1))
    before = rough.coefficients.copy()
    none = Finish(x, KERNELS[2], bounds, 0.0, 1e-6, rough.coefficients, target - gram_of(x, KERNELS[2])[0] @ before)
    none.run(target, 0)
    assert np.array_equal(none.coefficients, before)
    none.run(target, 10**9)
    assert not np.array_equal(none.coefficients, before)


MEMORY = """
import sys
import numpy as np
from hornbeam.learn.svm.classifier import SVMClassifier
def peak():
    with open("/proc/self/status") as lines:  # getrusage counts what the program was started from
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
random = np.random.default_rng(0)
n, cache, thin = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3] == "sparse"
x = random.normal(size=(n, 6))
y = (x[:, 0] * x[:, 1] + random.normal(size=n) > 0).astype(int)
if thin:
    from scipy import sparse
    x = sparse.csr_array(x)
svm = SVMClassifier(cache_size=cache, gamma=0.1, scale=None)
svm.fit(x[:100], y[:100]).predict(x[:100])
before = peak()
svm.fit(x, y)
fitted = peak()
svm.predict(x)
print(fitted - before, peak() - fitted, len(svm.support_))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of memory is read from /proc")
@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer keeps freed memory")
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_memory_is_bounded_by_the_cache(kind: str) -> None:
    """Of 6000 rows, all kernel values take 137 MB; support vectors and rows to answer for, 98 MB."""
    beside = 30.0  # MB: rows several times over, and the last stretch, which holds kernel values of 1000 rows at most
    taken = {}
    for cache in (2, 80):
        found = subprocess.run(
            [sys.executable, "-c", MEMORY, "6000", str(cache), kind], capture_output=True, text=True, check=True
        )
        learning, answering, vectors = map(float, found.stdout.split())
        assert vectors > 4000
        assert learning < cache + beside
        assert answering < beside
        taken[cache] = learning
    assert taken[80] > taken[2] + 40  # the measure can tell
