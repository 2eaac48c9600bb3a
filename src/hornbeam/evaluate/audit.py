"""The missing-value audit: how rows with a missing value were routed at each node, and the effect of other policies.

Reads a fitted tree and a table. An estimator with the parameter `missing` is fitted again with the other policies; for
a tree alone, its rows are routed again with the other policies.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from hornbeam.data.as_table import codes_of
from hornbeam.data.schema import Nominal, is_missing
from hornbeam.data.takes_rows import takes_rows
from hornbeam.evaluate.audit_result import How, MissingAudit, NodeRoutes, PolicyEffect, Tally
from hornbeam.model.base.align import align, recode
from hornbeam.model.trees.node import code_branches
from hornbeam.model.trees.split import CUTS, FRACTIONAL, LEAST_SHARE, STOP
from hornbeam.model.trees.tree import Tree
from hornbeam.schemes import SCHEMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from hornbeam.data.table import Table

TreePolicy = Literal["majority", "fractional", "stop"]
TREE_POLICIES: tuple[TreePolicy, ...] = get_args(TreePolicy)  # policies that can be applied to a fitted tree
BLOCK = 50_000  # rows whose paths are in memory at once
SAME = 1e-12  # numbers with a smaller relative difference are the same prediction


@takes_rows(also=("train",))
def missing_audit(
    model: Any,  # noqa: ANN401 - a tree, or any estimator that holds one
    table: Table,
    policies: Sequence[str] | None = None,
    *,
    train: Table | None = None,
) -> MissingAudit:
    """Report how missing values affected a model's predictions, and what other policies would do.

    Parameters
    ----------
    model : Tree, or fitted estimator with a tree in `model_`
        What predicts. An estimator with the parameter `missing` is fitted again with every other policy, if there are
        rows with the target; otherwise the rows are rerouted in the same tree.
    table : Table
        The rows to audit; if it has the target, every policy is evaluated. Weights are those of its weight column.
    policies : sequence of str, optional
        What to compare with: values of `missing` for an estimator that has it; ``"majority"`` (the branch with most
        training weight), ``"fractional"`` (every branch, by its fraction) and ``"stop"`` (the prediction of the node
        itself) for a tree. By default all of them that differ from the model's own.
    train : Table, optional
        The training table, used to fit again; by default `table`, and then the scores are those of training rows.

    Returns
    -------
    MissingAudit
        With `text()` for people and `to_json()` for programs.

    Examples
    --------
    >>> import hornbeam
    >>> labor = hornbeam.read("labor")
    >>> audit = missing_audit(hornbeam.C45Classifier().fit(labor), labor)
    >>> audit.resting
    Tally(rows=4, weight=4.0)
    >>> [(effect.policy, effect.changed.rows) for effect in audit.policies]
    [('as learned', 0), ('majority', 0), ('stop', 0)]
    """
    tree = model if isinstance(model, Tree) else getattr(model, "model_", None)
    if not isinstance(tree, Tree):
        msg = f"found an object of type {type(model).__name__}; expected a tree, or a fitted estimator with one"
        raise TypeError(msg)
    aligned = align(tree.schema, table)
    weights = np.ones(table.n_rows) if table.weights is None else np.asarray(table.weights)
    nodes, lacked = _routes(tree, aligned, weights)
    judge = _Judge(tree, table, weights)
    examples = table if train is None else train
    if "missing" in getattr(model, "get_params", dict)() and judge.target.name in examples.schema.names:
        effects = _learned_again(model, table, examples, policies, judge)
    else:
        effects = _rerouted(model, tree, aligned, policies, judge)
    return MissingAudit(
        table=table.schema.name,
        measure=judge.name,
        audited=Tally(table.n_rows, float(weights.sum())),
        resting=_tally(lacked, weights),
        nodes=nodes,
        policies=tuple(effects),
    )


def reroute(tree: Tree, policy: TreePolicy) -> Tree:
    """Return the same tree with another policy for missing values; its surrogate splits are not used.

    Parameters
    ----------
    tree : Tree
        As learned.
    policy : {"majority", "fractional", "stop"}
        The branch with most training weight (the first on a tie), every branch by its fraction, or no branch.
    """
    inner = np.flatnonzero(tree.first_child >= 0)
    missing = np.zeros(tree.n_nodes, np.int32)
    if policy == "majority":
        for node in inner:
            first = int(tree.first_child[node])
            missing[node] = tree.share[first : first + int(tree.n_children[node])].argmax()
    else:
        missing[inner] = FRACTIONAL if policy == "fractional" else STOP
    return replace(tree, missing=missing, surrogate_start=None, surrogates=None)


# ---- routes ----


class _Counts:
    """Rows and weight by index, added up block by block."""

    def __init__(self, places: int) -> None:
        self.rows = np.zeros(places, np.int64)
        self.weight = np.zeros(places)

    def add(self, place: int, weights: NDArray[np.float64]) -> None:
        self.rows[place] += len(weights)
        self.weight[place] += float(weights.sum())

    def __getitem__(self, place: int) -> Tally:
        return Tally(int(self.rows[place]), float(self.weight[place]))


def _routes(tree: Tree, table: Table, weights: NDArray[np.float64]) -> tuple[tuple[NodeRoutes, ...], NDArray[np.bool_]]:
    """The routes at every inner node, and which rows had a missing value somewhere."""
    n_surrogates = 0 if tree.surrogates is None else len(tree.surrogates)
    arrived, lacking, rest = (_Counts(tree.n_nodes) for _ in range(3))
    surrogates = _Counts(n_surrogates)
    lacked = np.zeros(table.n_rows, np.bool_)
    for rows, nodes, share in _visits(tree, table):
        order = np.argsort(nodes, kind="stable")
        ends = np.searchsorted(nodes[order], np.arange(tree.n_nodes + 1))
        for node in np.unique(nodes[tree.first_child[nodes] >= 0]).tolist():
            here = order[ends[node] : ends[node + 1]]
            at, weight = rows[here], share[here] * weights[rows[here]]
            arrived.add(node, weight)
            left = ~_is_known(tree, int(tree.split[node]), table, at)
            lacked[at[left]] = True
            lacking.add(node, weight[left])
            for place in _surrogate_places(tree, node):
                assert tree.surrogates is not None
                sent = left & _is_known(tree, int(tree.surrogates[place]), table, at)
                surrogates.add(place, weight[sent])
                left &= ~sent
            rest.add(node, weight[left])
    text = [
        _node_routes(tree, node, arrived[node], lacking[node], surrogates, rest[node])
        for node in np.flatnonzero(tree.first_child >= 0).tolist()
    ]
    return tuple(text), lacked


def _visits(tree: Tree, table: Table) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]]:
    """Rows, the nodes they visit and the fraction of each row at the node, block by block."""
    for first in range(0, table.n_rows, BLOCK):
        block = table.take(np.arange(first, min(first + BLOCK, table.n_rows)))
        start, nodes, share = tree.decision_path(block)
        yield first + np.repeat(np.arange(block.n_rows), np.diff(start)), nodes, share


def _is_known(tree: Tree, split: int, table: Table, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether a split can route each row by the row's own value or values."""
    if tree.splits.terms_of(split) is not None:
        terms = [table.columns[column][rows] for column in tree.splits.columns_of(split).tolist()]
        return np.asarray(~np.isnan(terms).any(axis=0))
    values = table.columns[int(tree.splits.column[split])][rows]
    if values.dtype == np.float64:
        return np.asarray(~np.isnan(values))
    if int(tree.splits.kind[split]) == CUTS:
        return np.asarray(values >= 0)
    branches = np.append(code_branches(tree, split), -1)  # code -1 (missing) reads the last entry
    return np.asarray(branches[values] >= 0)


