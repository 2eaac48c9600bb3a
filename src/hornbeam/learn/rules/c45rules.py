"""C4.5rules: the leaves of an unpruned tree as rules, simplified one by one and chosen class by class.

References
----------
J. R. Quinlan, *C4.5: Programs for Machine Learning*, Morgan Kaufmann (1993), chapter 5.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hornbeam.learn.base.parameters import one_of
from hornbeam.learn.rules.from_tree import generalize
from hornbeam.learn.rules.ground import MISSINGS
from hornbeam.learn.rules.rule_learner import RuleListClassifier
from hornbeam.learn.rules.subset import ConditionBits, in_order, shortest, without_idle
from hornbeam.learn.trees.as_tree import plain_recipe
from hornbeam.learn.trees.build import build_tree
from hornbeam.learn.trees.c45 import C45Classifier
from hornbeam.model.rules.rule import RuleList

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.learn.rules.from_tree import Generalized
    from hornbeam.learn.trees.recipe import Recipe


class C45RulesClassifier(RuleListClassifier):
    """Rules from an unpruned C4.5 tree.

    Every leaf becomes a rule. A rule loses conditions as long as the errors to expect of it do not rise; of those that
    are then the same one is kept. For every class the rules are chosen that describe its rows in the fewest bits.
    Classes whose rules are least often wrong about other rows come first, a default answers for rows that no rule
    covers, and rules that the list does without go.

    Parameters
    ----------
    confidence : float, default=0.25
        Confidence of the error limit by which conditions are dropped; smaller drops more.
    min_samples_leaf : float, default=2
        At least two branches of every split of the tree hold this much weight.
    missing : {"fails", "value"}, default="fails"
        A row without a value fails every condition on the column (and goes down all branches of the tree in pieces), or
        lacking it is one more value: a branch of a nominal column, and of a number whichever side does better.
    nominal : {"multiway", "one-vs-rest"}, default="multiway"
        A branch of the tree for every category, or one category against the rest.
    mdl : bool, default=True
        Charge numeric columns for the choice among their cuts.
    leaf : {"distribution", "laplace"}, default="distribution"
        Class shares of rules as counted, or with one added to every class.
    threshold : {"data-value", "midpoint"}, default="data-value"
        Where a cut is put: at the largest training value not above the midpoint of two values, or at the midpoint.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    costs : matrix or mapping, optional
        What it costs to answer the column's class where the row's is true, or ``{true: {predicted: cost}}``; `predict`
        then gives the class of least expected cost. The rules are the same.
    decision_threshold : float or None, default=None
        Two classes: `predict` gives the second where its share is at least this.

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
    >>> print(hornbeam.show.text(hornbeam.C45RulesClassifier().fit(hornbeam.read("iris"))))
    iris                                                 weight  wrong
    1. if petalwidth > 0.6 and petalwidth <= 1.7 and petallength <= 4.9
          then class = Iris-versicolor                       48      1
    2. if petalwidth > 1.7 then class = Iris-virginica       46      1
    3. if petallength > 4.9 then class = Iris-virginica       6      2
    otherwise class = Iris-setosa                            50
    <BLANKLINE>
    3 rules; the first rule that holds answers
    """

    def __init__(
        self,
        *,
        confidence: float = 0.25,
        min_samples_leaf: float = 2,
        missing: Literal["fails", "value"] = "fails",
        nominal: Literal["multiway", "one-vs-rest"] = "multiway",
        mdl: bool = True,
        leaf: Literal["distribution", "laplace"] = "distribution",
        threshold: Literal["data-value", "midpoint"] = "data-value",
        class_weight: object = None,
        costs: Any = None,
        decision_threshold: float | None = None,
    ) -> None:
        self.confidence = confidence
        self.min_samples_leaf = min_samples_leaf
        self.missing = missing
        self.nominal = nominal
        self.mdl = mdl
        self.leaf = leaf
        self.threshold = threshold
        self.class_weight = class_weight
        self.costs = costs
        self.decision_threshold = decision_threshold

    def recipe(self) -> Recipe:
        """The choices of the tree."""
        tree = C45Classifier(
            confidence=self.confidence,
            min_samples_leaf=self.min_samples_leaf,
            prune=None,
            nominal=self.nominal,
            mdl=self.mdl,
            leaf=self.leaf,
            threshold=self.threshold,
        )
        missing = one_of("missing", self.missing, MISSINGS)
        return replace(tree.recipe(), missing="own-category") if missing == "value" else tree.recipe()

    def _learn_rules(self, table: Table) -> RuleList:
        recipe = self.recipe()
        tree = build_tree(table, recipe).tree
        by_class: dict[int, list[Generalized]] = {}
        for rule in generalize(tree, table, recipe.confidence):
            if rule.conditions:
                by_class.setdefault(rule.label, []).append(rule)
        of_conditions = ConditionBits(table)
        chosen: dict[int, list[Generalized]] = {}
        for label, rules in by_class.items():
            bits = np.array([of_conditions.of_rule(rule.conditions) for rule in rules])
            chosen[label] = [rules[place] for place in shortest(rules, table, label, bits)]
        found, default = without_idle(in_order(chosen, table), table)
        pseudo_count = 1.0 if recipe.leaf == "laplace" else 0.0
        return RuleList(table.schema, tuple(found), default, pseudo_count=pseudo_count, recipe=plain_recipe(recipe))
