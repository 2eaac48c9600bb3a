"""The open recipe for numbers: every part of a regression tree can be exchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.learn.base.parameters import one_of
from hornbeam.learn.base.regressor import TableRegressor
from hornbeam.learn.trees.tree_learner import TreeLearner
from hornbeam.learn.trees.tree_recipe import open_recipe
from hornbeam.learn.trees.valid import NUMBER_LEAVES, NUMBER_PRUNE
from hornbeam.model.trees.criterion import NUMBER_CRITERIA

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hornbeam.data.schema import Schema
    from hornbeam.learn.trees.recipe import Recipe


class TreeRegressor(TreeLearner, TableRegressor):
    """A regression tree by an open recipe.

    Parameters
    ----------
    criterion : {"variance", "sd-reduction", "absolute-error"}, default="variance"
        What candidate splits are ranked by: the fall of the squared error about the mean, of the standard deviation, or
        of the absolute error about the median.
    numeric : {"one-cut", "multi-cut", "discretized"}, default="one-cut"
        Cut a numeric column once, several times, or only at the edges of intervals made before growing.
    max_cuts : int, default=3
        Multi-cut: at most so many cuts a split.
    cuts_by : {"optimal", "greedy"}, default="optimal"
        Multi-cut: the best set of cuts, or one best cut after another.
    discretize : {"equal-frequency", "equal-width"}, default="equal-frequency"
        Discretized: how intervals are made.
    bins : int, default=10
        Discretized: how many intervals.
    combinations : bool, default=False
        Also try cuts of linear combinations of numeric columns.
    nominal : {"subset", "multiway", "one-vs-rest"}, default="subset"
        A set of categories against the others, a branch for every category, or one category against the rest.
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
    monotone : mapping or sequence, optional
        By column name (or one entry a feature): 1, the answer may only rise with it; -1, only fall.
    interactions : sequence of sequences of str, optional
        Groups of columns that may occur together on a path.
    prune : {"reduced-error", "cost-complexity", "critical-value", "complexity-factor", None}, default=None
        How the grown tree is cut back: by errors on held-out rows, by errors against leaves, by the splits' scores, by
        errors times (n + v) / (n - v). See `hornbeam.prune`.
    prune_threshold : float or None, default=None
        Critical-value pruning: the score that a split must reach.
    folds : int or None, default=None
        Cost-complexity pruning: folds of its cross-validation (None: 10). Reduced-error pruning: one part in so many is
        held out (None: 3).
    cp : float, default=0.0
        Cost-complexity pruning: what a split must save at least, as a share of the root's error.
    choose : {"1-se", "least", "cp"}, default="1-se"
        Cost-complexity pruning: the smallest tree within one standard error of the least cross-validated error, the
        tree with the least, or by `cp` alone.
    leaf : {"mean", "median", "linear", None}, default=None
        What a leaf answers; None: what the criterion is about, the median for "absolute-error" and else the mean.
        "linear": an equation learned from the leaf's rows; their mean where they are too few.
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
    trace_ : Trace or None
    schema_ : Schema
    feature_importances_ : array
    n_features_in_ : int
    feature_names_in_ : array
        Only where the features had names.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.TreeRegressor(max_depth=1).fit(hornbeam.read("cpu"))
    >>> tree.model_.n_leaves
    2
    """

    def __init__(
        self,
        *,
        criterion: str = "variance",
        numeric: str = "one-cut",
        max_cuts: int = 3,
        cuts_by: str = "optimal",
        discretize: str = "equal-frequency",
        bins: int = 10,
        combinations: bool = False,
        nominal: str = "subset",
        missing: str = "default-direction",
        max_surrogates: int = 5,
        min_samples_leaf: float = 1,
        min_samples_split: float = 2,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_gain: float = 0.0,
        min_gain_share: float = 0.0,
        min_impurity: float = 0.0,
        monotone: Mapping[str, int] | Sequence[int] | None = None,
        interactions: Sequence[Sequence[str]] | None = None,
        prune: str | None = None,
        prune_threshold: float | None = None,
        folds: int | None = None,
        cp: float = 0.0,
        choose: str = "1-se",
        leaf: str | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
        keep_trace: bool = False,
        keep_alternatives: int = 0,
    ) -> None:
        self.criterion = criterion
        self.numeric = numeric
        self.max_cuts = max_cuts
        self.cuts_by = cuts_by
        self.discretize = discretize
        self.bins = bins
        self.combinations = combinations
        self.nominal = nominal
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.min_samples_leaf = min_samples_leaf
        self.min_samples_split = min_samples_split
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_gain = min_gain
        self.min_gain_share = min_gain_share
        self.min_impurity = min_impurity
        self.monotone = monotone
        self.interactions = interactions
        self.prune = prune
        self.prune_threshold = prune_threshold
        self.folds = folds
        self.cp = cp
        self.choose = choose
        self.leaf = leaf
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.keep_trace = keep_trace
        self.keep_alternatives = keep_alternatives

    @property
    def _takes_missing(self) -> bool:  # type: ignore[override]
        return self.missing != "error"

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
