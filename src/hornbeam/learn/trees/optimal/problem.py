"""A table as whole numbers for the search: codes of values, and the costs of rows.

Sums of whole numbers are the same in any order, so that trees can be compared exactly. The unit of the costs is a power
of two. If weights and costs are multiples of it, as counts are, nothing is rounded.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.rows.presort import sort_known
from hornbeam.core.trees.optimal.search import Search
from hornbeam.data.schema import Nominal
from hornbeam.learn.base.limits import LearnError

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats, Ints32, Ints64
    from hornbeam.data.table import Table

CUT, ONE_APART, EACH = 0, 1, 2  # kinds of columns, as in the kernel
MOST_BITS = 60  # of the cost of a tree
SUM_BITS = 61  # of a sum over all rows
NUMBER_BITS = 40  # of the squared error of all rows, at most
MOST_ROWS = 2**31 - 2


@dataclass(frozen=True)
class Goal:
    """What is to be minimized, and which trees are considered."""

    max_depth: int
    penalty: float  # cost of a leaf, as a fraction of the total weight (numbers: of the squared error of all rows)
    least: float  # weight of a leaf
    nominal: str  # "one-vs-rest" or "multiway"
    missing: str  # "default-direction" or "own-category"
    loss: Floats | None  # classes: the cost of each prediction (column) for each class (row)


@dataclass(frozen=True)
class Problem:
    """A table and a goal as arrays for the search."""

    table: Table
    goal: Goal
    kind: Ints32  # by feature: CUT, ONE_APART or EACH
    code: Ints32  # (features, rows): the position of the value in the order of the column, -1 if there is none
    values: list[Floats | None]  # by feature: the number of each code; None for categories
    orders: list[AnyArray]  # by feature: the rows with a value in the order of their codes
    sums: Ints64  # (rows, sums): the cost of predicting each class, or the target and its squares; and the weight
    lost: Ints64  # what adding a row costs at most
    options: dict[str, Any]  # of the search
    unit: float  # the cost of one error in `sums`, or of one unit of squared error

    @property
    def penalty(self) -> int:
        """The cost of a leaf in units, without the 1 by which fewer leaves are preferred."""
        return int(self.options["penalty"]) // int(self.options["factor"])

    def search(self) -> Search:
        """A new search."""
        kernel = Search(self.kind, self.code, self.sums, self.lost, self.options)
        for feature, known in enumerate(self.orders):
            order = known
            if len(known) < self.table.n_rows:
                order = np.concatenate([known, np.flatnonzero(self.code[feature] < 0)])
            kernel.add_order(feature, np.ascontiguousarray(order, np.uint32), len(known))
        return kernel

    def leaf_costs(self, sums: Ints64) -> Ints64:
        """The cost of leaves with these sums, as the search computes it."""
        if self.options["numbers"]:
            weight = np.maximum(sums[:, 2], 1).astype(np.float64)
            squares, total = sums[:, 1].astype(np.float64), sums[:, 0].astype(np.float64)
            error = squares * self.options["scale_squares"] - total * total * self.options["scale_sums"] / weight
            least = np.maximum(np.rint(error), 0).astype(np.int64)
        else:
            least = sums[:, :-1].min(axis=1)
        return np.asarray(least * self.options["factor"] + self.options["penalty"], np.int64)

    def plain_cost(self, cost: int) -> float:
        """A cost of the search in the units of the target: errors and penalties of leaves."""
        return (cost // int(self.options["factor"])) * self.unit


def make_problem(table: Table, goal: Goal) -> Problem:
    """A table with a target, and a goal, as arrays.

    Parameters
    ----------
    table : Table
        Rows with a known target; weights, if any, above zero.
    goal : Goal
        What is to be minimized.
    """
    if table.n_rows > MOST_ROWS:
        msg = f"an optimal tree of {table.n_rows} rows was requested; expected at most {MOST_ROWS}"
        raise LearnError(msg)
    features = table.schema.features
    kind = np.zeros(len(features), np.int32)
    values: list[Floats | None] = []
    orders: list[AnyArray] = []
    code = np.full((len(features), table.n_rows), -1, np.int32)
    for feature, position in enumerate(features):
        column = table.schema.columns[position]
        if isinstance(column, Nominal):
            code[feature] = table.columns[position]
            by_code = np.argsort(code[feature], kind="stable")
            orders.append(by_code[np.count_nonzero(code[feature] < 0) :])
            values.append(None)
            if not column.ordered:
                kind[feature] = EACH if goal.nominal == "multiway" else ONE_APART
            continue
        given = table.columns[position]
        order = sort_known(given)
        ordered = given[order]
        new = np.concatenate([[True], ordered[1:] != ordered[:-1]]) if len(order) else np.empty(0, np.bool_)
        code[feature, order] = np.cumsum(new, dtype=np.int32) - 1
        values.append(ordered[new])
        orders.append(order)
    numbers = not isinstance(table.schema.target_column, Nominal)
    factor, room = _room(table, goal)
    make = _number_sums if numbers else _class_sums
    sums, lost, more, unit = make(table, goal, factor, room)
    weights, scale = _whole(table.row_weights, float(table.row_weights.sum()), SUM_BITS - 8)
    sums[:, -1] = np.maximum(weights, 1)
    if numbers:
        more["scale_sums"] = more["scale_sums"] / scale
    options = {
        "numbers": numbers,
        "own_branch": goal.missing == "own-category",
        "depth": goal.max_depth,
        "factor": factor,
        "least": _least(goal.least / scale, int(sums[:, -1].sum())),
        "lightest": int(sums[:, -1].min()),
        "slack": 0,
        "label": None,
        "scale_squares": 0.0,
        "scale_sums": 0.0,
        **more,
    }
    return Problem(table, goal, kind, code, values, orders, sums, lost, options, unit)


def _least(wanted: float, total: int) -> int:
    """The least weight of a leaf; a single leaf is heavy enough."""
    return total if wanted >= total else max(1, math.ceil(wanted * (1 - 1e-12)))


def _room(table: Table, goal: Goal) -> tuple[int, int]:
    """The factor of costs, above the greatest number of leaves; and how large the cost of all rows may be."""
    branches = 2
    if goal.nominal == "multiway":
        columns = (table.schema.columns[position] for position in table.schema.features)
        sizes = [len(column.categories) + 1 for column in columns if isinstance(column, Nominal)]
        branches = max([2, *sizes])
    leaves = min(table.n_rows, branches**goal.max_depth)
    factor = 1 << leaves.bit_length()
    return factor, (1 << MOST_BITS) // (factor * (factor + 2))


def _whole(values: AnyArray, total: float, bits: int) -> tuple[Ints64, float]:
    """Numbers of at least 0 as multiples of a power of two, which is also returned; exactly, if possible.

    Parameters
    ----------
    values : array
        The numbers.
    total : float
        The sum of all numbers in the largest sum that is formed.
    bits : int
        How many bits this sum may have.
    """
    if total <= 0:
        return np.zeros(values.shape, np.int64), 1.0
    finest = bits - math.ceil(math.log2(total)) - 1
    for exponent in range(min(0, finest), finest + 1):
        scaled = np.ldexp(values, exponent)
        if (scaled == np.rint(scaled)).all():
            return scaled.astype(np.int64), math.ldexp(1.0, -exponent)
    return np.rint(np.ldexp(values, finest)).astype(np.int64), math.ldexp(1.0, -finest)


def _class_sums(table: Table, goal: Goal, factor: int, room: int) -> tuple[Ints64, Ints64, dict[str, Any], float]:
    target = table.schema.target_column
    assert isinstance(target, Nominal)
    n_classes, truth = len(target.categories), table.target_values()
    loss = 1.0 - np.eye(n_classes) if goal.loss is None else goal.loss
    costs = table.row_weights[:, None] * loss[truth]
    highest = costs.max(axis=1) if n_classes else np.zeros(table.n_rows)
    whole, unit = _whole(costs, float(highest.sum()), room.bit_length() - 1)
    sums = np.zeros((table.n_rows, n_classes + 1), np.int64)
    sums[:, :-1] = whole
    seen = np.unique(truth)
    least_of_all = int(whole[:, seen].sum(axis=0).min())
    wanted = goal.penalty * float(table.row_weights.sum()) / unit
    penalty = factor * int(min(math.ceil(wanted), least_of_all + 1)) + 1
    lost = sums[:, :-1].max(axis=1) * factor + _new_branch(goal, penalty)
    label = np.searchsorted(seen, truth).astype(np.int32)
    kept = np.ascontiguousarray(sums[:, [*seen.tolist(), n_classes]])  # other classes are never predicted
    return kept, lost, {"penalty": penalty, "label": label if goal.loss is None else None}, unit


def _number_sums(table: Table, goal: Goal, factor: int, room: int) -> tuple[Ints64, Ints64, dict[str, Any], float]:
    truth, weights = table.target_values(), table.row_weights
    away = truth - np.average(truth, weights=weights)
    squares = weights * np.square(away)
    error, spread = float(squares.sum()), float((weights * np.abs(away)).sum())
    sums = np.zeros((table.n_rows, 3), np.int64)
    if not error > 0:
        penalty = factor * int(goal.penalty > 0) + 1
        return sums, np.full(table.n_rows, penalty), {"penalty": penalty, "scale_sums": 0.0}, 1.0
    bits = min(NUMBER_BITS, room.bit_length() - 1, MOST_BITS - factor.bit_length() - table.n_rows.bit_length())
    unit = math.ldexp(error, -bits)
    step_sums = math.ldexp(1.0, math.ceil(math.log2(spread)) - SUM_BITS)
    step_squares = math.ldexp(1.0, math.ceil(math.log2(error)) - SUM_BITS)
    sums[:, 0] = np.rint(weights * away / step_sums)
    sums[:, 1] = np.rint(squares / step_squares)
    penalty = factor * math.ceil(goal.penalty * error / unit) + 1
    farthest = np.maximum(truth - truth.min(), truth.max() - truth)
    most = np.minimum(np.ceil(weights * np.square(farthest) / unit), 2.0**bits)
    lost = (most.astype(np.int64) + 2) * factor + _new_branch(goal, penalty)
    more = {
        "penalty": penalty,
        "slack": 8 * factor * factor,
        "scale_squares": step_squares / unit,
        "scale_sums": step_sums * step_sums / unit,
    }
    return sums, lost, more, unit


def _new_branch(goal: Goal, penalty: int) -> int:
    """What a row costs because it is the first of its category: a leaf."""
    return penalty if goal.nominal == "multiway" else 0
