"""Cuts of a finished model tree, moved to where what lies below them would have them.

While a tree grows, a cut is placed by what is known then: two equations for all that lies on either side. Once the tree
below it is there, a few rows next to the cut may turn out to belong on the other side; where planes part by a step,
each such row costs as much as many others together. So the rows next to every numeric cut are answered by either side's
subtree, and the cut goes where their squared error is least (Carreira-Perpinan & Tavallali 2018). The equations stay.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.cut_back import merge_upwards, moments_at, sum_over_leaves
from hornbeam.data.schema import Nominal
from hornbeam.model.equation import Equations
from hornbeam.model.split import CODE_SETS, CUTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.model.tree import Tree

    Numbers = NDArray[np.int64]

NEAR = 200  # rows on either side of a cut that may change sides


def recut(tree: Tree, table: Table, rows: Numbers, start: Numbers, end: Numbers) -> Tree:
    """Move the numeric cuts of a tree by a few rows.

    Parameters
    ----------
    tree : Tree
        With equations, over the table's columns, its splits in two.
    table : Table
        Training rows.
    rows, start, end : arrays
        Rows in the order of their leaves, and by node the block of its own.
    """
    windows = [_window(tree, table, node, rows[start[node] : end[node]]) for node in _numeric(tree)]
    windows = [window for window in windows if len(window[1]) > 1]
    if not windows:
        return tree
    node = np.repeat([at for at, _ in windows], [len(near) for _, near in windows])
    near = np.concatenate([near for _, near in windows])
    part = table.take(near)
    walk = _Walk(tree, part)
    truth, weights = part.target_values(), np.ones(len(near)) if part.weights is None else part.weights
    low, high = (weights * (walk.answers(tree.first_child[node] + side) - truth) ** 2 for side in (0, 1))
    cuts = tree.splits.cuts.copy()
    first = 0
    for at, its_own in windows:
        split = int(tree.split[at])
        here = slice(first, first + len(its_own))
        values = part.columns[int(tree.splits.column[split])][here]
        cut = _best(values, low[here] - high[here], float(cuts[tree.splits.cut_start[split]]))
        cuts[tree.splits.cut_start[split]] = cut
        first += len(its_own)
    moved = replace(tree, splits=replace(tree.splits, cuts=cuts))
    return _counted_anew(moved, table, part, near, rows, start)


def _numeric(tree: Tree) -> list[int]:
    """Nodes that cut a number."""
    inner = np.flatnonzero(tree.split >= 0)
    split = tree.split[inner]
    number = np.array([not isinstance(column, Nominal) for column in tree.schema.columns])
    chosen: list[int] = inner[(tree.splits.kind[split] == CUTS) & number[tree.splits.column[split]]].tolist()
    return chosen


def _window(tree: Tree, table: Table, node: int, own: Numbers) -> tuple[int, Numbers]:
    """The rows of a node next to its cut, by rising value; a quarter of a side at most, so that none is used up."""
    split = int(tree.split[node])
    values = table.columns[int(tree.splits.column[split])][own]
    cut = tree.splits.cuts[tree.splits.cut_start[split]]
    sides = [np.flatnonzero(values <= cut), np.flatnonzero(values > cut)]
    found = []
    for side, sign in zip(sides, (-1.0, 1.0), strict=True):
        count = min(NEAR, len(side) // 4)
        distance = sign * values[side]
        nearest = np.argpartition(distance, count - 1)[:count] if count else np.empty(0, np.intp)
        found.append(own[side[nearest]])
    near = np.concatenate(found)
    order = np.lexsort((near, table.columns[int(tree.splits.column[split])][near]))
    return node, near[order]


def _best(values: NDArray[np.float64], swing: NDArray[np.float64], cut: float) -> float:
    """The cut between rising values that has the least sum of `swing` below it; as it was unless another is better."""
    below = np.cumsum(swing)[:-1]
    allowed = values[1:] > values[:-1]
    if not allowed.any():
        return cut
    now = float(swing[values <= cut].sum())
    place = int(np.argmin(np.where(allowed, below, np.inf)))
    if not below[place] < now - 1e-9 * float(np.abs(swing).sum()):
        return cut
    middle = float(values[place] + 0.5 * (values[place + 1] - values[place]))
    return middle if values[place] <= middle < values[place + 1] else float(values[place])


class _Walk:
    """Rows sent down a tree from any node."""

    def __init__(self, tree: Tree, table: Table) -> None:
        self.tree, self.equations = tree, Equations(tree)
        self.features = [table.columns[i] for i in table.schema.features]
        self.place = np.zeros(len(table.schema.columns), np.intp)
        self.place[list(table.schema.features)] = np.arange(len(self.features))
        values = [
            np.where(column < 0, np.nan, column) if column.dtype.kind == "i" else column for column in self.features
        ]
        self.values = np.column_stack(values)

    def leaves(self, nodes: NDArray[Any]) -> NDArray[np.int32]:
        """The leaf below the node given for each row."""
        tree, splits = self.tree, self.tree.splits
        found = np.array(nodes, np.int32)
        active = np.flatnonzero(tree.first_child[found] >= 0)
        while len(active):
            at = found[active]
            split = tree.split[at]
            value = self.values[active, self.place[splits.column[split]]]
            missing, by_set = np.isnan(value), splits.kind[split] == CODE_SETS
            branch = np.where(missing, tree.missing[at], 0)
            cutting, choosing = ~missing & ~by_set, ~missing & by_set
            branch[cutting] = value[cutting] > splits.cuts[splits.cut_start[split[cutting]]]
            branch[choosing] = splits.code_branch[splits.code_start[split[choosing]] + value[choosing].astype(np.int64)]
            found[active] = tree.first_child[at] + branch
            active = active[tree.first_child[found[active]] >= 0]
        return found

    def answers(self, nodes: NDArray[Any]) -> NDArray[np.float64]:
        """What the equations of those leaves answer."""
        return self.equations._evaluate(self.leaves(nodes), self.features)


def _counted_anew(tree: Tree, table: Table, part: Table, near: Numbers, rows: Numbers, start: Numbers) -> Tree:
    """The tree with the rows, weights and means of its nodes as the cuts now have them."""
    leaf = np.flatnonzero(tree.n_children == 0)
    by_place = leaf[np.argsort(start[leaf], kind="stable")]
    ends = np.empty(table.n_rows, np.int32)
    ends[rows] = np.repeat(by_place, np.diff([*start[by_place], table.n_rows])).astype(np.int32)
    walk = _Walk(tree, part)
    known = ~np.isnan(walk.values).any(axis=1)  # rows without a value stay where their target has sent them
    ends[near[known]] = walk.leaves(np.zeros(len(near), np.int32))[known]
    weights = np.ones(table.n_rows) if table.weights is None else np.ascontiguousarray(table.weights)
    value = moments_at(ends, weights, np.ascontiguousarray(table.target_values()), tree.n_nodes)
    merge_upwards(tree.parent, value)
    counts = np.bincount(ends, minlength=tree.n_nodes).astype(np.float64)
    weight = np.ascontiguousarray(value[:, 0])
    if not (weight > 0).all():
        return tree
    share = np.ones(tree.n_nodes)
    share[1:] = np.minimum(weight[1:] / weight[tree.parent[1:]], 1.0)
    number = sum_over_leaves(tree.parent, tree.n_children, counts).astype(np.int64)
    return replace(tree, rows=number, weight=weight, value=value, error=value[:, 2].copy(), share=share)
