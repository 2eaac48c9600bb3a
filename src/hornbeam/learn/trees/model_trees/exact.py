"""Model trees grown row by row, for programs whose choices depend on the rounding of their sums.

Splits are chosen by the decrease of a small root of the variance, so that rounding decides at nodes which can be
divided perfectly; the same rows in the same order and the same sums give the same tree. Slow compared with
`model_tree.py`: every node sorts its rows by every input.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.base.tolerance import SLACK
from hornbeam.core.trees.model_tree.rows import Regression, best_split, deviation
from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.learn.linear.least_squares import select
from hornbeam.learn.linear.row_by_row import RowSystem, by_quicksort
from hornbeam.learn.linear.terms import factors_of
from hornbeam.learn.trees.model_trees.nodes import ModelNode, as_tree, smooth
from hornbeam.model.trees.equation import with_errors

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats, Ints64
    from hornbeam.model.linear.linear import Factor
    from hornbeam.model.trees.tree import Tree

    Rows = Ints64

NO_ERROR = 1e-5  # an estimated error below this fraction of the whole deviation counts as zero


@dataclass(frozen=True, slots=True)
class ExactChoices:
    """How the tree is grown, pruned and smoothed."""

    root: float = 5.0  # splits are compared by the decrease of the variance to the power 1 / root
    margin_share: int = 5  # both sides of a cut have more than the rows of the node divided by this
    min_rows: float = 4.0  # nodes with fewer are leaves
    min_deviation: float = 0.05  # nodes whose standard deviation is below this fraction of that of all rows are leaves
    linear: bool = True  # whether equations have terms, or are means
    prune: bool = True  # whether the equation of a node can replace its subtree
    parameter_weight: float = 2.0  # pruning multiplies errors by (n + w v) / (n - v), w being this and v the parameters
    overfull: float = 10.0  # errors are multiplied by this instead if there are no more rows than parameters
    smoothing: float = 15.0  # how many rows the equation above counts for; 0: no smoothing
    ridge: float = 1e-8  # the ridge of the equations


@dataclass(frozen=True, eq=False)
class Inputs:
    """Columns of numbers without missing values: numeric columns as they are, nominal ones as ordered indicators."""

    factors: list[Factor]
    values: Floats  # inputs x rows
    target: Floats


def inputs_of(table: Table, order: Rows) -> Inputs:
    """Fill missing values by mean or most frequent category, turn categories into indicators, and order the rows."""
    filled, fills = _filled(table)
    factors: list[Factor] = []
    for position in table.schema.features:
        for factor in factors_of(filled, position, by_quicksort, keep_alike=True):
            own = fills[position] if factor.codes is None else float(fills[position] in factor.codes)
            factors.append(replace(factor, fill=float(own)))
    values = np.empty((len(factors), table.n_rows))
    for number, factor in enumerate(factors):
        values[number] = factor.values(filled)[order]
    return Inputs(factors, values, np.ascontiguousarray(table.target_values()[order]))


def _filled(table: Table) -> tuple[Table, dict[int, Any]]:
    columns: list[AnyArray] = list(table.columns)
    fills: dict[int, Any] = {}
    for position in table.schema.features:
        array = columns[position]
        if isinstance(table.schema.columns[position], Nominal):
            known = array >= 0
            fills[position] = int(np.argmax(np.bincount(array[known]))) if known.any() else 0
        else:
            known = ~np.isnan(array)
            # one after another, like the sums of the tree
            fills[position] = float(np.cumsum(array[known])[-1] / known.sum()) if known.any() else 0.0
        if not known.all():
            columns[position] = np.where(known, array, fills[position]).astype(array.dtype)
    return Table(table.schema, columns, table.notes, copy=False), fills


class ExactLearner:
    """Learns one tree."""

    def __init__(self, inputs: Inputs, choices: ExactChoices) -> None:
        self.inputs, self.choices = inputs, choices
        self.deviation = 0.0
        self.rows_of: dict[ModelNode, Rows] = {}
        self.below: dict[ModelNode, frozenset[int]] = {}
        self.parameters: dict[ModelNode, int] = {}

    def learn(self, rows: Rows) -> ModelNode:
        """Grow, fit, prune and smooth; `rows` are re-ordered on the way."""
        self.deviation = deviation(rows, self.inputs.target)
        root = self._grow(rows)
        self._fit(root)
        if self.choices.smoothing > 0:
            smooth(root, self.choices.smoothing)
        return root

    def _grow(self, rows: Rows) -> ModelNode:
        target, choices = self.inputs.target, self.choices
        mean = float(np.cumsum(target[rows])[-1] / len(rows))
        node = ModelNode(float(len(rows)), len(rows), mean, float(((target[rows] - mean) ** 2).sum()))
        self.rows_of[node], self.below[node] = rows, frozenset()
        if len(rows) < choices.min_rows or deviation(rows, target) < choices.min_deviation * self.deviation:
            return node
        chosen, cut, gain = best_split(
            rows, self.inputs.values, target, 1.0 / choices.root, SLACK, choices.margin_share
        )
        if chosen < 0:
            return node
        low = self.inputs.values[chosen][rows] <= cut
        if low.all():  # there is no number between the two values, and their midpoint is the upper one
            return node
        node.input, node.cut, node.gain = chosen, cut, gain
        # a cut leaves a fifth of the rows on both sides, so the depth is at most about log n
        node.children = [self._grow(rows[low]), self._grow(rows[~low])]
        self.below[node] = self.below[node.children[0]] | self.below[node.children[1]] | {chosen}
        return node

    def _fit(self, node: ModelNode) -> None:
        """Equations at every node, and pruning, from the leaves up."""
        for child in node.children:
            self._fit(child)
        choices, rows = self.choices, self.rows_of[node]
        features = np.array(sorted(self.below[node]) if choices.linear else [], np.int64)
        regression = Regression(rows, self.inputs.values, self.inputs.target, features)
        varying = np.flatnonzero((regression.column_deviations > 0) & (regression.target_deviation > 0))
        system = select(RowSystem(regression, varying, len(rows), choices.ridge), "smallest", drop_collinear=True)
        used = system.kept[system.raw[system.kept] != 0]
        node.terms, node.coefficients, node.intercept = features[used], system.raw[used], float(system.raw[-1])
        node.residual = float(np.sqrt(system.error / len(rows)))
        self.parameters[node] = 1
        if not node.children:
            return
        parameters = len(used) + 1
        as_leaf = node.residual * self._factor(len(rows), parameters)
        predicted = np.empty(len(self.inputs.target))
        self._predict(node, rows, predicted)
        errors = predicted[rows] - self.inputs.target[rows]
        residual = float(np.sqrt(np.cumsum(errors * errors)[-1] / len(rows)))
        self.parameters[node] = 1 + sum(self.parameters[child] for child in node.children)
        if not choices.prune:
            return
        if as_leaf <= residual * self._factor(len(rows), self.parameters[node]) or as_leaf < NO_ERROR * self.deviation:
            node.children, node.input = [], -1
            self.parameters[node] = parameters
        else:
            node.residual = residual

    def _factor(self, rows: int, parameters: int) -> float:
        if rows <= parameters:
            return self.choices.overfull
        return (rows + self.choices.parameter_weight * parameters) / (rows - parameters)

    def _predict(self, node: ModelNode, rows: Rows, predicted: Floats) -> None:
        """Predictions of the tree below a node, without smoothing."""
        values = self.inputs.values
        if node.children:
            low = values[node.input][rows] <= node.cut
            self._predict(node.children[0], rows[low], predicted)
            self._predict(node.children[1], rows[~low], predicted)
            return
        total = np.zeros(len(rows))
        for term, coefficient in zip(node.terms.tolist(), node.coefficients.tolist(), strict=True):
            total += coefficient * values[term][rows]
        predicted[rows] = total + node.intercept


def learn_exactly(table: Table, order: Rows, choices: ExactChoices) -> Tree:
    """Learn a model tree row by row, in an order, from rows with a target and of weight one."""
    inputs = inputs_of(table, order)
    root = ExactLearner(inputs, choices).learn(np.arange(table.n_rows))
    return with_errors(as_tree(root, table.schema, inputs.factors, plain_choices(choices)), table)


def plain_choices(choices: ExactChoices) -> dict[str, Any]:
    """The choices as a tree keeps them."""
    return {"criterion": "root-of-variance", "leaf": "linear" if choices.linear else "mean", **asdict(choices)}
