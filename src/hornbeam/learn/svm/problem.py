"""One problem of two classes, or of numbers: rows, targets and bounds in, coefficients and an intercept out."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from hornbeam.core.margin import Margin
from hornbeam.learn.svm.finish import Finish

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.model.kernel import Kernel

    Floats = NDArray[np.float64]

BATCH = 20_000  # steps between looks at whether somebody wants to stop
LEAST_LIMIT = 10_000_000  # steps after which a problem without a limit is given up
BOUNDLESS_LIMIT = 1_000_000  # the same, where coefficients have no bound
TOO_LARGE = 1e12  # kernel values times coefficients: without a bound, classes that no margin parts


@dataclass(frozen=True)
class Settings:
    """How a problem is solved."""

    kernel: Kernel
    tol: float = 1e-3
    cache_bytes: int = 200 << 20
    max_iter: int = -1
    shrinking: bool = True
    n_threads: int = 1


@dataclass(frozen=True)
class Solution:
    """What was found.

    `coefficients` by row; `intercept`; `objective` of the dual problem, to be made small; `gap`: by how much the best
    pair still violates the conditions of an optimum; `steps`.
    """

    coefficients: Floats
    intercept: float
    objective: float
    gap: float
    steps: int
    converged: bool


def solve(
    points: Any,
    target: Floats,
    bounds: tuple[Floats, Floats],
    settings: Settings,
    *,
    epsilon: float = 0.0,
    start: Floats | None = None,
) -> Solution:
    """Solve one problem.

    Parameters
    ----------
    points : array (rows, columns), sparse rows, or array (rows, rows) for a precomputed kernel
    target : array
        -1 and 1 for classes, or numbers.
    bounds : pair of arrays
        Between which the coefficients lie.
    settings : Settings
    epsilon : float
        Error that costs nothing.
    start : array, optional
        Coefficients to begin with; brought within the bounds, and left aside where they do not sum to zero then.

    Returns
    -------
    Solution
        The best so far, with a warning, where the steps allowed did not do.
    """
    given = settings.kernel.name == "precomputed"
    least, most = bounds
    machine = Margin(
        None if given else points, points if given else None, (0, 1, 1.0, 0.0) if given else settings.kernel.choices,
        target, least, most, epsilon, settings.tol, settings.cache_bytes, settings.shrinking, settings.n_threads,
        _allowed(start, least, most),
    )  # fmt: skip
    if not np.isfinite(machine.diagonal()).all():
        row = int(np.argmin(np.isfinite(machine.diagonal())))
        msg = f"row {row + 1} has the kernel value {machine.diagonal()[row]} with itself; expected a finite number"
        raise ValueError(msg)
    status, boundless = 0, bool(np.isinf(most).any() or np.isinf(least).any())
    limit = (
        settings.max_iter
        if settings.max_iter >= 0
        else max(BOUNDLESS_LIMIT if boundless else LEAST_LIMIT, 100 * len(target))
    )
    while status == 0 and machine.steps < limit:
        status = machine.run(min(BATCH, limit - machine.steps))
        if boundless and status == 0 and _too_large(machine):
            break
    coefficients, values, top, bottom = machine.found()
    gap = float(top - bottom)
    converged = status != 0 or gap < settings.tol
    if not converged:
        _complain(machine, gap, settings, boundless=boundless)
    elif status == 1 and settings.kernel.name != "sigmoid":
        exact = Finish(points, settings.kernel, bounds, epsilon, settings.tol, coefficients.copy(), values.copy())
        if exact.run(target, machine.steps):
            coefficients, values = exact.coefficients, exact.values
            up, low = exact.ends()
            top, bottom = float(up.max()), float(low.min())
            gap = top - bottom
    objective = float(-0.5 * np.sum(coefficients * (target + values)) + epsilon * np.abs(coefficients).sum())
    free = (coefficients > least) & (coefficients < most) & (coefficients != 0)
    if free.any():
        intercept = float(np.mean(values[free] - epsilon * np.sign(coefficients[free])))
    else:
        intercept = _between(top, bottom)
    return Solution(coefficients, intercept, objective, gap, machine.steps, converged)


def _allowed(start: Floats | None, least: Floats, most: Floats) -> Floats | None:
    """Coefficients to begin with; they sum to zero, as every step leaves them."""
    if start is None:
        return None
    inside = np.clip(start, least, most)
    return inside if abs(inside.sum()) <= 1e-9 * max(1.0, float(np.abs(inside).sum())) else None


def _too_large(machine: Margin) -> bool:
    coefficients = machine.found()[0]
    return float(np.abs(coefficients).max()) * float(np.abs(machine.diagonal()).max()) > TOO_LARGE


def _complain(machine: Margin, gap: float, settings: Settings, *, boundless: bool) -> None:
    why = "no margin parts the classes, and C is infinite" if boundless else "not enough steps"
    msg = (
        f"stopped after {machine.steps} steps with a pair of rows that violates the margin by {gap:.3g} "
        f"(tol={settings.tol:g}): {why}; the best so far is kept. Raise max_iter, scale the columns, or lower C"
    )
    warnings.warn(msg, ConvergenceWarning, stacklevel=3)


def _between(top: float, bottom: float) -> float:
    """The middle of where the intercept may lie; the end that there is, where there is one."""
    if math.isinf(top) and math.isinf(bottom):
        return 0.0
    if math.isinf(top):
        return bottom
    return top if math.isinf(bottom) else (top + bottom) / 2
