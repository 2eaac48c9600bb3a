"""The distance of two rows, pair by pair and column by column, as the documentation tells it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.model.neighbors.distance import Distance


def value(table: Table, place: int, row: int) -> float | None:
    """A number or a code; None where it is missing."""
    found = float(table.columns[place][row])
    column = table.schema.columns[place]
    return None if math.isnan(found) or (isinstance(column, Nominal) and found < 0) else found


def known(table: Table, place: int) -> list[float]:
    """All values of a column that are there."""
    return [v for row in range(table.n_rows) if (v := value(table, place, row)) is not None]


def number_difference(table: Table, place: int, x: float | None, y: float | None, missing: str) -> float | None:
    """Of numbers, by the range of the column in `table`."""
    values = known(table, place)
    low, width = (min(values), max(values) - min(values)) if values else (0.0, 0.0)

    def at(v: float) -> float:
        return (v - low) / width if width > 0 else 0.0

    if x is not None and y is not None:
        return abs(at(x) - at(y))
    if missing == "ignore":
        return None
    if missing == "average":
        raise NotImplementedError
    if x is None and y is None:
        return 1.0
    there = at(x if x is not None else y)  # type: ignore[arg-type]
    return max(there, 1 - there)


def category_difference(x: float | None, y: float | None, missing: str) -> float | None:
    """Of categories, by overlap."""
    if x is None or y is None:
        return None if missing == "ignore" else 1.0
    return float(x != y)


def distance(distance: Distance, learned: Table, a: Table, i: int, b: Table, j: int) -> float:
    """Of row i of a and row j of b; scales are those of the table learned from."""
    total = weight_known = 0.0
    for f, place in enumerate(learned.schema.features):
        column, w = learned.schema.columns[place], float(distance.weight[f])
        x, y = value(a, place, i), value(b, place, j)
        if isinstance(column, Nominal) and not column.ordered:
            d = category_difference(x, y, distance.missing)
        else:
            d = number_difference(learned, place, x, y, distance.missing)
        if d is None:
            continue
        total += w * (d * d if distance.squared else d)
        weight_known += w
    whole = float(np.sum(distance.weight))
    if distance.missing == "ignore":
        if weight_known == 0:
            return math.nan
        total = total / weight_known if distance.mean else total * whole / weight_known
    elif distance.mean and whole > 0:
        total /= whole
    return math.sqrt(total) if distance.squared else total
