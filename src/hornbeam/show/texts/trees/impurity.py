"""How mixed the rows of a node are, by the criterion that a tree was learned by: for the decision log.

`show` may not import the learner's criteria, and each is one line; what cannot be worked out from a node's figures (a
chi-square test, medians) is left out.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hornbeam.model.trees.tree import Tree


def entropy(weights: NDArray[np.float64]) -> float:
    """Entropy of class weights in bits."""
    shares = _shares(weights[weights > 0])
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def gini(weights: NDArray[np.float64]) -> float:
    """Gini index of class weights."""
    shares = _shares(weights)
    return float((shares * (1.0 - shares)).sum())


def misclassification(weights: NDArray[np.float64]) -> float:
    """Share of the weight that is not of the commonest class."""
    return float(1.0 - _shares(weights).max()) if weights.sum() > 0 else 0.0


def variance(figures: NDArray[np.float64]) -> float:
    """Mean squared error about the mean, from weight, mean and squared error."""
    return max(float(figures[2]), 0.0) / float(figures[0]) if figures[0] > 0 else 0.0


def spread(figures: NDArray[np.float64]) -> float:
    """Standard deviation, from weight, mean and squared error."""
    return math.sqrt(variance(figures))


Impurity = tuple[str, str, "Callable[[NDArray[np.float64]], float]"]  # its name, its unit, and the figure

ENTROPY: Impurity = ("entropy", " bits", entropy)
VARIANCE: Impurity = ("variance", "", variance)
BY_CRITERION: dict[object, Impurity] = {
    "gini": ("gini", "", gini),
    "misclassification": ("misclassified", "", misclassification),
    "sd-reduction": ("sd", "", spread),
}


def impurity_of(tree: Tree) -> Impurity:
    """Give what the tree's criterion lowers; entropy for classes and variance for numbers where it says nothing."""
    usual = ENTROPY if isinstance(tree.schema.target_column, Nominal) else VARIANCE
    return BY_CRITERION.get(tree.recipe.get("criterion"), usual)


def _shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    total = weights.sum()
    return weights / total if total > 0 else np.zeros_like(weights)
