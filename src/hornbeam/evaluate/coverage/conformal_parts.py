"""Which calibration rows a leaf uses: its own and, if they are too few, those of nearby leaves.

Coverage holds if the new row and the rows it is compared with are exchangeable. So leaves are combined into *parts* by
a rule that depends only on the number of rows at each leaf, including the new row, never on their targets, and every
row of a part is compared with all others of that part. If a small leaf used the rows of a large neighbor while that
neighbor used only its own, this would not hold: both must use the same rows.

The rule, from the leaves upward: a leaf with enough rows is a part. At an inner node, the leaves below it that are not
in a part yet are combined; if they have enough rows, they become a part; if not, they join the part with the fewest
rows below that node; if there is none, the decision is left to the node above.

Rows end at *places*: the nodes of a tree by their numbers, or the rules of a list from 1, exceptions after their rule
and the default last, as they are printed. Place 0 of a list is where no rule holds. An exception lies under its rule,
and all rules lie under place 0, so that both kinds of models have the form of a tree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.model.rules.exceptions import places, reached
from hornbeam.model.rules.rule import RuleList
from hornbeam.model.trees.tree import FRACTIONAL, LEAST_SHARE, Tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.core.base.arrays import Bools, Floats, Ints32, Ints64
    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table

SAME = 12  # decimals to which probabilities are rounded


@dataclass(frozen=True, slots=True)
class Part:
    """The leaves whose calibration rows a leaf uses."""

    members: tuple[int, ...]  # nodes whose rows are used
    rows: int  # how many rows end there, not counting the new one
    # the node at which the leaf found enough rows: itself (for an inner node, among those below it), or one above
    formed_at: int


def rank(rows: int, coverage: float) -> int:
    """The rank of the score that a row may not exceed, from the smallest: ceil((rows + 1) coverage), computed exactly.

    Examples
    --------
    >>> rank(9, 0.9), rank(10, 0.9), rank(99, 0.95)
    (9, 10, 95)
    """
    return math.ceil(exactly(coverage) * (rows + 1))


def exactly(share: float) -> Fraction:
    """A fraction as it is written: 0.9 is nine tenths, not the nearest binary number."""
    return Fraction(str(float(share)))


def least_rows(coverage: float) -> int:
    """The smallest number of rows that has the requested rank.

    Examples
    --------
    >>> least_rows(0.9), least_rows(0.5), least_rows(0.95)
    (9, 1, 19)
    """
    share = exactly(coverage)
    return math.ceil(share / (1 - share))


@dataclass(frozen=True, slots=True)
class _Group:
    """Combined leaves, and how many rows they have."""

    members: tuple[int, ...] = ()
    rows: int = 0

    def __add__(self, other: _Group) -> _Group:
        return _Group(self.members + other.members, self.rows + other.rows)


@dataclass(frozen=True, slots=True)
class _State:
    """The state at a node: leaves without a part, parts that may still grow, and parts that are final."""

    waiting: _Group = _Group()
    parts: tuple[_Group, ...] = ()  # the fewest rows first
    left_behind: tuple[_Group, ...] = ()  # final, because enough other parts have fewer rows


class Parts:
    """Parts of the leaves of a tree, for a new row at any of them.

    Parameters
    ----------
    parent : sequence of int
        The node above each, -1 at the root; parents come before their children.
    counts : sequence of int
        How many rows end at each node.
    least : int
        How many rows a part must have besides the new one; there must be at least this many in total.
    """

    def __init__(self, parent: Sequence[int] | Ints32, counts: Sequence[int] | Ints64, least: int) -> None:
        self.parent = [int(node) for node in parent]
        self.counts = [int(count) for count in counts]
        self.enough = least + 1  # the new row included
        if sum(self.counts) < least:
            raise ValueError(f"there are {sum(self.counts)} rows; expected at least {least}")
        self.children: list[list[int]] = [[] for _ in self.parent]
        for node, above in enumerate(self.parent):
            if above >= 0:
                self.children[above].append(node)
        self.depth = [0] * len(self.parent)
        for node, above in enumerate(self.parent):
            self.depth[node] = self.depth[above] + 1 if above >= 0 else 0
        self.states = [_State()] * len(self.parent)
        for node in reversed(range(len(self.parent))):
            below = [self.states[child] for child in self.children[node]]
            self.states[node] = self._decide(node, self.counts[node], below)

    def of(self, leaf: int) -> Part:
        """The part of a leaf that a new row ends at.

        Only the nodes above it depend on the new row, so all others are computed without it.
        """
        members: tuple[int, ...] = ()
        node, formed_at = leaf, -1
        state = self._decide(leaf, self.counts[leaf] + 1, [self.states[child] for child in self.children[leaf]])
        while True:
            if leaf not in state.waiting.members:
                formed_at = node if formed_at < 0 else formed_at
                groups = (*state.left_behind, *state.parts)
                members = next(group.members for group in groups if leaf in group.members)
                if any(group.members is members for group in state.left_behind):
                    break
            above = self.parent[node]
            if above < 0:
                break
            below = [state if child == node else self.states[child] for child in self.children[above]]
            node, state = above, self._decide(above, self.counts[above], below)
        return Part(tuple(sorted(members)), sum(self.counts[member] for member in members), formed_at)

    def _decide(self, node: int, rows_here: int, below: list[_State]) -> _State:
        """Combine leaves at a node, given the states of the nodes below it."""
        waiting = _Group()
        parts = [part for state in below for part in state.parts]
        for state in below:
            waiting += state.waiting
        if rows_here >= self.enough:
            parts.append(_Group((node,), rows_here))
        elif rows_here:
            waiting += _Group((node,), rows_here)
        if waiting.rows >= self.enough:
            parts.append(waiting)
            waiting = _Group()
        if not parts:
            return _State(waiting)
        parts.sort(key=_fewest)
        parts = sorted([parts[0] + waiting, *parts[1:]], key=_fewest)
        # At each node above, at most one part is joined, so at most as many parts as there are nodes above are kept.
        kept = self.depth[node]
        return _State(_Group(), tuple(parts[:kept]), tuple(parts[kept:]))


def _fewest(part: _Group) -> tuple[int, int]:
    return part.rows, min(part.members)


@dataclass(frozen=True, eq=False)
class Places:
    """The places of a model."""

    model: Tree | RuleList  # what predicts
    parent: Ints32  # the place above each, -1 at the first
    may_end: Bools  # whether rows may end there
    value: Floats | None  # array (places, classes) or None: class weights, if the target is a class
    center: Floats | None  # the prediction of each place, if it is a number; NaN for an equation or none

    @property
    def schema(self) -> Schema:
        """The model's schema."""
        return self.model.schema

    def ends(self, table: Table) -> Ints32:
        """The place where each row ends; for a divided row, that of its largest piece."""
        if isinstance(self.model, Tree):
            return self.model.apply(table)
        ends = np.zeros(table.n_rows, np.int32)
        for number, (_, decided) in enumerate(reached(self.model, table).values(), start=1):
            ends[decided] = number
        return ends

    def class_surprise(self, *, by_place: bool) -> Floats | None:
        """The surprise of each class at each place; None if the target is a number.

        Parameters
        ----------
        by_place : bool
            Whether to measure it by the rank of the class among the others, 0 for the most likely: only ranks can be
            compared between models, because their probabilities always differ a little. Otherwise it is 1 minus the
            probability.

        Returns
        -------
        array (places, classes)
            The probabilities of the place above are mixed in with the weight of one row, so that among the classes that
            a leaf has not seen, those of nearby rows are less surprising.
        """
        if self.value is None:
            return None
        shares = np.empty_like(self.value)
        evenly = np.full(self.value.shape[1], 1 / self.value.shape[1])
        for place, parent in enumerate(self.parent.tolist()):
            above = evenly if parent < 0 else shares[parent]
            shares[place] = (self.value[place] + above) / (self.value[place].sum() + 1)
        if by_place:
            return np.argsort(np.argsort(-shares, axis=1, kind="stable"), axis=1, kind="stable").astype(np.float64)
        return np.round(1 - shares, SAME)  # equal fractions of two leaves must not differ by rounding


