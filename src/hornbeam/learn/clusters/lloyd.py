"""Lloyd's iteration: assign rows to the nearest center, move centers to the mean of their rows, until no row moves.

Complete numbers use exact accelerated comparisons (`model/clusters/centers.py`), anything else means, modes and partial
distances (`ground.py`). Sums are computed in chunks of rows that depend only on the number of rows, so the result does
not depend on threads, nor on the method of finding nearest centers.

Starts: rows far from each other (Arthur and Vassilvitskii, "k-means++: the advantages of careful seeding", 2007; the
best of a few candidates is used), or random rows.

Improvements: if no row is nearer to another center, the error may still fall. Moving a row also moves the centers
(Hartigan, 1975), so a cluster that is not the nearest may be better. And if two centers share a cluster, one of them
may be moved to a row far from the other centers, and the iteration is repeated (Fränti and Kivijärvi, 2000; drawn as in
Lattanzi and Sohler, 2019).

Variants: small batches of rows, and top-down, by bisecting the worst cluster.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.core.clusters import kmeans as kernels
from hornbeam.learn.clusters.ground import Centers, Ground, Sums
from hornbeam.model.clusters.centers import NearestCenters, nearest_centers

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats, Ints32
    from hornbeam.model.clusters.centers import Crew


FEW_CHANGES = 4  # if fewer than one row in this many moves, sums are updated, not recomputed
IMPROVEMENTS = (None, "rows", "swaps")
SWAP_PATIENCE = 10  # swaps without a gain before the search stops
GAIN = 1e-9  # the minimum gain, as a fraction of the error
BATCH_PATIENCE = 10  # batches without improvement before the search stops


@dataclass(frozen=True, eq=False)
class Run:
    """One run: its centers, its error, and its number of steps."""

    centers: Centers
    labels: Ints32
    error: float
    steps: int
    converged: bool


class Lloyd:
    """Runs on the same rows; what does not depend on the start is computed once.

    Parameters
    ----------
    ground : Ground
        The rows.
    crew : Crew
        The threads.
    plainly : bool
        Whether to compare every row with every center.
    memory_mb : float
        The memory for bounds.
    """

    def __init__(self, ground: Ground, crew: Crew, *, plainly: bool, memory_mb: float) -> None:
        self.ground, self.crew, self.plainly = ground, crew, plainly
        self.search = NearestCenters(ground.numbers, crew, memory_mb) if ground.is_plain else None

    def descend(self, start: Centers, max_iter: int, tol: float) -> Run:
        """Iterate from some centers.

        Parameters
        ----------
        start : Centers
            The starting centers.
        max_iter : int
            The maximum number of steps.
        tol : float
            The run ends if the sum of squared moves of the centers is at most this fraction of the columns' variance.
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
        if not converged or least >= 0:  # centers have moved since the last comparison
            self._assign(search, centers, labels, found)
            labels = found
        costs = np.empty(len(rows))
        self.crew.run(
            lambda _n, first, last: kernels.squares_to_own(rows, centers, labels, costs, first, last), len(rows)
        )
        nothing = np.zeros((len(centers), 0), np.int32)
        return Run(Centers(centers, nothing), labels, float((costs * ground.each_weight).sum()), steps, converged)

    def _assign(self, search: NearestCenters, centers: Floats, labels: Ints32, found: Ints32) -> None:
        if self.plainly:
            search.assign_plainly(centers, found)
        else:
            search.assign(centers, labels, found)

    def _sums(
        self, sums: Floats, counts: Floats, labels: Ints32, found: Ints32, *, anew: bool
    ) -> tuple[Floats, Floats]:
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
        if len(weights) and not anew:  # the remainder after subtraction may be a rounding error
            weight = np.where(np.bincount(labels, minlength=len(counts)) > 0, weight, 0.0)
        return total, weight

    def _fill_empty(
        self, search: NearestCenters, centers: Floats, labels: Ints32, sums: Floats, counts: Floats
    ) -> bool:
        """Assign the row farthest from its center to each empty cluster."""
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
    """Means of the clusters; centers of empty clusters do not move."""
    means = before.copy()
    np.divide(sums, counts[:, np.newaxis], out=means, where=counts[:, np.newaxis] > 0)
    return means


