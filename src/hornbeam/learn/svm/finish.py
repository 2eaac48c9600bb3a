"""The last stretch to the optimum: Newton's method on the coefficients that no bound holds, in 64 bits.

Steps on pairs come near the optimum at once and then crawl, the more so the fewer dimensions the kernel has, and what
is left of the tolerance can be many times as much in the answers. But by then it is mostly known which coefficients are
at a bound. With those held, the others solve a linear system, and are exact. One that meets a bound on the way is held
from there on; a row that violates the conditions of an optimum afterwards is let go, and so on. All of it costs no more
than a share of what the steps have cost, or is left undone: where many rows are free the kernel has many dimensions,
and the tolerance says how far off answers are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import linalg, sparse
from scipy.spatial.distance import cdist

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.model.svm.kernel import Kernel

    Floats = NDArray[np.float64]
    Rows = NDArray[np.int64]

STEP = 1.0  # nanoseconds allowed for what a step on a pair does with a row, which takes some 4; what follows costs:
PRODUCT = 0.2  # a column's share of a kernel value
DISTANCE = 1.0  # the same, for RBF
SPARSE = 8.0  # the same, for a value of a sparse row
VALUE = 4.0  # the rest of a kernel value
EXPONENTIAL = 10.0  # the same, for RBF
SOLVE = 0.1 / 3  # a number of the matrix to be factored, times its width
FINER = 1e-2  # how much less than the tolerance is left, as a share of it
BLOCK = 1 << 18  # kernel values at a time
MOST_FREE = 1000  # rows whose kernel values with one another are held: 8 MB
RIDGE = 1e-12  # of the trace: directions along which nothing curves lead to a bound, not to infinity


class Finish:
    """Coefficients of a problem, to be made exact.

    Parameters
    ----------
    points : array (rows, columns), sparse rows, or array (rows, rows) for a precomputed kernel
    kernel : Kernel
    bounds : pair of arrays
    epsilon, tol : float
    coefficients, values : arrays
        As steps on pairs left them; `values` are the targets less what the coefficients make of them. Both are changed.
    """

    def __init__(
        self, points: Any, kernel: Kernel, bounds: tuple[Floats, Floats], epsilon: float, tol: float,
        coefficients: Floats, values: Floats,
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
        self.left = 0.0  # nanoseconds, by count

    def run(self, target: Floats, steps: float) -> None:
        """Make the coefficients exact, after so many steps on pairs; or leave them, where they would not be better.

        What it may cost is counted, not measured: results do not depend on the machine.
        """
        self.left = STEP * steps * len(target)
        b = self.coefficients
        free = np.flatnonzero((b > self.least) & (b < self.most) & (b != 0))
        used = np.flatnonzero(b)
        if not self.affords(len(free), len(used) + len(target)):
            return
        self.values[free] = target[free] - self.weighed(free, used, b[used])
        before = b.copy(), self.values.copy(), self.gap
        self.pursue(free, np.sign(b[free]))
        if not self.gap < before[2]:
            self.coefficients, self.values = before[:2]

    def pursue(self, free: Rows, sign: Floats) -> None:
        """Solve for what is free, let go what violates the conditions then, and so on; until nothing does."""
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
            if not len(entering) or not self.affords(len(free) + len(entering), len(begin)):
                return
            held = self.coefficients[entering]
            sign = np.append(sign, np.where(held != 0, np.sign(held), np.where(rising[entering], 1.0, -1.0)))
            free = np.append(free, entering)

    def settle(self, free: Rows, sign: Floats) -> tuple[Rows, Floats]:
        """Solve for the free coefficients, those that meet a bound held there; the others, and their signs."""
        gram = self.between(free, free)
        low, high = np.where(sign > 0, 0.0, self.least[free]), np.where(sign > 0, self.most[free], 0.0)
        gap = np.inf
        while len(free) > 1:
            off = self.values[free] - self.epsilon * sign
            if np.ptp(off) <= FINER * self.tol or np.ptp(off) > 0.5 * gap or not self.pays(SOLVE * len(free) ** 3):
                break
            step = _newton(gram, off - off.mean())
            if step is None:
                break
            with np.errstate(divide="ignore", invalid="ignore"):
                room = np.where(step > 0, high - self.coefficients[free], low - self.coefficients[free]) / step
            room[step == 0] = np.inf
            length = min(1.0, float(room.min()))
            self.coefficients[free] = np.clip(self.coefficients[free] + length * step, low, high)
            self.values[free] -= length * (gram @ step)
            gap = np.ptp(off)
            if length < 1:
                met = room <= length
                self.coefficients[free[met]] = np.where(step > 0, high, low)[met]
                free, sign = free[~met], sign[~met]
                low, high = low[~met], high[~met]
                gram = np.ascontiguousarray(gram[np.ix_(~met, ~met)])
                gap = np.inf
        return free, sign

    def ends(self) -> tuple[float, float]:
        """The most that is gained by raising a coefficient, and the least that is lost by lowering one."""
        up, low = self.sides()
        return float(up.max()), float(low.min())

    @property
    def gap(self) -> float:
        """By how much the pair that violates the conditions of an optimum most does so."""
        up, low = self.ends()
        return up - low

    def sides(self) -> tuple[Floats, Floats]:
        """What the objective gains by raising every coefficient, and loses by lowering it."""
        b, f, epsilon = self.coefficients, self.values, self.epsilon
        up = np.where(b < self.most, np.where(b >= 0, f - epsilon, f + epsilon), -np.inf)
        return up, np.where(b > self.least, np.where(b <= 0, f + epsilon, f - epsilon), np.inf)

    def affords(self, n_free: int, n_others: int) -> bool:
        """Whether so many rows can be free, and be multiplied with so many."""
        return n_free <= MOST_FREE and self.pays(n_free * (n_free + n_others) * self.price + SOLVE * n_free**3)

    def pays(self, work: float) -> bool:
        """Whether so much is still allowed; it is taken off."""
        self.left -= work
        return self.left >= 0

    def between(self, a: Rows, b: Rows) -> Floats:
        """Kernel values of some rows with others, in 64 bits."""
        kernel, points = self.kernel, self.points
        if kernel.name == "precomputed":
            return np.asarray(points[np.ix_(a, b)])
        if isinstance(points, np.ndarray):
            if kernel.name == "rbf":
                return kernel.of_products(cdist(points[a], points[b], "sqeuclidean"))
            return kernel.of_products(points[a] @ points[b].T)
        products = np.asarray((points[a] @ points[b].T).todense())
        if kernel.name == "rbf":
            products = np.maximum(self.squares[a][:, np.newaxis] + self.squares[b] - 2 * products, 0.0)
        return kernel.of_products(products)

    def weighed(self, a: Rows, b: Rows, coefficients: Floats) -> Floats:
        """Sums of kernel values times coefficients, a block of rows at a time."""
        size = max(1, BLOCK // max(1, len(b)))
        found = [self.between(a[first : first + size], b) @ coefficients for first in range(0, len(a), size)]
        return np.concatenate(found) if found else np.empty(0)


def _newton(gram: Floats, off: Floats) -> Floats | None:
    """Steps that sum to zero, after which all are off by the same; None where the kernel is not definite."""
    ridge = RIDGE * np.trace(gram)
    if not ridge > 0:
        return None
    # A constant added to all kernel values changes nothing where steps sum to zero, and leaves the system regular where
    # the rows have as many dimensions as they can.
    system = gram + np.mean(np.diag(gram))
    system[np.diag_indices(len(system))] += ridge
    try:
        factor = linalg.cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
    except linalg.LinAlgError:
        return None
    toward, level = linalg.cho_solve(factor, np.column_stack([off, np.ones(len(off))]), check_finite=False).T
    step = toward - level * (toward.sum() / level.sum())
    return np.asarray(step - step.mean())
