"""Split criteria: a table of their names, their numbers in the kernels, and their impurities.

Everything that depends on a tree's criterion reads this table: the learners, the importance of columns, the decision
log. A criterion that is not in it is an error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from hornbeam.core.base import enums
from hornbeam.model.base.plain import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.core.base.arrays import Floats
    from hornbeam.model.trees.tree import Tree

CriterionName = Literal[
    "information-gain",
    "gain-ratio",
    "gini",
    "misclassification",
    "chi-square",
    "variance",
    "sd-reduction",
    "absolute-error",
]


def entropy(weights: Floats) -> float:
    """Entropy of class weights in bits."""
    fractions = fractions_of(weights[weights > 0])
    return float(-(fractions * np.log2(fractions)).sum()) + 0.0  # no -0.0 for a pure distribution


def gini(weights: Floats) -> float:
    """Gini index of class weights."""
    fractions = fractions_of(weights)
    return float((fractions * (1.0 - fractions)).sum())


def misclassification(weights: Floats) -> float:
    """Fraction of the weight that is not of the most frequent class."""
    return float(1.0 - fractions_of(weights).max()) if weights.sum() > 0 else 0.0


def variance(values: Floats) -> float:
    """Mean squared error about the mean, from a node's weight, mean and squared error."""
    return max(float(values[2]), 0.0) / float(values[0]) if values[0] > 0 else 0.0


def standard_deviation(values: Floats) -> float:
    """Standard deviation, from a node's weight, mean and squared error."""
    return math.sqrt(variance(values))


def fractions_of(weights: Floats) -> Floats:
    """Class weights divided by their sum; zeros if there is no weight."""
    total = weights.sum()
    return weights / total if total > 0 else np.zeros_like(weights)


@dataclass(frozen=True, slots=True)
class Impurity:
    """An impurity of nodes: `of` computes it from the node's values, per unit of weight."""

    name: str
    unit: str
    of: Callable[[Floats], float]


ENTROPY = Impurity("entropy", " bits", entropy)
GINI = Impurity("gini", "", gini)
MISCLASSIFIED = Impurity("misclassified", "", misclassification)
VARIANCE = Impurity("variance", "", variance)
DEVIATION = Impurity("sd", "", standard_deviation)


@dataclass(frozen=True, slots=True)
class Criterion:
    """A criterion by which splits are ranked."""

    name: str  # in recipes and model files
    # in the kernels of the tree grower (core/base/enums.pxd); None if another learner has its own kernel
    number: int | None
    target: Literal["classes", "numbers"]
    impurity: Impurity  # what the decision log shows at every node
    summed: Impurity  # what importances and cost-complexity pruning sum over nodes
    score_is_decrease: bool = False  # whether a split's score is the decrease of impurity per unit of weight
    # whether splits are compared with the parent's class fractions, so that a node alone has no impurity of its own
    relative: bool = False
    most_classes: int | None = None  # the maximum number of classes; None: any number


CRITERIA: dict[str, Criterion] = {
    criterion.name: criterion
    for criterion in (
        Criterion("information-gain", enums.ENTROPY, "classes", ENTROPY, ENTROPY, score_is_decrease=True),
        Criterion("gain-ratio", enums.ENTROPY, "classes", ENTROPY, ENTROPY),
        Criterion("gini", enums.GINI, "classes", GINI, GINI, score_is_decrease=True),
        Criterion("misclassification", enums.MISCLASSIFICATION, "classes", MISCLASSIFIED, GINI, score_is_decrease=True),
        Criterion("chi-square", enums.CHI_SQUARE, "classes", ENTROPY, GINI, relative=True),
        Criterion("variance", enums.VARIANCE, "numbers", VARIANCE, VARIANCE, score_is_decrease=True),
        Criterion("sd-reduction", enums.DEVIATION, "numbers", DEVIATION, VARIANCE),
        Criterion("absolute-error", enums.ABSOLUTE, "numbers", VARIANCE, VARIANCE, score_is_decrease=True),
        # of model trees
        Criterion("root-of-variance", None, "numbers", VARIANCE, VARIANCE),
        Criterion("linear-error", None, "numbers", VARIANCE, VARIANCE),
        # of trees imported from scikit-learn
        Criterion("entropy", None, "classes", ENTROPY, ENTROPY),
        Criterion("log_loss", None, "classes", ENTROPY, ENTROPY),
        Criterion("squared_error", None, "numbers", VARIANCE, VARIANCE),
        Criterion("friedman_mse", None, "numbers", VARIANCE, VARIANCE),
        Criterion("absolute_error", None, "numbers", VARIANCE, VARIANCE),
        Criterion("poisson", None, "numbers", VARIANCE, VARIANCE),
    )
}
CLASS_CRITERIA = tuple(one.name for one in CRITERIA.values() if one.number is not None and one.target == "classes")
NUMBER_CRITERIA = tuple(one.name for one in CRITERIA.values() if one.number is not None and one.target == "numbers")


def criterion_of(tree: Tree) -> Criterion | None:
    """The criterion that a tree was learned by; None if its recipe has none, as with some imported trees.

    Raises
    ------
    ModelError
        If the recipe names a criterion that is not in the table.
    """
    name = tree.recipe.get("criterion")
    if name is None or name == "None":
        return None
    found = CRITERIA.get(str(name))
    if found is None:
        msg = f"the tree was learned by the criterion {name!r}; expected one of {', '.join(CRITERIA)}"
        raise ModelError(msg)
    return found


def impurity_of(tree: Tree) -> Impurity:
    """The impurity of the tree's criterion; without a criterion, entropy for classes and variance for numbers."""
    criterion = criterion_of(tree)
    if criterion is not None:
        return criterion.impurity
    return ENTROPY if tree.task == "classification" else VARIANCE


def sums_entropy(tree: Tree) -> bool:
    """Whether the impurity of a tree's classes is summed as entropy; as the Gini index otherwise, and by default."""
    criterion = criterion_of(tree)
    if criterion is None or criterion.summed is GINI:
        return False
    if criterion.summed is ENTROPY:
        return True
    msg = f"the tree predicts classes; expected a criterion for classes, and found {criterion.name!r}"
    raise ModelError(msg)
