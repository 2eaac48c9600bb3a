"""Other ways down than whole steps: in small batches of rows, and top-down, by halving the worst cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.learn.clusters.ground import Centers, Ground, Sums
from hornbeam.learn.clusters.lloyd import Lloyd
from hornbeam.learn.clusters.starts import Starts
from hornbeam.model.clusters.centers import nearest_centers

if TYPE_CHECKING:
    from hornbeam.model.clusters.centers import Crew

PATIENCE = 10  # batches without a better mean before one stops


def in_batches(
    ground: Ground, centers: Centers, crew: Crew, random: np.random.RandomState, batch_size: int, max_iter: int
) -> tuple[Centers, int]:
    """Move centers by batches of rows: each stays the mean (and the modes) of all rows it was ever given.

    Sculley, "Web-scale k-means clustering", 2010.

    Returns
    -------
    centers : Centers
    batches : int
        How many were drawn; at most as many as make `max_iter` passes over the rows.
    """
    sums = Sums.empty(ground, len(centers))
    size = min(batch_size, ground.n_rows)
    most = max(1, max_iter * ground.n_rows // size)
    smooth, best, worse, batches = float("nan"), float("inf"), 0, 0
    while batches < most and worse < PATIENCE:
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
    """Halve the cluster with the greatest error until there are k; each time the best of `n_init` halvings."""
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
            errors[worst] = 0.0  # it cannot be halved
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
