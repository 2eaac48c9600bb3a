"""Move the cuts of a finished model tree to where they fit best.

While a tree grows, a cut is placed by one equation on each side. Once the subtrees are there, a few rows next to the
cut may fit better on the other side; if the relation has a step, each such row costs as much as many others. So the
rows next to every numeric cut are predicted by both subtrees (Carreira-Perpinan & Tavallali 2018), and the cut is moved
to the median of its likely positions. The equations stay.

With Gaussian noise of variance v, the likelihood of a cut is exp(-e / 2v) for the squared error e that it leaves. At
the median position the fewest rows are expected on the wrong side; the cut of least error may be anywhere in a range of
rows for which both sides fit. If a step in a relation is found late, it is found in several branches, each with few
rows. Cuts of one column in different branches are joined if that costs little likelihood, and placed by all their rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.core.trees.prune.cut_back import merge_upwards, moments_at, sum_over_leaves
from hornbeam.data.schema import Nominal
from hornbeam.model.trees.equation import Equations
from hornbeam.model.trees.split import CODE_SETS, CUTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hornbeam.core.base.arrays import AnyArray, Bools, Floats, Ints32, Ints64
    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree


NEAR = 200  # rows on each side of a cut that may change sides
MOST_LOST = 3.0  # how much log-likelihood a cut may lose when it is joined to others
RECENT = 3  # how many of the last groups of cuts, sorted by their medians, a cut may join


def recut(tree: Tree, table: Table, rows: Ints64, start: Ints64, end: Ints64) -> Tree:
    """Move the numeric cuts of a tree by a few rows.

    Parameters
    ----------
    tree : Tree
        A tree of two-way splits with equations, over the columns of the table.
    table : Table
        Training rows.
    rows, start, end : arrays
        Rows in the order of their leaves, and the block of rows of each node.
    """
    windows = [_window(tree, table, node, rows[start[node] : end[node]]) for node in _numeric(tree)]
    windows = [window for window in windows if len(window[1]) > 1]
    if not windows:
        return tree
    near = np.concatenate([near for _, near in windows])
    part, ends = table.take(near), _ends(tree, rows, start)
    groups = shared(_places(tree, part, windows, start, end))
    while groups:
        cuts = tree.splits.cuts.copy()
        for group in groups:
            for node in group.nodes:
                cuts[tree.splits.cut_start[tree.split[node]]] = group.middle
        moved = replace(tree, splits=replace(tree.splits, cuts=cuts))
        ends[near] = _Walk(moved, part).leaves(np.zeros(len(near), np.int32))
        counts = sum_over_leaves(
            tree.first_child, tree.n_children, np.bincount(ends, minlength=tree.n_nodes).astype(np.float64)
        )
        if counts.all():
            return _counted_anew(moved, table, ends, counts)
        above = _ancestors(tree, np.flatnonzero(counts == 0))  # the cuts above a node that would have no rows stay
        groups = [group for group in groups if above.isdisjoint(group.nodes)]
    return tree


def _ends(tree: Tree, rows: Ints64, start: Ints64) -> Ints32:
    """The leaf of every row."""
    leaf = np.flatnonzero(tree.n_children == 0)
    by_place = leaf[np.argsort(start[leaf], kind="stable")]
    ends = np.empty(len(rows), np.int32)
    ends[rows] = np.repeat(by_place, np.diff([*start[by_place], len(rows)])).astype(np.int32)
    return ends


def _ancestors(tree: Tree, nodes: AnyArray) -> set[int]:
    """The nodes above any of these."""
    found: set[int] = set()
    while len(nodes := tree.parent[nodes][tree.parent[nodes] >= 0]):
        found.update(nodes.tolist())
    return found


def _places(tree: Tree, part: Table, windows: list[tuple[int, Ints64]], start: Ints64, end: Ints64) -> list[Place]:
    """The likely positions of the cut of each window, by the errors of both subtrees on its rows."""
    node = np.repeat([at for at, _ in windows], [len(near) for _, near in windows])
    walk = _Walk(tree, part)
    truth, weights = part.target_values(), part.row_weights
    low, high = (weights * (walk.predictions(tree.first_child[node] + side) - truth) ** 2 for side in (0, 1))
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
    """Nodes that cut a numeric column."""
    inner = np.flatnonzero(tree.split >= 0)
    split = tree.split[inner]
    number = np.array([not isinstance(column, Nominal) for column in tree.schema.columns])
    chosen: list[int] = inner[(tree.splits.kind[split] == CUTS) & number[tree.splits.column[split]]].tolist()
    return chosen


def _window(tree: Tree, table: Table, node: int, own: Ints64) -> tuple[int, Ints64]:
    """The rows of a node next to its cut, by rising value; empty if one side has no such rows.

    At most a quarter of each side, so that no side becomes empty; rows of equal value are used together or not at all.
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


