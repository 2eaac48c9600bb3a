"""A node as an object: a view of the tree's arrays, for reading and for walking the tree."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.model.base.condition import MOST, Above, AtLeast, AtMost, Below, Condition, IsIn, IsMissing
from hornbeam.model.base.plain import ModelError
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS, FRACTIONAL, LEAST_SHARE, SUMS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hornbeam.core.base.arrays import Floats, Ints32
    from hornbeam.model.trees.split import SplitStore
    from hornbeam.model.trees.tree import Tree


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a tree."""

    tree: Tree
    index: int

    def __repr__(self) -> str:
        kind = "leaf" if self.is_leaf else f"{len(self.children)} branches"
        return f"Node({self.index}: {kind}, weight {self.weight:g})"

    @property
    def is_leaf(self) -> bool:
        """Whether it has no children."""
        return int(self.tree.first_child[self.index]) < 0

    @property
    def parent(self) -> Node | None:
        """The node above; None at the root."""
        above = int(self.tree.parent[self.index])
        return None if above < 0 else Node(self.tree, above)

    @property
    def children(self) -> tuple[Node, ...]:
        """The nodes below, in branch order."""
        first, count = int(self.tree.first_child[self.index]), int(self.tree.n_children[self.index])
        return tuple(Node(self.tree, first + branch) for branch in range(count))

    @property
    def branch(self) -> int:
        """Which branch of its parent leads here; -1 at the root."""
        above = int(self.tree.parent[self.index])
        return -1 if above < 0 else self.index - int(self.tree.first_child[above])

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions for reaching this node from its parent.

        Empty at the root; two conditions if the branch is between two cuts; otherwise one.
        """
        above = int(self.tree.parent[self.index])
        return () if above < 0 else branch_conditions(self.tree, above, self.branch)

    @property
    def path(self) -> tuple[Condition, ...]:
        """Every condition from the root to here."""
        found: list[tuple[Condition, ...]] = []
        node: Node | None = self
        while node is not None:  # not by recursion: a tree may be deeper than Python's stack
            found.append(node.conditions)
            node = node.parent
        return tuple(condition for part in reversed(found) for condition in part)

    @property
    def column(self) -> int:
        """Position of the column of the split (for a sum, of its first term); -1 at a leaf."""
        return -1 if self.is_leaf else int(self.tree.splits.column[self.tree.split[self.index]])

    @property
    def value(self) -> Floats:
        """Class weights, or weight, mean and squared error."""
        found: Floats = self.tree.value[self.index]
        return found

    @property
    def weight(self) -> float:
        """Weight of the training rows that reached the node."""
        return float(self.tree.weight[self.index])

    @property
    def share(self) -> float:
        """Fraction of the parent's known weight that reached the node."""
        return float(self.tree.share[self.index])

    @property
    def error(self) -> float:
        """Misclassified training weight (or squared error) if this were a leaf."""
        return float(self.tree.error[self.index])

    @property
    def label(self) -> int:
        """Class code; -1 if there is no prediction."""
        return int(self.tree.label[self.index])

    @property
    def label_name(self) -> str | None:
        """Name of the class; None if there is no prediction, or the target is numeric."""
        target = self.tree.schema.target_column
        return target.categories[self.label] if isinstance(target, Nominal) and self.label >= 0 else None

    def walk(self) -> Iterator[Node]:
        """Return this node and every one below, depth first, branches in order."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))


def branch_conditions(tree: Tree, node: int, branch: int) -> tuple[Condition, ...]:
    """Return the condition of one branch (two between cuts), with the weight for missing values.

    Raises
    ------
    ModelError
        If the split compares a sum of columns, since a condition tests one.
    """
    splits, split = tree.splits, int(tree.split[node])
    column, kind = int(splits.column[split]), int(splits.kind[split])
    if_missing = missing_weight(tree, node, branch)
    if kind == SUMS:
        names = ", ".join(repr(tree.schema.columns[term].name) for term in splits.columns_of(split).tolist())
        msg = f"node {node} compares a sum of columns ({names}); a condition tests one column"
        raise ModelError(msg)
    if kind == CUTS:
        return _between(splits, split, branch, if_missing)
    branches = code_branches(tree, split)
    codes = tuple(int(code) for code in np.flatnonzero(branches == branch))
    as_missing = tuple(int(code) for code in np.flatnonzero(branches < 0))
    return (IsIn(column, codes, if_missing, as_missing),)


def _between(splits: SplitStore, split: int, branch: int, if_missing: float) -> tuple[Condition, ...]:
    """Bounds of one branch of a cut column; a cut at infinity separates known from missing values."""
    column, equal_low = int(splits.column[split]), bool(splits.equal_low[split])
    cuts: list[float] = splits.cuts[splits.cut_start[split] : splits.cut_start[split + 1]].tolist()
    place = splits.interval(split, branch)
    if place > 0 and cuts[place - 1] == math.inf:
        return (IsMissing(column, if_missing),)
    found: list[Condition] = []
    if place > 0:
        found.append((Above if equal_low else AtLeast)(column, cuts[place - 1], if_missing))
    if place < len(cuts) and cuts[place] != math.inf:
        # The weight counts once, so a missing value passes the second of two conditions.
        found.append((AtMost if equal_low else Below)(column, cuts[place], 1.0 if found else if_missing))
    return tuple(found) or (AtMost(column, MOST, if_missing),)


def code_branches(tree: Tree, split: int) -> Ints32:
    """Return the branch of every category of a split's column, -1 if it counts as missing."""
    splits = tree.splits
    column = tree.schema.columns[int(splits.column[split])]
    part = slice(int(splits.code_start[split]), int(splits.code_start[split + 1]))
    if int(splits.kind[split]) == CODES:
        return splits.codes[part]
    if int(splits.kind[split]) != CODE_SETS or not isinstance(column, Nominal):
        return np.empty(0, np.int32)
    branches = np.full(len(column.categories), splits.other[split], np.int32)
    branches[splits.codes[part]] = splits.code_branch[part]
    return branches


def missing_weight(tree: Tree, node: int, branch: int) -> float:
    """Return the weight with which a row with a missing value takes a branch."""
    policy = int(tree.missing[node])
    if policy == FRACTIONAL:
        share = float(tree.share[int(tree.first_child[node]) + branch])
        return min(share, 1.0) if share > LEAST_SHARE else 0.0
    return 1.0 if policy == branch else 0.0
