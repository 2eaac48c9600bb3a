"""Splits in a form that can be compared between trees: the column, and the cuts or the sets of categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.model.trees.node import code_branches
from hornbeam.model.trees.split import CUTS

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree


@dataclass(frozen=True, slots=True)
class Question:
    """The column of a split, and its cuts or sets of categories."""

    column: str  # the column's name; of a sum of columns, their names joined by ``" + "``
    # the cuts of a number, without an infinite cut that separates known from missing; None for categories and sums
    cuts: tuple[float, ...] | None = None
    # the sets of categories, in an order that does not depend on the order of branches; None for numbers and sums
    branches: tuple[tuple[str, ...], ...] | None = None

    def is_about(self, other: Question, width: float) -> bool:
        """Whether the other has the same column, and cuts within a width of these, or the same sets of categories.

        For sums only the columns are compared.
        """
        if self.column != other.column or self.branches != other.branches:
            return False
        if self.cuts is None or other.cuts is None:
            return self.cuts == other.cuts
        pairs = zip(sorted(self.cuts), sorted(other.cuts), strict=False)
        return len(self.cuts) == len(other.cuts) and all(abs(one - two) <= width for one, two in pairs)


def question(tree: Tree, node: int) -> Question:
    """The question of an inner node of a tree."""
    splits, split = tree.splits, int(tree.split[node])
    columns = splits.columns_of(split).tolist()
    names = [tree.schema.columns[column].name for column in columns]
    if splits.terms_of(split) is not None:
        return Question(" + ".join(names))
    kind = tree.schema.columns[columns[0]]
    cuts = splits.cuts[splits.cut_start[split] : splits.cut_start[split + 1]]
    by_cuts = int(splits.kind[split]) == CUTS
    if not isinstance(kind, Nominal):
        return Question(names[0], cuts=tuple(cuts[np.isfinite(cuts)].tolist()))
    if by_cuts:  # an ordered category
        branch = np.searchsorted(cuts, np.arange(len(kind.categories))).astype(np.int32)
    else:
        branch = code_branches(tree, split)
    parts = [
        tuple(kind.categories[code] for code in np.flatnonzero(branch == number).tolist())
        for number in np.unique(branch[branch >= 0]).tolist()
    ]
    return Question(names[0], branches=tuple(sorted(parts)))
