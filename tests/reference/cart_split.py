"""The best split of one column, the naive way: every cut, or every division of the categories that may be best."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from reference.cart_parts import LEFT, RIGHT, Split, in_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from reference.cart_parts import Sample

    Counts = NDArray[np.float64]  # class weights: of a set of rows, or a row for each of many sets
    Weight = NDArray[np.float64] | float

BINARY = 2


def best_split(sample: Sample, position: int, rows: NDArray[np.intp]) -> Split | None:
    """The best split of a column for rows that have its value; None where there is none that gains."""
    rows = sample.in_order(position, rows)
    return (best_subset if sample.columns[position].n_categories else best_cut)(sample, position, rows)


def best_cut(sample: Sample, position: int, rows: NDArray[np.intp]) -> Split | None:
    """The best cut of a numeric column, the first of equals."""
    x, weights = sample.columns[position].values[rows], sample.weights[rows]
    n, smallest = len(rows), sample.options.min_bucket
    below = np.arange(1, n)
    allowed = (x[1:] != x[:-1]) & (below >= smallest) & (n - below >= smallest)
    if not allowed.any():
        return None
    if sample.n_classes:
        classes = sample.classes(rows)
        per_row = np.zeros((n, sample.n_classes))
        per_row[np.arange(n), classes] = weights
        counts = np.cumsum(per_row, axis=0)
        altered = weights * sample.splitting[classes]
        whole = np.cumsum(altered)
        left, left_weight = counts[:-1][allowed], whole[:-1][allowed]
        right = np.subtract.accumulate(np.concatenate([counts[-1:], per_row]))[1:-1][allowed]
        right_weight = np.subtract.accumulate(np.concatenate([whole[-1:], altered]))[1:-1][allowed]
        after = impurity_after(sample, left, left_weight, right, right_weight)
        before = impurity_before(sample, counts[-1], float(whole[-1]))
        best = int(np.nanargmin(after)) if not np.isnan(after).all() else 0
        gain = before - float(after[best])
        side = class_side(sample, left[best], left_weight[best], right[best], right_weight[best])
    else:
        mean = in_turn(weights * sample.target[rows]) / in_turn(weights)
        left_sum = np.cumsum((sample.target[rows] - mean) * weights)[:-1][allowed]
        left_weight = np.cumsum(weights)[:-1][allowed]
        right_weight = np.subtract.accumulate(np.concatenate([[in_turn(weights)], weights]))[1:-1][allowed]
        gains = left_sum * left_sum / left_weight + left_sum * left_sum / right_weight
        best = int(np.argmax(gains))
        gain, side = float(gains[best]), LEFT if left_sum[best] < 0 else RIGHT
    where = np.flatnonzero(allowed)[best]
    return Split(position, gain, cut=(x[where] + x[where + 1]) / 2, below=side) if gain > 0 else None


def best_subset(sample: Sample, position: int, rows: NDArray[np.intp]) -> Split | None:
    """The best division of a nominal column's categories in two, the first of equals."""
    n_categories = sample.columns[position].n_categories
    codes = sample.columns[position].values[rows].astype(np.int64)
    counts = np.bincount(codes, minlength=n_categories)
    present = [code for code in range(n_categories) if counts[code]]
    found = (by_classes if sample.n_classes else by_numbers)(sample, rows, codes, counts, n_categories)
    if found is None:
        return None
    gain, first, side = found
    return Split(position, gain, side_of={code: side if code in first else -side for code in present})


def by_classes(
    sample: Sample, rows: NDArray[np.intp], codes: NDArray[np.int64], counts: NDArray[np.int64], n_categories: int
) -> tuple[float, frozenset[int], int] | None:
    """The gain of the best division, its first set, and the side that goes to."""
    classes, weights = sample.classes(rows), sample.weights[rows]
    sums = np.zeros((n_categories, sample.n_classes))
    np.add.at(sums, (codes, classes), weights)
    altered = sample.splitting[classes] * weights
    weight_of = np.bincount(codes, altered, n_categories)  # added row by row
    left, right = np.zeros(sample.n_classes), np.bincount(classes, weights, sample.n_classes)
    left_weight, right_weight = 0.0, in_turn(altered)
    before = least = impurity_before(sample, right, right_weight)
    first: frozenset[int] = frozenset()
    best = None
    for moved in moves(sample.n_classes, counts, sums, weight_of):
        sign = -1 if moved in first else 1
        first ^= {moved}
        left, right = left + sign * sums[moved], right - sign * sums[moved]
        left_weight, right_weight = left_weight + sign * weight_of[moved], right_weight - sign * weight_of[moved]
        if too_small(sample, counts, first):
            continue
        after = float(impurity_after(sample, left, left_weight, right, right_weight))
        if after < least:
            best, least = (first, class_side(sample, left, left_weight, right, right_weight)), after
    return None if best is None else (before - least, *best)


