"""One problem of two classes, or of numbers: rows, targets and bounds in, coefficients and an intercept out."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from hornbeam.core.svm.solve import Margin
from hornbeam.learn.svm.finish import Finish

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.model.svm.kernel import Kernel

    Floats = NDArray[np.float64]

BATCH = 20_000  # steps between looks at whether somebody wants to stop
LONG = 10  # steps a row after which the last stretch is tried now and then
LEAST_LIMIT = 10_000_000  # steps after which a problem without a limit is given up
BOUNDLESS_LIMIT = 1_000_000  # the same, where coefficients have no bound
STEEP = 1e4  # without a bound: a margin of a 10,000th of the rows' size is too narrow for 32 bits to show
LITTLE = 1e6  # steps times rows: the last stretch may cost as much as if it had been so many; a millisecond


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
        target, (least, most), epsilon, settings.tol, settings.cache_bytes, settings.shrinking, settings.n_threads,
        _allowed(start, least, most),
    )  # fmt: skip
    size = _size(machine)
    status, boundless = 0, bool(np.isinf(most).any() or np.isinf(least).any())
    limit = (
        settings.max_iter
        if settings.max_iter >= 0
        else max(BOUNDLESS_LIMIT if boundless else LEAST_LIMIT, 100 * len(target))
    )

    def finished(steps: float) -> Finish:
        state = Finish(points, settings.kernel, bounds, epsilon, settings.tol, *machine.found()[:2])
        if steps and settings.kernel.name != "sigmoid":
            state.run(target, max(steps, LITTLE / len(target)))
        return state

    state = None
    while status == 0 and machine.steps < limit:
        status = machine.run(min(BATCH, limit - machine.steps))
        if boundless and status == 0 and _too_steep(machine, target, epsilon, size):
            break
        if status == 0 and machine.steps >= LONG * len(target):
            state = finished(BATCH)  # steps on pairs crawl: perhaps it is not far
            status = 1 if state.gap < settings.tol else 0
    if state is None or status != 1 or state.gap >= settings.tol:
        state = finished(machine.steps if status == 1 else 0)
    converged = status != 0 or state.gap < settings.tol
    if not converged:
        _complain(machine, state.gap, settings, bounds)
        if boundless and settings.max_iter < 0:
            height = STEEP * _scale(target) / (size or 1.0)
            within = np.maximum(least, -height), np.minimum(most, height)
            least_wrong = solve(points, target, within, replace(settings, max_iter=BOUNDLESS_LIMIT), epsilon=epsilon)
            return replace(least_wrong, converged=False)
    coefficients, values, gap = state.coefficients, state.values, state.gap
    objective = float(-0.5 * np.sum(coefficients * (target + values)) + epsilon * np.abs(coefficients).sum())
    free = (coefficients > least) & (coefficients < most) & (coefficients != 0)
    if free.any():
        intercept = float(np.mean(values[free] - epsilon * np.sign(coefficients[free])))
    else:
        intercept = _between(*state.ends())
    return Solution(coefficients, intercept, objective, gap, machine.steps, converged)


def _allowed(start: Floats | None, least: Floats, most: Floats) -> Floats | None:
    """Coefficients to begin with; they sum to zero, as every step leaves them."""
    if start is None:
        return None
    inside = np.clip(start, least, most)
    return inside if abs(inside.sum()) <= 1e-9 * max(1.0, float(np.abs(inside).sum())) else None


def _size(machine: Margin) -> float:
    """The largest kernel value of a row with itself; refused where one is not finite."""
    diagonal = machine.diagonal()
    if not np.isfinite(diagonal).all():
        row = int(np.argmin(np.isfinite(diagonal)))
        msg = f"row {row + 1} has the kernel value {diagonal[row]} with itself; expected a finite number"
        raise ValueError(msg)
    return float(np.abs(diagonal).max())


def _too_steep(machine: Margin, target: Floats, epsilon: float, size: float) -> bool:
    """Whether any function that does what is asked of it is far too steep: none has less length than the dual tells."""
    coefficients, values, _, _ = machine.found()
    squared_length = float(np.sum(coefficients * (target + values)) - 2 * epsilon * np.abs(coefficients).sum())
    return squared_length * size > (STEEP * _scale(target)) ** 2


def _scale(target: Floats) -> float:
    """What the numbers asked for are counted in; 1 for classes."""
    return float(np.ptp(target) / 2) or 1.0


def _complain(machine: Margin, gap: float, settings: Settings, bounds: tuple[Floats, Floats]) -> None:
    least, most = bounds
    why, remedy = "not enough steps", "Raise max_iter, scale the columns, or lower C"
    if np.isinf(most).any() or np.isinf(least).any():
        numbers = bool(((least < 0) & (most > 0)).any())
        why = "no function is within epsilon of every row" if numbers else "no margin parts the classes"
        why = f"{why}, or none that could be found, and C is infinite"
        remedy = "Give C a bound" if settings.max_iter >= 0 else "A large bound was set instead; give C a bound"
    msg = (
        f"stopped after {machine.steps} steps with a pair of rows that violates the margin by {gap:.3g} "
        f"(tol={settings.tol:g}): {why}; the best so far is kept. {remedy}"
    )
    warnings.warn(msg, ConvergenceWarning, stacklevel=3)


def _between(top: float, bottom: float) -> float:
    """The middle of where the intercept may lie; the end that there is, where there is one."""
    if math.isinf(top) and math.isinf(bottom):
        return 0.0
    if math.isinf(top):
        return bottom
    return top if math.isinf(bottom) else (top + bottom) / 2