def _spread_out(labels: Ints32, costs: Floats, k: int) -> None:
    """Assign the rows with the highest cost to empty clusters."""
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


class Starts:
    """Draws rows as starting centers."""

    def __init__(self, ground: Ground, crew: Crew) -> None:
        self.ground, self.crew, self.weights = ground, crew, ground.each_weight

    @cached_property
    def columns(self) -> Floats | None:
        """Complete numbers, by column; None if there are categories or missing values."""
        return np.ascontiguousarray(self.ground.numbers.T) if self.ground.is_plain else None

    def far_apart(self, k: int, random: np.random.RandomState) -> list[int]:
        """Rows drawn with probabilities proportional to their current cost; fewer than k if all costs are zero."""
        trials = 2 + int(np.log(k))
        chosen = [drawn(np.cumsum(self.weights), random.uniform(size=1))[0]]
        least = self._costs(chosen, np.full(self.ground.n_rows, np.inf))[0]
        while len(chosen) < k:
            running = np.cumsum(least * self.weights)
            if not running[-1] > 0:
                break
            candidates = drawn(running, random.uniform(size=trials))
            costs = self._costs(candidates, least)
            best = int(np.argmin(costs @ self.weights))
            chosen.append(candidates[best])
            least = costs[best]
        return chosen

    def random_rows(self, k: int, random: np.random.RandomState) -> list[int]:
        """Distinct rows drawn at random; fewer than k if there are no more."""
        chosen: list[int] = []
        seen: set[bytes] = set()
        for row in random.permutation(self.ground.n_rows):
            place = (self.ground.numbers[row] + 0.0).tobytes() + self.ground.codes[row].tobytes()
            if place not in seen:
                seen.add(place)
                chosen.append(int(row))
            if len(chosen) == k:
                break
        return chosen

    def _costs(self, candidates: list[int], least: Floats) -> Floats:
        """The cost of every row with each candidate added."""
        n = self.ground.n_rows
        out = np.empty((len(candidates), n))
        if self.columns is not None:
            columns, places = self.columns, np.ascontiguousarray(self.ground.numbers[candidates])
            self.crew.run(lambda _n, first, last: kernels.nearer(columns, places, least, out, first, last), n)
            return out
        for place, row in enumerate(candidates):
            out[place] = np.minimum(least, self.ground.nearest(self.ground.at([row]), self.crew)[1])
        return out


def drawn(running: Floats, shares: Floats) -> list[int]:
    """Rows at these fractions of a cumulative sum; never one with cost zero."""
    places = np.searchsorted(running, shares * running[-1], side="right")
    return [int(place) for place in np.minimum(places, np.searchsorted(running, running[-1], side="left"))]


def rows_moved(lloyd: Lloyd, run: Run, max_iter: int, tol: float) -> Run:
    """Move single rows as long as the error decreases, with whole steps in between."""
    ground = lloyd.ground
    while True:
        labels = run.labels.copy()
        sums = Sums.empty(ground, len(run.centers))
        sums.add(ground, labels)
        if not _move(ground, sums, run.centers, labels, max_iter):
            return run
        sums = Sums.empty(ground, len(run.centers))
        sums.add(ground, labels)
        after = lloyd.descend(sums.centers(run.centers), max_iter, tol)
        if not after.error < run.error * (1 - GAIN):
            return run
        run = replace(after, steps=run.steps + after.steps)


def _move(ground: Ground, sums: Sums, before: Centers, labels: Ints32, passes: int) -> int:
    means = sums.centers(before)
    top = np.array([held.max(axis=1, initial=0.0) for held in sums.codes]).reshape(len(sums.codes), len(sums.counts)).T
    return kernels.move_rows(
        ground.numbers, ground.codes, ground.each_weight, ground.code_weights, sums.start, means.numbers, sums.known,
        sums.counts, np.ascontiguousarray(top), labels, passes,
    )  # fmt: skip


