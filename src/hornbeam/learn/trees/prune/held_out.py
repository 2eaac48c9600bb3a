"""Rows that a tree was not grown on: their cost at each node, and reduced-error pruning by them.

Rows go down the tree as in prediction, surrogates and fractions of rows included. The costs of all trees of a pruning
path follow from where the rows end in the given tree.

References
----------
J. R. Quinlan, *Simplifying decision trees*, International Journal of Man-Machine Studies 27 (1987), 221-234.
T. Elomaa, M. Kääriäinen, *An analysis of reduced error pruning*, Journal of Artificial Intelligence Research 15 (2001),
163-187: from the leaves up, ties pruned, it finds the smallest of the most accurate pruned trees.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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
from hornbeam.data.schema import Nominal, is_missing
from hornbeam.data.takes_rows import takes_rows
from hornbeam.learn.base.parameters import one_of
from hornbeam.learn.trees.prune.path import OneByOne, PruningPath, path_by_steps, steps_of
from hornbeam.learn.trees.prune.rebuild import loss_of, the_tree, with_target
from hornbeam.model.base.align import align
from hornbeam.model.trees.split import CODE_SETS, CODES
from hornbeam.model.trees.tree import FRACTIONAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree

NUMBERS_SLACK = 1e-10  # squared errors closer than this fraction of one of them are equal


@dataclass(frozen=True, eq=False, slots=True)
class HeldOut:
    """The cost of rows at the nodes of a tree: misclassified weight, or cost, or squared error.

    Parameters
    ----------
    own : array of float
        The cost of all rows that reach a node if it were a leaf.
    stopped : array of float or None
        The cost of rows that end at an inner node, because the tree does not define their branch; None if there are
        no such rows.
    weight : float
        The weight of all rows.
    """

    own: NDArray[np.float64]
    stopped: NDArray[np.float64] | None
    weight: float


def held_out(tree: Tree, table: Table) -> HeldOut:
    """Send rows down a tree and add up their cost at every node.

    Parameters
    ----------
    tree : Tree
        Any tree.
    table : Table
        Rows with a target; rows without a target value are skipped. Columns are matched by name.
    """
    if tree.intercept is not None:
        msg = "the tree has linear models at its nodes, and pruning by held-out rows needs plain predictions there"
        raise ValueError(msg)
    given = with_target(tree, table)
    target = given.schema.target
    assert target is not None
    known = given.known(target)
    weights = given.row_weights
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
    costs_at = _class_costs if tree.task == "classification" else _number_costs
    own, stopped = costs_at(tree, node, weights, truth)
    return HeldOut(own, stopped, total)


@takes_rows(needs_target=True)
def reduced_error(
    tree: Tree,
    table: Table,
    *,
    order: Literal["bottom-up", "greedy"] = "bottom-up",
    ties: Literal["prune", "keep"] = "prune",
) -> PruningPath:
    """Replace subtrees that are not better on held-out rows than a leaf.

    Parameters
    ----------
    tree : Tree or estimator
        The tree to prune; it is not changed.
    table : Table
        Rows that it was not grown on, with a target.
    order : {"bottom-up", "greedy"}
        Visit every inner node once, after all nodes below it; or repeatedly remove the subtree whose removal saves most
        errors. Only the first is sure to find the tree with the fewest errors on these rows.
    ties : {"prune", "keep"}
        What to do with a subtree that makes as many errors as a leaf. "prune" with "bottom-up" gives the smallest of
        the trees with the fewest errors.

    Returns
    -------
    PruningPath
        One node becomes a leaf per step; the last tree is chosen. `estimate` is the held-out error.

    Examples
    --------
    >>> import hornbeam
    >>> vote = hornbeam.read("vote")
    >>> tree = hornbeam.TreeClassifier().fit(vote.take(range(0, 435, 2))).model_
    >>> path = hornbeam.prune.reduced_error(tree, vote.take(range(1, 435, 2)))
    >>> tree.n_leaves, path.best.n_leaves
    (12, 2)
    """
    tree = the_tree(tree)
    one_of("order", order, ("bottom-up", "greedy"))
    prune_ties = one_of("ties", ties, ("prune", "keep")) == "prune"
    costs = held_out(tree, table)
    nodes: NDArray[Any]
    if order == "bottom-up":
        _, nodes = _from_the_leaves(tree, costs, prune_ties=prune_ties)
    else:
        below = _below(tree, costs)
        slack = SLACK if tree.task == "classification" else NUMBERS_SLACK * float(costs.own[0])
        nodes = without_weak(tree.parent, tree.first_child, tree.n_children, costs.own, below, slack, prune_ties)
    return path_by_steps(
        tree,
        OneByOne(tree, nodes),
        method="reduced-error",
        chosen=len(nodes),
        held_out=costs,
    )


def reduced_error_steps(tree: Tree, table: Table) -> tuple[NDArray[np.intp], Any]:
    """Inner nodes that become leaves (bottom-up, ties pruned), and a record of every decision."""
    costs = held_out(tree, table)
    below, nodes = _from_the_leaves(tree, costs, prune_ties=True)
    return nodes, steps_of(tree, nodes, costs.own, below)


def where_rows_fall(tree: Tree, table: Table) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.float64]] | None:
    """Row numbers, the nodes where they end, and which fraction of the row does; a divided row has several entries.

    None if no row is divided.
    """
    if not ((tree.missing == FRACTIONAL) & (tree.n_children > 0)).any():
        return None
    lacking = _may_lack(tree, table)
    if not lacking.any():
        return None
    whole = np.flatnonzero(~lacking)
    ends = tree.apply(table.take(whole))
    rest = np.flatnonzero(lacking)
    start, nodes, fractions = tree.decision_path(table.take(rest))
    # depth first: a fraction of a row goes on if the next node is a child of this one
    last = np.ones(len(nodes), np.bool_)
    last[:-1] = tree.parent[nodes[1:]] != nodes[:-1]
    row = np.repeat(rest, np.diff(start))[last]
    return (
        np.concatenate([whole, row]),
        np.concatenate([ends, nodes[last]]),
        np.concatenate([np.ones(len(whole)), fractions[last]]),
    )


def _from_the_leaves(tree: Tree, costs: HeldOut, *, prune_ties: bool) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """The cost of each node with its subtree, and the nodes that become leaves, each after all nodes below it."""
    slack = SLACK if tree.task == "classification" else 0.0
    relative = 0.0 if tree.task == "classification" else NUMBERS_SLACK
    sign = 1.0 if prune_ties else -1.0
    below, leaf = cheapest(
        tree.first_child, tree.n_children, costs.own, costs.stopped, sign * slack, sign * relative, prune_ties
    )
    return below, np.flatnonzero(leaf)[::-1]


def _below(tree: Tree, costs: HeldOut) -> NDArray[np.float64]:
    """The cost of the leaves below each node, and of the rows that do not get there."""
    below = sum_over_leaves(tree.first_child, tree.n_children, costs.own)
    if costs.stopped is None:
        return below
    stopped = costs.stopped[:, None].copy()
    sum_upwards(tree.parent, stopped)
    return below + stopped[:, 0]


def _codes(tree: Tree, table: Table) -> NDArray[np.intp]:
    """The class of each row by the codes of the tree; one more than the last code if the tree does not know it."""
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
    """The cost of rows of these classes by the prediction of each node; an unknown class is always wrong."""
    loss = loss_of(tree)
    label = tree.label
    if loss is None:
        right = np.where(label >= 0, counts[np.arange(len(counts)), np.maximum(label, 0)], 0.0)
        return np.asarray(counts.sum(axis=1) - right)
    worst = loss.max(axis=1)
    cost = np.concatenate([loss, np.full((1, loss.shape[1]), loss.max())])[:, np.maximum(label, 0)].T
    cost = np.where(label[:, None] >= 0, cost, np.append(worst, loss.max()))
    return np.asarray((counts * cost).sum(axis=1))


def _number_costs(
    tree: Tree, node: NDArray[np.int32], weight: NDArray[np.float64], number: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    predicted = tree.value[:, 1] if tree.none_is_empty else tree.value[tree.predicting_node, 1]
    moments = moments_at(node, weight, number, tree.n_nodes)
    return squared_errors_upwards(tree.first_child, tree.n_children, moments, predicted)


def _may_lack(tree: Tree, table: Table) -> NDArray[np.bool_]:
    """Which rows may be divided: those without some value, or all if a split does not list every category."""
    if _leaves_codes_open(tree):
        return np.ones(table.n_rows, np.bool_)
    lacking = np.zeros(table.n_rows, np.bool_)
    used: set[int] = set()
    for position, values in enumerate(align(tree.schema, table).columns):
        if values.dtype == np.float64 and not _may_be_nan(values):
            continue
        lacks = is_missing(values)
        if lacks.any():
            used = used or _columns_used(tree)
            if position in used:
                lacking |= lacks
    return lacking


def _may_be_nan(values: NDArray[np.float64]) -> bool:
    """Whether some number may be missing; much faster than looking at every number."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isnan(values.sum()))


