"""Rows that a tree was not grown on: what they cost at each node, and reduced-error pruning by them.

Rows go down the tree as in prediction, surrogates and pieces included. What all trees of a pruning path cost on them
follows from where they end in the tree given.

References
----------
J. R. Quinlan, *Simplifying decision trees*, International Journal of Man-Machine Studies 27 (1987), 221-234.
T. Elomaa, M. Kääriäinen, *An analysis of reduced error pruning*, Journal of Artificial Intelligence Research 15 (2001),
163-187: from the leaves up, ties pruned, it finds the smallest of the most accurate pruned trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hornbeam.core.base.tolerance import SLACK
from hornbeam.core.trees.prune.cut_back import (
    cheapest,
    moments_at,
    squared_errors_upwards,
    sum_over_leaves,
    sum_upwards,
    without_weak,
)
from hornbeam.data.schema import Nominal, SchemaError, is_missing
from hornbeam.learn.base.parameters import one_of
from hornbeam.learn.trees.prune.figures import loss_of
from hornbeam.learn.trees.prune.path import OneByOne, PruningPath, path_by_steps
from hornbeam.learn.trees.prune.steps import steps_of
from hornbeam.model.base.align import align
from hornbeam.model.trees.split import CODE_SETS, CODES
from hornbeam.model.trees.tree import FRACTIONAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree

NUMBERS_SLACK = 1e-10  # squared errors closer than this share of one of them are


@dataclass(frozen=True, eq=False, slots=True)
class HeldOut:
    """What rows cost at the nodes of a tree: weight misclassified, or cost, or squared error.

    Parameters
    ----------
    own : array of float
        Of all rows that reach a node, were it a leaf.
    stopped : array of float or None
        Of the rows that end at an inner node, because the tree does not say where they go on to; None where none does.
    weight : float
        Of all rows.
    """

    own: NDArray[np.float64]
    stopped: NDArray[np.float64] | None
    weight: float


def held_out(tree: Tree, table: Table) -> HeldOut:
    """Send rows down a tree and add up, at every node, what they cost there.

    Parameters
    ----------
    tree : Tree
        Any tree.
    table : Table
        Rows with a target; those without a value of it do not count. Columns are found by name.
    """
    if tree.intercept is not None:
        msg = "the tree has linear models at its nodes, and pruning by held-out rows asks for plain answers there"
        raise ValueError(msg)
    given = with_target(tree, table)
    target = given.schema.target
    assert target is not None
    known = given.known(target)
    weights = np.ones(given.n_rows) if given.weights is None else given.weights
    known &= weights > 0
    if not known.all():
        given, weights = given.take(known), weights[known]
    if given.n_rows == 0:
        msg = f"the table {table.schema.name!r} has no row with a target and a weight; pruning by its errors needs some"
        raise ValueError(msg)
    total = float(weights.sum())
    pieces = where_rows_fall(tree, given)
    truth: NDArray[Any] = _codes(tree, given) if tree.task == "classification" else given.target_values()
    if pieces is None:
        node = tree.apply(given)
    else:
        row, node, share = pieces
        weights, truth = weights[row] * share, truth[row]
    costs = _class_costs if tree.task == "classification" else _number_costs
    own, stopped = costs(tree, node, weights, truth)
    return HeldOut(own, stopped, total)


def reduced_error(
    tree: Tree,
    table: Table,
    *,
    order: Literal["bottom-up", "greedy"] = "bottom-up",
    ties: Literal["prune", "keep"] = "prune",
) -> PruningPath:
    """Make leaves of subtrees that serve held-out rows no better than a leaf.

    Parameters
    ----------
    tree : Tree
        Of classes or numbers; it is not changed.
    table : Table
        Rows that it was not grown on, with a target.
    order : {"bottom-up", "greedy"}
        Look at every inner node once, after all below it; or remove the node whose removal saves most errors, again
        and again. The first finds the tree with the fewest errors on these rows, the second need not.
    ties : {"prune", "keep"}
        What becomes of a subtree that errs just as much as a leaf. "prune" from the leaves up gives the smallest of the
        trees with the fewest errors.

    Returns
    -------
    PruningPath
        One node becomes a leaf at a step; the last tree is chosen. `estimate` is the held-out error.

    Examples
    --------
    >>> import hornbeam
    >>> vote = hornbeam.read("vote")
    >>> tree = hornbeam.TreeClassifier().fit(vote.take(range(0, 435, 2))).model_
    >>> path = hornbeam.prune.reduced_error(tree, vote.take(range(1, 435, 2)))
    >>> tree.n_leaves, path.best.n_leaves
    (12, 2)
    """
    one_of("order", order, ("bottom-up", "greedy"))
    prune_ties = one_of("ties", ties, ("prune", "keep")) == "prune"
    figures = held_out(tree, table)
    nodes: NDArray[Any]
    if order == "bottom-up":
        _, nodes = _from_the_leaves(tree, figures, prune_ties=prune_ties)
    else:
        below = _below(tree, figures)
        slack = SLACK if tree.task == "classification" else NUMBERS_SLACK * float(figures.own[0])
        nodes = without_weak(tree.parent, tree.first_child, tree.n_children, figures.own, below, slack, prune_ties)
    return path_by_steps(
        tree,
        OneByOne(tree, nodes),
        method="reduced-error",
        chosen=len(nodes),
        held_out=figures,
    )


def reduced_error_steps(tree: Tree, table: Table) -> tuple[NDArray[np.intp], Any]:
    """Inner nodes that become leaves from the leaves up, ties pruned, and a record of every decision."""
    figures = held_out(tree, table)
    below, nodes = _from_the_leaves(tree, figures, prune_ties=True)
    return nodes, steps_of(tree, nodes, figures.own, below)


def where_rows_fall(tree: Tree, table: Table) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.float64]] | None:
    """Row numbers, the nodes where they end, and what share of them does; a row in pieces has several entries.

    None where every row stays whole.
    """
    if not ((tree.missing == FRACTIONAL) & (tree.n_children > 0)).any():
        return None
    lacking = _may_lack(tree, table)
    if not lacking.any():
        return None
    whole = np.flatnonzero(~lacking)
    ends = tree.apply(table.take(whole))
    rest = np.flatnonzero(lacking)
    start, nodes, shares = tree.decision_path(table.take(rest))
    # depth first: a piece goes on where the next node is a child of this one
    last = np.ones(len(nodes), np.bool_)
    last[:-1] = tree.parent[nodes[1:]] != nodes[:-1]
    row = np.repeat(rest, np.diff(start))[last]
    return (
        np.concatenate([whole, row]),
        np.concatenate([ends, nodes[last]]),
        np.concatenate([np.ones(len(whole)), shares[last]]),
    )


def _from_the_leaves(tree: Tree, figures: HeldOut, *, prune_ties: bool) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """What each node costs split, and the nodes that become leaves, each after all below it."""
    slack = SLACK if tree.task == "classification" else 0.0
    relative = 0.0 if tree.task == "classification" else NUMBERS_SLACK
    sign = 1.0 if prune_ties else -1.0
    below, leaf = cheapest(
        tree.first_child, tree.n_children, figures.own, figures.stopped, sign * slack, sign * relative, prune_ties
    )
    return below, np.flatnonzero(leaf)[::-1]


def _below(tree: Tree, figures: HeldOut) -> NDArray[np.float64]:
    """What the leaves below each node cost together, and the rows that do not get there."""
    below = sum_over_leaves(tree.first_child, tree.n_children, figures.own)
    if figures.stopped is None:
        return below
    stopped = figures.stopped[:, None].copy()
    sum_upwards(tree.parent, stopped)
    return below + stopped[:, 0]


def with_target(tree: Tree, table: Table) -> Table:
    """The table with the target by the name of the tree's, of the same kind."""
    wanted = tree.schema.target_column
    if wanted.name not in table.schema.names:
        found = ", ".join(map(repr, table.schema.names)) or "none"
        msg = f"pruning by the errors on a table needs its target {wanted.name!r}; the table's columns: {found}"
        raise SchemaError(msg)
    place = table.schema.position(wanted.name)
    if isinstance(table.schema.columns[place], Nominal) != isinstance(wanted, Nominal):
        kinds = ("nominal", "numeric") if isinstance(wanted, Nominal) else ("numeric", "nominal")
        msg = f"the tree's target {wanted.name!r} is {kinds[0]}, and the table's column of that name {kinds[1]}"
        raise SchemaError(msg)
    if table.schema.target != place:
        msg = f"the table's target is not {wanted.name!r}, which the tree predicts; read it with target={wanted.name!r}"
        raise SchemaError(msg)
    return table


