"""Beyond the end of a descent: single rows moved, and centers swapped.

Where no row is nearer to another center, the error may still fall: a row that leaves a cluster takes its share of the
center along (Hartigan, 1975), so it may gain by a cluster that is not the nearest. And a center that two clusters have
between them may be of better use elsewhere: it is put at a row drawn far from the other centers, and the descent
repeated (Fränti and Kivijärvi, 2000; drawn as in Lattanzi and Sohler, 2019).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.core.clusters import kmeans as kernels
from hornbeam.learn.clusters.ground import Centers, Ground, Sums
from hornbeam.learn.clusters.starts import drawn

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.learn.clusters.lloyd import Lloyd, Run

IMPROVEMENTS = (None, "rows", "swaps")
PATIENCE = 10  # swaps without a gain before one stops
GAIN = 1e-9  # the least share of the error that counts as one


def rows_moved(lloyd: Lloyd, run: Run, max_iter: int, tol: float) -> Run:
    """Move single rows for as long as the error falls, with whole steps in between."""
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


def _move(ground: Ground, sums: Sums, before: Centers, labels: NDArray[np.int32], passes: int) -> int:
    means = sums.centers(before)
    top = np.array([held.max(axis=1, initial=0.0) for held in sums.codes]).reshape(len(sums.codes), len(sums.counts)).T
    return kernels.move_rows(
        ground.numbers, ground.codes, ground.each_weight, ground.code_weights, sums.start, means.numbers, sums.known,
        sums.counts, np.ascontiguousarray(top), labels, passes,
    )  # fmt: skip


def centers_swapped(lloyd: Lloyd, run: Run, random: np.random.RandomState, max_iter: int, tol: float) -> Run:
    """Put one center after another elsewhere, until nothing was gained some times in a row."""
    ground, failed, k = lloyd.ground, 0, len(run.centers)
    while failed < PATIENCE and k > 1 and run.error > 0:
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
