"""The covering algorithm as the textbook tells it: every condition on every column is tried on every row."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.rules.cover import middle
from hornbeam.data.schema import Nominal
from hornbeam.model.base.condition import AtLeast, Below, IsIn, IsMissing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.model.base.condition import Condition


def holds(condition: Condition, value: Any) -> bool:
    """Whether one value passes; None is missing."""
    if isinstance(condition, IsMissing):
        return value is None
    if value is None:
        return False
    if isinstance(condition, IsIn):
        return value in condition.codes
    return bool(value < condition.value if isinstance(condition, Below) else value >= condition.value)


def values_of(table: Table, place: int) -> list[Any]:
    """The values of a column, None where there is none."""
    if isinstance(table.schema.columns[place], Nominal):
        return [None if code < 0 else code for code in table.columns[place].tolist()]
    return [None if math.isnan(value) else value for value in table.columns[place].tolist()]


def candidates(table: Table, rows: list[int], *, own_missing: bool) -> Iterator[Condition]:
    """Every condition that excludes some of the rows, in the order in which ties are decided."""
    for place in table.schema.features:
        values = values_of(table, place)
        known = sorted({values[row] for row in rows if values[row] is not None})
        if isinstance(table.schema.columns[place], Nominal):
            if len(known) == 1 and all(values[row] is not None for row in rows):
                continue
            yield from (IsIn(place, (code,)) for code in known)
        else:
            for low, high in pairwise(known):
                yield Below(place, (low + high) / 2)
                yield AtLeast(place, (low + high) / 2)
        if own_missing and known and any(values[row] is None for row in rows):
            yield IsMissing(place)


def grow(
    table: Table, rows: list[int], label: int, *, gain: bool, own_missing: bool
) -> tuple[list[Condition], list[int]]:
    """A rule for a class on some rows, and the rows that it covers."""
    classes = table.target_values().tolist()
    weights = [1] * table.n_rows if table.weights is None else table.weights.tolist()

    def weigh(some: list[int]) -> tuple[Fraction, Fraction]:
        right = sum((Fraction(weights[row]) for row in some if classes[row] == label), Fraction(0))
        return right, sum((Fraction(weights[row]) for row in some), Fraction(0))

    conditions: list[Condition] = []
    while True:
        right, total = weigh(rows)
        if right == total:
            return conditions, rows
        best: tuple[Any, Fraction, Condition, list[int]] | None = None
        for condition in candidates(table, rows, own_missing=own_missing):
            values = values_of(table, condition.column)
            kept = [row for row in rows if holds(condition, values[row])]
            p, t = weigh(kept)
            if p == 0:
                continue
            score: Any = p / t
            if gain:
                score = float(p) * (math.log2(float(p) / float(t)) - math.log2(float(right) / float(total)))
            if best is None or (score, p) > best[:2]:
                best = score, p, condition, kept
        if best is None:
            return conditions, rows
        p, t = weigh(best[3])
        if p / t < right / total or t == total:
            return conditions, rows
        conditions.append(best[2])
        rows = best[3]


def grow_by_arrays(
    table: Table, inside: NDArray[np.bool_], label: int, *, own_missing: bool = False
) -> tuple[list[Condition], NDArray[np.bool_]]:
    """The same rule by p/t where there are many rows: every condition is tried, column by column, on all rows covered.

    Weights are whole numbers, small enough that different shares are different floating-point numbers.
    """
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    of_class = weights * (table.target_values() == label)
    conditions: list[Condition] = []
    while True:
        right, total = of_class[inside].sum(), weights[inside].sum()
        best: tuple[float, float, Condition] | None = None
        for place in table.schema.features if right < total else ():
            for p, t, condition in _every_condition(table, place, inside, of_class, weights, own_missing=own_missing):
                if p > 0 and (best is None or (p / t, p) > best[:2]):
                    best = p / t, p, condition
        if best is None or best[0] < right / total:
            return conditions, inside
        conditions.append(best[2])
        inside = inside & (best[2].holds(table) > 0)


def _every_condition(
    table: Table,
    place: int,
    inside: NDArray[np.bool_],
    of_class: NDArray[np.float64],
    weights: NDArray[np.float64],
    *,
    own_missing: bool,
) -> Iterator[tuple[float, float, Condition]]:
    """Conditions on one column that exclude rows, in the order in which ties are decided, with p and t.

    Of the cuts only the best below and the best above are needed, the earlier one first.
    """
    values = table.columns[place]
    nominal = isinstance(table.schema.columns[place], Nominal)
    missing = inside & (values < 0 if nominal else np.isnan(values))
    known = inside & ~missing
    found: list[tuple[float, float, Condition]] = []
    if nominal:
        codes = np.unique(values[known])
        if len(codes) > 1 or missing.any():
            for code in codes.tolist():
                having = known & (values == code)
                found.append((of_class[having].sum(), weights[having].sum(), IsIn(place, (code,))))
    else:
        rows = np.flatnonzero(known)[np.argsort(values[known], kind="stable")]
        ends = np.flatnonzero(np.diff(values[rows]) > 0)
        p, t = np.cumsum(of_class[rows]), np.cumsum(weights[rows])
        sides = []
        for kind, side_p, side_t in ((Below, p[ends], t[ends]), (AtLeast, p[-1:] - p[ends], t[-1:] - t[ends])):
            if len(ends):
                first = np.lexsort((ends, -side_p, -side_p / side_t))[0]
                cut = middle(values[rows[ends[first]]], values[rows[ends[first] + 1]])
                sides.append((first, kind is AtLeast, float(side_p[first]), float(side_t[first]), kind(place, cut)))
        found += [side[2:] for side in sorted(sides, key=lambda side: side[:2])]
    yield from found
    if own_missing and missing.any() and known.any():
        yield of_class[missing].sum(), weights[missing].sum(), IsMissing(place)


def best_of_all(table: Table, label: int) -> tuple[Fraction, Fraction]:
    """The greatest share, and the most weight of the class with it, of all rules that cannot be continued.

    A rule is continued by every condition that excludes rows and does not make the share of the class smaller.
    """
    classes = table.target_values().tolist()
    weights = [1] * table.n_rows if table.weights is None else table.weights.tolist()
    seen: set[tuple[int, ...]] = set()
    ends: list[tuple[Fraction, Fraction]] = []

    def share(rows: tuple[int, ...]) -> tuple[Fraction, Fraction]:
        right = sum((Fraction(weights[row]) for row in rows if classes[row] == label), Fraction(0))
        return right / sum((Fraction(weights[row]) for row in rows), Fraction(0)), right

    def go_on(rows: tuple[int, ...]) -> None:
        seen.add(rows)
        before, _ = share(rows)
        continued = []
        for condition in candidates(table, list(rows), own_missing=False) if before < 1 else ():
            values = values_of(table, condition.column)
            kept = tuple(row for row in rows if holds(condition, values[row]))
            if kept and len(kept) < len(rows) and share(kept)[1] and share(kept)[0] >= before:
                continued.append(kept)
        if not continued:
            ends.append(share(rows))
        for kept in continued:
            if kept not in seen:
                go_on(kept)

    go_on(tuple(range(table.n_rows)))
    return max(ends)
