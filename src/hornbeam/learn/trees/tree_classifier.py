"""The open recipe for classes: every part of a decision tree can be exchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.data.schema import Nominal
from hornbeam.learn.base.classifier import DecidingClassifier
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import at_least, between, one_of, whole
from hornbeam.learn.trees.prune.by_threshold import DEFAULT_CONFIDENCE as CHANCE_CONFIDENCE
from hornbeam.learn.trees.prune.estimates import DEFAULT_CONFIDENCE as LIMIT_CONFIDENCE
from hornbeam.learn.trees.tree_recipe import OpenTree, open_recipe
from hornbeam.learn.trees.valid import CLASS_LEAVES, CLASS_PRUNE
from hornbeam.model.trees.criterion import CLASS_CRITERIA

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema
    from hornbeam.learn.trees.recipe import Recipe

MOST_EXHAUSTIVE = 20  # categories: half a million subsets per node


@estimator
class TreeClassifier(OpenTree, DecidingClassifier):
    """A decision tree, each part of which can be chosen.

    Parameters
    ----------
    criterion : {"gini", "information-gain", "gain-ratio", "misclassification", "chi-square"}
        How candidate splits are ranked: by the decrease of the Gini index, by the decrease of the entropy, by that
        divided by the information of the split itself, by the decrease of the errors (or of the mean cost, with
        `costs`), or by the p-value of the chi-square test.
    boundary_points : bool
        Only cut between two values if their rows are not all of one class.
    discretize : {"mdl", "chi-merge", "equal-width", "equal-frequency"}
        With ``numeric="discretized"``: how the intervals are made.
    nominal : {"subset", "multiway", "one-vs-rest", "grouped"}
        How to split by categories: a set of categories against the others, a branch for every category, one category
        against the rest, or a branch for every group of categories that do not differ significantly.
    exhaustive_up_to : int
        With ``nominal="subset"`` and more than two classes: try all subsets of at most this many categories. More
        categories are ordered by the first principal component of their class probabilities.
    merge_significance : float
        With ``nominal="grouped"``: merge categories while the p-value of their difference is above this.
    significance : float or None
        Only columns whose best split is significant by the chi-square test (p-value at most this) can be chosen.
    monotonic_cst : mapping or sequence, optional
        For two classes. By column name (or one entry per feature): 1 if the probability of the second class may only
        rise with the column, -1 if it may only fall.
    prune : str or None
        How the grown tree is pruned: "pessimistic" (by the upper confidence limit of the errors), "reduced-error" (by
        the errors on held-out rows), "cost-complexity" (errors against number of leaves), "chi-square" (remove splits
        that may be due to chance), "critical-value" (remove splits with a low score), "minimum-error" (by the
        m-estimate of the errors), "description-length" (by the bits needed to encode the tree and its errors), "rules"
        (the leaves become rules, which lose conditions as long as the expected errors do not rise; `model_` is then a
        RuleList), or None. See `hornbeam.prune`.
    confidence : float or None
        For pessimistic pruning and rules, the confidence of the error limit: smaller values prune more (None: 0.25).
        For chi-square pruning, one minus the greatest p-value of a split that stays: greater values prune more (None:
        0.95).
    subtree_raising : bool
        For pessimistic pruning: whether the largest branch of a node can replace it.
    prune_threshold : float or None
        For critical-value pruning, the score that a split must reach. For chi-square pruning, the statistic that it
        must reach, instead of `confidence`.
    folds : int or None
        For cost-complexity pruning, the number of folds of its cross-validation (None: 10). For reduced-error pruning,
        one part out of `folds` is held out (None: 3). The same for rules, which are then evaluated on the held-out part
        (None: nothing is held out, and rules are evaluated by the limit of their errors).
    leaf : {"distribution", "laplace", "m-estimate"}
        Class probabilities at the leaves: as counted, with one row added to every class, or with `m` rows added in the
        proportions of the classes.
    m : float
        The weight of the m-estimate, for leaves and for minimum-error pruning.
    costs : matrix or mapping, optional
        The cost of predicting the class of the column when the class of the row is true, or ``{true: {predicted:
        cost}}``. Labels and predictions are the classes of least expected cost, and the criterion "misclassification"
        becomes the least mean cost.

    Attributes
    ----------
    model_ : Tree
        With ``prune="rules"`` a RuleList.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.TreeClassifier(criterion="gini", max_depth=2).fit(hornbeam.read("iris"))
    >>> tree.model_.n_leaves
    3
    """

    criterion: str = "gini"
    boundary_points: bool = False
    discretize: str = "mdl"
    exhaustive_up_to: int = 10
    merge_significance: float = 0.05
    significance: float | None = None
    confidence: float | None = None
    subtree_raising: bool = True
    leaf: str = "distribution"
    m: float = 2.0

    def recipe(self, schema: Schema | None = None) -> Recipe:
        """The choices these parameters stand for; column names and classes are looked up in the schema."""
        costs = None
        if schema is not None and isinstance(schema.target_column, Nominal):
            costs = self._costs()
        exhaustive = whole("exhaustive_up_to", self.exhaustive_up_to, 1)
        if exhaustive > MOST_EXHAUSTIVE:
            reason = "each additional category doubles the work"
            msg = f"exhaustive_up_to is {exhaustive}; expected at most {MOST_EXHAUSTIVE}: {reason}"
            raise ValueError(msg)
        prune = one_of("prune", self.prune, (*CLASS_PRUNE, None))
        confidence = self.confidence
        if confidence is None:
            confidence = CHANCE_CONFIDENCE if prune == "chi-square" else LIMIT_CONFIDENCE
        return open_recipe(
            self,
            schema,
            criterion=one_of("criterion", self.criterion, CLASS_CRITERIA),
            loss=None if costs is None else tuple(tuple(map(float, row)) for row in costs),
            boundary_points=bool(self.boundary_points),
            exhaustive_up_to=exhaustive,
            merge_significance=between("merge_significance", self.merge_significance, 0, 1),
            significance=None if self.significance is None else between("significance", self.significance, 0, 1),
            prune=prune,
            confidence=between("confidence", confidence, 0, 1),
            subtree_raising=bool(self.subtree_raising),
            leaf=one_of("leaf", self.leaf, CLASS_LEAVES),
            m=at_least("m", self.m, 0),
        )
