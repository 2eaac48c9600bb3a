"""Greedy search, whatever is searched for: from where one is to the best place in reach, as long as that pays.

Forward and backward selection of columns, Lloyd's algorithm, gradient descent with line search are examples. It ends
in a place that is the best in reach, a local optimum, which need not be the best of all; `evaluate.restarts` shows how
far off such ends are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from hornbeam.learn.base.in_threads import in_order_of_arrival
from hornbeam.learn.base.parameters import at_least, threads, whole_or_none

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Place = TypeVar("Place")


@dataclass(frozen=True)
class Descent(Generic[Place]):
    """The way a greedy search took."""

    places: tuple[Place, ...]  # the start and where each step led
    costs: tuple[Any, ...]  # of the places
    converged: bool  # whether it ended by itself, not by `max_steps`

    @property
    def place(self) -> Place:
        """If it ended."""
        return self.places[-1]

    @property
    def cost(self) -> Any:  # what a cost is, the caller knows
        """What that costs."""
        return self.costs[-1]

    @property
    def n_steps(self) -> int:
        """How many steps it took."""
        return len(self.places) - 1


def greedy(
    cost: Callable[[Place], Any],
    candidates: Callable[[Place], Iterable[Place]],
    start: Place,
    tolerance: float = 0.0,
    *,
    max_steps: int | None = None,
    n_jobs: int | None = None,
) -> Descent[Place]:
    """Go to the cheapest candidate in reach, until that lowers the cost by no more than `tolerance`.

    Parameters
    ----------
    cost : callable
        What a place costs: a number, or, without a tolerance, anything that can be compared by ``<``.
    candidates : callable
        The places in reach of a place. The place itself always is, whether or not it is among them. Of equally cheap
        ones the first is taken, and to stay is better than to move.
    start : object
        Where to begin.
    tolerance : float, default=0.0
        Every step but the last lowers the cost by more than this. With more than zero the search ends after finitely
        many steps wherever the cost has a lower bound.
    max_steps : int, optional
        The most steps.
    n_jobs : int or None, default=None
        Threads that try candidates; None is one, -1 all cores. The result does not depend on it.

    Returns
    -------
    Descent
        Every place on the way, and its cost.

    Examples
    --------
    >>> from hornbeam.learn.columns.greedy_search import greedy
    >>> descent = greedy(lambda x: (x - 7) ** 2, lambda x: [x - 2, x + 2], 0)
    >>> descent.places, descent.cost
    ((0, 2, 4, 6), 1)
    """
    least, most, n_threads = (
        at_least("tolerance", tolerance, 0.0),
        whole_or_none("max_steps", max_steps, 0),
        threads(n_jobs),
    )
    places, costs = [start], [cost(start)]
    while most is None or len(places) <= most:
        reach = list(candidates(places[-1]))
        found = in_order_of_arrival(lambda place: cost(reach[place]), len(reach), n_threads)  # noqa: B023 - called here
        best = min(range(len(reach)), key=found.__getitem__, default=None)
        if best is None or not found[best] < costs[-1]:
            return Descent(tuple(places), tuple(costs), converged=True)
        ends = least > 0 and not found[best] < costs[-1] - least
        places.append(reach[best])
        costs.append(found[best])
        if ends:
            return Descent(tuple(places), tuple(costs), converged=True)
    return Descent(tuple(places), tuple(costs), converged=False)
