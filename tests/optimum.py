"""Whether a support vector machine is at its optimum: conditions worked out in 64 bits, from the rows.

`watched` checks every problem that is solved while it is in force, whoever asked for it; tests of support vector
machines run under it (conftest.py). What 32-bit kernel values may be off by is bounded from the rows, not guessed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from hornbeam.learn.svm import machines, problem, regressor

if TYPE_CHECKING:
    from types import ModuleType

    import pytest

    from hornbeam.learn.svm.problem import Settings, Solution
    from hornbeam.model.svm.kernel import Kernel

UNIT = 2.0**-24  # what rounding to 32 bits is off by, as a share
MOST_ROWS = 6000  # whose kernel values with one another are held


def watched(patch: pytest.MonkeyPatch, tests: ModuleType) -> None:
    """Check every problem solved from here on, by the package or by the tests themselves."""
    real, grams = problem.solve, LastGram()

    def solve(points: Any, target: Any, bounds: Any, settings: Settings, **options: Any) -> Solution:
        found = real(points, target, bounds, settings, **options)
        check(points, target, bounds, settings, found, options.get("epsilon", 0.0), grams)
        return found

    for module in (machines, regressor, tests):
        if getattr(module, "solve", None) is real:
            patch.setattr(module, "solve", solve)
    patch.setattr(machines, "Plane", WatchedPlane)


def matrix_of(points: Any) -> Any:
    """Rows as a matrix."""
    if not isinstance(points, tuple):
        return points
    start, columns, values, wide = points
    return sparse.csr_array((values, columns, start), shape=(len(start) - 1, wide)).toarray()


def gram_of(points: Any, kernel: Kernel) -> tuple[Any, Any]:
    """Kernel values of all rows with all, in 64 bits, and what those in 32 bits may be off by."""
    if kernel.name == "precomputed":
        return points, UNIT * np.abs(points)
    x = matrix_of(points)
    if kernel.name == "rbf":
        squares = cdist(x, x, "sqeuclidean")
        values = np.exp(-kernel.gamma * squares)
        length = np.sqrt((x**2).sum(axis=1))
        # Rows are rounded, then differences, their squares and the sums of these; gamma and the exponential are too.
        rounded = 2 * np.sqrt(squares) * (length[:, np.newaxis] + length) + (x.shape[1] + 4) * squares
        return values, UNIT * (values * kernel.gamma * rounded + 4 * values + 2.0**-100)
    products, sizes = x @ x.T, np.abs(x) @ np.abs(x).T
    values = kernel.of_products(products)
    if kernel.name == "linear":
        return values, UNIT * (2 * sizes + np.abs(values))
    inner = np.abs(kernel.gamma * products + kernel.coef0)
    if kernel.name == "sigmoid":
        return values, UNIT * (2 * kernel.gamma * sizes + inner + 8)
    slope = kernel.degree * (inner + 2 * UNIT * kernel.gamma * sizes) ** (kernel.degree - 1)
    return values, UNIT * (2 * kernel.gamma * sizes * slope + np.abs(values))


class LastGram:
    """`gram_of`, worked out once where the same rows are solved again, as tests of threads and caches do."""

    asked: Any = None
    found: tuple[Any, Any]

    def __call__(self, points: Any, kernel: Kernel) -> tuple[Any, Any]:
        """Kernel values and what they may be off by, as `gram_of` gives them."""
        arrays = [np.asarray(one) for one in (points if isinstance(points, tuple) else (points,))]
        asked = (kernel, [(one.shape, one.dtype.str, one.tobytes()) for one in arrays])
        if asked != self.asked:
            self.found, self.asked = gram_of(points, kernel), asked
        return self.found


def check(
    points: Any, target: Any, bounds: Any, settings: Settings, found: Solution, epsilon: float, grams: Any = gram_of
) -> None:
    """Assert that coefficients are allowed, and, of a problem that was solved, that they are at the optimum."""
    b, (least, most) = found.coefficients, bounds
    assert np.isfinite(b).all()
    assert np.isfinite(found.intercept)
    assert ((b >= least) & (b <= most)).all()
    assert abs(b.sum()) <= 1e-9 * max(1.0, np.abs(b).sum())
    if not found.converged or len(b) > MOST_ROWS:
        return
    gram, off = grams(points, settings.kernel)
    f = target - gram @ b
    noise = 2 * float((off @ np.abs(b)).max()) + 1e-10
    up = np.where(b < most, f - np.where(b >= 0, epsilon, -epsilon), -np.inf).max()
    low = np.where(b > least, f + np.where(b <= 0, epsilon, -epsilon), np.inf).min()
    assert up - low <= settings.tol + noise, f"a pair violates the conditions by {up - low}, {noise} of it may be noise"
    assert up - settings.tol - noise <= found.intercept <= low + settings.tol + noise
    objective = 0.5 * b @ gram @ b - target @ b + epsilon * np.abs(b).sum()
    assert abs(found.objective - objective) <= noise * np.abs(b).sum() + 1e-9 * abs(objective) + 1e-12


class WatchedPlane:
    """Planes whose every answer is checked."""

    real = machines.Plane

    def __init__(self, points: Any) -> None:
        self.rows = matrix_of(points)
        self.plane = self.real(points)

    def find(self, sign: Any, limit: Any, squared: bool, tol: float, *rest: Any) -> tuple[int, float]:
        """Find a plane; check that it is made of its rows, and how much better another could be."""
        found = self.plane.find(sign, limit, squared, tol, *rest)
        alpha, plane = rest[2], rest[3]
        x = np.column_stack([self.rows, np.ones(len(self.rows))])
        assert (alpha >= 0).all()
        assert squared or (alpha <= limit).all()
        noise = UNIT * float((np.abs(x).T @ alpha).max() + 1)
        np.testing.assert_allclose(plane, (sign * alpha) @ x, atol=4 * noise)
        if found[1] <= tol:
            short = np.maximum(0.0, 1 - sign * (x @ plane))
            ridge = 0.25 * alpha @ (alpha / limit) if squared else 0.0
            primal = 0.5 * plane @ plane + limit @ (short**2 if squared else short)
            dual = alpha.sum() - 0.5 * plane @ plane - ridge
            # A row whose slope is off by tol adds as much times what its coefficient could still move.
            assert primal - dual <= tol * max(limit.sum(), alpha.sum()) + noise * alpha.sum()
        return found
