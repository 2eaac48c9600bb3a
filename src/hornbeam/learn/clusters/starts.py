"""Where descents begin: rows drawn far from each other (k-means++), or any rows.

Arthur and Vassilvitskii, "k-means++: the advantages of careful seeding", 2007; of a few rows drawn the best is taken.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.core.clusters import kmeans as kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.learn.clusters.ground import Ground
    from hornbeam.model.clusters.centers import Crew

    Floats = NDArray[np.float64]


class Starts:
    """Draws rows of a ground to begin with.

    Parameters
    ----------
    ground : Ground
        The rows.
    crew : Crew
        Who does the work.
    """

    def __init__(self, ground: Ground, crew: Crew) -> None:
        self.ground, self.crew, self.weights = ground, crew, ground.each_weight

    @cached_property
    def columns(self) -> Floats | None:
        """Complete numbers, column by column; None of other rows."""
        return np.ascontiguousarray(self.ground.numbers.T) if self.ground.is_plain else None

    def far_apart(self, k: int, random: np.random.RandomState) -> list[int]:
        """Rows drawn with chances in proportion to what they cost so far; fewer than k where nothing costs any more."""
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

    def anywhere(self, k: int, random: np.random.RandomState) -> list[int]:
        """Rows drawn at random, no two alike; fewer than k where there are no more."""
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
        """What every row costs with each candidate added."""
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
    """Rows at these shares of a running sum; never one that adds nothing."""
    places = np.searchsorted(running, shares * running[-1], side="right")
    return [int(place) for place in np.minimum(places, np.searchsorted(running, running[-1], side="left"))]
