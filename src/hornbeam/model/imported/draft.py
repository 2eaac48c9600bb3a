"""Convert binary trees of other programs: from a draft in the other program's numbering to a checked `Tree`.

The readers of each program's models fill in a `Draft` for each tree. Here its nodes are renumbered, and its splits are
put into a split store, so that the tree can be shown, saved, explained and exported.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.indices import offsets
from hornbeam.data.schema import Column, Nominal, Numeric, Role, Schema
from hornbeam.model.base.plain import ModelError
from hornbeam.model.trees.split import CODE_SETS, CUTS, SplitStore
from hornbeam.model.trees.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hornbeam.core.base.arrays import Bools, Floats, Ints32, Ints64

EVERY_NUMBER = math.inf  # a cut above all numbers: it separates known values from missing ones


@dataclass(eq=False)
class Draft:
    """A binary tree in the numbering of its program, the root first.

    `low` and `high` are a node's children, -1 at a leaf. An inner node has either a `cut` (numbers of at most this go
    to the low child) or `codes` (these categories go to the low child, all others to the high one).
    """

    low: Ints64
    high: Ints64
    column: Ints32  # position in the schema; not read at a leaf
    cut: Floats
    codes: Mapping[int, Sequence[int]]  # by node, rising
    missing_low: Bools  # whether a row without the value goes to the low child
    score: Floats
    rows: Ints64
    weight: Floats
    value: Floats
    label: Ints32
    error: Floats
    surrogates: Mapping[int, Sequence[Surrogate]] = field(default_factory=dict)  # by node


@dataclass(frozen=True)
class Surrogate:
    """A split used where the value of a node's column is missing: a cut, or codes and their branch."""

    column: int
    branch: int  # branch of numbers up to the cut, or of the codes: 0 low, 1 high; others take the other branch
    cut: float = 0.0
    codes: tuple[int, ...] | None = None


@dataclass
class Nodes:
    """The nodes of a tree of scores, in the order in which they are read; values are weight, mean and squared error."""

    low: list[int] = field(default_factory=list)
    high: list[int] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    cut: list[float] = field(default_factory=list)
    missing_low: list[bool] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    value: list[tuple[float, float, float]] = field(default_factory=list)
    codes: dict[int, list[int]] = field(default_factory=dict)

    def add(self, rows: int, value: tuple[float, float, float]) -> int:
        """Add a node; it is a leaf until its split is set."""
        self.low.append(-1)
        self.high.append(-1)
        self.column.append(-1)
        self.cut.append(0.0)
        self.missing_low.append(False)
        self.score.append(np.nan)
        self.rows.append(rows)
        self.value.append(value)
        return len(self.low) - 1

    def draft(self) -> Draft:
        """Return the nodes as a draft: inner nodes have the weighted mean of the leaves below."""
        value = np.array(self.value)
        low, high = np.array(self.low, np.int64), np.array(self.high, np.int64)
        spread_of_leaves(low, high, value)
        return Draft(
            low=low,
            high=high,
            column=np.array(self.column, np.int32),
            cut=np.array(self.cut),
            codes=self.codes,
            missing_low=np.array(self.missing_low, np.bool_),
            score=np.array(self.score),
            rows=np.array(self.rows, np.int64),
            weight=np.ascontiguousarray(value[:, 0]),
            value=value,
            label=np.full(len(value), -1, np.int32),
            error=np.ascontiguousarray(value[:, 2]),
        )


def assemble(schema: Schema, draft: Draft, recipe: Mapping[str, str | float | bool | None]) -> Tree:
    """Convert a draft to a tree, with nodes numbered in the order in which a depth-first walk expands them.

    Parameters
    ----------
    schema : Schema
        The features, in the positions that the draft names, and the target.
    draft : Draft
        The nodes.
    recipe : mapping
        The origin of the tree, as plain values.

    Returns
    -------
    Tree
        Fully checked.
    """
    source, parent, first_child = renumber(draft)
    inner = first_child >= 0
    split = np.where(inner, np.cumsum(inner) - 1, -1).astype(np.int32)
    weight = draft.weight[source]
    share = np.ones(len(source))
    family = np.bincount(parent[1:], weight[1:], len(source))[parent[1:]] if len(source) > 1 else np.empty(0)
    share[1:] = np.divide(weight[1:], family, out=np.full(len(source) - 1, 0.5), where=family > 0)
    tree = Tree(
        schema=schema,
        splits=_splits(draft, source[inner]),
        **_surrogates(draft, source, int(inner.sum())),
        parent=parent,
        first_child=first_child,
        n_children=np.where(inner, 2, 0).astype(np.int32),
        split=split,
        missing=np.where(inner & ~draft.missing_low[source], 1, 0).astype(np.int32),
        rows=draft.rows[source],
        weight=weight,
        value=np.ascontiguousarray(draft.value[source]),
        label=draft.label[source],
        error=draft.error[source],
        share=share,
        recipe=recipe,
    )
    tree.validate()
    return tree


def renumber(draft: Draft) -> tuple[Ints64, Ints32, Ints32]:
    """The draft's node for each new node, and the parents and first children of the new nodes."""
    low, high = draft.low.tolist(), draft.high.tolist()
    source, parent, first_child, pending = [0], [-1], [-1], [0]
    while pending:
        node = pending.pop()
        if low[source[node]] < 0:
            continue
        first = len(source)
        if first + 2 > len(low):
            msg = f"the tree has {len(low)} nodes, but they name more children than that"
            raise ModelError(msg)
        first_child[node] = first
        source += [low[source[node]], high[source[node]]]
        parent += [node, node]
        first_child += [-1, -1]
        pending += [first + 1, first]
    return np.array(source, np.int64), np.array(parent, np.int32), np.array(first_child, np.int32)


