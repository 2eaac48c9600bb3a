"""Counts at every node of a tree with splits on values: for pruning, when a raised branch gets other rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.model.trees.split import CODES, CUTS
from hornbeam.scale.trees.coded import walk

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats, Indices, Ints32, Ints64
    from hornbeam.model.trees.tree import Tree


class Along(NamedTuple):
    """By node: units by class, units of the rows that reached it by a known value, and rows."""

    units: Ints64
    known: Ints64
    rows: Ints64


def count_along(block: dict[str, AnyArray], tree: Tree, units: int) -> Along:
    """Counts of one partition at every node of a tree; rows with a missing value are divided."""
    table = Table(tree.schema, [block[f"c{i}"] for i in range(len(tree.schema.columns))], copy=False)
    classes = table.target_values()
    n_classes = tree.value.shape[1]
    found = Along(*(np.zeros(shape, np.int64) for shape in ((tree.n_nodes, n_classes), tree.n_nodes, tree.n_nodes)))
    if units == 1:
        return _whole_rows(tree, table, classes)
    sent: dict[int, Ints32] = {}

    def forks(node: int, _rows: Indices) -> tuple[Ints32, int, int, Floats] | None:
        if node not in sent:
            return None
        first = int(tree.first_child[node])
        return sent.pop(node), first, int(tree.missing[node]), tree.share[first : first + tree.n_children[node]]

    for node, chosen, weight in walk(table.n_rows, forks, units):
        found.units[node] = _by_class(classes[chosen], weight, n_classes, units)
        found.rows[node] = len(chosen)
        if tree.n_children[node]:
            split, first, count = int(tree.split[node]), int(tree.first_child[node]), int(tree.n_children[node])
            sent[node] = branches(tree, split, table.columns[tree.splits.column[split]][chosen])
            led = sent[node] >= 0
            found.known[first : first + count] = _by_class(
                sent[node][led], None if weight is None else weight[led], count, units
            )
    return found


def _whole_rows(tree: Tree, table: Table, classes: AnyArray) -> Along:
    """The same if no row is divided: rows are counted at the leaves, and then added upwards."""
    n_classes = tree.value.shape[1]
    cells = tree.apply(table).astype(np.int64) * n_classes + classes
    units = np.bincount(cells, minlength=tree.n_nodes * n_classes).reshape(-1, n_classes).astype(np.int64)
    for node in range(tree.n_nodes - 1, 0, -1):
        units[tree.parent[node]] += units[node]
    rows = units.sum(axis=1)
    return Along(units, rows, rows)


def _by_class(classes: AnyArray, weight: Ints64 | None, n_classes: int, units: int) -> Ints64:
    if weight is None:
        return np.bincount(classes, minlength=n_classes).astype(np.int64) * units
    return np.bincount(classes, weight, minlength=n_classes).astype(np.int64)


def add_along(one: Along, other: Along) -> Along:
    """Sums of both."""
    return Along(*(here + there for here, there in zip(one, other, strict=True)))


def branches(tree: Tree, split: int, values: AnyArray) -> Ints32:
    """The branch of every value, -1 if it is missing."""
    splits = tree.splits
    count = int(splits.n_branches[split])
    if splits.kind[split] == CUTS:
        cuts = splits.cuts[splits.cut_start[split] : splits.cut_start[split + 1]]
        missing = values < 0 if values.dtype.kind != "f" else np.isnan(values)
        branch = np.searchsorted(cuts, values, side="left" if splits.equal_low[split] else "right").astype(np.int32)
        if splits.flipped is not None and splits.flipped[split]:
            branch = count - 1 - branch
        return np.where(missing, -1, branch).astype(np.int32)
    part = slice(int(splits.code_start[split]), int(splits.code_start[split + 1]))
    column = tree.schema.columns[splits.column[split]]
    assert isinstance(column, Nominal)
    table = np.full(len(column.categories) + 1, -1, np.int32)  # the last entry is for missing values
    if splits.kind[split] == CODES:
        table[: part.stop - part.start] = splits.codes[part]
    else:
        table[:-1] = splits.other[split]
        table[splits.codes[part]] = splits.code_branch[part]
    return table[values]