def centers_swapped(lloyd: Lloyd, run: Run, random: np.random.RandomState, max_iter: int, tol: float) -> Run:
    """Move one center after another, until several attempts in a row gained nothing."""
    ground, failed, k = lloyd.ground, 0, len(run.centers)
    while failed < SWAP_PATIENCE and k > 1 and run.error > 0:
        left = random.randint(k)
        kept = np.arange(k) != left
        others = Centers(run.centers.numbers[kept], run.centers.codes[kept])
        running = np.cumsum(ground.nearest(others, lloyd.crew)[1] * ground.each_weight)
        if not running[-1] > 0:
            break
        place = ground.at(drawn(running, random.uniform(size=1)))
        centers = run.centers.copy()
        centers.numbers[left], centers.codes[left] = place.numbers[0], place.codes[0]
        tried = rows_moved(lloyd, lloyd.descend(centers, max_iter, tol), max_iter, tol)
        better = tried.error < run.error * (1 - GAIN)
        steps = run.steps + tried.steps
        run = replace(tried if better else run, steps=steps)
        failed = 0 if better else failed + 1
    return run


def in_batches(
    ground: Ground, centers: Centers, crew: Crew, random: np.random.RandomState, batch_size: int, max_iter: int
) -> tuple[Centers, int]:
    """Move centers by batches of rows: each is the mean (and the modes) of all rows assigned to it so far.

    Sculley, "Web-scale k-means clustering", 2010.

    Returns
    -------
    centers : Centers
    batches : int
        The number of batches; at most `max_iter` passes over the rows.
    """
    sums = Sums.empty(ground, len(centers))
    size = min(batch_size, ground.n_rows)
    most = max(1, max_iter * ground.n_rows // size)
    smooth, best, worse, batches = float("nan"), float("inf"), 0, 0
    while batches < most and worse < BATCH_PATIENCE:
        batches += 1
        part = ground.take(random.randint(ground.n_rows, size=size))
        if part.is_plain:
            labels = nearest_centers(part.numbers, centers.numbers)
            costs = ((part.numbers - centers.numbers[labels]) ** 2).sum(axis=1)
        else:
            labels, costs = part.nearest(centers, crew)
        sums.add(part, labels)
        centers = sums.centers(centers)
        mean = float(np.average(costs, weights=part.each_weight))
        share = min(1.0, 2.0 * size / (ground.n_rows + 1))
        smooth = mean if np.isnan(smooth) else smooth * (1 - share) + mean * share
        best, worse = (smooth, 0) if smooth < best else (best, worse + 1)
    return centers, batches


def top_down(
    ground: Ground, k: int, crew: Crew, random: np.random.RandomState, n_init: int, max_iter: int, memory_mb: float
) -> Centers:
    """Split the cluster with the largest error in two until there are k; each time the best of `n_init` splits."""
    whole = np.arange(ground.n_rows)
    centers = [ground.typical()]
    members = [whole]
    errors = [float(ground.nearest(centers[0], crew)[1] @ ground.each_weight)]
    while len(members) < k:
        worst = int(np.argmax(errors))
        if not errors[worst] > 0:
            break
        rows = members[worst]
        part = ground.take(rows)
        lloyd, starts = Lloyd(part, crew, plainly=False, memory_mb=memory_mb), Starts(part, crew)
        runs = [lloyd.descend(part.at(starts.far_apart(2, random)), max_iter, 0.0) for _ in range(n_init)]
        run = min(runs, key=lambda run: run.error)
        if len(run.centers) == 1 or not (run.labels == 1).any() or not (run.labels == 0).any():
            errors[worst] = 0.0  # it cannot be split
            continue
        halves = [np.flatnonzero(run.labels == side) for side in (0, 1)]
        for side, inside in enumerate(halves):
            one = Centers(run.centers.numbers[side : side + 1], run.centers.codes[side : side + 1])
            some = part.take(inside)
            error = float(some.nearest(one, crew)[1] @ some.each_weight)
            if side == 0:
                centers[worst], members[worst], errors[worst] = one, rows[inside], error
            else:
                centers.append(one)
                members.append(rows[inside])
                errors.append(error)
    return Centers(np.vstack([c.numbers for c in centers]), np.vstack([c.codes for c in centers]))