def _leaves_codes_open(tree: Tree) -> bool:
    """Whether some split does not list every category."""
    splits = tree.splits
    if not ((splits.kind == CODES) | (splits.kind == CODE_SETS)).any():
        return False
    used = tree.split[tree.split >= 0]
    kind = splits.kind[used]
    owner = np.repeat(np.arange(len(splits)), np.diff(splits.code_start))
    branch = np.where(splits.kind[owner] == CODE_SETS, splits.code_branch, splits.codes)
    open_codes = np.isin(owner[branch < 0], used[(kind == CODES) | (kind == CODE_SETS)]).any()
    return bool(open_codes or (splits.other[used[kind == CODE_SETS]] < 0).any())


def _columns_used(tree: Tree) -> set[int]:
    splits = tree.splits
    terms = () if splits.term_column is None else splits.term_column.tolist()
    used = np.bincount(splits.column[tree.split[tree.split >= 0]], minlength=1)
    return {*np.flatnonzero(used).tolist(), *terms}


def backfitted(tree: Tree, table: Table) -> Tree:
    """Backfitting: count all training rows into the nodes of a regression tree that was pruned on held-out rows.

    The splits were chosen on the rows that the tree was grown on, and kept by the others. For the means of the leaves,
    which are small, all rows can be used.

    Parameters
    ----------
    tree : Tree
        A regression tree, grown on some of the rows and pruned on the others.
    table : Table
        All training rows, each with a target.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.TreeRegressor(prune="reduced-error", random_state=0).fit(hornbeam.read("cpu")).model_
    >>> int(tree.rows[0])
    209
    """
    start, nodes, parts = tree.decision_path(table)
    row = np.repeat(np.arange(table.n_rows), np.diff(start))
    weights = parts if table.weights is None else parts * table.weights[row]
    truth = table.target_values()[row]
    weight = np.bincount(nodes, weights, minlength=tree.n_nodes).astype(np.float64)
    least, greatest = np.full(tree.n_nodes, np.inf), np.full(tree.n_nodes, -np.inf)
    np.minimum.at(least, nodes, truth)
    np.maximum.at(greatest, nodes, truth)
    reached = weight > 0
    sums = np.bincount(nodes, weights * truth, minlength=tree.n_nodes)
    mean = np.divide(sums, weight, out=tree.value[:, 1].copy(), where=reached)
    mean[reached] = np.clip(mean[reached], least[reached], greatest[reached])  # exact where all are equal
    squares = np.bincount(nodes, weights * np.square(truth - mean[nodes]), minlength=tree.n_nodes).astype(np.float64)
    value = np.column_stack([weight, mean, squares])
    rows = np.bincount(nodes, minlength=tree.n_nodes).astype(np.int64)
    return replace(tree, rows=rows, weight=weight, value=value, error=squares.copy())
