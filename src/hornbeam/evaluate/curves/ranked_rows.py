"""Rows sorted by the predicted probability of a class: the basis of ROC, precision-recall and lift curves.

Rows with the same probability cannot be distinguished, so they are counted together, as one step of every curve.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import AnyArray, Bools, Floats, Indices


@dataclass(frozen=True, eq=False)
class ClassRows:
    """Rows with whether they are of a class, and the predicted probability of the class."""

    inside: Bools  # whether the row is of the class
    # probability, weights: the predicted probability, and the row weight
    probability: Floats
    weights: Floats


@dataclass(frozen=True, eq=False)
class RankedRows:
    """Groups of rows with the same probability, the largest first."""

    probability: Floats  # of each group, descending
    # inside, outside: weight of the group's rows that are of the class, and of the others
    inside: Floats
    outside: Floats
    # inside_squares, outside_squares: sums of squared weights, for the effective number of rows
    inside_squares: Floats
    outside_squares: Floats


def class_rows(
    truth: ArrayLike, probability: ArrayLike, weights: ArrayLike | None, positive: int, *, both: bool = True
) -> ClassRows:
    """Check arrays, and leave out rows without a class or with weight zero.

    Parameters
    ----------
    truth : array
        Codes of the true classes, -1 (or NaN) if unknown; or whether each row is of the class.
    probability : array
        The predicted probability of the class, or any score that is larger if the class is more likely.
    weights : array, optional
        Row weights; by default 1.
    positive : int
        The code of the class.
    both : bool
        Whether there must be rows of the class and others.
    """
    codes, given = np.asarray(truth), np.asarray(probability, np.float64)
    if codes.ndim != 1 or given.shape != codes.shape:
        raise ValueError(
            f"truth has shape {codes.shape} and probability {given.shape}; expected one entry per row in both"
        )
    counted = row_weights(weights, len(codes))
    known = codes == codes  # noqa: PLR0124 - NaN is not itself
    if codes.dtype != np.bool_:
        known &= codes >= 0
    kept = known & (counted > 0)
    codes, given, counted = codes[kept], given[kept], counted[kept]
    if not np.isfinite(given).all():
        row = int(np.flatnonzero(kept)[np.flatnonzero(~np.isfinite(given))[0]])
        raise ValueError(f"probability is {np.asarray(probability)[row]} at row {row + 1}; expected a finite number")
    inside: AnyArray = codes == positive
    if not len(codes):
        raise ValueError(f"none of {len(kept)} rows has a class and a weight")
    for name, there in (("of the class", inside.any()), ("of another class", (~inside).any())):
        if both and not there:
            raise ValueError(f"no row of {len(codes)} is {name} (code {positive}); a curve needs rows of both kinds")
    return ClassRows(inside, given, counted)


def row_weights(weights: ArrayLike | None, n_rows: int) -> Floats:
    """Return the weight of every row, 1 by default; raise an error for negative weights."""
    if weights is None:
        return np.ones(n_rows)
    given = np.asarray(weights, np.float64)
    if given.shape != (n_rows,):
        raise ValueError(f"weights has shape {given.shape}; expected one weight for each of the {n_rows} rows")
    if not (np.isfinite(given) & (given >= 0)).all():
        row = int(np.flatnonzero(~(np.isfinite(given) & (given >= 0)))[0])
        raise ValueError(f"weights is {given[row]} at row {row + 1}; expected a finite number of 0 or more")
    return given


def ranked(rows: ClassRows) -> RankedRows:
    """Group rows by their probability, the largest first.

    Examples
    --------
    >>> groups = ranked(class_rows([1, 0, 1, 1], [0.9, 0.5, 0.5, 0.2], None, 1))
    >>> groups.probability.tolist(), groups.inside.tolist(), groups.outside.tolist()
    ([0.9, 0.5, 0.2], [1.0, 1.0, 1.0], [0.0, 1.0, 0.0])
    """
    probabilities, place = np.unique(-rows.probability, return_inverse=True)
    count = len(probabilities)
    yes, no = rows.weights * rows.inside, rows.weights * ~rows.inside
    return RankedRows(
        -probabilities, *(sums(place, of, count) for of in (yes, no, yes * rows.weights, no * rows.weights))
    )


def area(groups: RankedRows) -> float:
    """The fraction of pairs in which the row of the class has a higher probability than the other row; ties count half.

    Examples
    --------
    >>> area(ranked(class_rows([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], None, 1)))
    0.75
    """
    return float(groups.inside @ others_below(groups)) / float(groups.inside.sum())


def others_below(groups: RankedRows) -> Floats:
    """Return for each group the fraction of the rows of other classes that come after it, plus half of those in it."""
    return np.asarray(1 - (np.cumsum(groups.outside) - groups.outside / 2) / groups.outside.sum())


def running(values: Floats) -> Floats:
    """Return cumulative sums, starting with zero."""
    return np.concatenate([[0.0], np.cumsum(values)])


def parts_by_weight(values: Floats, weights: Floats, parts: int) -> Indices:
    """Divide rows by their values into parts of about equal weight; equal values stay together.

    Examples
    --------
    >>> parts_by_weight(np.array([3.0, 1.0, 2.0, 2.0]), np.ones(4), 2).tolist()
    [1, 0, 1, 1]
    """
    _, group = np.unique(values, return_inverse=True)
    weight = sums(group, weights, int(group.max()) + 1)
    middle = (np.cumsum(weight) - weight / 2) / weight.sum()
    part: Indices = np.minimum((middle * parts).astype(np.intp), parts - 1)
    return part[group]


def sums(place: AnyArray, values: Floats, count: int) -> Floats:
    """Add up values by index, of which there are `count`."""
    return np.bincount(place, values, count).astype(np.float64, copy=False)
