"""Lloyd's iteration: rows go to the nearest center, centers to the middle of their rows, until no row moves.

Complete numbers go by exact accelerated comparisons (`model/clusters/centers.py`), anything else by means, modes and
partial distances (`ground.py`). Sums are taken in chunks of rows that depend on the number of rows alone, so the result
does not depend on threads, nor on the way in which nearest centers are found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.core.clusters import kmeans as kernels
from hornbeam.learn.clusters.ground import Centers, Ground, Sums
from hornbeam.model.clusters.centers import NearestCenters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.model.clusters.centers import Crew

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int32]

FEW_CHANGES = 4  # where less than one row in so many moves, sums are corrected, not taken anew


@dataclass(frozen=True, eq=False)
class Run:
    """One descent: where it ended, at what error, and after how many steps."""

    centers: Centers
    labels: Codes
    error: float
    steps: int
    converged: bool


class Lloyd:
    """Descents on one ground; what does not depend on the start is made once.

    Parameters
    ----------
    ground : Ground
        The rows.
    crew : Crew
        Who does the work.
    plainly : bool
        Compare every row with every center.
    memory_mb : float
        What bounds may take.
    """

    def __init__(self, ground: Ground, crew: Crew, *, plainly: bool, memory_mb: float) -> None:
        self.ground, self.crew, self.plainly = ground, crew, plainly
        self.search = NearestCenters(ground.numbers, crew, memory_mb) if ground.is_plain else None

    def descend(self, start: Centers, max_iter: int, tol: float) -> Run:
        """Iterate from some centers.

        Parameters
        ----------
        start : Centers
            Where to begin.
        max_iter : int
            The most steps.
        tol : float
            End where centers move by no more than this share of the columns' variance, squared and added up.
        """
        if self.search is None:
            return self._mixed(start, max_iter, tol)
        return self._numbers(self.search, start.numbers.copy(), max_iter, tol)

    # ---- complete numbers ----

    def _numbers(self, search: NearestCenters, centers: Floats, max_iter: int, tol: float) -> Run:
        ground, rows = self.ground, self.ground.numbers
        labels, found = np.full(len(rows), -1, np.int32), np.empty(len(rows), np.int32)
        least = tol * float(rows.var(axis=0).mean()) if tol > 0 else -1.0
        sums, counts = np.zeros(centers.shape), np.zeros(len(centers))
        fresh, converged, steps = False, False, 0
        search.begin(centers)
        while steps < max_iter or not steps:
            self._assign(search, centers, labels, found)
            changed = kernels.count_changes(labels, found)
            if not changed and fresh:
                converged = True
                break
            anew = changed * FEW_CHANGES > len(rows) or not changed
            steps += bool(changed)
            sums, counts = self._sums(sums, counts, labels, found, anew=anew)
            fresh = anew
            moved = self._fill_empty(search, centers, labels, sums, counts)
            fresh = fresh and not moved
            before = centers
            centers = sums / counts[:, np.newaxis] if counts.all() else _means(sums, counts, before)
            if changed and not moved and least >= 0 and float(((centers - before) ** 2).sum()) <= least:
                converged = True
                break
        if not converged or least >= 0:  # centers have moved since rows were last compared with them
            self._assign(search, centers, labels, found)
            labels = found
        costs = np.empty(len(rows))
        self.crew.run(
            lambda _n, first, last: kernels.squares_to_own(rows, centers, labels, costs, first, last), len(rows)
        )
        nothing = np.zeros((len(centers), 0), np.int32)
        return Run(Centers(centers, nothing), labels, float((costs * ground.each_weight).sum()), steps, converged)

    def _assign(self, search: NearestCenters, centers: Floats, labels: Codes, found: Codes) -> None:
        if self.plainly:
            search.assign_plainly(centers, found)
        else:
            search.assign(centers, labels, found)

    def _sums(self, sums: Floats, counts: Floats, labels: Codes, found: Codes, *, anew: bool) -> tuple[Floats, Floats]:
        rows, weights = self.ground.numbers, self.ground.weights

        def part(_number: int, first: int, last: int) -> tuple[Floats, Floats]:
            some, many = np.zeros(sums.shape), np.zeros(counts.shape)
            kernels.add_up(rows, weights, labels, found, some, many, first, last, anew)
            return some, many

        parts = self.crew.run(part, len(rows))
        total, weight = (np.zeros(sums.shape), np.zeros(counts.shape)) if anew else (sums, counts)
        for some, many in parts:
            total = total + some
            weight = weight + many
        if len(weights) and not anew:  # what is left by subtraction may be rounding
            weight = np.where(np.bincount(labels, minlength=len(counts)) > 0, weight, 0.0)
        return total, weight

    def _fill_empty(self, search: NearestCenters, centers: Floats, labels: Codes, sums: Floats, counts: Floats) -> bool:
        """Give clusters without rows the row farthest from its center."""
        empty = np.flatnonzero(counts <= 0)
        if not len(empty):
            return False
        rows, weights = self.ground.numbers, self.ground.each_weight
        costs = np.empty(len(rows))
        kernels.squares_to_own(rows, centers, labels, costs, 0, len(rows))
        held = np.bincount(labels, minlength=len(counts))
        farthest = iter(np.argsort(-costs, kind="stable").tolist())
        moved = False
        for cluster in empty:
            row = next((row for row in farthest if held[labels[row]] > 1 and costs[row] > 0), None)
            if row is None:
                break
            old, weight = labels[row], weights[row]
            held[old] -= 1
            held[cluster] = 1
            sums[old] -= weight * rows[row]
            counts[old] -= weight
            sums[cluster], counts[cluster] = weight * rows[row], weight
            labels[row] = cluster
            search.forget(row) if not self.plainly else None
            moved = True
        return moved

    # ---- categories and missing values ----

    def _mixed(self, start: Centers, max_iter: int, tol: float) -> Run:
        ground, centers = self.ground, start
        weights = ground.each_weight
        labels = np.full(ground.n_rows, -1, np.int32)
        spread = float(np.nanmean(np.nanvar(ground.numbers, axis=0))) if tol > 0 and ground.numbers.size else 0.0
        steps, converged = 0, False
        while steps < max_iter or not steps:
            found, costs = ground.nearest(centers, self.crew)
            if np.array_equal(found, labels):
                converged = True
                break
            labels = found
            steps += 1
            _spread_out(labels, costs, len(centers))
            sums = Sums.empty(ground, len(centers))
            sums.add(ground, labels)
            before, centers = centers, sums.centers(centers)
            moved = float(((centers.numbers - before.numbers) ** 2).sum())
            if tol > 0 and moved <= tol * spread and np.array_equal(centers.codes, before.codes):
                converged = True
                break
        labels, costs = ground.nearest(centers, self.crew)
        return Run(centers, labels, float((costs * weights).sum()), steps, converged)


def _means(sums: Floats, counts: Floats, before: Floats) -> Floats:
    """Means of the clusters; those that stay empty stay where they are."""
    means = before.copy()
    np.divide(sums, counts[:, np.newaxis], out=means, where=counts[:, np.newaxis] > 0)
    return means


def _spread_out(labels: Codes, costs: Floats, k: int) -> None:
    """Give clusters without rows the rows that cost most where they are."""
    held = np.bincount(labels, minlength=k)
    empty = np.flatnonzero(held == 0)
    if not len(empty):
        return
    dearest = iter(np.argsort(-costs, kind="stable").tolist())
    for cluster in empty:
        row = next((row for row in dearest if held[labels[row]] > 1 and costs[row] > 0), None)
        if row is None:
            return
        held[labels[row]] -= 1
        held[cluster] = 1
        labels[row] = cluster
