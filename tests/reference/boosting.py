"""A boosted tree looked over node by node: whether each split is the best there was, and each leaf says what it should.

Gradients are taken as the kernel rounded them, whole numbers, so that sums are exact. Gains are compared with a
tolerance: of splits that differ by less, either may have been chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

TOLERANCE = 1e-9


@dataclass(frozen=True)
class Column:
    """Codes by row; `n_codes` stands for missing."""

    codes: NDArray[np.int64]
    n_codes: int
    nominal: bool
    monotone: int = 0


@dataclass(frozen=True)
class Problem:
    """What the kernel was given, and how it rounded."""

    columns: list[Column]
    gradient: NDArray[np.int64]
    curve: NDArray[np.int64]
    gradient_unit: float
    curve_unit: float
    weights: NDArray[np.float64]
    choices: dict[str, float]
    charge: float  # for every category beyond two, in squares over curves


@dataclass(frozen=True)
class Limits:
    low: float = -np.inf
    high: float = np.inf


def value_of(problem: Problem, gradient: float, curve: float, penalty: float, limits: Limits) -> float:
    """The best value of rows with these sums (as they are, not in units), within limits."""
    pull = np.sign(gradient) * max(abs(gradient) - problem.choices["l1"], 0.0)
    return float(np.clip(-pull / (curve + penalty), limits.low, limits.high))


def taken_off(problem: Problem, gradient: float, curve: float, penalty: float, limits: Limits) -> float:
    """How much that value takes off the loss."""
    value = value_of(problem, gradient, curve, penalty, limits)
    return -(gradient * value + 0.5 * (curve + penalty) * value * value + problem.choices["l1"] * abs(value))


def sums(problem: Problem, rows: NDArray[np.intp]) -> tuple[float, float]:
    return (
        int(problem.gradient[rows].sum()) * problem.gradient_unit,
        int(problem.curve[rows].sum()) * problem.curve_unit,
    )


def gain_of(
    problem: Problem, rows: NDArray[np.intp], first: NDArray[np.bool_], limits: Limits, column: Column
) -> float:
    """What a split takes off the loss; -inf where it is not allowed."""
    least = problem.choices["min_weight"]
    one, other = rows[first], rows[~first]
    if not len(one) or not len(other):
        return -np.inf
    if problem.weights[one].sum() < least or problem.weights[other].sum() < least:
        return -np.inf
    if min(sums(problem, one)[1], sums(problem, other)[1]) < problem.choices["min_curve"]:
        return -np.inf
    penalty = problem.choices["l2"]
    whole = taken_off(problem, *sums(problem, rows), penalty, limits)
    charge = 0.0
    if column.nominal:  # half of it, as gains are half of what sums of squares tell
        charge = 0.5 * problem.charge * (len(np.unique(column.codes[rows])) - 2)
    sides = [sums(problem, part) for part in (one, other)]
    if column.monotone:
        low, high = (value_of(problem, *side, penalty, limits) for side in sides)
        if (high - low) * column.monotone < 0:
            return -np.inf
    return sum(taken_off(problem, *side, penalty, limits) for side in sides) - whole - charge


def candidates(problem: Problem, rows: NDArray[np.intp], column: Column) -> Iterator[NDArray[np.bool_]]:
    """Every way to part the rows by a column: which of them take the first branch."""
    codes = column.codes[rows]
    if column.nominal:
        keys = {}
        for code in np.unique(codes):
            gradient, curve = sums(problem, rows[codes == code])
            keys[int(code)] = gradient / (curve + problem.choices["nominal_smoothing"])
        order = sorted(keys, key=lambda code: (keys[code], code))
        for count in range(1, len(order)):
            yield np.isin(codes, order[:count])
        return
    missing = codes == column.n_codes
    for cut in range(column.n_codes):
        low = codes <= cut
        yield low & ~missing
        yield low | missing


def best_gain(problem: Problem, rows: NDArray[np.intp], depth: int, limits: Limits) -> float:
    most = problem.choices["max_depth"]
    if 0 <= most <= depth:
        return -np.inf
    return max(
        (
            gain_of(problem, rows, first, limits, column)
            for column in problem.columns
            for first in candidates(problem, rows, column)
        ),
        default=-np.inf,
    )


def certify(tree: dict[str, Any], problem: Problem) -> NDArray[np.int64]:
    """Follow a tree's splits in the order in which they were made; give the leaf of every row.

    Raises AssertionError where a better leaf could have been split, a better split made, or the tree gone on.
    """
    n_rows = len(problem.gradient)
    rows = {0: np.arange(n_rows)}
    depth = {0: 0}
    limits = {0: Limits()}
    gains = {0: best_gain(problem, rows[0], 0, Limits())}
    scale = max(abs(gains[0]), 1e-12) if np.isfinite(gains[0]) else 1.0
    tolerance = TOLERANCE * (scale + abs(taken_off(problem, *sums(problem, rows[0]), problem.choices["l2"], Limits())))
    inner = np.flatnonzero(tree["first_child"] >= 0)
    starts = np.concatenate([[0], np.cumsum(tree["set_size"])])
    for node in inner[np.argsort(tree["first_child"][inner])]:
        here, column = rows.pop(int(node)), problem.columns[tree["feature"][node]]
        possible = gains.pop(int(node))
        assert possible >= max(gains.values(), default=-np.inf) - tolerance, "another leaf gains more"
        first = branch(tree, starts, int(node), column.codes[here], column) == 0
        found = gain_of(problem, here, first, limits[int(node)], column)
        assert abs(found - possible) <= tolerance, "another split gains more"
        assert np.isclose(tree["gain"][node], found, rtol=1e-5, atol=tolerance)
        assert tree["weight"][node] == np.float32(problem.weights[here].sum())
        for place, part in enumerate((here[first], here[~first])):
            child = int(tree["first_child"][node]) + place
            rows[child], depth[child] = part, depth[int(node)] + 1
        hand_down(problem, tree, int(node), rows, column, limits)
        for place in range(2):
            child = int(tree["first_child"][node]) + place
            gains[child] = best_gain(problem, rows[child], depth[child], limits[child])
    most = max(gains.values())
    n_leaves = len(rows)
    assert n_leaves <= problem.choices["max_leaves"]
    if n_leaves < problem.choices["max_leaves"]:
        assert most <= problem.choices["min_gain"] + tolerance, "the tree could have gone on"
    leaf = np.empty(n_rows, np.int64)
    for node, part in rows.items():
        leaf[part] = node
    return leaf


def hand_down(
    problem: Problem,
    tree: dict[str, Any],
    node: int,
    rows: dict[int, NDArray[np.intp]],
    column: Column,
    limits: dict[int, Limits],
) -> None:
    """Limits of the children's values."""
    own = limits[node]
    first = int(tree["first_child"][node])
    limits[first] = limits[first + 1] = own
    if column.monotone:
        values = [
            value_of(problem, *sums(problem, rows[first + place]), problem.choices["l2"], own) for place in range(2)
        ]
        middle = float(np.clip(np.mean(values), own.low, own.high))
        low, high = Limits(own.low, middle), Limits(middle, own.high)
        limits[first], limits[first + 1] = (low, high) if column.monotone > 0 else (high, low)


def branch(
    tree: dict[str, Any], starts: NDArray[np.int64], node: int, codes: NDArray[np.int64], column: Column
) -> NDArray[np.int64]:
    """The branch that codes take at a node."""
    if column.nominal:
        taken = (~np.isin(codes, tree["codes"][starts[node] : starts[node + 1]])).astype(np.int64)
    else:
        taken = (codes > tree["cut"][node]).astype(np.int64)
    return np.where(codes == column.n_codes, tree["missing"][node], taken)
