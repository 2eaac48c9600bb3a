"""Pruning by a threshold that splits must reach: chi-square tests and critical values.

Splits whose children are all leaves are removed until all that are left reach the threshold. So a node stays split if
its own split or any split below it reaches the threshold, and the trees of all thresholds are nested.

References
----------
J. Mingers, *Expert systems - rule induction with statistical data*, Journal of the Operational Research Society 38
(1987), 39-47 (critical values). J. R. Quinlan, *Induction of decision trees*, Machine Learning 1 (1986), 81-106
(chi-square).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.core.trees.prune.cut_back import greatest_below
from hornbeam.learn.base.parameters import at_least, between, number
from hornbeam.learn.trees.prune.path import PruningPath, by_level, path_by_steps
from hornbeam.learn.trees.prune.rebuild import ask_for_classes, the_tree
from hornbeam.model.trees.split_tests import split_tests

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.model.trees.tree import Tree

DEFAULT_CONFIDENCE = 0.95


def chi_square(tree: Tree, *, threshold: float | None = None, confidence: float = DEFAULT_CONFIDENCE) -> PruningPath:
    """Remove, from the leaves up, splits that may be due to chance.

    Parameters
    ----------
    tree : Tree or estimator
        A classification tree; it is not changed.
    threshold : float, optional
        The chi-square statistic that a split must reach.
    confidence : float
        Without a threshold: one minus the greatest p-value of a split that stays, by its degrees of freedom; greater
        values prune more.

    Returns
    -------
    PruningPath
        The trees of all thresholds. `strength` is the statistic (or the confidence) of the splits that were removed
        last: a threshold above it gives this tree.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.TreeClassifier().fit(hornbeam.read("vote")).model_
    >>> tree.n_leaves, hornbeam.prune.chi_square(tree).best.n_leaves, hornbeam.prune.chi_square(tree, threshold=20).best
    (27, 17, Tree('vote': 7 nodes, 4 leaves, depth 2))
    """
    tree = the_tree(tree)
    value, needed = significances(tree, threshold, confidence)
    return _by_threshold(tree, value, needed, method="chi-square", as_confidence=threshold is None)


def critical_value(tree: Tree, *, threshold: float) -> PruningPath:
    """Remove, from the leaves up, splits whose score is below a critical value.

    Parameters
    ----------
    tree : Tree or estimator
        A tree with the scores by which its splits were chosen; it is not changed.
    threshold : float
        The score that a split must reach, in the unit of the criterion that the tree was grown by.

    Returns
    -------
    PruningPath
        The trees of all thresholds. `strength` is the score of the splits that were removed last: a threshold above it
        gives this tree.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.TreeClassifier(criterion="information-gain").fit(hornbeam.read("vote")).model_
    >>> [hornbeam.prune.critical_value(tree, threshold=bits).best.n_leaves for bits in (0.0, 0.9, 1.0)]
    [27, 21, 11]
    """
    tree = the_tree(tree)
    return _by_threshold(tree, split_scores(tree), number("threshold", threshold), method="critical-value")


def significances(tree: Tree, threshold: float | None, confidence: float) -> tuple[NDArray[np.float64], float]:
    """The evidence for each split (NaN at leaves), by its p-value or its statistic, and how much is needed."""
    ask_for_classes(tree, "chi-square", "the test counts classes")
    tests = split_tests(tree)
    if threshold is not None:
        return tests.statistic, at_least("threshold", threshold, 0)
    return np.abs(tests.log_p), -math.log1p(-between("confidence", confidence, 0, 1))


def split_scores(tree: Tree) -> NDArray[np.float64]:
    """The score of each split; NaN at leaves."""
    inner = np.flatnonzero(tree.n_children > 0)
    known = tree.splits.score[tree.split[inner]]
    unknown = np.isnan(known)
    if unknown.any():
        node = int(inner[unknown][0])
        msg = f"critical-value pruning needs the scores of all splits, and that of node {node} is not known"
        raise ValueError(msg)
    score = np.full(tree.n_nodes, np.nan)
    score[inner] = known
    return score


def weak(tree: Tree, value: NDArray[np.float64], needed: float) -> NDArray[np.intp]:
    """Inner nodes where neither the split nor any split below it reaches the needed value."""
    greatest = greatest_below(tree.first_child, tree.n_children, value)
    return np.flatnonzero((tree.n_children > 0) & (greatest < needed))


def _by_threshold(
    tree: Tree, value: NDArray[np.float64], needed: float, *, method: str, as_confidence: bool = False
) -> PruningPath:
    greatest = greatest_below(tree.first_child, tree.n_children, value)
    order, levels = by_level(tree, greatest)
    strength = np.append(np.nan, -np.expm1(-levels) if as_confidence else levels)
    chosen = int(np.searchsorted(levels, needed, side="left"))
    return path_by_steps(tree, order, method=method, chosen=chosen, strength=strength)
