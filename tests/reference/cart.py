"""CART as plainly as it can be written: gini, entropy or squared error, subset splits, surrogates, cost complexity.

Written to be read and to be held against: every candidate is tried, every node keeps all that was found out about it,
and sums are taken in the reference program's order, so that its answers come out to the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from reference.cart_parts import LEFT, RIGHT, Column, Node, Options, Sample, Split, in_turn
from reference.cart_split import best_split
from reference.cart_surrogates import send

from hornbeam.data.schema import Nominal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table

__all__ = ["Column", "Grower", "Options", "Sample", "complexity_table", "from_table", "importance", "sample_of"]

DEEPEST = 2**30  # nodes from this number on, 30 splits below the root, are not split
NEGLIGIBLE = 1e-10  # a column's best split must gain more than this share of the greatest gain seen so far


class Grower:
    """Grows one tree, as far as a split saves more than `alpha`; by default a share `cp` of the root's risk."""

    def __init__(self, sample: Sample, alpha: float | None = None) -> None:
        self.sample = sample
        self.greatest_gain = 0.0
        self.root = self.make(1, np.arange(len(sample.target)))
        self.alpha = sample.options.cp * self.root.risk if alpha is None else alpha
        self.grow(self.root, self.root.risk)
        _cap(self.root, self.root.complexity)

    def make(self, number: int, rows: NDArray[np.intp]) -> Node:
        """A leaf of these rows; their order matters to the rounding of sums."""
        weights, target = self.sample.weights[rows], self.sample.target[rows]
        weight = in_turn(weights)
        if not self.sample.n_classes:
            mean = in_turn(weights * target) / weight
            return Node(number, rows, weight, [mean], -1, in_turn(weights * (target - mean) ** 2))
        counts = np.bincount(self.sample.classes(rows), weights, self.sample.n_classes)
        costs = self.sample.costs(counts)
        label = int(np.argmin(costs))  # the first of equals
        return Node(number, rows, weight, counts.tolist(), label, float(costs[label]))

    def grow(self, node: Node, bound: float) -> tuple[float, int]:
        """Split the node and what comes of it; give the subtree's risk and number of splits.

        No more than `bound` can be saved here for each split; where that does not pay, the node is a leaf.
        """
        node.complexity = self.alpha
        bound = min(bound, node.risk)
        if len(node.rows) < self.sample.options.min_split or bound <= self.alpha or node.number >= DEEPEST:
            return node.risk, 0
        node.competitors = self.candidates(node)
        if not node.competitors:
            return node.risk, 0
        node.split = node.competitors[0]
        sides = send(self.sample, node)
        # Below the root, rows come in the first column's order.
        node.left = self.make(2 * node.number, self.sample.in_order(0, node.rows[sides == LEFT]))
        node.right = self.make(2 * node.number + 1, self.sample.in_order(0, node.rows[sides == RIGHT]))
        left = self.grow(node.left, bound - self.alpha)
        saved = max((node.risk - left[0]) / (left[1] + 1), node.risk - node.left.risk)
        right = self.grow(node.right, min(saved, bound) - self.alpha)
        risk, splits = _settle(node, left, right)
        node.complexity = (node.risk - risk) / splits
        if node.complexity > self.alpha:
            return risk, splits
        node.split, node.left, node.right, node.competitors, node.surrogates = None, None, None, [], []
        return node.risk, 0

    def candidates(self, node: Node) -> list[Split]:
        """Each column's best split, the best first; of equals the earlier column's."""
        found = []
        for position, column in enumerate(self.sample.columns):
            rows = node.rows[column.known(node.rows)]
            split = best_split(self.sample, position, rows) if len(rows) else None
            if split is None:
                continue
            if not self.sample.n_classes:
                split.gain /= node.risk
            self.greatest_gain = max(self.greatest_gain, split.gain)
            if split.gain > NEGLIGIBLE * self.greatest_gain:
                found.append(split)
        return sorted(found, key=lambda split: -split.gain)