def _nearest(distance: Floats, weights: Floats | None) -> Bools:
    """The nearest rows: at most a quarter of the weight and `NEAR` rows; of equally far rows all or none."""
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
    """Sends rows down a tree from any node."""

    def __init__(self, tree: Tree, table: Table) -> None:
        self.tree, self.equations = tree, Equations(tree)
        self.features = [table.columns[i] for i in table.schema.features]
        self.place = np.zeros(len(table.schema.columns), np.intp)
        self.place[list(table.schema.features)] = np.arange(len(self.features))
        values = [
            np.where(column < 0, np.nan, column) if column.dtype.kind == "i" else column for column in self.features
        ]
        self.values = np.column_stack(values)

    def leaves(self, nodes: AnyArray) -> Ints32:
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

    def predictions(self, nodes: AnyArray) -> Floats:
        """Predictions of the equations of those leaves."""
        return self.equations._evaluate(self.leaves(nodes), self.features)


def _counted_anew(tree: Tree, table: Table, ends: Ints32, counts: Floats) -> Tree:
    """The tree with new rows, weights and means of its nodes, from the leaf of every row."""
    value = moments_at(
        ends, np.ascontiguousarray(table.row_weights), np.ascontiguousarray(table.target_values()), tree.n_nodes
    )
    merge_upwards(tree.parent, value)
    weight = np.ascontiguousarray(value[:, 0])
    share = np.ones(tree.n_nodes)
    share[1:] = np.minimum(weight[1:] / weight[tree.parent[1:]], 1.0)
    number = counts.astype(np.int64)
    return replace(tree, rows=number, weight=weight, value=value, error=value[:, 2].copy(), share=share)


@dataclass(frozen=True, eq=False)
class Place:
    """The likely positions of a cut, or of several joined cuts."""

    values: Floats  # sorted values; a cut is between two of them
    # for each pair of neighbors, minus the log-likelihood of a cut there; 0 at the best position of each cut
    cost: Floats
    column: int = -1  # the column of the cut
    # nodes, blocks: the nodes with this cut, and the start and end of their rows in the order of the leaves
    nodes: tuple[int, ...] = ()
    blocks: tuple[tuple[int, int], ...] = ()

    @property
    def middle(self) -> float:
        """The median of the positions, as a cut between two of the values."""
        with np.errstate(over="ignore"):
            upto = np.cumsum(np.exp(self.cost.min() - self.cost) * np.diff(self.values))
        at = int(np.searchsorted(upto, 0.5 * upto[-1]))
        low, high = float(self.values[at]), float(self.values[at + 1])
        middle = low + 0.5 * (high - low)
        return middle if low <= middle < high else low

    def joined(self, other: Place) -> Place | None:
        """The positions of both as one cut; None if there are none, or if one is below the other in the tree."""
        low, high = max(self.values[0], other.values[0]), min(self.values[-1], other.values[-1])
        if not low < high:
            return None
        if any(a < d and c < b for a, b in self.blocks for c, d in other.blocks):
            return None
        values = np.unique(np.concatenate([self.values, other.values]))
        values = values[(values >= low) & (values <= high)]
        cost = sum(each.cost[np.searchsorted(each.values, values[:-1], side="right") - 1] for each in (self, other))
        return replace(
            self,
            values=values,
            cost=np.asarray(cost),
            nodes=self.nodes + other.nodes,
            blocks=self.blocks + other.blocks,
        )


def place_of(values: Floats, swing: Floats, noise: float) -> Place | None:
    """The likely positions of a cut among rows; None if their values do not differ.

    Parameters
    ----------
    values : array
        Sorted values of the rows.
    swing : array
        How much more squared error each row has below the cut than above it.
    noise : float
        The mean squared error on the better side.
    """
    last = np.flatnonzero(np.append(values[1:] > values[:-1], True))  # of equal values, the last row
    if len(last) == 1:
        return None
    below = np.cumsum(swing)[last[:-1]]
    below -= below.min()
    # without noise, any error at all is too much
    with np.errstate(over="ignore"):
        cost = np.divide(below, 2 * noise, out=np.where(below > 0, np.inf, 0.0), where=2 * noise > 0)
    return Place(values[last], cost)


def shared(places: Iterable[Place]) -> list[Place]:
    """The positions, with cuts joined that may be the same."""
    by_column: dict[int, list[Place]] = {}
    for place in sorted(places, key=lambda place: place.middle):
        groups = by_column.setdefault(place.column, [])
        best, least = -1, MOST_LOST
        for at in range(max(len(groups) - RECENT, 0), len(groups)):
            both = groups[at].joined(place)
            if both is not None and both.cost.min() - groups[at].cost.min() <= least:
                best, least = at, float(both.cost.min() - groups[at].cost.min())
        joined = groups[best].joined(place) if best >= 0 else None
        if joined is None:
            groups.append(place)
        else:
            groups[best] = joined
    return list(chain.from_iterable(by_column.values()))
