"""Collapse and prune the nodes that were split from counts; the subtrees below them are pruned already.

A node can also be replaced by its largest branch. The errors of that branch on all rows of the node are counted in one
pass over the partitions, for all nodes that need it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hornbeam.core.base.tolerance import LEAF_MARGIN, SLACK
from hornbeam.core.trees.prune.order import order_nodes
from hornbeam.core.trees.prune.prune import errors_to_expect
from hornbeam.learn.trees.prune.by_estimate import limit_of
from hornbeam.learn.trees.prune.rebuild import MARGIN, majority, rebuild

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import Floats, Ints64
    from hornbeam.model.trees.tree import Tree
    from hornbeam.scale.trees.along import Along

Request = tuple[int, int]  # a node and the branch that may replace it
Answers = dict[int, "Counts"]  # by node
Asking = Generator[list[Request], Answers, Any]
Count = Callable[["Tree"], "Along"]  # counts of all rows at the nodes of a tree


class Counts(NamedTuple):
    """Counts of a node: class weights, rows, and the fraction of rows with a missing value."""

    value: Floats
    rows: int
    share: float


CHANGED = ("first_child", "n_children", "split", "missing", "value", "weight", "share", "rows")


def collapsed(tree: Tree, n_top: int, errors: Mapping[int, float]) -> list[int]:
    """The nodes among the first `n_top` whose subtrees do not reduce the training errors.

    Parameters
    ----------
    tree : Tree
        A tree whose first nodes were split from counts.
    n_top : int
        The number of these nodes.
    errors : mapping
        The errors of the leaves below a finished node, before it was pruned.
    """
    below = tree.error[:n_top].copy()
    found = []
    for node in range(n_top - 1, -1, -1):
        if node in errors:
            below[node] = errors[node]
        elif tree.n_children[node]:
            first = tree.first_child[node]
            below[node] = below[first : first + tree.n_children[node]].sum()
            if below[node] >= tree.error[node] - MARGIN:
                found.append(node)
    return found


class Pruning:
    """Prunes by the upper confidence limit of errors.

    Parameters
    ----------
    tree : Tree
        A tree whose nodes below the first `n_top` are pruned.
    n_top : int
        How many nodes were split from counts.
    confidence : float
        The confidence level of the limit.
    count : callable or None
        Counts of all rows at the nodes of a tree; None: branches are not raised.
    units : int
        The number of units per row in these counts.
    """

    def __init__(self, tree: Tree, n_top: int, confidence: float, count: Count | None, units: int) -> None:
        self.tree, self.n_top, self.count, self.units = tree, n_top, count, units
        self.limit = limit_of(confidence)
        self.now: dict[str, Any] = {name: getattr(tree, name).copy() for name in CHANGED}
        self.estimates = self._as_leaves(tree.value)

    def run(self) -> Tree:
        """The pruned tree."""
        asking = self._settle(0, again=False)
        requests = _next(asking, None)
        while requests is not None:
            requests = _next(asking, self._answer(requests))
        return rebuild(self.tree, self.now)

    def _as_leaves(self, value: Floats) -> Floats:
        weight = value.sum(axis=1)
        wrong = weight - value[np.arange(len(value)), majority(value)]
        return errors_to_expect(weight, wrong, *self.limit)

    def _children(self, node: int) -> range:
        first = int(self.now["first_child"][node])
        return range(first, first + int(self.now["n_children"][node]))

    def _settle(self, node: int, *, again: bool) -> Asking:
        """Prune the children of a node, then the node; after a branch was raised, start again below it."""
        children = self._children(node)
        if not children:
            return
        if not again and node >= self.n_top:  # pruned already
            self.estimates[node] = self._sum(node)
            return
        while True:
            yield from _together([self._settle(child, again=again) for child in self._children(node)])
            if not (yield from self._decide(node)):
                return
            again = True

    def _sum(self, node: int) -> float:
        children = self._children(node)
        return sum(map(self._sum, children)) if children else float(self.estimates[node])

    def _decide(self, node: int) -> Generator[list[Request], Answers, bool]:
        """Keep a node, make it a leaf, or replace it by its largest branch; return whether it was replaced."""
        now, children = self.now, self._children(node)
        if not children:
            return False
        leaf, raised = float(self._as_leaves(now["value"][node : node + 1])[0]), np.inf
        subtree = float(sum(self.estimates[child] for child in children))
        largest = children[0]
        for child in children:  # the last one in a tie
            if now["weight"][child] >= now["weight"][largest] - SLACK:
                largest = child
        counts: Answers = {}
        if self.count is not None:
            raised = leaf
            if now["n_children"][largest]:
                counts = yield [(node, largest)]
                raised = self._estimate_of(largest, counts)
        if leaf < subtree + LEAF_MARGIN + SLACK and leaf < raised + LEAF_MARGIN + SLACK:
            now["first_child"][node], now["n_children"][node], now["split"][node] = -1, 0, -1
            self.estimates[node] = leaf
            return False
        if raised >= subtree + LEAF_MARGIN + SLACK:
            self.estimates[node] = subtree
            return False
        for name in ("first_child", "n_children", "split", "missing"):
            now[name][node] = now[name][largest]
        self._count_again(node, counts)
        return True

    def _estimate_of(self, node: int, counts: Answers) -> float:
        children = self._children(node)
        if children:
            return sum(self._estimate_of(child, counts) for child in children)
        return float(self._as_leaves(counts[node].value[None, :])[0])

    def _count_again(self, node: int, counts: Answers) -> None:
        """Recompute class weights, rows and fractions below a node from its current rows."""
        now = self.now
        for child in self._children(node):
            now["value"][child], now["rows"][child], now["share"][child] = counts[child]
            now["weight"][child] = counts[child].value.sum()
            self.estimates[child] = self._as_leaves(now["value"][child : child + 1])[0]
            self._count_again(child, counts)

    def _answer(self, requests: list[Request]) -> Answers:
        """Count the rows at all nodes as if all these branches were raised."""
        assert self.count is not None
        changed = {name: array.copy() for name, array in self.now.items()}
        for node, branch in requests:
            for name in ("first_child", "n_children", "split", "missing"):
                changed[name][node] = changed[name][branch]
        order, _, _ = order_nodes(changed["first_child"], changed["n_children"])
        tree = rebuild(self.tree, changed)
        place = {old: new for new, old in enumerate(order.tolist())}
        moved = self._below(tree, [place[node] for node, _ in requests])
        while True:  # fractions above determine the rows below, so each pass fixes one level
            found = self.count(tree)
            share = _shares(tree, found.known, moved)
            if self.units == 1 or np.array_equal(share, tree.share):
                break
            tree = replace(tree, share=share)
        value = found.units / self.units
        return {old: Counts(value[new], int(found.rows[new]), float(share[new])) for old, new in place.items()}

    @staticmethod
    def _below(tree: Tree, nodes: list[int]) -> list[int]:
        """These nodes and the inner nodes below them."""
        found, waiting = [], list(nodes)
        while waiting:
            node = waiting.pop()
            if tree.n_children[node]:
                found.append(node)
                waiting += range(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
        return found


def _shares(tree: Tree, known: Ints64, nodes: list[int]) -> Floats:
    """The fractions of the children of some nodes, by their rows."""
    share = tree.share.copy()
    for node in nodes:
        part = slice(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
        total = int(known[part].sum())
        share[part] = known[part] / total if total else 1.0 / int(tree.n_children[node])
    return share


def _next(asking: Asking, answers: Answers | None) -> list[Request] | None:
    try:
        return next(asking) if answers is None else asking.send(answers)
    except StopIteration:
        return None


def _together(several: list[Asking]) -> Asking:
    """Run several generators together: each round handles the requests of all of them."""
    waiting = [(one, requests) for one in several if (requests := _next(one, None)) is not None]
    while waiting:
        answers = yield [request for _, requests in waiting for request in requests]
        waiting = [(one, requests) for one, _ in waiting if (requests := _next(one, answers)) is not None]