def _settle(node: Node, left: tuple[float, int], right: tuple[float, int]) -> tuple[float, int]:
    """Risk and splits of a node's subtree, when a child that saves less for each split is cut back before it."""
    assert node.left is not None
    assert node.right is not None
    parts = [(node.left, left), (node.right, right)]
    parts.sort(key=lambda part: part[0].complexity)
    for place, (child, _) in enumerate(parts):
        risk, splits = sum(part[1][0] for part in parts), sum(part[1][1] for part in parts) + 1
        if (node.risk - risk) / splits > child.complexity:
            parts[place] = (child, (child.risk, 0))
    return sum(part[1][0] for part in parts), sum(part[1][1] for part in parts) + 1


def _cap(node: Node, most: float) -> None:
    """A node goes with its parent at the latest."""
    node.complexity = min(node.complexity, most)
    for child in (node.left, node.right):
        if child is not None:
            _cap(child, node.complexity)


def complexity_table(grower: Grower) -> list[tuple[float, int, float]]:
    """Rows of CP, number of splits and relative error, from the lone root to the whole tree."""
    root, alpha = grower.root, grower.alpha
    if root.risk <= 0:
        return [(grower.sample.options.cp, 0, 1.0)]
    inner = {node.complexity for node in root.walk() if node.split is not None}
    limits = sorted(inner | {alpha}, reverse=True) if inner else [root.complexity]

    def left_at(node: Node, limit: float) -> tuple[float, int]:
        if node.left is None or node.right is None or node.complexity <= limit:
            return node.risk, 0
        first, second = left_at(node.left, limit), left_at(node.right, limit)
        return first[0] + second[0], first[1] + second[1] + 1

    rows = [(limit, *left_at(root, limit)) for limit in limits]
    return [(limit / root.risk, splits, risk / root.risk) for limit, risk, splits in rows]


def importance(grower: Grower) -> dict[str, float]:
    """What each column's splits gain, as the split of a node and, by adjusted agreement, as a surrogate."""
    sums: dict[str, float] = {}
    for node in grower.root.walk():
        if node.split is None:
            continue
        gain = node.split.gain * (1.0 if grower.sample.n_classes else node.risk)
        parts = [(node.split.column, gain)] + [(each.column, gain * each.adjusted) for each in node.surrogates]
        for column, part in parts:
            name = grower.sample.columns[column].name
            sums[name] = sums.get(name, 0.0) + part
    return dict(sorted(sums.items(), key=lambda item: -item[1]))


def sample_of(table: Table, options: Options) -> Sample:
    """A table's rows, without those that have no target or no feature at all, and without classes never seen."""
    schema = table.schema
    target = table.target_values().astype(np.float64)
    columns = []
    for position in schema.features:
        kind = schema.columns[position]
        divided = isinstance(kind, Nominal) and not kind.ordered
        values = table.columns[position].astype(np.float64)
        if isinstance(kind, Nominal) and kind.ordered:
            values = np.where(values < 0, np.nan, values)
        columns.append(Column(kind.name, values, len(kind.categories) if divided else 0))
    everyone = np.arange(table.n_rows)
    keep = np.any([column.known(everyone) for column in columns], axis=0)
    classes = isinstance(schema.target_column, Nominal)
    keep &= target >= 0 if classes else ~np.isnan(target)
    for column in columns:
        column.values = column.values[keep]
    weights = np.empty(0) if table.weights is None else np.asarray(table.weights)[keep]
    if not classes:
        return Sample(columns, target[keep], 0, options, weights)
    seen, codes = np.unique(target[keep], return_inverse=True)
    return Sample(columns, codes.astype(np.float64), len(seen), options, weights)


def from_table(table: Table, options: Options) -> Grower:
    """Grow a tree from a table."""
    return Grower(sample_of(table, options))
