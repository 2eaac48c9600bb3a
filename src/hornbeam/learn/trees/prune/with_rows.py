"""Pessimistic pruning with raising, which sends the training rows down the tree again."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.base.threads import Threads
from hornbeam.core.trees.prune.prune import Pruner
from hornbeam.learn.trees.prune.by_estimate import limit_of
from hornbeam.learn.trees.prune.figures import loss_of
from hornbeam.learn.trees.prune.held_out import with_target
from hornbeam.learn.trees.prune.rebuild import rebuild
from hornbeam.learn.trees.prune.steps import no_steps
from hornbeam.model.base.align import align

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree

DEEP = 2_000  # deeper trees than this are pruned with a larger stack
DEEP_STACK = 512 * 2**20
MANY_ROWS = 50_000  # fewer are not worth a second thread


def replaced_and_raised(
    tree: Tree,
    table: Table,
    confidence: float = 0.25,
    *,
    subtree_raising: bool = True,
    keep_steps: bool = False,
    n_threads: int = 1,
    use_up: bool = False,
) -> tuple[Tree, Any]:
    """Replace subtrees by leaves, or by their largest branch, where that is estimated to err no more.

    Parameters
    ----------
    tree : Tree
        A classification tree.
    table : Table
        The rows it was grown on; columns are found by name.
    confidence : float
        Of the upper limit that stands for a leaf's errors; smaller prunes more. Held as a 32-bit number, as the first
        implementations did, since the decision at a limit depends on it.
    subtree_raising : bool
        Whether the largest branch may take its parent's place.
    keep_steps : bool
        Whether to keep a record of every decision.
    n_threads : int
        Threads to use for many rows; the tree is the same for any number.
    use_up : bool
        Whether the tree's own arrays may be changed, because nobody else will look at them; saves copying them.

    Returns
    -------
    Tree and the steps, a structured array (empty unless kept).
    """
    if tree.n_nodes == 1:
        return tree, no_steps()
    single, deviate = limit_of(confidence)
    pruner = _pruner(tree, table, ours=use_up)
    shared = n_threads if table.n_rows >= MANY_ROWS else 1
    changed, steps = _run(tree, lambda: pruner.pessimistic(single, deviate, subtree_raising, keep_steps, shared))
    return rebuild(tree, changed), steps


def _pruner(tree: Tree, table: Table, *, ours: bool = False) -> Pruner:
    known = with_target(tree, table).target_values() >= 0
    table = table if known.all() else table.take(known)
    aligned = align(tree.schema, table)
    terms = tree.splits.term_column
    used = {*tree.splits.column.tolist(), *(() if terms is None else terms.tolist())}
    columns = [array if position in used else None for position, array in enumerate(aligned.columns)]
    labels = np.ascontiguousarray(aligned.target_values(), np.int32)
    splits = {**tree.splits.arrays(), "sides": tree.splits.sides}
    return Pruner(tree.arrays(), splits, columns, labels, table.weights, loss_of(tree), ours)


def _run(tree: Tree, work: Callable[[], Any]) -> Any:
    """Run the recursion on a stack that is deep enough for the tree."""
    if tree.depth < DEEP:
        return work()
    before = threading.stack_size(DEEP_STACK)
    try:
        with Threads(1) as pool:
            return pool.submit(work).result()
    finally:
        threading.stack_size(before)
