"""Scales of columns for a distance: scaling of numbers, differences of categories, average differences.

Numbers are scaled by the column's range, its standard deviation, or the ranks of its values. Two categories differ by
one, or by the difference of the target's distribution among their rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from hornbeam.data.schema import Nominal, is_missing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.core.base.arrays import Floats, Ints32
    from hornbeam.data.schema import Column
    from hornbeam.data.table import Table


NumericScale = Literal["range", "deviation", "rank", "as-is"]
NUMERIC: tuple[NumericScale, ...] = ("range", "deviation", "rank", "as-is")


@dataclass(frozen=True, eq=False)
class Scale:
    """The scale of a numeric column: the scaled value is (value - center) / width, or its rank among `knots`.

    With a width of zero every scaled value is zero. `least` and `greatest` are the scaled extremes, and `expected` is
    the average difference of two rows.
    """

    center: float
    width: float
    least: float
    greatest: float
    expected: float
    knots: Floats
    ranks: Floats


def is_number(column: Column) -> bool:
    """Whether a column is compared as numbers: a numeric column, or one with ordered categories."""
    return not isinstance(column, Nominal) or column.ordered


def numbers_of(column: Column, values: NDArray[np.generic]) -> Floats:
    """The values of such a column as numbers; NaN if missing."""
    numbers = np.asarray(values, np.float64)
    return np.where(numbers < 0, np.nan, numbers) if isinstance(column, Nominal) else numbers


def scale_of(values: Floats, weights: Floats | None, how: NumericScale, *, squared: bool, exact: bool = False) -> Scale:
    """Learn the scale of a column; a column without any known value has the range from 0 to 1 and no width.

    With `exact`, equal values are counted first, so that weights and repeated rows, in any order, give exactly the same
    scale. Without it no sorting is needed, but the last digits may differ.
    """
    missing = np.isnan(values)
    known = values[~missing] if missing.any() else values
    counts = np.ones(len(known)) if weights is None else weights[~missing]
    nothing = np.empty(0)
    if not len(known):
        return Scale(0.0, 0.0, 0.0, 1.0, 0.0, nothing, nothing)
    if exact:
        known, group = np.unique(known, return_inverse=True)
        counts = np.bincount(group, counts).astype(np.float64, copy=False)
    low, high = float(known.min()), float(known.max())
    if how == "rank":
        knots, ranks = _ranks(known, counts)
        places = np.interp(known, knots, ranks)
        return Scale(0.0, 1.0, 0.0, 1.0, _average(places, counts, squared=squared), knots, ranks)
    if how == "range":
        center, width, least, greatest = low, high - low, 0.0, 1.0
        if not np.isfinite(width):  # the range would overflow
            center, width, least, greatest = 0.0, max(-low, high), -1.0, 1.0
    elif how == "deviation":
        center = float(np.average(known, weights=counts))
        width = float(np.sqrt(np.average((known - center) ** 2, weights=counts)))
        least, greatest = ((low - center) / width, (high - center) / width) if width > 0 else (0.0, 0.0)
    else:
        center, width, least, greatest = 0.0, 1.0, low, high
    places = (known - center) / width if width > 0 else np.zeros(len(known))
    return Scale(center, width, least, greatest, _average(places, counts, squared=squared), nothing, nothing)


def _ranks(known: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """The distinct values, and the mean rank of each as a fraction: from 0 to 1 if the extremes occur once."""
    knots, group = np.unique(known, return_inverse=True)
    held = np.bincount(group, counts)
    middle = np.cumsum(held) - held / 2
    spread = middle[-1] - middle[0]
    return knots, (middle - middle[0]) / spread if spread > 0 else np.zeros(len(knots))


def _average(places: Floats, counts: Floats, *, squared: bool) -> float:
    """The average difference of two rows; the root of the mean square if differences are squared."""
    share = counts / counts.sum()
    if squared:
        mean = np.sum(share * places)  # not a matrix product, which would start threads
        return float(np.sqrt(2 * np.sum(share * (places - mean) ** 2)))
    order = np.argsort(places, kind="stable")
    below = np.cumsum(share[order])
    return float(2 * np.sum((below * (1 - below))[:-1] * np.diff(places[order])))


def average_overlap(codes: Ints32, weights: Floats | None, *, squared: bool) -> float:
    """The average difference of two rows' categories, if different ones differ by one."""
    there = codes >= 0
    if not there.any():
        return 0.0
    held = np.bincount(codes[there], None if weights is None else weights[there]).astype(np.float64)
    differ = float(1 - np.sum((held / held.sum()) ** 2))
    return float(np.sqrt(differ)) if squared else differ


def value_differences(table: Table, place: int, missing: str, *, squared: bool) -> Floats:
    """The differences between categories of a column by the target of their rows, from 0 to 1.

    For classes it is half the sum of the differences of the class probabilities; for numbers, the difference of the
    means as a fraction of the greatest. A category without rows counts like all rows together. The last row and column
    are for a missing value: the largest difference, or the average one, or 0 if it is not counted.
    """
    column, target = table.schema.columns[place], table.schema.target_column
    assert isinstance(column, Nominal)
    codes, truth = table.columns[place], table.target_values()
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    usable = table.known(place) & ~is_missing(truth)
    codes, truth, weights = codes[usable], truth[usable], weights[usable]
    n = len(column.categories)
    if isinstance(target, Nominal):
        about = np.zeros((n, len(target.categories)))
        np.add.at(about, (codes, truth), weights)
    else:
        about = np.bincount(codes, weights * truth, minlength=n)[:, np.newaxis].astype(np.float64)
    held = np.bincount(codes, weights, minlength=n).astype(np.float64)
    overall = about.sum(axis=0) / max(float(held.sum()), np.finfo(np.float64).tiny)
    about = np.where(held[:, np.newaxis] > 0, about / np.where(held > 0, held, 1.0)[:, np.newaxis], overall)
    apart = np.abs(about[:, np.newaxis] - about[np.newaxis]).sum(axis=2)
    if isinstance(target, Nominal):
        apart /= 2
    elif apart.max(initial=0.0) > 0:
        apart /= apart.max()
    whole = np.zeros((n + 1, n + 1))
    whole[:n, :n] = apart
    if missing == "farthest" and n:
        whole[n, :n] = whole[:n, n] = apart.max(axis=1)
        whole[n, n] = apart.max()
    elif missing == "average" and held.any():
        power = 2 if squared else 1
        share = held / held.sum()
        by_category = (apart**power) @ share
        whole[n, :n] = whole[:n, n] = by_category ** (1 / power)
        whole[n, n] = float(share @ by_category) ** (1 / power)
    return whole
