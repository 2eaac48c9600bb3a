"""Rows without the value that a node asks for, the naive way: surrogates, else the more frequent side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from reference.cart_parts import LEFT, RIGHT, STAY, Split, in_turn

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from reference.cart_parts import Node, Sample

FEWEST = 2  # rows that a numeric surrogate must send either way; of a nominal one: that agree, and that do not
LEAST_ADJUSTED = 1e-10


def send(sample: Sample, node: Node) -> NDArray[np.int64]:
    """Where the node's rows go; its surrogates are found on the way. A row that STAYs ends at the node."""
    assert node.split is not None
    primary = node.split.sides(sample.columns[node.split.column], node.rows)
    if sample.options.max_surrogates == 0:
        return primary
    left, right = (weight_in_order(sample, node, primary == side) for side in (LEFT, RIGHT))
    node.majority = LEFT if left > right else RIGHT if right > left else STAY
    node.surrogates = surrogates(sample, node, primary)
    sides = primary.copy()
    for surrogate in node.surrogates:
        undecided = sides == STAY
        sides[undecided] = surrogate.sides(sample.columns[surrogate.column], node.rows[undecided])
    sides[sides == STAY] = node.majority
    return sides


def weight_in_order(sample: Sample, node: Node, chosen: NDArray[np.bool_]) -> float:
    """The weight of some of the node's rows, added up in the order of the column of the node's split."""
    assert node.split is not None
    column, rows = sample.columns[node.split.column], node.rows[chosen]
    if not column.n_categories:
        rows = rows[np.argsort(column.values[rows], kind="stable")]
    return float(np.cumsum(np.append(0.0, sample.weights[rows]))[-1])


def surrogates(sample: Sample, node: Node, primary: NDArray[np.int64]) -> list[Split]:
    """The other columns' splits that send rows as the primary split does, the most alike first."""
    assert node.split is not None
    weights = sample.weights[node.rows]
    total = weights[primary != STAY].sum()
    majority = max(weight_in_order(sample, node, primary == side) for side in (LEFT, RIGHT)) / total
    found = []
    for position, column in enumerate(sample.columns):
        known = column.known(node.rows)
        if position == node.split.column or not (known & (primary != STAY)).any():
            continue
        like = like_categories if column.n_categories else like_cut
        split = like(sample, position, node.rows[known], primary[known])
        if split is not None:
            # Rows that lack the surrogate's value count as not agreeing.
            split.gain /= total
            split.adjusted = (split.gain - majority) / (1 - majority)
            if split.adjusted > LEAST_ADJUSTED:
                found.append(split)
    return sorted(found, key=lambda split: -split.gain)[: sample.options.max_surrogates]


def like_cut(sample: Sample, position: int, rows: NDArray[np.intp], sides: NDArray[np.int64]) -> Split | None:
    """The cut of a numeric column that agrees most with the sides; rows without a side still offer places to cut."""
    values = sample.columns[position].values
    order = np.argsort(sample.place[position][rows])
    x, sides, weights = values[rows][order], sides[order], sample.weights[rows][order]
    weight_left, weight_right = np.where(sides == LEFT, weights, 0.0), np.where(sides == RIGHT, weights, 0.0)
    to_left, to_right = np.cumsum(weight_left), np.cumsum(weight_right)
    # What lies above a cut is summed from the highest value down, and then reduced row by row.
    all_left, all_right = in_turn(weight_left[::-1]), in_turn(weight_right[::-1])
    rest_left = np.subtract.accumulate(np.concatenate([[all_left], weight_left]))[1:]
    rest_right = np.subtract.accumulate(np.concatenate([[all_right], weight_right]))[1:]
    below = np.cumsum(sides != STAY)
    best: Split | None = None
    most = max(all_left, all_right)
    for i in np.flatnonzero(x[1:] != x[:-1]):
        if min(below[i], below[-1] - below[i]) < FEWEST:
            continue
        straight = to_left[i] + rest_right[i]
        crossed = to_right[i] + rest_left[i]
        if max(straight, crossed) > most:
            most = max(straight, crossed)
            side = LEFT if straight >= crossed else RIGHT
            best = Split(position, float(most), cut=(x[i] + x[i + 1]) / 2, below=side)
    return best


def like_categories(sample: Sample, position: int, rows: NDArray[np.intp], sides: NDArray[np.int64]) -> Split | None:
    """Each category goes where most of its rows go."""
    column = sample.columns[position]
    rows, sides = rows[sides != STAY], sides[sides != STAY]
    codes, weights = column.values[rows].astype(np.int64), sample.weights[rows]
    left = np.bincount(codes, np.where(sides == LEFT, weights, 0.0), column.n_categories)
    right = np.bincount(codes, np.where(sides == RIGHT, weights, 0.0), column.n_categories)
    default = LEFT if left.sum() > right.sum() else RIGHT
    split = Split(position, 0.0)
    for code in np.unique(codes):
        split.side_of[int(code)] = LEFT if left[code] > right[code] else RIGHT if right[code] > left[code] else default
        split.gain += max(left[code], right[code])
    # Not the rows sent either way are counted here, but those that agree and those that do not.
    agreeing = int((split.sides(column, rows) == sides).sum())
    return split if min(agreeing, len(rows) - agreeing) >= FEWEST else None
