"""The open recipe for classes: every part of a decision tree can be exchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.data.schema import Nominal
from hornbeam.learn.base.classifier import TableClassifier
from hornbeam.learn.base.parameters import at_least, between, one_of, whole
from hornbeam.learn.trees.prune.by_threshold import DEFAULT_CONFIDENCE as CHANCE_CONFIDENCE
from hornbeam.learn.trees.prune.estimates import DEFAULT_CONFIDENCE as LIMIT_CONFIDENCE
from hornbeam.learn.trees.tree_learner import TreeLearner
from hornbeam.learn.trees.tree_recipe import open_recipe
from hornbeam.learn.trees.valid import CLASS_LEAVES, CLASS_PRUNE
from hornbeam.model.trees.criterion import CLASS_CRITERIA

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hornbeam.data.schema import Schema
    from hornbeam.learn.trees.recipe import Recipe

MOST_EXHAUSTIVE = 20  # categories: half a million subsets a node


class TreeClassifier(TreeLearner, TableClassifier):
    """A decision tree by an open recipe.

    Parameters
    ----------
    criterion : {"gini", "information-gain", "gain-ratio", "misclassification", "chi-square"}, default="gini"
        What candidate splits are ranked by: the fall of the Gini index, of the entropy, that for every bit of the
        split's own information, the fall of the errors (or of the mean cost, with `costs`), or the p-value of the
        chi-square test.
    numeric : {"one-cut", "multi-cut", "discretized"}, default="one-cut"
        Cut a numeric column once, several times, or only at the edges of intervals made before growing.
    max_cuts : int, default=3
        Multi-cut: at most so many cuts a split.
    cuts_by : {"optimal", "greedy"}, default="optimal"
        Multi-cut: the best set of cuts, or one best cut after another.
    boundary_points : bool, default=False
        Cut only between values that are not both of one and the same class.
    discretize : {"mdl", "chi-merge", "equal-width", "equal-frequency"}, default="mdl"
        Discretized: how intervals are made.
    bins : int, default=10
        Discretized: how many intervals, for the methods that ask for a number.
    combinations : bool, default=False
        Also try cuts of linear combinations of numeric columns.
    nominal : {"subset", "multiway", "one-vs-rest", "grouped"}, default="subset"
        A set of categories against the others, a branch for every category, one category against the rest, or branches
        of categories that do not differ significantly.
    exhaustive_up_to : int, default=10
        Subset: with more than two classes, all subsets are tried for no more categories than this; beyond, categories
        are ordered by the first principal component of their class shares.
    merge_significance : float, default=0.05
        Grouped: categories are merged while the p-value of their difference is above this.
    missing : str, default="default-direction"
        What becomes of rows without a value: "default-direction" (the branch where they do best), "fractional" (every
        branch, in pieces), "surrogate" (another column stands in), "majority" (the heaviest branch), "own-category",
        "impute" (the training mean or mode), "error".
    max_surrogates : int, default=5
        Surrogate: how many to keep at a node.
    min_samples_leaf : float, default=1
        At least two branches of every split hold this much weight (of a two-way split: both).
    min_samples_split : float, default=2
        Nodes with less weight are leaves.
    max_depth : int or None, default=None
        Nodes at this depth are leaves.
    max_leaf_nodes : int or None, default=None
        Best first: the leaf whose split gains most is split next, until there are so many.
    min_gain : float, default=0.0
        The best score must exceed this; below zero, splits that gain nothing are made too.
    min_gain_share : float, default=0.0
        The best split must take away at least this share of the root's impurity.
    min_impurity : float, default=0.0
        Nodes whose impurity is not above this are leaves.
    significance : float or None, default=None
        Only columns whose best split is significant by the chi-square test (p-value not above this) may be chosen.
    monotone : mapping or sequence, optional
        By column name (or one entry a feature): 1, the share of the second class may only rise with it; -1, only fall.
        For two classes.
    interactions : sequence of sequences of str, optional
        Groups of columns that may occur together on a path.
    prune : str or None, default=None
        How the grown tree is cut back: "pessimistic" (by the upper limit of the errors), "reduced-error" (by errors on
        held-out rows), "cost-complexity" (errors against leaves), "chi-square" (splits that may be chance go),
        "critical-value" (splits of a low score go), "minimum-error" (by the m-estimate of the errors),
        "description-length" (by bits), "rules" (the leaves become rules, which lose conditions as long as they are
        expected to err no more; `model_` is then a RuleList), or not at all. See `hornbeam.prune`.
    confidence : float or None, default=None
        Pessimistic pruning, and rules: of the limit, smaller prunes more (None: 0.25). Chi-square pruning: that a split
        is not chance, greater prunes more (None: 0.95).
    subtree_raising : bool, default=True
        Pessimistic pruning: whether a branch may take its parent's place.
    prune_threshold : float or None, default=None
        Critical-value pruning: the score that a split must reach. Chi-square pruning: the statistic that it must reach,
        in place of `confidence`.
    folds : int or None, default=None
        Cost-complexity pruning: folds of its cross-validation (None: 10). Reduced-error pruning: one part in so many is
        held out (None: 3). Rules: the same, and they are judged and counted by that part (None: nothing is held out,
        and the limit of their errors decides).
    cp : float, default=0.0
        Cost-complexity pruning: what a split must save at least, as a share of the root's error.
    choose : {"1-se", "least", "cp"}, default="1-se"
        Cost-complexity pruning: the smallest tree within one standard error of the least cross-validated error, the
        tree with the least, or by `cp` alone.
    leaf : {"distribution", "laplace", "m-estimate"}, default="distribution"
        Class shares at leaves as counted, with one added to every class, or with `m` rows spread as the classes are.
    m : float, default=2.0
        The weight of the m-estimate: of leaves, and of minimum-error pruning.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    costs : matrix or mapping, optional
        What it costs to answer the column's class where the row's is true, or ``{true: {predicted: cost}}``. Labels and
        predictions are those of least expected cost, and "misclassification" becomes the least mean cost.
    decision_threshold : float or None, default=None
        Two classes: the second is predicted where its share is at least this.
    n_jobs : int or None, default=None
        Threads; None is one, -1 all cores. The tree does not depend on it.
    random_state : int or None, default=None
        Seed of what is held out in pruning.
    keep_trace : bool, default=False
        Keep every candidate split and pruning step in `trace_`, for the decision log.
    keep_alternatives : int, default=0
        How many runner-up splits to keep at each node.

    Attributes
    ----------
    model_ : Tree
        With ``prune="rules"`` a RuleList.
    trace_ : Trace or None
    schema_ : Schema
    classes_ : array
    feature_importances_ : array
    n_features_in_ : int
    feature_names_in_ : array
        Only where the features had names.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.TreeClassifier(criterion="gini", max_depth=2).fit(hornbeam.read("iris"))
    >>> tree.model_.n_leaves
    3
    """

    def __init__(
        self,
        *,
        criterion: str = "gini",
        numeric: str = "one-cut",
        max_cuts: int = 3,
        cuts_by: str = "optimal",
        boundary_points: bool = False,
        discretize: str = "mdl",
        bins: int = 10,
        combinations: bool = False,
        nominal: str = "subset",
        exhaustive_up_to: int = 10,
        merge_significance: float = 0.05,
        missing: str = "default-direction",
        max_surrogates: int = 5,
        min_samples_leaf: float = 1,
        min_samples_split: float = 2,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_gain: float = 0.0,
        min_gain_share: float = 0.0,
        min_impurity: float = 0.0,
        significance: float | None = None,
        monotone: Mapping[str, int] | Sequence[int] | None = None,
        interactions: Sequence[Sequence[str]] | None = None,
        prune: str | None = None,
        confidence: float | None = None,
        subtree_raising: bool = True,
        prune_threshold: float | None = None,
        folds: int | None = None,
        cp: float = 0.0,
        choose: str = "1-se",
        leaf: str = "distribution",
        m: float = 2.0,
        class_weight: object = None,
        costs: Any = None,
        decision_threshold: float | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
        keep_trace: bool = False,
        keep_alternatives: int = 0,
    ) -> None:
        self.criterion = criterion
        self.numeric = numeric
        self.max_cuts = max_cuts
        self.cuts_by = cuts_by
        self.boundary_points = boundary_points
        self.discretize = discretize
        self.bins = bins
        self.combinations = combinations
        self.nominal = nominal
        self.exhaustive_up_to = exhaustive_up_to
        self.merge_significance = merge_significance
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.min_samples_leaf = min_samples_leaf
        self.min_samples_split = min_samples_split
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_gain = min_gain
        self.min_gain_share = min_gain_share
        self.min_impurity = min_impurity
        self.significance = significance
        self.monotone = monotone
        self.interactions = interactions
        self.prune = prune
        self.confidence = confidence
        self.subtree_raising = subtree_raising
        self.prune_threshold = prune_threshold
        self.folds = folds
        self.cp = cp
        self.choose = choose
        self.leaf = leaf
        self.m = m
        self.class_weight = class_weight
        self.costs = costs
        self.decision_threshold = decision_threshold
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.keep_trace = keep_trace
        self.keep_alternatives = keep_alternatives

    @property
    def _takes_missing(self) -> bool:  # type: ignore[override]
        return self.missing != "error"

    def recipe(self, schema: Schema | None = None) -> Recipe:
        """The choices these parameters stand for; column names and classes are looked up in the schema."""
        costs = None
        if schema is not None and isinstance(schema.target_column, Nominal):
            costs = self._costs()
        exhaustive = whole("exhaustive_up_to", self.exhaustive_up_to, 1)
        if exhaustive > MOST_EXHAUSTIVE:
            reason = "every category more doubles the work"
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
