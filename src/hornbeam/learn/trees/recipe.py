"""Recipes: the named choices a tree is grown and pruned by.

A named algorithm is a recipe, not a subclass: its estimator turns its parameters into one of these once, and everything
below reads only the recipe.
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


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a tree is grown and pruned.

    Parameters
    ----------
    criterion : str
        What candidate splits are ranked by. For classes: "information-gain", "gain-ratio", "gini",
        "misclassification" (or the loss given), "chi-square" (by its p-value). For numbers: "variance",
        "sd-reduction", "absolute-error".
    loss : tuple of tuples of float, optional
        What it costs to answer class c (column) where class k (row) is true; labels are then those of least expected
        cost, and "misclassification" is the least mean loss.
    priors : tuple of float, optional
        Shares of the classes among the rows to be predicted, 0 for a class without rows; by default those of the
        training rows.
    textbook_gain : bool
        Sum the gain of a multiway split branch by branch in floating point, as the formula stands, and not as exactly
        as may be; for programs whose ties are decided by that rounding.
    average_gain_filter : bool
        Only candidates whose gain is at least the average over all candidates may win; nominal columns with a category
        for every three rows or so (0.3 times the rows) do not count in the average.
    charge_cuts : bool
        Charge log2(number of cuts) / rows for the choice among a numeric column's cuts (minimum description length).
    threshold : {"midpoint", "data-value"}
        Where a cut is put: half-way between two values, or at the largest training value not above that.
    threshold_slack : float
        A data value this little above the midpoint still counts as not above it.
    equal_low : bool
        Whether a value equal to a cut takes the lower branch.
    order_by_answer : bool
        Of two branches the one with the lesser mean (of class numbers, for classes) comes first, whatever its values.
    row_by_row : bool
        Sums are taken one row after another, in the order that a certain quicksort leaves equal values in, and formulas
        worked out as they stand; for programs whose ties are decided by that rounding.
    count_rows : bool
        Limits of nodes, branches and surrogates count rows, whatever these weigh, and do not add up their weights.
    min_gap : float
        Neighboring values no further apart than this are not cut between.
    numeric : {"one-cut", "multi-cut", "discretized"}
        One cut, several, or cuts only at the edges of intervals made before growing.
    max_cuts : int
        Multi-cut: at most so many cuts a split.
    cuts_by : {"greedy", "optimal"}
        Multi-cut: add one best cut after another, or find the best set of cuts by dynamic programming.
    boundary_points : bool
        Cut only between values that are not both of one and the same class.
    discretize : {"equal-width", "equal-frequency", "mdl", "chi-merge"}
        Discretized: how intervals are made.
    bins : int
        Discretized: how many intervals, for the methods that ask for a number.
    combinations : bool
        Also try cuts of linear combinations of numeric columns.
    nominal : {"multiway", "one-vs-rest", "subset", "grouped"}
        A branch for every category, one category against the rest, a set of categories against the others, or branches
        of categories that do not differ significantly.
    first_category_free : bool
        One-vs-rest: the first category is taken whatever its score.
    exhaustive_up_to : int
        Subset: with more than two classes, all subsets are tried for no more categories than this.
    merge_significance : float
        Grouped: categories are merged while the p-value of their difference is above this.
    missing : str
        What becomes of rows without a value: "fractional", "surrogate", "default-direction", "majority",
        "own-category", "impute", "error".
    known_only : bool
        Gains are means over the rows with a known value, not over all rows of the node.
    max_surrogates : int
        Surrogate: how many to keep at a node.
    min_branch : float
        At least two branches must hold this weight (of a cut: both).
    min_node : float
        Nodes lighter than this are leaves.
    adaptive_minimum : bool
        Either side of a cut must hold a tenth of the mean class weight, but at least `min_branch` and at most 25.
    count_for_cut : bool
        A cut needs twice the least weight of a side as a number of rows too, whatever these weigh.
    min_impurity : float
        Nodes whose impurity (entropy, gini, share of errors, variance, ...) is not above this are leaves.
    min_gain : float
        The best gain (or score) must exceed this.
    min_gain_share : float
        The best split must take away at least this share of the root's impurity (times weight).
    significance : float, optional
        Only columns whose best split is significant by the chi-square test (p-value not above this) may be chosen.
    max_depth : int or None
        Nodes at this depth are leaves.
    max_leaf_nodes : int or None
        Best first: the leaf whose split gains most is split next, until there are so many.
    tolerance : float
        A later candidate wins only if it is better by more than this.
    monotone : tuple of int
        For every feature 1 (the target may only rise with it), -1 (only fall) or 0; empty: no limits.
    interactions : tuple of tuples of int
        Groups of features that may occur together on a path; empty: no limits.
    empty_branch : {"parent", "none"}
        The label of a branch that no training row takes: its parent's majority, or none.
    collapse : bool
        Before pruning, subtrees with no fewer training errors than a leaf become leaves.
    prune : str or None
        How the tree is cut back: "pessimistic", "reduced-error", "cost-complexity", "chi-square", "critical-value",
        "minimum-error", "description-length", "complexity-factor" (numbers), "rules" (the leaves become rules, which
        lose conditions), or not at all.
    confidence : float
        Pessimistic pruning: the confidence of the error limit; smaller prunes more. Chi-square pruning: the confidence
        that a split is not chance; greater prunes more.
    subtree_raising : bool
        Pessimistic pruning: may a subtree take its parent's place?
    prune_threshold : float or None
        Critical-value pruning: the score that a split must reach. Chi-square pruning: the statistic that it must reach,
        in place of `confidence`.
    folds : int
        Reduced-error pruning: one part in `folds` is held out. Cost-complexity: folds of the cross-validation.
    cp : float
        Cost-complexity pruning: what a split must save at least, as a share of the root's error.
    choose : {"cp", "1-se", "least"}
        Cost-complexity pruning: by `cp` alone, or the smallest tree within one standard error of the least
        cross-validated error, or the tree with the least.
    leaf : {"distribution", "laplace", "m-estimate", "mean", "median", "linear"}
        Class shares at leaves as counted, with one added to every class, or with `m` rows spread as the classes are;
        the mean or the median of numbers, or a linear equation.
    m : float
        The weight of the m-estimate: of leaves, and of minimum-error pruning.
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
    order_by_answer: bool = False
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
    monotone: tuple[int, ...] = ()
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
