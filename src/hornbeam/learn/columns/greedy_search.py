"""Greedy search: move to the best neighboring state as long as the cost decreases.

Forward and backward selection of columns, Lloyd's algorithm and gradient descent with line search are examples. It ends
in a local optimum, which need not be the global one; `evaluate.restarts` shows how far local optima are from the best
one.
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
    """The path of a greedy search."""

    places: tuple[Place, ...]  # the start, and the state after each step
    costs: tuple[Any, ...]  # of these states
    converged: bool  # whether it ended before `max_steps`

    @property
    def place(self) -> Place:
        """The final state."""
        return self.places[-1]

    @property
    def cost(self) -> Any:  # any type of cost
        """The cost of the final state."""
        return self.costs[-1]

    @property
    def n_steps(self) -> int:
        """The number of steps."""
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
    """Move to the cheapest candidate until that lowers the cost by no more than `tolerance`.

    Parameters
    ----------
    cost : callable
        Returns the cost of a state: a number, or, without a tolerance, anything that can be compared by ``<``.
    candidates : callable
        Returns the neighboring states of a state. On a tie the first is taken, and staying is preferred to moving.
    start : object
        The first state.
    tolerance : float, default=0.0
        Every step lowers the cost by more than this. If it is positive and the cost has a lower bound, the search ends
        after finitely many steps.
    max_steps : int, optional
        The maximum number of steps.
    n_jobs : int or None, default=None
        Number of threads: None is one, -1 all cores. The result does not depend on it.

    Returns
    -------
    Descent
        All states of the path, and their costs.

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
