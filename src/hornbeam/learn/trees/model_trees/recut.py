"""Cuts of a finished model tree, moved to where what lies below them would have them.

While a tree grows, a cut is placed by what is known then: two equations for all that lies on either side. Once the tree
below it is there, a few rows next to the cut may turn out to belong on the other side; where planes part by a step,
each such row costs as much as many others together. So the rows next to every numeric cut are answered by either side's
subtree (Carreira-Perpinan & Tavallali 2018), and the cut goes to the middle of where it may well be
(`model_tree_place.py`). The equations stay.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.trees.prune.cut_back import merge_upwards, moments_at, sum_over_leaves
from hornbeam.data.schema import Nominal
from hornbeam.learn.trees.model_trees.place import Place, place_of, shared
from hornbeam.model.trees.equation import Equations
from hornbeam.model.trees.split import CODE_SETS, CUTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree

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
    near = np.concatenate([near for _, near in windows])
    part = table.take(near)
    cuts = tree.splits.cuts.copy()
    for group in shared(_places(tree, part, windows, start, end)):
        for node in group.nodes:
            cuts[tree.splits.cut_start[tree.split[node]]] = group.middle
    return _counted_anew(tree, cuts, table, part, near, rows, start)


def _places(tree: Tree, part: Table, windows: list[tuple[int, Numbers]], start: Numbers, end: Numbers) -> list[Place]:
    """Where the cut of each window may lie, by what both sides' subtrees make of its rows."""
    node = np.repeat([at for at, _ in windows], [len(near) for _, near in windows])
    walk = _Walk(tree, part)
    truth, weights = part.target_values(), np.ones(part.n_rows) if part.weights is None else part.weights
    low, high = (weights * (walk.answers(tree.first_child[node] + side) - truth) ** 2 for side in (0, 1))
    found, first = [], 0
    for at, its_own in windows:
        here = slice(first, first + len(its_own))
        first += len(its_own)
        column = int(tree.splits.column[tree.split[at]])
        noise = float(np.minimum(low[here], high[here]).sum() / weights[here].sum())
        place = place_of(part.columns[column][here], low[here] - high[here], noise)
        if place is not None:
            found.append(replace(place, column=column, nodes=(at,), blocks=((int(start[at]), int(end[at])),)))
    return found


def _numeric(tree: Tree) -> list[int]:
    """Nodes that cut a number."""
    inner = np.flatnonzero(tree.split >= 0)
    split = tree.split[inner]
    number = np.array([not isinstance(column, Nominal) for column in tree.schema.columns])
    chosen: list[int] = inner[(tree.splits.kind[split] == CUTS) & number[tree.splits.column[split]]].tolist()
    return chosen


def _window(tree: Tree, table: Table, node: int, own: Numbers) -> tuple[int, Numbers]:
    """The rows of a node next to its cut, by rising value; none where a side has no such rows.

    Of each side at most a quarter, so that none is used up; rows of equal value are in it together or not at all.
    """
    split = int(tree.split[node])
    column = table.columns[int(tree.splits.column[split])]
    values = column[own]
    cut = tree.splits.cuts[tree.splits.cut_start[split]]
    found = []
    for side, sign in ((np.flatnonzero(values <= cut), -1.0), (np.flatnonzero(values > cut), 1.0)):
        weights = None if table.weights is None else table.weights[own[side]]
        found.append(own[side[_nearest(sign * values[side], weights)]])
    near = np.concatenate(found) if all(len(side) for side in found) else own[:0]
    return node, near[np.lexsort((near, column[near]))]


def _nearest(distance: NDArray[np.float64], weights: NDArray[np.float64] | None) -> NDArray[np.bool_]:
    """The nearest rows, of a quarter of the weight and of `NEAR` at most; of equally far rows all or none."""
    if not len(distance):
        return np.zeros(0, np.bool_)
    if weights is None:
        count = min(NEAR, len(distance) // 4)
        return np.asarray(distance < np.partition(distance, count)[count])
    order = np.argsort(distance, kind="stable")
    upto = np.cumsum(weights[order])
    beyond = int(np.searchsorted(upto, min(NEAR, upto[-1] / 4), side="right"))
    return np.asarray(distance < distance[order[beyond]])


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


def _counted_anew(
    tree: Tree, cuts: NDArray[np.float64], table: Table, part: Table, near: Numbers, rows: Numbers, start: Numbers
) -> Tree:
    """The tree with those cuts, and the rows, weights and means of its nodes as they now are."""
    leaf = np.flatnonzero(tree.n_children == 0)
    by_place = leaf[np.argsort(start[leaf], kind="stable")]
    ends = np.empty(table.n_rows, np.int32)
    ends[rows] = np.repeat(by_place, np.diff([*start[by_place], table.n_rows])).astype(np.int32)
    weights = np.ones(table.n_rows) if table.weights is None else np.ascontiguousarray(table.weights)
    target = np.ascontiguousarray(table.target_values())
    moved = replace(tree, splits=replace(tree.splits, cuts=cuts))
    walk = _Walk(moved, part)
    ends[near] = walk.leaves(np.zeros(len(near), np.int32))
    value = moments_at(ends, weights, target, tree.n_nodes)
    merge_upwards(tree.parent, value)
    weight = np.ascontiguousarray(value[:, 0])
    if not (weight > 0).all():  # a leaf that gave all its rows away: every node keeps the figures it was learned by
        return moved
    counts = np.bincount(ends, minlength=tree.n_nodes).astype(np.float64)
    share = np.ones(tree.n_nodes)
    share[1:] = np.minimum(weight[1:] / weight[tree.parent[1:]], 1.0)
    number = sum_over_leaves(tree.first_child, tree.n_children, counts).astype(np.int64)
    return replace(moved, rows=number, weight=weight, value=value, error=value[:, 2].copy(), share=share)
