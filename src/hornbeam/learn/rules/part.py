"""PART: a decision list whose rules are the heaviest leaves of partial C4.5 trees.

References
----------
E. Frank and I. H. Witten, Generating accurate rule sets without global optimization, *Proceedings of the Fifteenth
International Conference on Machine Learning* (1998) 144-151.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from hornbeam.learn.base.parameters import one_of
from hornbeam.learn.rules.partial import learn_partial
from hornbeam.learn.rules.rule_learner import RuleListClassifier
from hornbeam.learn.trees.c45 import C45Classifier

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.learn.trees.recipe import Recipe
    from hornbeam.model.rules.rule import RuleList


MISSINGS = ("fractional", "value")


class PartClassifier(RuleListClassifier):
    """A decision list of rules from partial trees.

    A tree is grown on the rows left only as far as it takes to find a leaf that will not be pruned away; the leaf that
    covers most becomes a rule, the rows that it covers are taken away, and so on until none is left. A row without a
    value is covered in part, and left in part to the rules that follow; or lacking it is one more value.

    Parameters
    ----------
    confidence : float, default=0.25
        Confidence of the error limit by which partial trees are pruned; smaller prunes more.
    min_samples_leaf : float, default=2
        At least two branches of every split hold this much weight, and so does every rule.
    prune : {"pessimistic", None}, default="pessimistic"
        Whether a node whose branches are all leaves becomes one where that is expected to err no more.
    nominal : {"multiway", "one-vs-rest"}, default="multiway"
        A branch for every category, or one category against the rest.
    mdl : bool, default=True
        Charge numeric columns for the choice among their cuts.
    leaf : {"distribution", "laplace"}, default="distribution"
        Class shares of rules as counted, or with one added to every class.
    threshold : {"data-value", "midpoint"}, default="data-value"
        Where a cut is put: at the largest training value not above the midpoint of two values, or at the midpoint.
    missing : {"fractional", "value"}, default="fractional"
        A row without a value takes every branch in part, or lacking it is one more value: a branch of a nominal column,
        and of a number whichever side of a cut does better, or a branch by itself.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    costs : matrix or mapping, optional
        What it costs to answer the column's class where the row's is true, or ``{true: {predicted: cost}}``; `predict`
        then gives the class of least expected cost. The rules are the same.
    decision_threshold : float or None, default=None
        Two classes: `predict` gives the second where its share is at least this.
    compat : {"weka", "weka-3.9", None}, default=None
        By default the conditions of a rule on one column are merged into one; with "weka" they stay as they were found,
        as that program prints them. "weka-3.9" also puts cuts as its later versions do. Predictions are the same
        unless rows have weights: some limits then count rows, whatever these weigh.

    Attributes
    ----------
    model_ : RuleList
    schema_ : Schema
    classes_ : array
    n_features_in_ : int
    feature_names_in_ : array
        Only where the features had names.

    Examples
    --------
    >>> import hornbeam
    >>> print(hornbeam.show.text(hornbeam.PartClassifier().fit(hornbeam.read("weather"))))
    weather.nominal                           weight  wrong
    1. if outlook = overcast then play = yes       4
    2. if humidity = high then play = no           5      1
    otherwise play = yes                           5      1
    <BLANKLINE>
    2 rules; each rule takes its part of what the rules before it have left
    """

    def __init__(
        self,
        *,
        confidence: float = 0.25,
        min_samples_leaf: float = 2,
        prune: Literal["pessimistic"] | None = "pessimistic",
        nominal: Literal["multiway", "one-vs-rest"] = "multiway",
        mdl: bool = True,
        leaf: Literal["distribution", "laplace"] = "distribution",
        threshold: Literal["data-value", "midpoint"] = "data-value",
        missing: Literal["fractional", "value"] = "fractional",
        class_weight: object = None,
        costs: Any = None,
        decision_threshold: float | None = None,
        compat: Literal["weka", "weka-3.9"] | None = None,
    ) -> None:
        self.confidence = confidence
        self.min_samples_leaf = min_samples_leaf
        self.prune = prune
        self.nominal = nominal
        self.mdl = mdl
        self.leaf = leaf
        self.threshold = threshold
        self.missing = missing
        self.class_weight = class_weight
        self.costs = costs
        self.decision_threshold = decision_threshold
        self.compat = compat

    def recipe(self) -> Recipe:
        """The choices these parameters stand for."""
        tree = C45Classifier(
            confidence=self.confidence,
            min_samples_leaf=self.min_samples_leaf,
            prune=one_of("prune", self.prune, ("pessimistic", None)),
            subtree_raising=False,
            nominal=self.nominal,
            mdl=self.mdl,
            collapse=False,
            leaf=self.leaf,
            threshold=self.threshold,
            compat=self.compat,
        )
        return tree.recipe()

    def _learn_rules(self, table: Table) -> RuleList:
        own_missing = one_of("missing", self.missing, MISSINGS) == "value"
        if own_missing and self.compat is not None:
            msg = f"missing is 'value'; compat={self.compat!r} takes rows in pieces: expected 'fractional'"
            raise ValueError(msg)
        return learn_partial(
            table,
            self.recipe(),
            merge=self.compat is None,
            notes={"layout": "decision-list", **({"missing": self.missing} if own_missing else {})},
            own_missing=own_missing,
        )
