"""One problem for two classes, or for numbers: from rows, targets and bounds to coefficients and an intercept.

Steps on pairs of rows first converge quickly and then slow down, especially if the kernel has few dimensions. By then
it is mostly known which coefficients are at a bound. `finished` keeps those fixed and solves a linear system for the
others, in 64 bits. A coefficient that reaches a bound is then fixed, too; a row that violates the optimality conditions
afterwards is released, and this is repeated. It is only done if it costs no more than a fraction of the steps so far:
if many rows are free, the kernel has many dimensions, and the tolerance bounds the error of predictions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from hornbeam.core.svm import dense
from hornbeam.core.svm.solve import Margin
from hornbeam.data.errors import warn

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats, Ints64
    from hornbeam.model.svm.kernel import Kernel

    Rows = Ints64

BATCH = 20_000  # steps between checks for Ctrl-C
LONG = 10  # steps per row after which the exact finish is tried repeatedly
LEAST_LIMIT = 10_000_000  # maximum steps of a problem without a limit
BOUNDLESS_LIMIT = 1_000_000  # the same, if coefficients have no bound
STEEP = 1e4  # without a bound: a margin below a 10,000th of the rows' size is too narrow for 32 bits
LITTLE = 1e6  # steps times rows: the finish may always cost as much as these; a millisecond
STEP = 1.0  # nanoseconds allowed per row of a step on a pair, which takes about 4; the costs of the finish are:
PRODUCT = 0.2  # a column's fraction of a kernel value
DISTANCE = 1.0  # the same, for RBF
SPARSE = 8.0  # the same, for a value of a sparse row
VALUE = 4.0  # the rest of a kernel value
EXPONENTIAL = 10.0  # the same, for RBF
SOLVE = 0.1 / 3  # a number of the matrix to be factored, times its width
FINER = 1e-2  # the remaining violation, as a fraction of the tolerance
BLOCK = 1 << 18  # kernel values at a time
MOST_FREE = 1000  # rows whose kernel values with each other are in memory: 8 MB
RIDGE = 1e-12  # of the trace: added so that flat directions lead to a bound, not to infinity


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
    """The solution of a problem.

    `coefficients` by row; `intercept`; `objective` of the dual problem, which is minimized; `gap`: the remaining
    violation of the optimality conditions; `steps`.
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
        The bounds of the coefficients.
    settings : Settings
    epsilon : float
        Error that costs nothing.
    start : array, optional
        Starting coefficients; they are clipped to the bounds, and ignored if they do not sum to zero then.

    Returns
    -------
    Solution
        The best so far, with a warning, if the allowed steps were not enough.
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
            state = finished(BATCH)  # steps on pairs are slow: the optimum may be near
            status = 1 if state.gap < settings.tol else 0
    if state is None or status != 1 or state.gap >= settings.tol:
        state = finished(machine.steps if status == 1 else 0)
    converged = status != 0 or state.gap < settings.tol
    if not converged:
        _warn_unfinished(machine, state.gap, settings, bounds)
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
        intercept = _between(*state.ends(target))
    return Solution(coefficients, intercept, objective, gap, machine.steps, converged)


def _allowed(start: Floats | None, least: Floats, most: Floats) -> Floats | None:
    """Starting coefficients; they sum to zero, which every step preserves."""
    if start is None:
        return None
    inside = np.clip(start, least, most)
    return inside if abs(inside.sum()) <= 1e-9 * max(1.0, float(np.abs(inside).sum())) else None


def _size(machine: Margin) -> float:
    """The largest kernel value of a row with itself; an error if one is not finite."""
    diagonal = machine.diagonal()
    if not np.isfinite(diagonal).all():
        row = int(np.argmin(np.isfinite(diagonal)))
        msg = f"row {row + 1} has the kernel value {diagonal[row]} with itself; expected a finite number"
        raise ValueError(msg)
    return float(np.abs(diagonal).max())


def _too_steep(machine: Margin, target: Floats, epsilon: float, size: float) -> bool:
    """Whether every function that fits the rows is far too steep, by the bound of the dual objective."""
    coefficients, values, _, _ = machine.found()
    squared_length = float(np.sum(coefficients * (target + values)) - 2 * epsilon * np.abs(coefficients).sum())
    return squared_length * size > (STEEP * _scale(target)) ** 2


def _scale(target: Floats) -> float:
    """The scale of the targets; 1 for classes."""
    return float(np.ptp(target) / 2) or 1.0


