"""The tree that the search found, as a `Tree`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal
from hornbeam.learn.trees.as_tree import plain_recipe
from hornbeam.learn.trees.optimal.problem import CUT, EACH
from hornbeam.learn.trees.optimal.start import recipe_of
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS, SplitStore
from hornbeam.model.trees.tree import FRACTIONAL, Tree

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats, Indices, Ints32
    from hornbeam.learn.trees.optimal.problem import Problem


@dataclass
class _Nodes:
    """Nodes of a tree, in the order in which they are numbered, and its splits."""

    parent: list[int] = field(default_factory=lambda: [-1])
    first_child: list[int] = field(default_factory=lambda: [-1])
    n_children: list[int] = field(default_factory=lambda: [0])
    split: list[int] = field(default_factory=lambda: [-1])
    missing: list[int] = field(default_factory=lambda: [FRACTIONAL])
    share: list[float] = field(default_factory=lambda: [1.0])
    rows: list[Indices] = field(default_factory=list)
    splits: list[_Split] = field(default_factory=list)


@dataclass(frozen=True)
class _Split:
    """A split, and the branch of every row of its node."""

    column: int
    kind: int
    n_branches: int
    missing: int  # the branch of missing values
    branch: Ints32
    known: Indices  # positions of the rows with a value
    cut: float | None = None
    codes: tuple[int, ...] = ()
    code_branch: tuple[int, ...] = ()
    other: int = -1


def found_tree(problem: Problem, listed: Ints32) -> Tree:
    """The tree of the nodes that the search listed: column, code and branch of missing values of each.

    Parameters
    ----------
    problem : Problem
        The table and the goal.
    listed : array
        `Search.tree`.
    """
    nodes = _Nodes(rows=[np.arange(problem.table.n_rows)])
    _grow(problem, listed, 0, 0, nodes)
    value, weight, label, error = _values(problem, nodes.rows)
    inner = [node for node, split in enumerate(nodes.split) if split >= 0]
    score = np.zeros(len(inner))
    for node in inner:
        first = nodes.first_child[node]
        below = error[first : first + nodes.n_children[node]].sum()
        score[nodes.split[node]] = max(error[node] - below, 0.0) / weight[node]
    return Tree(
        schema=problem.table.schema,
        splits=_store(nodes.splits, score),
        parent=np.array(nodes.parent, np.int32),
        first_child=np.array(nodes.first_child, np.int32),
        n_children=np.array(nodes.n_children, np.int32),
        split=np.array(nodes.split, np.int32),
        missing=np.array(nodes.missing, np.int32),
        rows=np.array([len(rows) for rows in nodes.rows], np.int64),
        weight=weight,
        value=value,
        label=label,
        error=error,
        share=np.array(nodes.share),
        recipe=plain_recipe(recipe_of(problem, splitting=False)),
    )


def described(tree: Tree, problem: Problem) -> Tree:
    """A greedy tree with the recipe of an optimal one."""
    return replace(tree, recipe=plain_recipe(recipe_of(problem, splitting=False)))


def _grow(problem: Problem, listed: Ints32, at: int, node: int, nodes: _Nodes) -> int:
    """Add the nodes below a node, whose entry in the list is number `at`; returns the number after its last entry."""
    feature, code, side = listed[at].tolist()
    if feature < 0:
        return at + 1
    rows = nodes.rows[node]
    split = _split(problem, rows, feature, code, side)
    weights = problem.table.row_weights[rows]
    known = np.bincount(split.branch[split.known], weights[split.known], minlength=split.n_branches)
    total = known.sum()
    first = len(nodes.parent)
    nodes.split[node], nodes.first_child[node], nodes.n_children[node] = len(nodes.splits), first, split.n_branches
    nodes.missing[node] = split.missing if split.missing >= 0 else int(known.argmax())
    nodes.splits.append(split)
    for branch in range(split.n_branches):
        nodes.parent.append(node)
        nodes.first_child.append(-1)
        nodes.n_children.append(0)
        nodes.split.append(-1)
        nodes.missing.append(FRACTIONAL)
        nodes.share.append(float(known[branch] / total) if total else 0.0)
        nodes.rows.append(rows[split.branch == branch])
    at += 1
    for branch in range(split.n_branches):
        at = _grow(problem, listed, at, first + branch, nodes)
    return at


def _split(problem: Problem, rows: Indices, feature: int, code: int, side: int) -> _Split:
    """The split of these rows that an entry of the list stands for."""
    own = problem.code[feature, rows]
    known = np.flatnonzero(own >= 0)
    column = problem.table.schema.features[feature]
    anything_missing = len(known) < len(rows)
    if problem.kind[feature] == EACH:
        return _each(problem, own, known, column, code)
    if problem.kind[feature] == CUT:
        branch = np.where(own < 0, side, own > code).astype(np.int32)
        above = own[own > code]
        cut = (
            np.inf
            if len(above) == 0
            else _between(problem, feature, int(own[(own >= 0) & (own <= code)].max()), int(above.min()))
        )
        return _Split(column, CUTS, 2, side if anything_missing else -1, branch, known, cut=cut)
    if code < 0:  # missing values against the others
        return _Split(column, CODE_SETS, 2, 0, (own >= 0).astype(np.int32), known, other=1)
    branch = np.where(own < 0, side, own != code).astype(np.int32)
    route = side if anything_missing else -1
    return _Split(column, CODE_SETS, 2, route, branch, known, codes=(code,), code_branch=(0,), other=1)


def _each(problem: Problem, own: Ints32, known: Indices, column: int, code: int) -> _Split:
    """A branch for each category that occurs; others go where missing values go."""
    categories = problem.table.schema.columns[column]
    assert isinstance(categories, Nominal)
    there = np.unique(own[known])
    branch_of = np.full(len(categories.categories) + 1, -1, np.int32)  # the last one: missing
    branch_of[there] = np.arange(len(there), dtype=np.int32)
    route, n_branches = -1, len(there)
    if len(known) < len(own):
        if problem.options["own_branch"] or code < 0:
            route, n_branches = n_branches, n_branches + 1
        else:
            route = int(branch_of[code])
        branch_of[-1] = route
    codes = tuple(branch_of[:-1].tolist())
    return _Split(column, CODES, n_branches, route, branch_of[own], known, codes=codes, code_branch=(0,) * len(codes))


def _between(problem: Problem, feature: int, low: int, high: int) -> float:
    """A number between the values of two codes: half-way, or else the lower one, to which it is equal."""
    values = problem.values[feature]
    if values is None:
        return (low + high) / 2
    below, above = float(values[low]), float(values[high])
    middle = below / 2 + above / 2
    return middle if below <= middle < above else below


def _values(problem: Problem, rows: list[Indices]) -> tuple[Floats, Floats, Ints32, Floats]:
    """Class weights, or weight, mean and squared error; the weight, the label and the error of the nodes."""
    table = problem.table
    truth, weights, target = table.target_values(), table.row_weights, table.schema.target_column
    if not isinstance(target, Nominal):
        value = np.array([_mean(truth[own], weights[own]) for own in rows])
        return value, value[:, 0].copy(), np.full(len(rows), -1, np.int32), value[:, 2].copy()
    count = len(target.categories)
    value = np.array([np.bincount(truth[own], weights[own], minlength=count) for own in rows])
    weight = value.sum(axis=1)
    if problem.goal.loss is None:
        return value, weight, value.argmax(axis=1).astype(np.int32), weight - value.max(axis=1)
    expected = value @ problem.goal.loss
    expected[:, np.bincount(truth, minlength=count) == 0] = np.inf  # a class without rows is not predicted
    return value, weight, expected.argmin(axis=1).astype(np.int32), expected.min(axis=1)


def _mean(truth: Floats, weights: Floats) -> tuple[float, float, float]:
    """The weight, the mean and the squared error; exactly, if all numbers are the same."""
    total = float(weights.sum())
    if (truth == truth[0]).all():
        return total, float(truth[0]), 0.0
    mean = float(np.average(truth, weights=weights))
    return total, mean, float((weights * np.square(truth - mean)).sum())


def _store(splits: list[_Split], score: Floats) -> SplitStore:
    cuts = [[] if split.cut is None else [split.cut] for split in splits]
    everything: dict[str, Any] = {
        "cuts": np.array([cut for own in cuts for cut in own], np.float64),
        "codes": np.array([code for split in splits for code in split.codes], np.int32),
        "code_branch": np.array([branch for split in splits for branch in split.code_branch], np.int32),
    }
    return SplitStore(
        column=np.array([split.column for split in splits], np.int32),
        kind=np.array([split.kind for split in splits], np.int8),
        n_branches=np.array([split.n_branches for split in splits], np.int32),
        score=score,
        equal_low=np.ones(len(splits), np.bool_),
        cut_start=offsets(np.array([len(own) for own in cuts], np.int64)),
        code_start=offsets(np.array([len(split.codes) for split in splits], np.int64)),
        other=np.array([split.other for split in splits], np.int32),
        **everything,
    )