def places_of(model: Any) -> Places:  # noqa: ANN401 - anything a caller has
    """The places of a tree, a list of rules, or a fitted estimator of one."""
    found = model if isinstance(model, Tree | RuleList) else getattr(model, "model_", None)
    if isinstance(found, Tree):
        return _of_tree(found)
    if isinstance(found, RuleList):
        return _of_rules(found)
    held = type(model).__name__ if found is None else type(found).__name__
    msg = f"a {held} has no leaves or rules where rows end; expected a tree, a list of rules, or an estimator with one"
    raise TypeError(msg)


def _of_tree(tree: Tree) -> Places:
    shared = np.zeros(tree.n_nodes, np.bool_)
    below = tree.parent >= 0
    shared[tree.parent[below & (tree.share > LEAST_SHARE)]] = True
    goes_on = (tree.missing >= 0) | ((tree.missing == FRACTIONAL) & shared)
    may_end = (tree.first_child < 0) | ~goes_on  # leaves, and nodes where a row with a missing value stops
    if tree.task == "classification":
        return Places(tree, tree.parent, may_end, tree.value, None)
    center = tree.value[tree.predicting_node, 1] if tree.intercept is None else np.full(tree.n_nodes, np.nan)
    return Places(tree, tree.parent, may_end, None, center)


def _of_rules(rules: RuleList) -> Places:
    if rules.decide != "first":
        msg = "several rules may decide a row together; expected a list in which the first matching rule decides"
        raise ValueError(msg)
    listed = list(places(rules))
    number_of = {place: number for number, (place, _) in enumerate(listed, start=1)}
    parent = np.array([-1, *(number_of.get(place[:-1], 0) for place, _ in listed)], np.int32)
    may_end = np.ones(len(parent), np.bool_)
    may_end[0] = rules.default is None
    if isinstance(rules.schema.target_column, Nominal):
        own = np.array([rule.value for _, rule in listed], np.float64).reshape(
            -1, len(rules.schema.target_column.categories)
        )
        return Places(rules, parent, may_end, np.vstack([own.sum(axis=0), own]), None)
    center = [np.nan, *(np.nan if rule.terms else float(rule.value) for _, rule in listed)]
    return Places(rules, parent, may_end, None, np.array(center))
