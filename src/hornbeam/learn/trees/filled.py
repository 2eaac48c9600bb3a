"""Missing values filled in before growing: by the mean of a numeric column, the commonest category of a nominal one.

What was filled in is not stored with the model; each node remembers the branch that it takes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.model.trees.split import CODES, CUTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.model.trees.tree import Tree


@dataclass(frozen=True)
class Filled:
    """A table without missing features, and by column the value that was put in (NaN: the column has none)."""

    table: Table
    values: NDArray[np.float64]

    def route(self, tree: Tree) -> Tree:
        """The tree, rows without a value taking the branch of the value put in; else of most weight."""
        missing = tree.missing.copy()
        for node in np.flatnonzero(tree.split >= 0):
            first, count = tree.first_child[node], tree.n_children[node]
            heaviest = int(np.argmax(tree.weight[first : first + count]))
            branch = self._branch(tree, int(tree.split[node]))
            missing[node] = heaviest if branch < 0 else branch
        return replace(tree, missing=missing)

    def _branch(self, tree: Tree, split: int) -> int:
        splits = tree.splits
        terms = splits.terms_of(split)
        value = self.values[splits.column[split]] if terms is None else self.values[terms[0]] @ terms[1]
        if np.isnan(value):
            return -1
        if splits.kind[split] == CUTS or terms is not None:
            cuts = splits.cuts[splits.cut_start[split] : splits.cut_start[split + 1]]
            above = int(np.searchsorted(cuts, value, side="left" if splits.equal_low[split] else "right"))
            return splits.interval(split, above)
        part = slice(splits.code_start[split], splits.code_start[split + 1])
        if splits.kind[split] == CODES:
            return int(splits.codes[part][int(value)])
        place = np.flatnonzero(splits.codes[part] == int(value))
        return int(splits.code_branch[part][place[0]]) if len(place) else int(splits.other[split])


def fill(table: Table) -> Filled:
    """Fill in every feature's missing values."""
    columns: list[NDArray[Any]] = list(table.columns)
    values = np.full(len(columns), np.nan)
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    for position in table.schema.features:
        column, array = table.schema.columns[position], columns[position]
        known = ~column.missing(array)
        if not known.any():
            continue
        if isinstance(column, Nominal):
            counts = np.bincount(array[known], weights[known])
            values[position] = np.argmax(counts)
        else:
            values[position] = np.average(array[known], weights=weights[known])
        if not known.all():
            columns[position] = np.where(known, array, values[position].astype(array.dtype))
    return Filled(Table(table.schema, columns, table.notes, copy=False), values)
