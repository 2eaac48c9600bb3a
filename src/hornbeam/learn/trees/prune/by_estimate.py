r"""Pruning by estimated errors: from the leaves up, a subtree becomes a leaf if this is not expected to add errors.

The methods differ only in what they expect of a leaf. The estimate of a subtree is the sum over its leaves. Rows that
end at an inner node, because the tree does not define their branch, count as at a leaf.

- `pessimistic`: errors by the upper end of a confidence interval (Quinlan 1993), with a margin of 0.1 errors. It can
  also replace a node by its largest branch (subtree raising), which sends the training rows down the tree again.
- `minimum_error`: the m-estimate of the error rate, :math:`1 - (n_c + m p_c) / (n + m)`, where :math:`n_c` of n rows
  are of the predicted class c, and :math:`p_c` is the prior probability of that class. Laplace's estimate is the case
  where m is the number of classes and all priors are equal (Niblett and Bratko 1986; Cestnik and Bratko 1991).
- `description_length`: bits (`code_length.py`).
- `complexity_factor`: for numbers, the root mean squared error times :math:`(n + v) / (n - v)`, where v = 1 parameter,
  the mean (Quinlan 1992, who takes absolute errors). A leaf with no more rows than parameters has no estimate of its
  error, so the error per row that is expected of its parent is used.

References
----------
J. R. Quinlan, *C4.5: Programs for Machine Learning*, Morgan Kaufmann (1993), chapter 4. T. Niblett and I. Bratko,
*Learning decision rules in noisy domains*, Expert Systems 86, Cambridge University Press (1986). B. Cestnik and I.
Bratko, *On estimating probabilities in tree pruning*, EWSL (1991), 138-150. J. R. Quinlan, *Learning with continuous
classes*, AI '92, 343-348.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.base.threads import Threads
from hornbeam.core.base.tolerance import LEAF_MARGIN, SLACK
from hornbeam.core.trees.prune.cut_back import cheapest, left_at
from hornbeam.core.trees.prune.prune import Pruner, errors_to_expect, factored_errors
from hornbeam.data.takes_rows import takes_rows
from hornbeam.learn.base.parameters import at_least, between
from hornbeam.learn.trees.prune.estimates import DEFAULT_CONFIDENCE, normal_deviate
from hornbeam.learn.trees.prune.path import OneByOne, PathStatistics, PruningPath, no_steps, path_by_steps, steps_of
from hornbeam.learn.trees.prune.rebuild import (
    ask_for_classes,
    ask_for_numbers,
    loss_of,
    rebuild,
    the_tree,
    weight_wrong,
    with_target,
)
from hornbeam.model.base.align import align

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree

ROUNDING = 1e-10  # estimates closer than this fraction of one of them are equal
PARAMETERS = 1  # of a leaf that predicts a mean
DEEP = 2_000  # trees deeper than this are pruned with a larger stack
DEEP_STACK = 512 * 2**20
MANY_ROWS = 50_000  # with fewer rows a second thread does not pay off


@dataclass(frozen=True, eq=False, slots=True)
class Estimate:
    """What a method expects of every node as a leaf, and of its split; and how much more a leaf may cost."""

    method: str
    leaf: NDArray[np.float64]
    split: NDArray[np.float64] | None  # None if it costs nothing
    scale: float  # the estimate of a tree is reported divided by this
    margin: float = 0.0
    relative: float = ROUNDING

    def decide(self, tree: Tree) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """The cost of each node with its subtree, and the nodes that become leaves, each after all nodes below it."""
        below, leaf = cheapest(
            tree.first_child, tree.n_children, self.leaf, self.split, self.margin, self.relative, prune_ties=True
        )
        return below, np.flatnonzero(leaf)[::-1]

    def path(self, tree: Tree) -> PruningPath:
        """One node becomes a leaf per step; the last tree is chosen."""
        _, nodes = self.decide(tree)
        return path_by_steps(
            tree,
            OneByOne(tree, nodes),
            method=self.method,
            chosen=len(nodes),
            leaf_cost=self.leaf,
            split_cost=self.split,
            scale=self.scale,
        )

    def steps(self, tree: Tree) -> tuple[NDArray[np.intp], Any]:
        """The nodes that become leaves, and a record of every decision."""
        below, nodes = self.decide(tree)
        return nodes, steps_of(tree, nodes, self.leaf, below)


@takes_rows()
def pessimistic(
    tree: Tree,
    table: Table | None = None,
    *,
    confidence: float = DEFAULT_CONFIDENCE,
    subtree_raising: bool = False,
) -> PruningPath:
    """Replace subtrees that are not expected to make fewer errors than a leaf, by the upper limit of their errors.

    Parameters
    ----------
    tree : Tree or estimator
        A classification tree; it is not changed.
    table : Table, optional
        The rows it was grown on, which only subtree raising needs.
    confidence : float
        The confidence of the limit; smaller values prune more.
    subtree_raising : bool
        Whether the largest branch of a node can also replace it; needs `table`.

    Returns
    -------
    PruningPath
        One node becomes a leaf per step; with raising, only the given tree and the pruned tree. The last tree is
        chosen. `estimate` is the expected error rate.

    Examples
    --------
    >>> import hornbeam
    >>> vote = hornbeam.read("vote")
    >>> tree = hornbeam.C45Classifier(prune=None).fit(vote).model_
    >>> path = hornbeam.prune.pessimistic(tree)
    >>> path.n_leaves[[0, -1]].tolist(), path.estimate[[0, -1]].round(3).tolist()
    ([19, 6], [0.075, 0.05])
    """
    tree = the_tree(tree)
    ask_for_classes(tree, "pessimistic", "it estimates how many rows are misclassified")
    between("confidence", confidence, 0, 1)
    if not subtree_raising:
        return pessimistic_estimate(tree, confidence).path(tree)
    if table is None:
        raise ValueError("subtree_raising moves rows to other branches, and no table was given; give the training rows")
    pruned, _ = replaced_and_raised(tree, table, confidence)
    parts = [path_of_one(each, confidence) for each in ((tree,) if pruned is tree else (tree, pruned))]

    def statistics() -> PathStatistics:
        names = [field.name for field in fields(PathStatistics)]
        return PathStatistics(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})

    return PruningPath("pessimistic", len(parts) - 1, [part.best for part in parts], statistics)


def path_of_one(tree: Tree, confidence: float) -> PruningPath:
    """A path with only this tree."""
    estimate = pessimistic_estimate(tree, confidence)
    return path_by_steps(
        tree, OneByOne(tree, np.empty(0, np.int32)), method=estimate.method, chosen=0,
        leaf_cost=estimate.leaf, split_cost=estimate.split, scale=estimate.scale,
    )  # fmt: skip


def minimum_error(tree: Tree, *, m: float | None = None) -> PruningPath:
    """Replace subtrees that are not expected to make fewer errors than a leaf, by the m-estimate of their error rates.

    Parameters
    ----------
    tree : Tree or estimator
        A classification tree; it is not changed. If errors differ in cost, expected costs are compared.
    m : float, optional
        How many rows the prior class probabilities (those of the root) count for; greater values prune more. None:
        Laplace's estimate, one more row of every class.

    Returns
    -------
    PruningPath
        One node becomes a leaf per step; the last tree is chosen. `estimate` is the expected error rate.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.TreeClassifier().fit(hornbeam.read("vote")).model_
    >>> [hornbeam.prune.minimum_error(tree, m=m).best.n_leaves for m in (0.5, 2, 20)]
    [27, 20, 2]
    """
    tree = the_tree(tree)
    return minimum_error_estimate(tree, m).path(tree)


def description_length(tree: Tree) -> PruningPath:
    """Replace subtrees that do not need fewer bits than a leaf, to encode the tree and the classes of its rows.

    Parameters
    ----------
    tree : Tree or estimator
        A classification tree; it is not changed. The code is described in `code_length.py`.

    Returns
    -------
    PruningPath
        One node becomes a leaf per step; the last tree is chosen. `estimate` is the length in bits.

    Examples
    --------
    >>> import hornbeam
    >>> path = hornbeam.prune.description_length(hornbeam.TreeClassifier().fit(hornbeam.read("iris")).model_)
    >>> path.n_leaves[[0, -1]].tolist(), path.estimate[[0, -1]].round(1).tolist()
    ([9, 3], [111.7, 81.1])
    """
    tree = the_tree(tree)
    return description_length_estimate(tree).path(tree)


def complexity_factor(tree: Tree) -> PruningPath:
    """Replace subtrees whose errors, times (n + v) / (n - v), are not smaller: errors on few rows are too optimistic.

    Parameters
    ----------
    tree : Tree or estimator
        A regression tree; it is not changed.

    Returns
    -------
    PruningPath
        One node becomes a leaf per step; the last tree is chosen. `estimate` is the mean, over the training weight, of
        the root mean squared errors of the leaves times their factors.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.TreeRegressor(min_samples_leaf=4).fit(hornbeam.read("cpu")).model_
    >>> tree.n_leaves, hornbeam.prune.complexity_factor(tree).best.n_leaves
    (41, 31)
    """
    tree = the_tree(tree)
    return complexity_factor_estimate(tree).path(tree)


def pessimistic_estimate(tree: Tree, confidence: float) -> Estimate:
    """Expected errors at the upper confidence limit; the confidence is a 32-bit number (see `limit_of`)."""
    single, deviate = limit_of(confidence)
    errors = np.clip(weight_wrong(tree), 0.0, tree.weight)
    leaf = errors_to_expect(tree.weight, errors, single, deviate)
    return Estimate("pessimistic", leaf, _kept(tree, leaf), _weight(tree), LEAF_MARGIN + SLACK, 0.0)


def limit_of(confidence: float) -> tuple[float, float]:
    """A confidence as a 32-bit number, on which close decisions depend (Quinlan 1993), and its normal deviate."""
    single = float(np.float32(confidence))
    return single, normal_deviate(1.0 - float(np.float32(1.0 - single)))


def minimum_error_estimate(tree: Tree, m: float | None) -> Estimate:
    """Expected errors, or costs, with m rows added in the class proportions of the root."""
    ask_for_classes(tree, "minimum-error", "it estimates how many rows are misclassified")
    n_classes = tree.value.shape[1]
    root = float(tree.value[0].sum())
    prior = np.full(n_classes, 1.0 / n_classes) if m is None or root <= 0 else tree.value[0] / root
    rows = float(n_classes) if m is None else at_least("m", m, 0)
    expected = tree.value + rows * prior
    total = tree.weight + rows
    loss = loss_of(tree)
    predicted = np.maximum(tree.label, 0)
    if loss is None:
        wrong = total - np.where(tree.label >= 0, expected[np.arange(tree.n_nodes), predicted], 0.0)
    else:
        wrong = (expected * loss[:, predicted].T).sum(axis=1)
    leaf = tree.weight * np.divide(wrong, total, out=np.zeros(tree.n_nodes), where=total > 0)
    return Estimate("minimum-error", leaf, _kept(tree, leaf), _weight(tree))


def description_length_estimate(tree: Tree) -> Estimate:
    """Bits: one per node for its kind, those of the classes of the rows at a leaf, those of the split otherwise."""
    from hornbeam.learn.trees.prune.code_length import bits_of_classes, bits_of_splits  # noqa: PLC0415 - only here

    ask_for_classes(tree, "description-length", "the code is one of classes")
    return Estimate("description-length", 1.0 + bits_of_classes(tree.value), 1.0 + bits_of_splits(tree), 1.0)


def complexity_factor_estimate(tree: Tree) -> Estimate:
    """Root mean squared errors times (n + v) / (n - v), times the weight."""
    ask_for_numbers(
        tree, "complexity-factor", "the factor is one of squared errors; pessimistic pruning is for classes"
    )
    leaf = factored_errors(tree.parent, tree.rows, tree.weight, tree.error, PARAMETERS)
    return Estimate("complexity-factor", leaf, _kept(tree, leaf), _weight(tree))


def _kept(tree: Tree, leaf: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """What is expected of the rows that end at an inner node: their part of what is expected of the node."""
    kept = left_at(tree.first_child, tree.n_children, tree.weight)
    keeps = kept > SLACK * tree.weight
    if not keeps.any():
        return None
    part = np.divide(kept, tree.weight, out=np.zeros(tree.n_nodes), where=keeps)
    return part * leaf


def _weight(tree: Tree) -> float:
    return float(tree.weight[0]) if tree.weight[0] > 0 else 1.0


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
    """Replace subtrees by leaves, or by their largest branch, if this is not expected to add errors.

    Parameters
    ----------
    tree : Tree
        A classification tree.
    table : Table
        The rows it was grown on; columns are matched by name.
    confidence : float
        The confidence of the upper limit of the errors of a leaf; smaller values prune more.
    subtree_raising : bool
        Whether the largest branch of a node can replace it.
    keep_steps : bool
        Whether to keep a record of every decision.
    n_threads : int
        Number of threads for many rows; the tree is the same for any number.
    use_up : bool
        Whether the arrays of the tree may be changed, because they are not needed any more; saves copying them.

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
