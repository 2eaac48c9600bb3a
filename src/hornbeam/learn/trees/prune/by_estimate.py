r"""Pruning by estimated errors: from the leaves up, a subtree becomes a leaf where that promises no more errors.

The methods differ only in what they expect of a leaf. A subtree promises what its leaves do together; rows that a node
keeps to itself, because the tree does not say where they go on to, count as at a leaf.

- `pessimistic`: errors by the upper end of a confidence interval (Quinlan 1993), with a slack of 0.1 errors.
- `minimum_error`: the m-estimate of the error rate. With n rows, of which :math:`n_c` are of the class c answered with,
  and a prior share :math:`p_c` of that class, :math:`1 - (n_c + m p_c) / (n + m)`. Laplace's is the case where m is the
  number of classes and all priors are equal (Niblett and Bratko 1986; Cestnik and Bratko 1991).
- `description_length`: bits (`code_length.py`).
- `complexity_factor`: of numbers, the root mean squared error times :math:`(n + v) / (n - v)`, where v = 1 parameter,
  the mean (Quinlan 1992, who takes absolute errors). A leaf with no more rows than parameters tells nothing about its
  error, and is charged with what is expected of its parent, row by row.

References
----------
J. R. Quinlan, *C4.5: Programs for Machine Learning*, Morgan Kaufmann (1993), chapter 4. T. Niblett and I. Bratko,
*Learning decision rules in noisy domains*, Expert Systems 86, Cambridge University Press (1986). B. Cestnik and I.
Bratko, *On estimating probabilities in tree pruning*, EWSL (1991), 138-150. J. R. Quinlan, *Learning with continuous
classes*, AI '92, 343-348.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.base.tolerance import LEAF_MARGIN, SLACK
from hornbeam.core.trees.prune.cut_back import cheapest, left_at
from hornbeam.core.trees.prune.prune import errors_to_expect, factored_errors
from hornbeam.learn.base.parameters import at_least, between
from hornbeam.learn.trees.prune.code_length import bits_of_classes, bits_of_splits
from hornbeam.learn.trees.prune.estimates import DEFAULT_CONFIDENCE, normal_deviate
from hornbeam.learn.trees.prune.figures import ask_for_classes, ask_for_numbers, loss_of, weight_wrong
from hornbeam.learn.trees.prune.path import Figures, OneByOne, PruningPath, path_by_steps
from hornbeam.learn.trees.prune.steps import steps_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree

ROUNDING = 1e-10  # estimates closer than this share of one of them are equal
PARAMETERS = 1  # of a leaf that answers with a mean


@dataclass(frozen=True, eq=False, slots=True)
class Estimate:
    """What a method expects of every node as a leaf, and of a split itself; what more a leaf may cost."""

    method: str
    leaf: NDArray[np.float64]
    split: NDArray[np.float64] | None  # None where it costs nothing
    scale: float  # the estimate of a tree is told divided by this
    margin: float = 0.0
    relative: float = ROUNDING

    def decide(self, tree: Tree) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """What each node costs split, and the nodes that become leaves, each after all below it."""
        below, leaf = cheapest(
            tree.first_child, tree.n_children, self.leaf, self.split, self.margin, self.relative, prune_ties=True
        )
        return below, np.flatnonzero(leaf)[::-1]

    def path(self, tree: Tree) -> PruningPath:
        """One node becomes a leaf at a step; the last tree is chosen."""
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


def pessimistic(
    tree: Tree,
    table: Table | None = None,
    *,
    confidence: float = DEFAULT_CONFIDENCE,
    subtree_raising: bool = False,
) -> PruningPath:
    """Make leaves of subtrees that are expected to err no less, by the upper confidence limit of their errors.

    Parameters
    ----------
    tree : Tree
        Of classes; it is not changed.
    table : Table, optional
        The rows it was grown on. Only raising looks at them.
    confidence : float
        Of the limit; smaller prunes more.
    subtree_raising : bool
        Whether the largest branch may also take its parent's place; needs `table`.

    Returns
    -------
    PruningPath
        One node becomes a leaf at a step; with raising, the tree given and the tree that is left. The last is chosen.
        `estimate` is the expected share of errors.

    Examples
    --------
    >>> import hornbeam
    >>> vote = hornbeam.read("vote")
    >>> tree = hornbeam.C45Classifier(prune=None).fit(vote).model_
    >>> path = hornbeam.prune.pessimistic(tree)
    >>> path.n_leaves[[0, -1]].tolist(), path.estimate[[0, -1]].round(3).tolist()
    ([19, 6], [0.075, 0.05])
    """
    ask_for_classes(tree, "pessimistic", "it estimates how many rows are misclassified")
    between("confidence", confidence, 0, 1)
    if not subtree_raising:
        return pessimistic_estimate(tree, confidence).path(tree)
    if table is None:
        raise ValueError("subtree_raising moves rows to other branches, and no table was given; give the training rows")
    from hornbeam.learn.trees.prune.with_rows import replaced_and_raised  # noqa: PLC0415 - builds on this

    pruned, _ = replaced_and_raised(tree, table, confidence)
    parts = [path_of_one(each, confidence) for each in ((tree,) if pruned is tree else (tree, pruned))]

    def tell() -> Figures:
        names = [field.name for field in fields(Figures)]
        return Figures(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})

    return PruningPath("pessimistic", len(parts) - 1, [part.best for part in parts], tell)


def path_of_one(tree: Tree, confidence: float) -> PruningPath:
    """A path of the tree alone."""
    estimate = pessimistic_estimate(tree, confidence)
    return path_by_steps(
        tree, OneByOne(tree, np.empty(0, np.int32)), method=estimate.method, chosen=0,
        leaf_cost=estimate.leaf, split_cost=estimate.split, scale=estimate.scale,
    )  # fmt: skip


def minimum_error(tree: Tree, *, m: float | None = None) -> PruningPath:
    """Make leaves of subtrees that are expected to err no less, by the m-estimate of their error rates.

    Parameters
    ----------
    tree : Tree
        Of classes; it is not changed. Where errors differ in cost, expected costs are compared.
    m : float, optional
        How many rows the prior class shares, those of the root, count for; greater prunes more. None: Laplace's
        estimate, one more row of every class.

    Returns
    -------
    PruningPath
        One node becomes a leaf at a step; the last tree is chosen. `estimate` is the expected share of errors.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.TreeClassifier().fit(hornbeam.read("vote")).model_
    >>> [hornbeam.prune.minimum_error(tree, m=m).best.n_leaves for m in (0.5, 2, 20)]
    [27, 20, 2]
    """
    return minimum_error_estimate(tree, m).path(tree)


def description_length(tree: Tree) -> PruningPath:
    """Make leaves of subtrees that take no fewer bits to tell, with the rows' classes, than a leaf with its rows'.

    Parameters
    ----------
    tree : Tree
        Of classes; it is not changed. The code is described in `code_length.py`.

    Returns
    -------
    PruningPath
        One node becomes a leaf at a step; the last tree is chosen. `estimate` is the length in bits.

    Examples
    --------
    >>> import hornbeam
    >>> path = hornbeam.prune.description_length(hornbeam.TreeClassifier().fit(hornbeam.read("iris")).model_)
    >>> path.n_leaves[[0, -1]].tolist(), path.estimate[[0, -1]].round(1).tolist()
    ([9, 3], [111.7, 81.1])
    """
    return description_length_estimate(tree).path(tree)


def complexity_factor(tree: Tree) -> PruningPath:
    """Make leaves of subtrees whose errors, times (n + v) / (n - v), are no less: few rows promise too much.

    Parameters
    ----------
    tree : Tree
        Of numbers; it is not changed.

    Returns
    -------
    PruningPath
        One node becomes a leaf at a step; the last tree is chosen. `estimate` is the mean, over the training weight, of
        the leaves' root mean squared errors times their factors.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.TreeRegressor(min_samples_leaf=4).fit(hornbeam.read("cpu")).model_
    >>> tree.n_leaves, hornbeam.prune.complexity_factor(tree).best.n_leaves
    (41, 31)
    """
    return complexity_factor_estimate(tree).path(tree)


def pessimistic_estimate(tree: Tree, confidence: float) -> Estimate:
    """Expected errors at the upper confidence limit; the confidence is held as a 32-bit number (see `with_rows.py`)."""
    single, deviate = limit_of(confidence)
    errors = np.clip(weight_wrong(tree), 0.0, tree.weight)
    leaf = errors_to_expect(tree.weight, errors, single, deviate)
    return Estimate("pessimistic", leaf, _kept(tree, leaf), _weight(tree), LEAF_MARGIN + SLACK, 0.0)


def limit_of(confidence: float) -> tuple[float, float]:
    """A confidence as the first implementations held it, in 32 bits, and the deviate that goes with it."""
    single = float(np.float32(confidence))
    return single, normal_deviate(1.0 - float(np.float32(1.0 - single)))


def minimum_error_estimate(tree: Tree, m: float | None) -> Estimate:
    """Expected errors, or costs, with m rows spread as the classes of the root are."""
    ask_for_classes(tree, "minimum-error", "it estimates how many rows are misclassified")
    n_classes = tree.value.shape[1]
    root = float(tree.value[0].sum())
    prior = np.full(n_classes, 1.0 / n_classes) if m is None or root <= 0 else tree.value[0] / root
    rows = float(n_classes) if m is None else at_least("m", m, 0)
    expected = tree.value + rows * prior
    total = tree.weight + rows
    loss = loss_of(tree)
    answer = np.maximum(tree.label, 0)
    if loss is None:
        wrong = total - np.where(tree.label >= 0, expected[np.arange(tree.n_nodes), answer], 0.0)
    else:
        wrong = (expected * loss[:, answer].T).sum(axis=1)
    leaf = tree.weight * np.divide(wrong, total, out=np.zeros(tree.n_nodes), where=total > 0)
    return Estimate("minimum-error", leaf, _kept(tree, leaf), _weight(tree))


def description_length_estimate(tree: Tree) -> Estimate:
    """Bits: one a node for its kind, those of the rows' classes at a leaf, those of the split at an inner node."""
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
    """What is expected of the rows that an inner node keeps to itself: their part of what the node expects."""
    kept = left_at(tree.first_child, tree.n_children, tree.weight)
    keeps = kept > SLACK * tree.weight
    if not keeps.any():
        return None
    part = np.divide(kept, tree.weight, out=np.zeros(tree.n_nodes), where=keeps)
    return part * leaf


def _weight(tree: Tree) -> float:
    return float(tree.weight[0]) if tree.weight[0] > 0 else 1.0