def _warn_unfinished(machine: Margin, gap: float, settings: Settings, bounds: tuple[Floats, Floats]) -> None:
    least, most = bounds
    why, remedy = "not enough steps", "Raise max_iter, scale the columns, or lower C"
    if np.isinf(most).any() or np.isinf(least).any():
        numbers = bool(((least < 0) & (most > 0)).any())
        why = "no function is within epsilon of every row" if numbers else "no margin separates the classes"
        why = f"{why}, or none was found, and C is infinite"
        remedy = "Give C a bound" if settings.max_iter >= 0 else "A large bound was set instead; give C a bound"
    msg = (
        f"stopped after {machine.steps} steps with a pair of rows that violates the margin by {gap:.3g} "
        f"(tol={settings.tol:g}): {why}; the best so far is kept. {remedy}"
    )
    warn(msg, ConvergenceWarning)


def _between(top: float, bottom: float) -> float:
    """The middle of the possible range of the intercept, or its only finite end."""
    if math.isinf(top) and math.isinf(bottom):
        return 0.0
    if math.isinf(top):
        return bottom
    return top if math.isinf(bottom) else top / 2 + bottom / 2


class Finish:
    """The exact finish of a problem.

    Parameters
    ----------
    points : array (rows, columns), sparse rows, or array (rows, rows) for a precomputed kernel
    kernel : Kernel
    bounds : pair of arrays
    epsilon, tol : float
    coefficients, values : arrays
        The results of steps on pairs; `values` are the targets minus the predictions without intercept. Both are
        changed.
    """

    def __init__(
        self, points: Any, kernel: Kernel, bounds: tuple[Floats, Floats], epsilon: float, tol: float,
        coefficients: Floats, values: Floats
    ) -> None:  # fmt: skip
        self.points, self.kernel = points, kernel
        self.least, self.most = bounds
        self.epsilon, self.tol = epsilon, FINER * tol
        self.coefficients, self.values = coefficients, values
        distances = kernel.name == "rbf"
        self.price = EXPONENTIAL if distances else VALUE  # of a kernel value
        if isinstance(points, tuple):
            start, columns, numbers, wide = points
            self.points = sparse.csr_array((numbers, columns, start), shape=(len(start) - 1, wide))
            self.squares = np.asarray(self.points.multiply(self.points).sum(axis=1)).ravel()
            self.price += SPARSE * len(numbers) / (len(start) - 1)
        elif kernel.name != "precomputed":
            self.price += (DISTANCE if distances else PRODUCT) * points.shape[1]
        self.left = 0.0  # estimated nanoseconds

    def run(self, target: Floats, steps: float) -> None:
        """Solve for exact coefficients, after this many steps on pairs; keep the old ones if they are better.

        The cost is estimated, not measured, so that results do not depend on the machine.
        """
        self.left = STEP * steps * len(target)
        b = self.coefficients
        free = np.flatnonzero((b > self.least) & (b < self.most) & (b != 0))
        used = np.flatnonzero(b)
        if not self.is_affordable(len(free), len(used) + len(target)):
            return
        self.values[free] = target[free] - self.weighed(free, used, b[used])
        before = b.copy(), self.values.copy(), self.gap
        self.pursue(free, np.sign(b[free]))
        if not self.gap < before[2]:
            self.coefficients, self.values = before[:2]

    def pursue(self, free: Rows, sign: Floats) -> None:
        """Solve for free coefficients, release those that violate the conditions, and repeat until none does."""
        while len(free) > 1:
            begin, values = self.coefficients.copy(), self.values.copy()
            free, sign = self.settle(free, sign)
            moved = np.flatnonzero(self.coefficients != begin)
            others = np.setdiff1d(np.arange(len(begin)), free, assume_unique=True)
            self.values[others] = values[others] - self.weighed(others, moved, (self.coefficients - begin)[moved])
            up, low = self.sides()
            middle = np.mean(self.values[free] - self.epsilon * sign) if len(free) else (up.max() + low.min()) / 2
            rising, falling = up > middle + self.tol, low < middle - self.tol
            rising[free] = falling[free] = False
            entering = np.flatnonzero(rising | falling)
            if not len(entering) or not self.is_affordable(len(free) + len(entering), len(begin)):
                return
            held = self.coefficients[entering]
            sign = np.append(sign, np.where(held != 0, np.sign(held), np.where(rising[entering], 1.0, -1.0)))
            free = np.append(free, entering)

    def settle(self, free: Rows, sign: Floats) -> tuple[Rows, Floats]:
        """Solve for the free coefficients; those that reach a bound are fixed there."""
        gram = self.between(free, free)
        low, high = np.where(sign > 0, 0.0, self.least[free]), np.where(sign > 0, self.most[free], 0.0)
        gap = np.inf
        while len(free) > 1:
            off = self.values[free] - self.epsilon * sign
            if np.ptp(off) <= FINER * self.tol or np.ptp(off) > 0.5 * gap or not self.spend(SOLVE * len(free) ** 3):
                break
            step = _newton(gram, off - off.mean())
            if step is None:
                break
            with np.errstate(divide="ignore", invalid="ignore"):
                room = np.where(step > 0, high - self.coefficients[free], low - self.coefficients[free]) / step
            room[step == 0] = np.inf
            length = min(1.0, float(room.min()))
            self.coefficients[free] = np.clip(self.coefficients[free] + length * step, low, high)
            self.values[free] -= length * _times(gram, step)
            gap = np.ptp(off)
            if length < 1:
                met = room <= length
                self.coefficients[free[met]] = np.where(step > 0, high, low)[met]
                free, sign = free[~met], sign[~met]
                low, high = low[~met], high[~met]
                gram = np.ascontiguousarray(gram[np.ix_(~met, ~met)])
                gap = np.inf
        return free, sign

    def ends(self, target: Floats | None = None) -> tuple[float, float]:
        """The largest gain of raising a coefficient, and the smallest loss of lowering one.

        For regression only their middle counts: without coefficients it is that of the target, and exact.
        """
        if target is not None and self.epsilon and not self.coefficients.any():
            return float(target.max()), float(target.min())
        up, low = self.sides()
        return float(up.max()), float(low.min())

    @property
    def gap(self) -> float:
        """The largest violation of the optimality conditions by a pair."""
        up, low = self.ends()
        return up - low

    def sides(self) -> tuple[Floats, Floats]:
        """The gain of the objective by raising each coefficient, and its loss by lowering it."""
        b, f, epsilon = self.coefficients, self.values, self.epsilon
        up = np.where(b < self.most, np.where(b >= 0, f - epsilon, f + epsilon), -np.inf)
        return up, np.where(b > self.least, np.where(b <= 0, f + epsilon, f - epsilon), np.inf)

    def is_affordable(self, n_free: int, n_others: int) -> bool:
        """Whether memory allows this many free rows, and products with this many rows."""
        return n_free <= MOST_FREE and self.spend(n_free * (n_free + n_others) * self.price + SOLVE * n_free**3)

    def spend(self, work: float) -> bool:
        """Subtract a cost from the budget; return whether the budget was sufficient."""
        self.left -= work
        return self.left >= 0

    def between(self, a: Rows, b: Rows) -> Floats:
        """Kernel values of some rows with others, in 64 bits."""
        kernel, points = self.kernel, self.points
        if kernel.name == "precomputed":
            return np.asarray(points[np.ix_(a, b)])
        if isinstance(points, np.ndarray):
            between = dense.squared_distances if kernel.name == "rbf" else dense.products
            return kernel.of_products(between(np.ascontiguousarray(points[a]), np.ascontiguousarray(points[b])))
        products = np.asarray((points[a] @ points[b].T).todense())
        if kernel.name == "rbf":
            products = np.maximum(self.squares[a][:, np.newaxis] + self.squares[b] - 2 * products, 0.0)
        return kernel.of_products(products)

    def weighed(self, a: Rows, b: Rows, coefficients: Floats) -> Floats:
        """Sums of kernel values times coefficients, a block of rows at a time."""
        size = max(1, BLOCK // max(1, len(b)))
        found = [_times(self.between(a[first : first + size], b), coefficients) for first in range(0, len(a), size)]
        return np.concatenate(found) if found else np.empty(0)


def _times(matrix: Floats, vector: Floats) -> Floats:
    """A matrix times a vector, summed in an order that does not depend on the machine."""
    return np.asarray((matrix * vector).sum(axis=1))


def _newton(gram: Floats, off: Floats) -> Floats | None:
    """Steps that sum to zero and make all values equal; None if the kernel is not definite."""
    ridge = RIDGE * np.trace(gram)
    if not ridge > 0:
        return None
    # A constant added to all kernel values changes nothing if steps sum to zero, and makes the system regular if the
    # rows have the maximum number of dimensions.
    system = gram + np.mean(np.diag(gram))
    system[np.diag_indices(len(system))] += ridge
    if not dense.cholesky(system):
        return None
    toward = np.array([off, np.ones(len(off))])
    dense.solve(system, toward)
    toward, level = toward
    step = toward - level * (toward.sum() / level.sum())
    return np.asarray(step - step.mean())