def by_numbers(
    sample: Sample, rows: NDArray[np.intp], codes: NDArray[np.int64], counts: NDArray[np.int64], n_categories: int
) -> tuple[float, frozenset[int], int] | None:
    """The gain of the best division, its first set, and the side that goes to."""
    target, weights = sample.target[rows], sample.weights[rows]
    whole = in_turn(weights)
    mean = in_turn(weights * target) / whole
    sums = np.zeros((n_categories, 2))
    sums[:, 0] = np.bincount(codes, (target - mean) * weights, n_categories)
    sums[:, 1] = np.bincount(codes, weights, n_categories)
    best, most = None, 0.0
    total, weight, rest = 0.0, 0.0, whole
    first: frozenset[int] = frozenset()
    for moved in moves(0, counts, sums, sums[:, 1]):
        first |= {moved}
        total, weight = total + float(sums[moved, 0]), weight + float(sums[moved, 1])
        rest -= float(sums[moved, 1])
        if too_small(sample, counts, first):
            continue
        gain = total * total / weight + total * total / rest
        if gain > most:
            best, most = (first, LEFT if total < 0 else RIGHT), gain
    return None if best is None else (most, *best)


def moves(
    n_classes: int, counts: NDArray[np.int64], sums: NDArray[np.float64], weight_of: NDArray[np.float64]
) -> Iterator[int]:
    """The categories that change sides one after another; each time the division that results is tried."""
    present = [code for code in range(len(counts)) if counts[code]]
    if n_classes <= BINARY:  # in the order of their shares or means
        key = {code: sums[code, 0] / weight_of[code] for code in present}
        yield from sorted(present, key=key.__getitem__)[:-1]
        return
    # All divisions: the last category never moves, and where no row has it each division comes up twice.
    movable = [code for code in present if code < len(counts) - 1]
    for step in range(1, 2 ** len(movable)):
        yield movable[(step & -step).bit_length() - 1]


def too_small(sample: Sample, counts: NDArray[np.int64], first: frozenset[int]) -> bool:
    """Whether one side has too few rows."""
    inside = sum(int(counts[code]) for code in first)
    return min(inside, int(counts.sum()) - inside) < sample.options.min_bucket


def impurity_of_class(sample: Sample, share: NDArray[np.float64]) -> NDArray[np.float64]:
    """What one class adds to the impurity of a set of rows, by its share."""
    if sample.options.criterion == "gini":
        return share * (1 - share)
    # Not NumPy's logarithm, which may round another way than the machine's. A share just below zero, which rounding may
    # leave of weights, has none: such a split never wins.
    each = [0.0 if p == 0 else -p * math.log(p) if p > 0 else math.nan for p in np.ravel(share).tolist()]
    return np.array(each).reshape(np.shape(share))


def impurity_by_class(sample: Sample, counts: Counts, weight: Weight) -> list[NDArray[np.float64]]:
    """Each class's part in the impurity, times weight."""
    splitting = sample.splitting
    return [weight * impurity_of_class(sample, splitting[k] * counts[..., k] / weight) for k in range(sample.n_classes)]


def impurity_before(sample: Sample, counts: Counts, weight: float) -> float:
    """Impurity times weight of all rows."""
    return float(sum(impurity_by_class(sample, counts, weight)))


def impurity_after(
    sample: Sample, left: Counts, left_weight: Weight, right: Counts, right_weight: Weight
) -> NDArray[np.float64]:
    """Impurity times weight that is left after a division, or after each of many."""
    total = np.zeros(left.shape[:-1])
    parts = zip(
        impurity_by_class(sample, left, left_weight), impurity_by_class(sample, right, right_weight), strict=True
    )
    for left_part, right_part in parts:
        total = total + left_part + right_part
    return total


def class_side(sample: Sample, left: Counts, left_weight: float, right: Counts, right_weight: float) -> int:
    """The side of the first part: LEFT where its mean class number is less."""
    means = [
        in_turn(sample.splitting * counts / weight * np.arange(sample.n_classes))
        for counts, weight in ((left, left_weight), (right, right_weight))
    ]
    return LEFT if means[0] < means[1] else RIGHT