def _surrogate_places(tree: Tree, node: int) -> range:
    if tree.surrogate_start is None:
        return range(0)
    return range(int(tree.surrogate_start[node]), int(tree.surrogate_start[node + 1]))


def _node_routes(tree: Tree, node: int, arrived: Tally, lacking: Tally, surrogates: _Counts, rest: Tally) -> NodeRoutes:
    from hornbeam.show.texts.wording import asked, branch, path  # noqa: PLC0415 - only for words

    def name(split: int) -> str:
        if tree.splits.terms_of(split) is None:
            return tree.schema.columns[int(tree.splits.column[split])].name
        return asked(tree.splits, split, tree.schema.columns)

    policy, first, count = int(tree.missing[node]), int(tree.first_child[node]), int(tree.n_children[node])
    shared = policy == FRACTIONAL and bool((tree.share[first : first + count] > LEAST_SHARE).any())
    stand_in = [] if tree.surrogates is None else [(p, int(tree.surrogates[p])) for p in _surrogate_places(tree, node)]
    return NodeRoutes(
        node=node,
        column=name(int(tree.split[node])),
        path=path(tree, node),
        arrived=arrived,
        lacking=lacking,
        surrogates=tuple((name(split), surrogates[place]) for place, split in stand_in),
        branch=rest if policy >= 0 else Tally(),
        branch_words=str(branch(tree, first + policy)) if policy >= 0 else "",
        pieces=rest if shared else Tally(),
        stopped=rest if policy < 0 and not shared else Tally(),
    )


