"""Recipes: the named choices a tree is grown and pruned by.

A named algorithm is a recipe, not a subclass: its estimator turns its parameters into one of these once, and everything
below reads only the recipe.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a classification tree is grown and pruned.

    Parameters
    ----------
    criterion : {"information-gain", "gain-ratio"}
        What candidate splits are ranked by.
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
    min_gap : float
        Neighbouring values no further apart than this are not cut between.
    nominal : {"multiway", "one-vs-rest"}
        A branch for every category, or one category against the rest.
    first_category_free : bool
        One-vs-rest: the first category is taken whatever its score.
    missing : {"fractional", "own-category", "error"}
        What becomes of rows without a value.
    min_branch : float
        At least two branches must hold this weight (of a cut: both).
    min_node : float
        Nodes lighter than this are leaves.
    adaptive_minimum : bool
        Either side of a cut must hold a tenth of the mean class weight, but at least `min_branch` and at most 25.
    min_gain : float
        The best gain (or score) must exceed this.
    max_depth : int or None
        Nodes at this depth are leaves.
    tolerance : float
        A later candidate wins only if it is better by more than this.
    empty_branch : {"parent", "none"}
        The label of a branch that no training row takes: its parent's majority, or none.
    collapse : bool
        Before pruning, subtrees with no fewer training errors than a leaf become leaves.
    prune : {"pessimistic", "reduced-error", None}
        How the tree is cut back.
    confidence : float
        Pessimistic pruning: the confidence of the error limit; smaller prunes more.
    subtree_raising : bool
        Pessimistic pruning: may a subtree take its parent's place?
    folds : int
        Reduced-error pruning: one part in `folds` is held out for pruning.
    leaf : {"distribution", "laplace"}
        Class shares at leaves as counted, or with one added to every class.
    """

    criterion: Literal["information-gain", "gain-ratio"]
    textbook_gain: bool = False
    average_gain_filter: bool = False
    charge_cuts: bool = False
    threshold: Literal["midpoint", "data-value"] = "midpoint"
    threshold_slack: float = 1e-6
    min_gap: float = 0.0
    nominal: Literal["multiway", "one-vs-rest"] = "multiway"
    first_category_free: bool = False
    missing: Literal["fractional", "own-category", "error"] = "fractional"
    min_branch: float = 0.0
    min_node: float = 0.0
    adaptive_minimum: bool = False
    min_gain: float = 0.0
    max_depth: int | None = None
    tolerance: float = 1e-6
    empty_branch: Literal["parent", "none"] = "parent"
    collapse: bool = False
    prune: Literal["pessimistic", "reduced-error"] | None = None
    confidence: float = 0.25
    subtree_raising: bool = True
    folds: int = 3
    leaf: Literal["distribution", "laplace"] = "distribution"
