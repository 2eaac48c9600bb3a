"""Choosing where rounding may decide: not one winner, but all that might win.

Candidates are compared in order, and a later one must be better by more than a tolerance. Where the comparison is so
close that rounding decides, both ways are followed; everywhere else there is one outcome, which then must be found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ROUNDING = 1e-11  # relative; less than any tolerance in use, so that ties are ties


class Doubtful(Protocol):
    """A candidate of which rounding may decide whether it is allowed at all."""

    @property
    def doubtful(self) -> bool: ...


Candidate = TypeVar("Candidate", bound=Doubtful)


def above(a: float, b: float, scale: float = 0.0) -> bool | None:
    """Whether a is above b; None where that is a matter of rounding."""
    leeway = ROUNDING * max(abs(a), abs(b), scale)
    return None if abs(a - b) <= leeway else a > b


def possible_bests(
    candidates: Iterable[Candidate],
    value: Callable[[Candidate], float],
    *,
    start: float,
    tolerance: tuple[float, float],
    scale: float,
) -> list[Candidate | None]:
    """All candidates that might be the last to win, each better than the one before; None: no one wins.

    The tolerance lies between two values: it may be absolute or relative.
    """
    bests: list[Candidate | None] = [None]
    for candidate in candidates:
        bests = unique(
            outcome
            for best in bests
            for outcome in duel(
                candidate, best, beats(value(candidate), start if best is None else value(best), tolerance, scale)
            )
        )
    return bests


def beats(a: float, b: float, tolerance: tuple[float, float], scale: float) -> bool | None:
    """Whether a is above b by more than the tolerance."""
    least, most = above(a, b + min(tolerance), scale), above(a, b + max(tolerance), scale)
    return False if least is False else True if most is True else None


def duel(candidate: Candidate, best: Candidate | None, wins: bool | None) -> list[Candidate | None]:
    """Who might be left of two."""
    if wins is False:
        return [best]
    if wins is True and not candidate.doubtful:
        return [candidate]
    return [best, candidate]


def unique(outcomes: Iterable[Candidate | None]) -> list[Candidate | None]:
    """Each outcome once, in order."""
    found: dict[int, Candidate | None] = {}
    for outcome in outcomes:
        found.setdefault(id(outcome), outcome)
    return list(found.values())
