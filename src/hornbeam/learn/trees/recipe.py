"""Recipes: the named choices by which a tree is grown and pruned.

A named algorithm is a recipe, not a subclass: its estimator turns its parameters into a Recipe, and everything below
only reads the recipe.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from hornbeam.model.trees.criterion import CriterionName

Missing = Literal["fractional", "surrogate", "default-direction", "majority", "own-category", "impute", "error"]
Prune = Literal[
    "pessimistic",
    "reduced-error",
    "cost-complexity",
    "chi-square",
    "critical-value",
    "minimum-error",
    "description-length",
    "complexity-factor",
    "rules",
]
CHOOSE = ("cp", "1-se", "least")  # ways to choose a tree of the sequence that cost-complexity pruning gives


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a tree is grown and pruned.

    The choices that are not described here are parameters of `TreeClassifier` and `TreeRegressor`, and described there.

    Parameters
    ----------
    loss : tuple of tuples of float, optional
        The cost of predicting class c (column) when class k (row) is true; labels are then those of least expected
        cost, and "misclassification" is the least mean loss.
    priors : tuple of float, optional
        Proportions of the classes among the rows to predict, 0 for a class without rows; by default those of the
        training rows.
    textbook_gain : bool
        Sum the gain of a multiway split branch by branch in floating point, as in the formula, and not as exactly as
        possible; for programs in which this rounding decides ties.
    average_gain_filter : bool
        Only candidates whose gain is at least the average over all candidates may win; nominal columns with more
        categories than 0.3 times the rows do not count in the average.
    charge_cuts : bool
        Charge log2(number of cuts) / rows for the choice among the cuts of a numeric column (minimum description
        length).
    threshold : {"midpoint", "data-value"}
        Where to put a cut: half-way between two values, or at the largest training value not above that.
    threshold_slack : float
        A data value above the midpoint by at most this still counts as not above it.
    equal_low : bool
        Whether a value equal to a cut takes the lower branch.
    order_by_target : bool
        Of two branches the one with the smaller mean (of class numbers, for classes) comes first.
    row_by_row : bool
        Sums are computed row by row, in the order in which a certain quicksort leaves equal values, and formulas are
        computed as written; for programs in which this rounding decides ties.
    count_rows : bool
        Limits of nodes, branches and surrogates count rows instead of weights.
    min_gap : float
        There is no cut between neighboring values that differ by at most this.
    first_category_free : bool
        One-vs-rest: the first category is accepted whatever its score.
    known_only : bool
        Gains are means over the rows with a known value, not over all rows of the node.
    min_branch, min_node : float
        The parameters `min_samples_leaf` and `min_samples_split`.
    adaptive_minimum : bool
        Both sides of a cut must have a tenth of the mean class weight, but at least `min_branch` and at most 25.
    count_for_cut : bool
        A cut also needs twice the least weight of a side as a number of rows, whatever their weights.
    tolerance : float
        A later candidate is only chosen if it is better by more than this.
    monotonic_cst : tuple of int
        For every feature 1 (the target may only rise with it), -1 (only fall) or 0; empty: no limits.
    interactions : tuple of tuples of int
        Groups of features that may occur together on a path; empty: no limits.
    empty_branch : {"parent", "none"}
        The label of a branch without training rows: the majority class of its parent, or none.
    collapse : bool
        Before pruning, subtrees that do not make fewer training errors than a leaf become leaves.
    """

    criterion: CriterionName
    loss: tuple[tuple[float, ...], ...] | None = None
    priors: tuple[float, ...] | None = None
    textbook_gain: bool = False
    average_gain_filter: bool = False
    charge_cuts: bool = False
    threshold: Literal["midpoint", "data-value"] = "midpoint"
    threshold_slack: float = 1e-6
    equal_low: bool = True
    order_by_target: bool = False
    row_by_row: bool = False
    count_rows: bool = False
    min_gap: float = 0.0
    numeric: Literal["one-cut", "multi-cut", "discretized"] = "one-cut"
    max_cuts: int = 3
    cuts_by: Literal["greedy", "optimal"] = "optimal"
    boundary_points: bool = False
    discretize: Literal["equal-width", "equal-frequency", "mdl", "chi-merge"] = "mdl"
    bins: int = 10
    combinations: bool = False
    nominal: Literal["multiway", "one-vs-rest", "subset", "grouped"] = "multiway"
    first_category_free: bool = False
    exhaustive_up_to: int = 10
    merge_significance: float = 0.05
    missing: Missing = "fractional"
    known_only: bool = False
    max_surrogates: int = 0
    min_branch: float = 0.0
    min_node: float = 0.0
    adaptive_minimum: bool = False
    count_for_cut: bool = False
    min_impurity: float = 0.0
    min_gain: float = 0.0
    min_gain_share: float = 0.0
    significance: float | None = None
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    tolerance: float = 1e-6
    monotonic_cst: tuple[int, ...] = ()
    interactions: tuple[tuple[int, ...], ...] = ()
    empty_branch: Literal["parent", "none"] = "parent"
    collapse: bool = False
    prune: Prune | None = None
    confidence: float = 0.25
    subtree_raising: bool = True
    prune_threshold: float | None = None
    folds: int = 3
    cp: float = 0.0
    choose: Literal["cp", "1-se", "least"] = "cp"
    leaf: Literal["distribution", "laplace", "m-estimate", "mean", "median", "linear"] = "distribution"
    m: float = 2.0