def _codes(tree: Tree, table: Table) -> NDArray[np.intp]:
    """Each row's class by the tree's codes; one more than the last where the tree does not know it."""
    wanted, given = tree.schema.target_column, table.schema.target_column
    assert isinstance(wanted, Nominal)
    assert isinstance(given, Nominal)
    number = {name: code for code, name in enumerate(wanted.categories)}
    translate = np.array([number.get(name, len(number)) for name in given.categories], np.intp)
    return np.asarray(translate[table.target_values()])


def _class_costs(
    tree: Tree, node: NDArray[np.int32], weight: NDArray[np.float64], code: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    n_classes = tree.value.shape[1]
    place = node.astype(np.intp) * (n_classes + 1) + code
    flat = np.bincount(place, weight, tree.n_nodes * (n_classes + 1)).astype(np.float64, copy=False)
    counts = flat.reshape(tree.n_nodes, n_classes + 1)
    some_stop = tree.n_children[node].any()
    stopped = np.where(tree.n_children > 0, _cost_of(tree, counts), 0.0) if some_stop else None
    sum_upwards(tree.parent, counts)
    return _cost_of(tree, counts), stopped


def _cost_of(tree: Tree, counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """What rows of these classes cost by each node's answer; a class the tree does not know is always wrong."""
    loss = loss_of(tree)
    label = tree.label
    if loss is None:
        right = np.where(label >= 0, counts[np.arange(len(counts)), np.maximum(label, 0)], 0.0)
        return np.asarray(counts.sum(axis=1) - right)
    worst = loss.max(axis=1)
    answered = np.concatenate([loss, np.full((1, loss.shape[1]), loss.max())])[:, np.maximum(label, 0)].T
    answered = np.where(label[:, None] >= 0, answered, np.append(worst, loss.max()))
    return np.asarray((counts * answered).sum(axis=1))


def _number_costs(
    tree: Tree, node: NDArray[np.int32], weight: NDArray[np.float64], number: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    answer = tree.value[:, 1] if tree.none_is_empty else tree.value[tree.answering, 1]
    moments = moments_at(node, weight, number, tree.n_nodes)
    return squared_errors_upwards(tree.first_child, tree.n_children, moments, answer)


def _may_lack(tree: Tree, table: Table) -> NDArray[np.bool_]:
    """Which rows may fall into pieces: those without some value, or all where a split leaves categories open."""
    if _leaves_codes_open(tree):
        return np.ones(table.n_rows, np.bool_)
    lacking = np.zeros(table.n_rows, np.bool_)
    asked: set[int] = set()
    for position, values in enumerate(align(tree.schema, table).columns):
        if values.dtype == np.float64 and not _may_be_nan(values):
            continue
        lacks = is_missing(values)
        if lacks.any():
            asked = asked or _columns_asked(tree)
            if position in asked:
                lacking |= lacks
    return lacking


def _may_be_nan(values: NDArray[np.float64]) -> bool:
    """Whether some number may be missing: much faster than to ask of every one."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isnan(values.sum()))


def _leaves_codes_open(tree: Tree) -> bool:
    """Whether some split says nothing of a category."""
    splits = tree.splits
    if not ((splits.kind == CODES) | (splits.kind == CODE_SETS)).any():
        return False
    used = tree.split[tree.split >= 0]
    kind = splits.kind[used]
    owner = np.repeat(np.arange(len(splits)), np.diff(splits.code_start))
    branch = np.where(splits.kind[owner] == CODE_SETS, splits.code_branch, splits.codes)
    open_codes = np.isin(owner[branch < 0], used[(kind == CODES) | (kind == CODE_SETS)]).any()
    return bool(open_codes or (splits.other[used[kind == CODE_SETS]] < 0).any())


def _columns_asked(tree: Tree) -> set[int]:
    splits = tree.splits
    terms = () if splits.term_column is None else splits.term_column.tolist()
    asked = np.bincount(splits.column[tree.split[tree.split >= 0]], minlength=1)
    return {*np.flatnonzero(asked).tolist(), *terms}
