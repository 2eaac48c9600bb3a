"""Binary trees of other programs become ours: from a draft in the other program's numbering to a checked `Tree`.

The readers of one program's trees (`imported_sklearn.py`, `imported_lightgbm.py`) fill in a `Draft`; here it is
numbered as ours are, and its splits go into a split store. Showing, saving, explaining and exporting then work at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.indices import offsets
from hornbeam.data.schema import Column, Nominal, Numeric, Role, Schema
from hornbeam.model.base.errors import ModelError
from hornbeam.model.trees.split import CODE_SETS, CUTS, SplitStore
from hornbeam.model.trees.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

EVERY_NUMBER = math.inf  # a cut that every number is below: it parts known values from missing ones


@dataclass(eq=False)
class Draft:
    """A binary tree in the numbering of the program it comes from, its root first.

    `low` and `high` are a node's children, -1 at a leaf. An inner node has either a `cut`, and numbers at most that go
    to the low child, or `codes`, the categories that go to the low child, all others to the high one.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    column: NDArray[np.int32]  # position in the schema; not read at a leaf
    cut: NDArray[np.float64]
    codes: Mapping[int, Sequence[int]]  # by node, rising
    missing_low: NDArray[np.bool_]  # whether a row without the value goes to the low child
    score: NDArray[np.float64]
    rows: NDArray[np.int64]
    weight: NDArray[np.float64]
    value: NDArray[np.float64]
    label: NDArray[np.int32]
    error: NDArray[np.float64]


def assemble(schema: Schema, draft: Draft, recipe: Mapping[str, str | float | bool | None]) -> Tree:
    """Give a draft as a tree, its nodes numbered as a depth-first walk expands them.

    Parameters
    ----------
    schema : Schema
        The features, in the positions that the draft names, and the target.
    draft : Draft
        The nodes.
    recipe : mapping
        Where the tree comes from, as plain values.

    Returns
    -------
    Tree
        Checked in full.
    """
    source, parent, first_child = _renumber(draft)
    inner = first_child >= 0
    split = np.where(inner, np.cumsum(inner) - 1, -1).astype(np.int32)
    weight = draft.weight[source]
    share = np.ones(len(source))
    family = np.bincount(parent[1:], weight[1:], len(source))[parent[1:]] if len(source) > 1 else np.empty(0)
    share[1:] = np.divide(weight[1:], family, out=np.full(len(source) - 1, 0.5), where=family > 0)
    tree = Tree(
        schema=schema,
        splits=_splits(draft, source[inner]),
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


def _renumber(draft: Draft) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """The draft's node for each of ours, our nodes' parents and their first children."""
    low, high = draft.low.tolist(), draft.high.tolist()
    source, parent, first_child, pending = [0], [-1], [-1], [0]
    while pending:
        node = pending.pop()
        if low[source[node]] < 0:
            continue
        first = len(source)
        if first + 2 > len(low):
            msg = f"the tree has {len(low)} nodes, but they name more children than that: a node is there twice"
            raise ModelError(msg)
        first_child[node] = first
        source += [low[source[node]], high[source[node]]]
        parent += [node, node]
        first_child += [-1, -1]
        pending += [first + 1, first]
    return np.array(source, np.int64), np.array(parent, np.int32), np.array(first_child, np.int32)


def _splits(draft: Draft, nodes: NDArray[np.int64]) -> SplitStore:
    by_code = np.array([node in draft.codes for node in nodes.tolist()], np.bool_)
    lists = [draft.codes.get(node, ()) for node in nodes.tolist()]
    codes = np.array([code for part in lists for code in part], np.int32)
    return SplitStore(
        column=draft.column[nodes],
        kind=np.where(by_code, CODE_SETS, CUTS).astype(np.int8),
        n_branches=np.full(len(nodes), 2, np.int32),
        score=draft.score[nodes],
        equal_low=~by_code,
        cut_start=offsets(~by_code),
        cuts=draft.cut[nodes[~by_code]],
        code_start=np.cumsum([0, *map(len, lists)]).astype(np.int64),
        codes=codes,
        code_branch=np.zeros(len(codes), np.int32),
        other=np.where(by_code, 1, -1).astype(np.int32),
    )


def schema_of(features: Sequence[Column], target: Column, name: str) -> Schema:
    """Give the schema of a tree from elsewhere: its features, then its target, renamed where a feature has its name."""
    title = target.name
    while any(column.name == title for column in features):
        title += "_"
    goal = Nominal(title, target.categories) if isinstance(target, Nominal) else Numeric(title)
    roles: list[Role] = ["feature"] * len(features)
    return Schema((*features, goal), (*roles, "target"), name)


def names_of(given: Any, found: Any, n_features: int) -> list[str]:  # noqa: ANN401 - whatever the object holds
    """The names of the features: those given, else those the object has, else x0, x1 and so on."""
    names = [str(name) for name in (given if given is not None else found if found is not None else ())]
    if not names and given is None:
        names = [f"x{place}" for place in range(n_features)]
    if len(names) != n_features:
        msg = f"{len(names)} names were given for {n_features} features"
        raise ModelError(msg)
    return names


def spread_of_leaves(draft_low: NDArray[np.int64], draft_high: NDArray[np.int64], value: NDArray[np.float64]) -> None:
    """Fill in weight, mean and squared error of the inner nodes of `value` from their leaves.

    For trees that tell no squared error. A leaf's is then none, and an inner node's is that of the answers below it
    about their mean: what is lost where it stands for them.
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


def _parents_first(low: NDArray[np.int64], high: NDArray[np.int64]) -> list[int]:
    order, pending = [], [0]
    while pending:
        node = pending.pop()
        order.append(node)
        if low[node] >= 0:
            pending += [int(low[node]), int(high[node])]
    return order
