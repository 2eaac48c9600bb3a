"""Splits by the decrease of the standard deviation, from sums of the target and of its square by column and code."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hornbeam.learn.trees.as_tree import as_tree
from hornbeam.learn.trees.model_trees.grow import arrays_of
from hornbeam.scale.trees.choose import cut_between
from hornbeam.scale.trees.numbers import BITS, UNITS

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Bools, Floats, Indices
    from hornbeam.model.trees.tree import Tree
    from hornbeam.scale.linear.exact import Counts
    from hornbeam.scale.trees.choose import Problem
    from hornbeam.scale.trees.coded import Tally

N_SUMS = 4  # by code: rows, the sum, and the sum of squares in two parts
NO_GAIN = 1e-9  # a smaller decrease, as a fraction of the deviation of the node, is rounding


class _Sums(NamedTuple):
    """Rows, and the sums of their targets and of the squares, for one set of rows or for several."""

    rows: Counts
    total: Counts
    squares: Counts

    def deviation(self) -> Floats:
        """The standard deviation times the rows, in units."""
        apart: Counts = self.rows * self.squares - self.total * self.total
        return np.asarray(np.sqrt(apart.astype(np.float64)))


class _Cut(NamedTuple):
    feature: int
    code: int  # the last one of the lower branch
    gain: float
    sides: tuple[tuple[int, int, int], tuple[int, int, int]]  # sums of the known rows of both branches
    lacking: tuple[int, int, int]  # sums of the rows without a value


def split_by_deviation(problem: Problem, tally: Tally, _per_row: int) -> Tree | None:
    """The split of a node as a tree of depth one; None if it is a leaf. See `split_of`."""
    span = problem.span
    assert span is not None
    unit = span.width / UNITS
    whole = (tally.rows, tally.total, tally.squares)
    deviation = _deviation(whole) / tally.rows
    if deviation * unit <= problem.recipe.min_impurity:
        return None
    best: _Cut | None = None
    start, limit = 0, NO_GAIN * deviation
    for feature, coding in enumerate(problem.codings):
        stop = start + (coding.n_codes + 1) * N_SUMS
        table = tally.units[start:stop].reshape(-1, N_SUMS)
        start = stop
        found = _best_cut(table, feature, tally.rows, problem.recipe.min_branch, limit)
        if found is not None:
            best, limit = found, found.gain + NO_GAIN * deviation
    return None if best is None else _tree(problem, tally, whole, best)


def _deviation(sums: tuple[int, int, int]) -> float:
    """The standard deviation of some rows times their number."""
    return float(np.sqrt(float(sums[0] * sums[2] - sums[1] ** 2)))


def _best_cut(table: AnyArray, feature: int, n_rows: int, min_branch: float, limit: float) -> _Cut | None:
    """The cut of a column that decreases the deviation most, and by more than a limit."""
    by_code = table.astype(object)
    lacking = _Sums(by_code[-1, 0], by_code[-1, 1], (by_code[-1, 2] << BITS) + by_code[-1, 3])
    present = np.flatnonzero(table[:-1, 0])
    by_code = by_code[present]
    low = _Sums(*(np.cumsum(one) for one in (by_code[:, 0], by_code[:, 1], by_code[:, 2] * UNITS + by_code[:, 3])))
    if len(present) < 2:  # noqa: PLR2004 - a cut is between two values
        return None
    known = (int(low.rows[-1]), int(low.total[-1]), int(low.squares[-1]))
    high = _Sums(*(every - one for every, one in zip(known, low, strict=True)))
    gains = (_deviation(known) - low.deviation() - high.deviation()) / n_rows
    allowed: Bools = (low.rows >= min_branch) & (high.rows >= min_branch) & (high.rows > 0)
    place = _first_best(gains, allowed.astype(np.bool_), limit)
    if place < 0:
        return None
    lower = (int(low.rows[place]), int(low.total[place]), int(low.squares[place]))
    upper = (int(high.rows[place]), int(high.total[place]), int(high.squares[place]))
    left = (int(lacking.rows), int(lacking.total), int(lacking.squares))
    return _Cut(feature, int(present[place]), float(gains[place]), (lower, upper), left)


def _first_best(gains: Floats, allowed: Bools, limit: float) -> int:
    """The place of the greatest gain above a limit; of those that are equal up to rounding the first; -1: none."""
    places: Indices = np.flatnonzero(allowed & (gains > limit))
    if not len(places):
        return -1
    greatest = float(gains[places].max())
    return int(places[np.flatnonzero(gains[places] >= greatest - abs(greatest) * NO_GAIN)[0]])


def _tree(problem: Problem, tally: Tally, whole: tuple[int, int, int], cut: _Cut) -> Tree:
    """The tree of a cut; rows without a value take the branch with more rows."""
    span = problem.span
    assert span is not None
    upward = int(2 * cut.sides[0][0] < cut.sides[0][0] + cut.sides[1][0])
    sides = [tuple(map(int, side)) for side in cut.sides]
    sides[upward] = tuple(one + more for one, more in zip(sides[upward], cut.lacking, strict=True))
    value = []
    for rows, total, squares in (whole, *sides):
        mean = span.low + total / (rows * UNITS) * span.width
        error = (rows * squares - total**2) / (rows << (2 * BITS)) * span.width**2
        value.append([float(rows), mean, error])
    coding = problem.codings[cut.feature]
    start = sum(one.n_codes + 1 for one in problem.codings[: cut.feature]) * N_SUMS
    table = tally.units[start : start + (coding.n_codes + 1) * N_SUMS].reshape(-1, N_SUMS)[:, :1]
    at = cut_between(coding, table, float(coding.upper[cut.code]))
    found = {
        "parent": np.array([-1, 0, 0], np.int32),
        "first_child": np.array([1, -1, -1], np.int32),
        "rows": np.array([row[0] for row in value], np.int64),
        "value": np.array(value),
        "feature": np.array([cut.feature, -1, -1], np.int32),
        "cut": np.array([at, 0.0, 0.0]),
        "gain": np.array([cut.gain * span.width / UNITS, 0.0, 0.0]),
        "missing": np.array([upward, 0, 0], np.int32),
    }
    return as_tree(arrays_of(found, 0.0, 1.0), problem.schema, problem.recipe)
