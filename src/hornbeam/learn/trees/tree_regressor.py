"""The open recipe for numbers: every part of a regression tree can be exchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import one_of
from hornbeam.learn.base.regressor import TableRegressor
from hornbeam.learn.trees.tree_recipe import OpenTree, open_recipe
from hornbeam.learn.trees.valid import NUMBER_LEAVES, NUMBER_PRUNE
from hornbeam.model.trees.criterion import NUMBER_CRITERIA

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema
    from hornbeam.learn.trees.recipe import Recipe


@estimator
class TreeRegressor(OpenTree, TableRegressor):
    """A regression tree, each part of which can be chosen.

    Parameters
    ----------
    criterion : {"variance", "sd-reduction", "absolute-error"}
        How candidate splits are ranked: by the decrease of the squared error around the mean, of the standard
        deviation, or of the absolute error around the median.
    discretize : {"equal-frequency", "equal-width"}
        With ``numeric="discretized"``: how the intervals are made.
    nominal : {"subset", "multiway", "one-vs-rest"}
        How to split by categories: a set of categories against the others, a branch for every category, or one category
        against the rest.
    monotonic_cst : mapping or sequence, optional
        By column name (or one entry per feature): 1 if the prediction may only rise with the column, -1 if it may only
        fall.
    prune : {"reduced-error", "cost-complexity", "critical-value", "complexity-factor", None}
        How the grown tree is pruned: by the errors on held-out rows, by errors against number of leaves, by the scores
        of the splits, or by errors times (n + v) / (n - v). See `hornbeam.prune`.
    prune_threshold : float or None
        For critical-value pruning: the score that a split must reach.
    folds : int or None
        For cost-complexity pruning, the number of folds of its cross-validation (None: 10). For reduced-error pruning,
        one part out of `folds` is held out (None: 3).
    leaf : {"mean", "median", "linear", None}
        What a leaf predicts. "linear" is an equation learned from the rows of the leaf, or their mean if they are too
        few. None: the median for the criterion "absolute-error", otherwise the mean.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.TreeRegressor(max_depth=1).fit(hornbeam.read("cpu"))
    >>> tree.model_.n_leaves
    2
    """

    criterion: str = "variance"
    discretize: str = "equal-frequency"
    leaf: str | None = None

    def recipe(self, schema: Schema | None = None) -> Recipe:
        """The choices these parameters stand for; column names are looked up in the schema."""
        criterion = one_of("criterion", self.criterion, NUMBER_CRITERIA)
        leaf = one_of("leaf", self.leaf, (*NUMBER_LEAVES, None))
        if leaf is None:
            leaf = "median" if criterion == "absolute-error" else "mean"
        return open_recipe(
            self,
            schema,
            criterion=criterion,
            prune=one_of("prune", self.prune, (*NUMBER_PRUNE, None)),
            leaf=leaf,
        )
