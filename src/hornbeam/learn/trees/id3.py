"""ID3: the textbook tree, grown by information gain until every leaf is pure.

References
----------
J. R. Quinlan, Induction of decision trees, *Machine Learning* 1 (1986) 81-106.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from hornbeam.learn.base.classifier import DecidingClassifier
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import at_least, between, one_of, whole_or_none
from hornbeam.learn.compat.weka import IgnoresWeights
from hornbeam.learn.trees.recipe import Recipe
from hornbeam.learn.trees.tree_learner import TreeLearner

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema


@estimator
class ID3Classifier(IgnoresWeights, TreeLearner, DecidingClassifier):
    """An ID3 decision tree: information gain, a branch for every category, no pruning.

    Numeric columns are allowed and cut in two. Rows with the same value in every column but different classes end in a
    leaf with their majority class.

    Parameters
    ----------
    missing : {"error", "own-category"}
        Refuse rows without a value, or treat missing as a category of its own (nominal columns only).
    threshold : {"midpoint", "data-value"}
        Where to put a cut: half-way between two values, or at the largest training value not above that.
    min_gain : float
        The best gain must exceed this.
    significance : float or None
        Only columns whose split is significant by the chi-square test (p-value at most this) can be chosen; a node
        without such a column is a leaf. Usual values are 0.05 and 0.01. None: no test.
    compat : {"weka", None}
        By default, a branch without training rows is a leaf with the majority class of its parent. With "weka" it has
        no class, and the model predicts none (`predict` then returns the majority class of the parent). With "weka",
        ties between gains are also decided by rounding, and row weights are ignored, as in WEKA.

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

    missing: Literal["error", "own-category"] = "error"
    threshold: Literal["midpoint", "data-value"] = "midpoint"
    min_gain: float = 0.0
    significance: float | None = None
    max_depth: int | None = None
    compat: Literal["weka"] | None = None

    @property
    def _takes_missing(self) -> bool:  # type: ignore[override]
        return self.missing != "error"

    def recipe(self, schema: Schema | None = None) -> Recipe:  # noqa: ARG002 - the same for every table
        """The recipe for these parameters."""
        like_weka = one_of("compat", self.compat, ("weka", None)) == "weka"
        return Recipe(
            criterion="information-gain",
            textbook_gain=like_weka,
            threshold=one_of("threshold", self.threshold, ("midpoint", "data-value")),
            missing=one_of("missing", self.missing, ("error", "own-category")),
            min_gain=at_least("min_gain", self.min_gain, 0.0),
            significance=None if self.significance is None else between("significance", self.significance, 0, 1),
            max_depth=whole_or_none("max_depth", self.max_depth, 0),
            # of gains that only differ by rounding, the first column wins; WEKA compares exactly
            tolerance=0.0 if like_weka else 1e-9,
            empty_branch="none" if like_weka else "parent",
        )