# ---- policies ----


class _Judge:
    """Compares predictions with those of the original model and, if the table has them, with the true values."""

    def __init__(self, tree: Tree, table: Table, weights: NDArray[np.float64]) -> None:
        self.target = target = tree.schema.target_column
        self.weights = weights
        self.is_class = isinstance(target, Nominal)
        self.name = "accuracy" if self.is_class else "root mean squared error"
        self.truth: NDArray[Any] | None = None
        self.learned: NDArray[Any] | None = None
        if target.name in table.schema.names:
            given, values = table.schema.columns[table.schema.position(target.name)], table.column(target.name)
            if isinstance(target, Nominal) and isinstance(given, Nominal):
                # A class that the model does not know is still a true class, which is never predicted.
                unknown = len(target.categories)
                self.truth = np.where(values < 0, -1, np.maximum(recode(given, target, values), -1))
                self.truth = np.where((values >= 0) & (self.truth < 0), unknown, self.truth)
            elif type(target) is type(given):
                self.truth = values

    def judge(self, policy: str, how: How, predictions: NDArray[Any]) -> PolicyEffect:
        if self.learned is None:
            self.learned = predictions
        before = self.learned
        if self.is_class:
            differ = predictions != before
        else:
            differ = np.abs(predictions - before) > SAME * np.maximum(np.abs(predictions), np.abs(before))
        return PolicyEffect(policy, how, _tally(differ, self.weights), self._score(predictions))

    def _score(self, predictions: NDArray[Any]) -> float | None:
        if self.truth is None:
            return None
        known = ~is_missing(self.truth)
        weight = self.weights[known]
        total = float(weight.sum())
        if total <= 0:
            return None
        if self.is_class:
            return float(weight @ (predictions[known] == self.truth[known])) / total
        return math.sqrt(float(weight @ (predictions[known] - self.truth[known]) ** 2) / total)


def _rerouted(
    model: Any,  # noqa: ANN401 - as above
    tree: Tree,
    table: Table,
    policies: Sequence[str] | None,
    judge: _Judge,
) -> list[PolicyEffect]:
    asked = TREE_POLICIES if policies is None else policies
    effects = [judge.judge("as learned", "as learned", _predictions(model, table, judge))]
    for policy in asked:
        if policy not in TREE_POLICIES:
            choices = ", ".join(map(repr, TREE_POLICIES))
            msg = (
                f"policy is {policy!r}; expected one of {choices}; other policies need an estimator with the "
                "parameter missing, and rows with the target"
            )
            raise ValueError(msg)
        other = reroute(tree, policy)
        inner = tree.first_child >= 0
        if policies is None and tree.surrogates is None and np.array_equal(other.missing[inner], tree.missing[inner]):
            continue
        asking = other if model is tree else type(model).from_model(other, **model.get_params(deep=False))
        effects.append(judge.judge(policy, "rerouted", _predictions(asking, table, judge)))
    return effects


def _learned_again(
    estimator: Any,  # noqa: ANN401 - any estimator with the parameter `missing`
    table: Table,
    train: Table,
    policies: Sequence[str] | None,
    judge: _Judge,
) -> list[PolicyEffect]:
    from sklearn.base import clone  # noqa: PLC0415 - a tree alone does without it

    own = estimator.get_params(deep=False)["missing"]
    effects = [judge.judge(str(own), "as learned", _predictions(estimator, table, judge))]
    rows = train.with_target(judge.target.name)
    asked = [choice for choice in _choices(estimator) if choice != own] if policies is None else policies
    for policy in asked:
        try:
            other = clone(estimator).set_params(missing=policy).fit(rows)
            effects.append(judge.judge(policy, "learned again", _predictions(other, table, judge)))
        except ValueError as error:
            effects.append(PolicyEffect(policy, "learned again", problem=str(error)))
    return effects


def _choices(estimator: Any) -> tuple[str, ...]:  # noqa: ANN401 - as above
    """The values that the estimator's parameter `missing` may have."""
    for scheme in SCHEMES:
        if scheme.estimator == type(estimator).__name__:
            return tuple(
                str(choice)
                for parameter in scheme.parameters
                if parameter.name == "missing"
                for choice in parameter.choices
            )
    return ()


def _predictions(model: Any, table: Table, judge: _Judge) -> NDArray[Any]:  # noqa: ANN401 - as above
    """Class codes or numbers."""
    return model.predict_codes(table) if isinstance(model, Tree) else codes_of(model.predict(table), judge.target)


def _tally(mask: NDArray[np.bool_], weights: NDArray[np.float64]) -> Tally:
    return Tally(int(mask.sum()), float(weights[mask].sum()))
