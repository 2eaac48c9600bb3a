"""Beam search for one rule: several rules in the making are grown side by side, not the best one alone.

The greedy search adds the best condition, whatever comes after it; two conditions that tell much only together are
missed where neither tells anything alone. Here every rule in the making is continued by its best conditions, and as
many of the continued rules stay as the beam is wide. What a condition can be asked (cuts, categories, sets) is that of
the learner at hand; its rows come in as arrays, and what is found goes out as `Choice`s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

Kind = Literal["below", "at-least", "in", "not-in", "missing"]
NOTHING = 1e-9  # weights and scores that differ by less are equal


@dataclass(frozen=True)
class Choice:
    """A condition chosen: below or at least a cut between `low` and `high`, in or not in `codes`, or without a value.

    `right` and `covered` are the weight of the class and of all rows that the rule covers with it.
    """

    column: int
    kind: Kind
    low: float = 0.0
    high: float = 0.0
    codes: tuple[int, ...] = ()
    right: float = 0.0
    covered: float = 0.0


@dataclass(frozen=True)
class Columns:
    """The columns of a table, and what can be asked of them.

    Parameters
    ----------
    values : sequence of arrays
        float64 values (NaN: missing) or int32 codes (-1: missing).
    orders : sequence
        For a numeric column the rows with a value, by rising value; None for a nominal one.
    n_codes : sequence of int
        How many codes a nominal column has; 0 for a numeric one.
    weights : array
        Of every row.
    measure : {"share", "gain", "smoothed-gain"}
    nominal : {"value", "set", "leave-out"}
        A nominal condition asks for a category, or for a set of them, or one category may be left out.
    own_missing : bool
        Whether "is missing" is a condition too.
    least : float
        Weight of the class that a condition leaves at least.
    """

    values: Sequence[NDArray[Any]]
    orders: Sequence[NDArray[np.uint32] | None]
    n_codes: Sequence[int]
    weights: NDArray[np.float64]
    measure: str
    nominal: Literal["value", "set", "leave-out"] = "value"
    own_missing: bool = False
    least: float = 0.0

    def score(self, right: Any, covered: Any, of_class: float, total: float) -> Any:
        """What conditions that leave so much are worth, where so much was there before."""
        if self.measure == "share":
            return right / covered
        added = 1.0 if self.measure == "smoothed-gain" else 0.0
        return right * (np.log2((right + added) / (covered + added)) - np.log2((of_class + added) / (total + added)))


@dataclass(frozen=True)
class _Member:
    """A rule in the making, and the rows that it covers."""

    choices: tuple[Choice, ...]
    inside: NDArray[np.bool_]
    right: float
    covered: float


def beam_search(
    columns: Columns, inside: NDArray[np.bool_], of_class: NDArray[np.bool_], width: int, used: Sequence[int] = ()
) -> tuple[Choice, ...]:
    """Grow a rule.

    Parameters
    ----------
    columns : Columns
    inside : array of bool
        Rows to grow from.
    of_class : array of bool
        Rows of the class that the rule is for.
    width : int
        How many rules in the making are kept.
    used : sequence of int
        Nominal columns that have been asked for already.

    Returns
    -------
    tuple of Choice
        The conditions of the rule that is worth most of those that cannot be continued: the greatest share of its class
        (then the most of it), or the most information gained from the rows to grow from.
    """
    weights = columns.weights
    right, covered = float(weights[inside & of_class].sum()), float(weights[inside].sum())

    def worth(member: _Member | Choice) -> tuple[float, float]:
        return float(columns.score(member.right, member.covered, right, covered)), member.right

    start = _Member((), inside, right, covered)
    beam, best = [start], start
    while beam:
        continued: list[tuple[tuple[float, float], _Member, Choice]] = []
        for member in beam:
            found = _best_choices(columns, member, of_class, width, used)
            continued += [(worth(choice), member, choice) for choice in found]
            if not found and member.choices and (not best.choices or worth(member) > worth(best)):
                best = member
        continued.sort(key=lambda each: each[0], reverse=True)  # of equals the first stays first
        beam, seen = [], set()
        for _, member, choice in continued:
            made = _continued(columns, member, choice)
            if (rows := made.inside.tobytes()) not in seen:  # the same rows are covered by conditions in any order
                seen.add(rows)
                beam.append(made)
            if len(beam) == width:
                break
    return best.choices


def _continued(columns: Columns, member: _Member, choice: Choice) -> _Member:
    values = columns.values[choice.column]
    if choice.kind == "below":
        passes = values <= choice.low
    elif choice.kind == "at-least":
        passes = values >= choice.high
    elif choice.kind == "missing":
        passes = values < 0 if columns.n_codes[choice.column] else np.isnan(values)
    else:
        passes = np.isin(values, choice.codes) if choice.kind == "in" else (values >= 0) & (values != choice.codes[0])
    return _Member((*member.choices, choice), member.inside & passes, choice.right, choice.covered)


def _best_choices(
    columns: Columns, member: _Member, of_class: NDArray[np.bool_], width: int, used: Sequence[int]
) -> list[Choice]:
    """The best conditions for a rule, best first; none where it is perfect or cannot be made better."""
    if member.covered - member.right <= NOTHING:
        return []
    asked = {*used, *(each.column for each in member.choices if each.kind in {"in", "missing"})}
    found: list[tuple[float, float, Choice]] = []
    for column, n_codes in enumerate(columns.n_codes):
        if n_codes and columns.nominal != "set" and column in asked:
            continue
        offered = (
            _of_codes(columns, member, of_class, column) if n_codes else _of_cuts(columns, member, of_class, column)
        )
        for right, covered, make in offered:
            fits = (right > NOTHING) & (right >= columns.least - NOTHING) & (covered < member.covered - NOTHING)
            fits &= right * member.covered >= member.right * covered * (1.0 - NOTHING)
            places = np.flatnonzero(fits)
            if not len(places):
                continue
            score = columns.score(right[places], covered[places], member.right, member.covered)
            for at in np.lexsort((-right[places], -score))[:width].tolist():
                place = int(places[at])
                found.append((float(score[at]), float(right[place]), make(place)))
    found.sort(key=lambda each: each[:2], reverse=True)
    return [choice for _, _, choice in found[:width]]


def _of_cuts(
    columns: Columns, member: _Member, of_class: NDArray[np.bool_], column: int
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64], Any]]:
    """What cuts of a numeric column leave: weight of the class, all weight, and how the condition is made."""
    order = columns.orders[column]
    assert order is not None
    listed = order[member.inside[order]]
    values, weights = columns.values[column][listed], columns.weights[listed]
    right, covered = np.cumsum(weights * of_class[listed]), np.cumsum(weights)
    known = (float(right[-1]), float(covered[-1])) if len(listed) else (0.0, 0.0)
    cuts = np.flatnonzero(values[1:] != values[:-1])
    below = right[cuts], covered[cuts]

    def cut(place: int, kind: Kind, at: tuple[NDArray[np.float64], NDArray[np.float64]]) -> Choice:
        low, high = float(values[cuts[place]]), float(values[cuts[place] + 1])
        return Choice(column, kind, low, high, (), float(at[0][place]), float(at[1][place]))

    above = known[0] - below[0], known[1] - below[1]
    yield (*below, lambda place: cut(place, "below", below))
    yield (*above, lambda place: cut(place, "at-least", above))
    if columns.own_missing:
        yield _of_missing(column, member.right - known[0], member.covered - known[1])


def _of_missing(column: int, right: float, covered: float) -> tuple[NDArray[np.float64], NDArray[np.float64], Any]:
    choice = Choice(column, "missing", right=right, covered=covered)
    return np.array([right]), np.array([max(covered, NOTHING)]), lambda _: choice


def _of_codes(
    columns: Columns, member: _Member, of_class: NDArray[np.bool_], column: int
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64], Any]]:
    """The same of the categories of a nominal column."""
    n_codes = columns.n_codes[column]
    rows = np.flatnonzero(member.inside)
    codes, weights = columns.values[column][rows], columns.weights[rows]
    all_covered = np.bincount(codes + 1, weights, minlength=n_codes + 1).astype(np.float64)
    all_right = np.bincount(codes + 1, weights * of_class[rows], minlength=n_codes + 1).astype(np.float64)
    right, covered = all_right[1:], all_covered[1:]
    shown = np.maximum(covered, NOTHING)  # a category without rows has nothing of the class either

    def chosen(kind: Kind, codes: Any, right: Any, covered: Any) -> Choice:
        return Choice(column, kind, 0.0, 0.0, tuple(sorted(int(code) for code in codes)), float(right), float(covered))

    yield right, shown, lambda place: chosen("in", [place], right[place], covered[place])
    if columns.own_missing:
        yield _of_missing(column, float(all_right[0]), float(all_covered[0]))
    if columns.nominal == "set":
        # the best set of k categories has the k with the greatest shares of the class
        ranked = np.argsort(-right / shown, kind="stable")[: np.count_nonzero(right > NOTHING)]
        sums = np.cumsum(right[ranked])[1:], np.cumsum(covered[ranked])[1:]
        yield (*sums, lambda place: chosen("in", ranked[: place + 2], sums[0][place], sums[1][place]))
    present = np.flatnonzero(covered > NOTHING)
    if columns.nominal == "leave-out" and len(present) > 2:  # noqa: PLR2004 - of two, one says what the other leaves
        rest = right.sum() - right[present], covered.sum() - covered[present]
        yield (*rest, lambda place: chosen("not-in", [present[place]], rest[0][place], rest[1][place]))
