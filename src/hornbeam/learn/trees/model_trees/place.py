"""Where a cut of a model tree may lie: how likely every place is, and which cuts of a column are one.

With Gaussian noise of variance v, a cut is as likely as exp(-e / 2v) for the squared error e that it leaves. The median
of its places is where fewest rows are expected on the wrong side; the cut of least error may lie anywhere in a stretch
of rows for which either side would do.

A break in a relation that was found late is found in several branches, each with few rows to place it by. Cuts of one
column in different branches are taken for one where that costs little likelihood, and placed by all their rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

MOST_LOST = 3.0  # of the log-likelihood, by each cut that is joined to others
RECENT = 3  # groups of cuts, in the order of their middles, that a further cut may join


@dataclass(frozen=True, eq=False)
class Place:
    """Where one cut, or several that are one, may lie.

    Parameters
    ----------
    values : array
        Rising; a cut lies between two of them.
    cost : array
        By pair of neighbors, minus the log-likelihood of a cut there; 0 where each of the cuts would be by itself.
    column : int
        That is cut.
    nodes, blocks : tuple
        The nodes with this cut, and the start and end of their rows in the order of the leaves.
    """

    values: Vector
    cost: Vector
    column: int = -1
    nodes: tuple[int, ...] = ()
    blocks: tuple[tuple[int, int], ...] = ()

    @property
    def middle(self) -> float:
        """The median of the places, as a cut between two of the values."""
        with np.errstate(over="ignore"):
            upto = np.cumsum(np.exp(self.cost.min() - self.cost) * np.diff(self.values))
        at = int(np.searchsorted(upto, 0.5 * upto[-1]))
        low, high = float(self.values[at]), float(self.values[at + 1])
        middle = low + 0.5 * (high - low)
        return middle if low <= middle < high else low

    def joined(self, other: Place) -> Place | None:
        """The place of both as one cut; None where there is no such place, or one lies below the other in the tree."""
        low, high = max(self.values[0], other.values[0]), min(self.values[-1], other.values[-1])
        if not low < high:
            return None
        if any(a < d and c < b for a, b in self.blocks for c, d in other.blocks):
            return None
        values = np.unique(np.concatenate([self.values, other.values]))
        values = values[(values >= low) & (values <= high)]
        cost = sum(each.cost[np.searchsorted(each.values, values[:-1], side="right") - 1] for each in (self, other))
        return replace(
            self,
            values=values,
            cost=np.asarray(cost),
            nodes=self.nodes + other.nodes,
            blocks=self.blocks + other.blocks,
        )


def place_of(values: Vector, swing: Vector, noise: float) -> Place | None:
    """The place of a cut among rows; None where their values do not differ.

    Parameters
    ----------
    values : array
        Rising.
    swing : array
        By row, how much more squared error it has below the cut than above it.
    noise : float
        The mean squared error on the better side.
    """
    last = np.flatnonzero(np.append(values[1:] > values[:-1], True))  # of equal values, the last row
    if len(last) == 1:
        return None
    below = np.cumsum(swing)[last[:-1]]
    below -= below.min()
    # where nothing is left to chance, any error at all is too much
    with np.errstate(over="ignore"):
        cost = np.divide(below, 2 * noise, out=np.where(below > 0, np.inf, 0.0), where=2 * noise > 0)
    return Place(values[last], cost)


def shared(places: Iterable[Place]) -> list[Place]:
    """The places, those of cuts that may be one joined."""
    by_column: dict[int, list[Place]] = {}
    for place in sorted(places, key=lambda place: place.middle):
        groups = by_column.setdefault(place.column, [])
        best, least = -1, MOST_LOST
        for at in range(max(len(groups) - RECENT, 0), len(groups)):
            both = groups[at].joined(place)
            if both is not None and both.cost.min() - groups[at].cost.min() <= least:
                best, least = at, float(both.cost.min() - groups[at].cost.min())
        joined = groups[best].joined(place) if best >= 0 else None
        if joined is None:
            groups.append(place)
        else:
            groups[best] = joined
    return list(chain.from_iterable(by_column.values()))
