"""What a row of each class counts, by row weights, priors and losses: in the choice of splits, and in errors.

References
----------
L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone, *Classification and Regression Trees*, Wadsworth (1984), 4.4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.learn.trees.recipe import Recipe
    from hornbeam.model.trees.tree import Tree


@dataclass(frozen=True)
class ClassFactors:
    """Factors of the classes; 1 where there are no priors and no losses, up to rounding.

    Parameters
    ----------
    seen : array of int
        Codes of the classes that have rows.
    splitting : array, (classes,)
        What a row of a class counts when splits are chosen. Criteria without losses use altered priors: the prior of a
        class times the sum of the costs of its errors.
    predicting : array, (classes,)
        What a row of a class counts in errors and probabilities: its prior divided by its proportion of the rows.
    loss : array, (classes, classes), or None
        The true class by row, the prediction by column; None if every error costs 1. A class without rows has a
        cost so high that it is never predicted.
    """

    seen: NDArray[np.intp]
    splitting: NDArray[np.float64]
    predicting: NDArray[np.float64]
    loss: NDArray[np.float64] | None

    def costs(self) -> NDArray[np.float64] | None:
        """The cost of each prediction for a row of each class, including the priors."""
        return None if self.loss is None else self.loss * self.predicting[:, None]

    def expected(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The cost of each prediction on nodes with these class weights (nodes by classes), summed class by class."""
        assert self.loss is not None
        total = np.zeros_like(weights)
        for k in range(weights.shape[1]):
            total += self.loss[k] * weights[:, k : k + 1] * self.predicting[k]
        return total


def class_factors(table: Table, recipe: Recipe) -> ClassFactors:
    """The factors for the rows of a table.

    Sums and quotients are computed in a fixed order, since their rounding decides between equally good splits.
    """
    target = table.schema.target_column
    assert isinstance(target, Nominal)
    codes, weights = table.target_values(), table.weights
    counts = np.bincount(codes, weights, minlength=len(target.categories)).astype(np.float64)
    seen = np.flatnonzero(counts)
    splitting, predicting = np.ones(len(counts)), np.ones(len(counts))
    loss = _loss(recipe, len(counts), seen, weighted=weights is not None)
    if not len(seen) or not (recipe.row_by_row or recipe.priors):
        return ClassFactors(seen, splitting, predicting, loss)
    proportions = counts[seen] / (len(codes) if weights is None else np.cumsum(weights)[-1])
    priors = _priors(table, recipe, counts, seen)
    predicting[seen] = priors / proportions
    altered, total = _altered(priors, None if recipe.loss is None else np.asarray(recipe.loss)[np.ix_(seen, seen)])
    if total > 0:
        splitting[seen] = altered / (total * proportions)
    return ClassFactors(seen, splitting, predicting, loss)


def with_smoothed_labels(tree: Tree, factors: ClassFactors) -> Tree:
    """The tree with labels by smoothed probabilities, which may be another class than that of most rows.

    Errors are those of the new labels.
    """
    assert tree.prior is not None
    loss = 1.0 - np.eye(len(tree.prior)) if factors.loss is None else factors.loss
    smoothed = tree.value + tree.pseudo_count * tree.prior
    best = np.argmin(smoothed @ loss, axis=1) if factors.loss is not None else np.argmax(smoothed, axis=1)
    label = np.where(tree.label < 0, -1, best[tree.answering]).astype(np.int32)
    error = np.where(label < 0, tree.error, (tree.value * loss[:, label].T).sum(axis=1))
    return replace(tree, label=label, error=error)


def _loss(recipe: Recipe, n_classes: int, seen: NDArray[np.intp], *, weighted: bool) -> NDArray[np.float64] | None:
    if recipe.loss is None and recipe.priors is None and not (recipe.row_by_row and weighted):
        return None
    loss = 1.0 - np.eye(n_classes) if recipe.loss is None else np.array(recipe.loss, np.float64)
    never = np.ones(n_classes, np.bool_)
    never[seen] = False
    loss[:, never] = 1.0 + 2.0 * float(loss.max(initial=0.0))
    return loss


def _priors(table: Table, recipe: Recipe, counts: NDArray[np.float64], seen: NDArray[np.intp]) -> NDArray[np.float64]:
    """The given priors, or the proportions of the rows, with exact sums of weights."""
    if recipe.priors is not None:
        return np.asarray(recipe.priors, np.float64)[seen]
    if table.weights is None:
        return np.asarray(counts[seen] / counts.sum())
    codes, weights = table.target_values(), table.weights
    sums = [math.fsum(weights[codes == k].tolist()) for k in seen]
    return np.array(sums) / math.fsum(sums)


def _altered(priors: NDArray[np.float64], loss: NDArray[np.float64] | None) -> tuple[NDArray[np.float64], float]:
    """Each prior times the sum of the costs of errors on that class, and their total, one term after another."""
    altered, total = [0.0] * len(priors), 0.0
    for k, prior in enumerate(priors.tolist()):
        row = [float(j != k) for j in range(len(priors))] if loss is None else loss[k].tolist()
        for cost in row:
            altered[k] += cost * prior
            total += cost * prior
    return np.array(altered), total
