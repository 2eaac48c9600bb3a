"""ID3: the textbook tree, grown by information gain until every leaf is pure.

References
----------
J. R. Quinlan, Induction of decision trees, *Machine Learning* 1 (1986) 81-106.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from hornbeam.learn.base.classifier import TableClassifier
from hornbeam.learn.base.estimator import unweighted
from hornbeam.learn.base.parameters import at_least, between, one_of, whole_or_none
from hornbeam.learn.trees.recipe import Recipe
from hornbeam.learn.trees.tree_learner import TreeLearner

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table


class ID3Classifier(TreeLearner, TableClassifier):
    """An ID3 decision tree: information gain, a branch for every category, no pruning afterwards.

    Numeric columns are allowed and cut in two. Rows that are alike in every column but not in class end in a leaf with
    their majority class.

    Parameters
    ----------
    missing : {"error", "own-category"}, default="error"
        Refuse rows without a value, or make missing a category of its own (nominal columns only).
    threshold : {"midpoint", "data-value"}, default="midpoint"
        Where a cut is put.
    min_gain : float, default=0.0
        The best gain must exceed this.
    significance : float or None, default=None
        The chi-square stop: only columns whose split is significant by the chi-square test (p-value at most this) may
        be chosen, and a node without one is a leaf. Usual values are 0.05 and 0.01. None: no test.
    max_depth : int or None, default=None
        Nodes at this depth are leaves.
    n_jobs : int or None, default=None
        Threads; None is one, -1 all cores. The tree does not depend on it.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    costs : matrix or mapping, optional
        What it costs to answer the column's class where the row's is true, or ``{true: {predicted: cost}}``; `predict`
        then gives the class of least expected cost. The tree is the same.
    decision_threshold : float or None, default=None
        Two classes: `predict` gives the second where its share is at least this.
    compat : {"weka", None}, default=None
        A branch that no training row takes is a leaf with its parent's majority class; with "weka" it has no class, and
        the model gives no answer there (`predict` then gives the parent's majority). With "weka", equal gains are also
        told apart by their rounding, and row weights are ignored, as that program does.
    keep_trace : bool, default=False
        Keep every candidate split in `trace_`, for the decision log.
    keep_alternatives : int, default=0
        How many runner-up splits to keep at each node.

    Attributes
    ----------
    model_ : Tree
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
    >>> tree = hornbeam.ID3Classifier().fit(hornbeam.read("weather"))
    >>> tree.model_.n_leaves, tree.model_.depth
    (5, 2)

    With the chi-square stop at 5%, no column of these fourteen rows is significant:

    >>> hornbeam.ID3Classifier(significance=0.05).fit(hornbeam.read("weather")).model_.n_leaves
    1
    """

    def __init__(
        self,
        *,
        missing: Literal["error", "own-category"] = "error",
        threshold: Literal["midpoint", "data-value"] = "midpoint",
        min_gain: float = 0.0,
        significance: float | None = None,
        max_depth: int | None = None,
        n_jobs: int | None = None,
        class_weight: object = None,
        costs: Any = None,
        decision_threshold: float | None = None,
        compat: Literal["weka"] | None = None,
        keep_trace: bool = False,
        keep_alternatives: int = 0,
    ) -> None:
        self.missing = missing
        self.threshold = threshold
        self.min_gain = min_gain
        self.significance = significance
        self.max_depth = max_depth
        self.n_jobs = n_jobs
        self.class_weight = class_weight
        self.costs = costs
        self.decision_threshold = decision_threshold
        self.compat = compat
        self.keep_trace = keep_trace
        self.keep_alternatives = keep_alternatives

    @property
    def _takes_missing(self) -> bool:  # type: ignore[override]
        return self.missing != "error"

    def _weighted(self, table: Table) -> Table:
        """The reference program takes no account of row weights."""
        return super()._weighted(table if self.compat is None else unweighted(table))

    def recipe(self, schema: Schema | None = None) -> Recipe:  # noqa: ARG002 - the same for every table
        """The choices these parameters stand for."""
        like_reference = one_of("compat", self.compat, ("weka", None)) == "weka"
        return Recipe(
            criterion="information-gain",
            textbook_gain=like_reference,
            threshold=one_of("threshold", self.threshold, ("midpoint", "data-value")),
            missing=one_of("missing", self.missing, ("error", "own-category")),
            min_gain=at_least("min_gain", self.min_gain, 0.0),
            significance=None if self.significance is None else between("significance", self.significance, 0, 1),
            max_depth=whole_or_none("max_depth", self.max_depth, 0),
            # of gains that are equal but for rounding the first column wins; the reference program compares exactly
            tolerance=0.0 if like_reference else 1e-9,
            empty_branch="none" if like_reference else "parent",
        )
