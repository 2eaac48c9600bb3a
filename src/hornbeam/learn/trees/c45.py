"""C4.5: gain-ratio trees with fractional missing values and pessimistic pruning.

References
----------
J. R. Quinlan, *C4.5: Programs for Machine Learning*, Morgan Kaufmann (1993).
J. R. Quinlan, Improved use of continuous attributes in C4.5, *JAIR* 4 (1996) 77-90 (the charge for cuts).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from hornbeam.learn.base.classifier import DecidingClassifier
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.estimator import weighing_rows
from hornbeam.learn.base.parameters import at_least, between, one_of, whole
from hornbeam.learn.trees.recipe import Recipe
from hornbeam.learn.trees.tree_learner import TreeLearner, enough_rows

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Indices
    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table
    from hornbeam.model.trees.trace import Trace


@estimator
class C45Classifier(TreeLearner, DecidingClassifier):
    """A C4.5 decision tree.

    By default trees and predictions are identical to those of WEKA's J48 3.6.14.

    Parameters
    ----------
    confidence : float
        The confidence of the error limit in pessimistic pruning; smaller values prune more.
    min_samples_leaf : float
        At least two branches of every split have this weight. (A multiway split can have further branches with less, or
        with no row at all.)
    prune : {"pessimistic", "reduced-error", "rules", None}
        How the tree is pruned: by the upper confidence limit of the training errors, by the errors on held-out rows, or
        not at all. With "rules" the leaves become rules, which lose conditions by that limit; `model_` is then a
        RuleList. (`C45RulesClassifier` also selects among them.)
    subtree_raising : bool
        Whether the largest branch of a node can replace it in pessimistic pruning.
    nominal : {"multiway", "one-vs-rest"}
        A branch for every category, or one category against the rest.
    mdl : bool
        Charge numeric columns for the choice among their cuts (minimum description length).
    collapse : bool
        Before pruning, replace every subtree that does not reduce the training errors by a leaf.
    leaf : {"distribution", "laplace"}
        Class probabilities at the leaves: as counted, or with one row added to every class.
    threshold : {"data-value", "midpoint"}
        Where to put a cut: at the largest training value not above the midpoint of two values, or at the midpoint.
    folds : int
        Reduced-error pruning holds out one part out of `folds`.
    random_state : int or None
        Seed for choosing the held-out part in reduced-error pruning.
    compat : {"weka", "weka-3.9", None}
        "weka" draws the held-out part of reduced-error pruning with WEKA's random numbers. "weka-3.9" also puts cuts as
        its later versions do, which compare a data value with the midpoint exactly (by default a value up to 1e-6 above
        it still counts as equal). With either, rows without a class count when a cut is put at a data value, and some
        limits count rows instead of weights; see `docs/compat.md`.

    Attributes
    ----------
    model_ : Tree
        With ``prune="rules"`` a RuleList.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.C45Classifier().fit(hornbeam.read("weather"))
    >>> print(hornbeam.show.text(tree, style="weka"))
    outlook = sunny
    |   humidity = high: no (3.0)
    |   humidity = normal: yes (2.0)
    outlook = overcast: yes (4.0)
    outlook = rainy
    |   windy = TRUE: no (2.0)
    |   windy = FALSE: yes (3.0)
    """

    confidence: float = 0.25
    min_samples_leaf: float = 2
    prune: Literal["pessimistic", "reduced-error", "rules"] | None = "pessimistic"
    subtree_raising: bool = True
    nominal: Literal["multiway", "one-vs-rest"] = "multiway"
    mdl: bool = True
    collapse: bool = True
    leaf: Literal["distribution", "laplace"] = "distribution"
    threshold: Literal["data-value", "midpoint"] = "data-value"
    folds: int = 3
    random_state: int | None = None
    compat: Literal["weka", "weka-3.9"] | None = None

    def recipe(self, schema: Schema | None = None) -> Recipe:  # noqa: ARG002 - the same for every table
        """The recipe for these parameters."""
        minimum = at_least("min_samples_leaf", self.min_samples_leaf, 0)
        prune = one_of("prune", self.prune, ("pessimistic", "reduced-error", "rules", None))
        folds = whole("folds", self.folds, 2)
        return Recipe(
            criterion="gain-ratio",
            average_gain_filter=True,
            charge_cuts=bool(self.mdl),
            threshold=one_of("threshold", self.threshold, ("data-value", "midpoint")),
            threshold_slack=0.0 if one_of("compat", self.compat, ("weka", "weka-3.9", None)) == "weka-3.9" else 1e-6,
            min_gap=1e-5,
            nominal=one_of("nominal", self.nominal, ("multiway", "one-vs-rest")),
            first_category_free=True,
            missing="fractional",
            min_branch=minimum,
            min_node=2 * minimum,
            adaptive_minimum=True,
            count_for_cut=self.compat is not None,
            collapse=bool(self.collapse),
            prune=prune,
            confidence=between("confidence", self.confidence, 0, 1),
            subtree_raising=bool(self.subtree_raising),
            folds=0 if prune == "rules" else folds,
            leaf=one_of("leaf", self.leaf, ("distribution", "laplace")),
        )

    def _learn_with_all(self, table: Table, given: Table) -> tuple[Any, Trace | None]:
        """WEKA looks up the values of cuts among all rows, also those without a class."""
        reference = None if self.compat is None else given.take(weighing_rows(given))
        return self._build(self.recipe(), table, reference)

    def _parts(self, table: Table, folds: int) -> tuple[Indices, Indices]:
        """Rows to grow on and rows to prune with."""
        if self.compat is None:
            return super()._parts(table, folds)
        from hornbeam.learn.compat.weka import grow_and_prune_parts  # noqa: PLC0415 - only for compat

        enough_rows(table.n_rows, folds)
        return grow_and_prune_parts(table.target_values(), folds, seed=1)