def _splits(draft: Draft, nodes: Ints64) -> SplitStore:
    """The splits of inner nodes, followed by their surrogates."""
    listed = nodes.tolist()
    extra = [each for node in listed for each in draft.surrogates.get(node, ())]
    lists = [draft.codes.get(node) for node in listed] + [each.codes for each in extra]
    by_code = np.array([codes is not None for codes in lists], np.bool_)
    sizes = [0 if codes is None else len(codes) for codes in lists]
    branch = np.array([0] * len(listed) + [each.branch for each in extra], np.int32)
    flipped = ~by_code & (branch == 1)
    return SplitStore(
        column=np.concatenate([draft.column[nodes], [each.column for each in extra]]).astype(np.int32),
        kind=np.where(by_code, CODE_SETS, CUTS).astype(np.int8),
        n_branches=np.full(len(lists), 2, np.int32),
        score=np.concatenate([draft.score[nodes], np.full(len(extra), np.nan)]),
        equal_low=~by_code,
        cut_start=offsets(~by_code),
        cuts=np.concatenate([draft.cut[nodes], [each.cut for each in extra]])[~by_code],
        code_start=np.cumsum([0, *sizes]).astype(np.int64),
        codes=np.array([code for codes in lists for code in codes or ()], np.int32),
        code_branch=np.repeat(branch, sizes).astype(np.int32),
        other=np.where(by_code, 1 - branch, -1).astype(np.int32),
        flipped=flipped if flipped.any() else None,
    )


def _surrogates(draft: Draft, source: Ints64, n_splits: int) -> dict[str, Any]:
    """The surrogate splits of each node."""
    counts = [len(draft.surrogates.get(node, ())) for node in source.tolist()]
    if not any(counts):
        return {}
    start = np.cumsum([0, *counts]).astype(np.int64)
    return {"surrogate_start": start, "surrogates": np.arange(n_splits, n_splits + start[-1], dtype=np.int32)}


def schema_of(features: Sequence[Column], target: Column, name: str) -> Schema:
    """Return the schema of an imported tree: features, then the target, which is renamed if a feature has its name."""
    title = target.name
    while any(column.name == title for column in features):
        title += "_"
    goal = Nominal(title, target.categories) if isinstance(target, Nominal) else Numeric(title)
    roles: list[Role] = ["feature"] * len(features)
    return Schema((*features, goal), (*roles, "target"), name)


def names_of(given: Any, found: Any, n_features: int) -> list[str]:  # noqa: ANN401 - whatever the object holds
    """The names of the features: those given, or those of the object, or x0, x1 and so on."""
    names = [str(name) for name in (given if given is not None else found if found is not None else ())]
    if not names and given is None:
        names = [f"x{place}" for place in range(n_features)]
    if len(names) != n_features:
        msg = f"{len(names)} names were given for {n_features} features"
        raise ModelError(msg)
    return names


def spread_of_leaves(draft_low: Ints64, draft_high: Ints64, value: Floats) -> None:
    """Fill in weight, mean and squared error of the inner nodes of `value` from their leaves.

    For trees that do not have the squared error. It is then 0 at leaves, and at inner nodes that of the predictions
    below around their mean.
    """
    order = _parents_first(draft_low, draft_high)
    for node in reversed(order):
        if draft_low[node] < 0:
            continue
        below = value[[draft_low[node], draft_high[node]]]
        weight = float(below[:, 0].sum())
        mean = float(below[:, 0] @ below[:, 1]) / weight if weight > 0 else float(below[:, 1].mean())
        squares = float(below[:, 2].sum() + below[:, 0] @ (below[:, 1] - mean) ** 2)
        value[node] = weight, mean, squares


def mean_of_leaves(low: Ints64, high: Ints64, weight: Floats, value: Floats) -> None:
    """Fill in weights and values (several per node) of inner nodes from their leaves."""
    for node in reversed(_parents_first(low, high)):
        if low[node] >= 0:
            pair = [low[node], high[node]]
            weight[node] = weight[pair].sum()
            shares = weight[pair] / weight[node] if weight[node] > 0 else np.array([0.5, 0.5])
            value[node] = shares @ value[pair]


def _parents_first(low: Ints64, high: Ints64) -> list[int]:
    order, pending = [], [0]
    while pending:
        node = pending.pop()
        order.append(node)
        if low[node] >= 0:
            pending += [int(low[node]), int(high[node])]
    return order


def cuts_of_singles(threshold: Floats, inner: Bools, *, round_inputs: bool) -> Floats:
    """Convert thresholds for rounded numbers: x is at most the cut if x rounded to 32 bits is at most the threshold.

    The rounded number must be at most the greatest 32-bit number `under` the threshold. Numbers that round to that or
    less are below the midpoint between it and the next 32-bit number; the midpoint itself rounds to the one whose last
    bit is 0. An infinite threshold separates known values from missing ones.
    """
    endless = ~np.isfinite(threshold) & inner
    finite = np.where(inner & ~endless, threshold, 0.0)
    if not round_inputs:
        return np.where(endless, EVERY_NUMBER, finite)
    under = finite.astype(np.float32)
    with np.errstate(over="ignore"):  # a step below the least number is not used
        under = np.where(under > finite, np.nextafter(under, np.float32(-np.inf)), under)
    wide = under.astype(np.float64)
    greatest = under == np.finfo(np.float32).max  # the step above it would be infinite; the step below is used
    neighbor = np.nextafter(under, np.where(greatest, np.float32(0), np.float32(np.inf)))
    middle = wide + np.abs(neighbor.astype(np.float64) - wide) / 2
    even = (under.view(np.uint32) & 1) == 0
    return np.where(endless, EVERY_NUMBER, np.where(even, middle, np.nextafter(middle, -np.inf)))
