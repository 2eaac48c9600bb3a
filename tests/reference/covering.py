"""The covering algorithm as the textbook tells it: every condition on every column is tried on every row."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hornbeam.data.schema import Nominal
from hornbeam.model.condition import AtLeast, Below, IsIn, IsMissing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hornbeam.data.table import Table
    from hornbeam.model.condition import Condition


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
