"""PRISM: perfect rules, class by class.

References
----------
J. Cendrowska, PRISM: an algorithm for inducing modular rules, *International Journal of Man-Machine Studies* 27 (1987)
349-370.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hornbeam.learn.base.estimator import unweighted
from hornbeam.learn.base.parameters import one_of, share, whole
from hornbeam.learn.rules.grower import COVERING_MEASURES, MISSINGS, NOMINALS, Covering, Measure, Missing, NominalTests
from hornbeam.learn.rules.rule_learner import RuleListClassifier, class_weights, default_rule, rule_of
from hornbeam.model.base.condition import simplify
from hornbeam.model.rules.exceptions import measured
from hornbeam.model.rules.rule import Rule, RuleList

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sklearn.utils import Tags

    from hornbeam.data.table import Table

    Mask = NDArray[np.bool_]


class PrismClassifier(RuleListClassifier):
    """Rules that are perfect on the training rows, or have nothing left to ask, found class by class.

    For every class in turn, starting from all rows: a rule gets the condition with the greatest share p/t of the class
    among the rows covered, again and again, until it covers no other class; the rows that it covers are set aside; and
    so on until no row of the class is left. Of equal conditions the one that covers more is taken, then the first.

    Parameters
    ----------
    measure : {"share", "gain"}, default="share"
        What conditions are ranked by: p/t, or the information gain p (log p/t - log P/T).
    order : {"given", "smallest-first"}, default="given"
        A set of rules for each class, in the order of the classes, each from all rows; or one list from the smallest
        class to the largest, which is left to the default, each class from the rows that earlier rules have left.
    decide : {"first", "vote"}, default="first"
        Where several rules hold: the first answers, or their class weights are averaged.
    min_accuracy : float, default=0.0
        No more rules for a class once the next one would have a smaller share of right answers.
    nominal : {"value", "set"}, default="value"
        A condition asks for one category, or for one of several.
    missing : {"fails", "value"}, default="fails"
        A missing value fails every condition, or is one more value.
    beam_width : int, default=1
        How many rules are grown side by side, each by its best conditions; 1 adds the best condition each time.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    costs : matrix or mapping, optional
        What it costs to answer the column's class where the row's is true, or ``{true: {predicted: cost}}``; `predict`
        then gives the class of least expected cost. The rules are the same.
    decision_threshold : float or None, default=None
        Two classes: `predict` gives the second where its share is at least this.
    compat : {"weka", None}, default=None
        Where no rule holds, the most frequent class among the training rows that no rule covers answers (if there are
        none, among all), and rules that are mostly wrong, because nothing is left to ask, are left out. With "weka" the
        model gives no answer where no rule holds, keeps such rules, and also adds conditions that exclude no row, as
        long as a column is left. Row weights are then ignored.

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
    >>> print(hornbeam.show.text(hornbeam.PrismClassifier().fit(hornbeam.read("weather"))))
    weather.nominal                                                 weight  wrong
    1. if outlook = overcast then play = yes                             4
    2. if humidity = normal and windy = FALSE then play = yes            3
    3. if temperature = mild and humidity = normal then play = yes       1
    4. if outlook = rainy and windy = FALSE then play = yes              1
    5. if outlook = sunny and humidity = high then play = no             3
    6. if outlook = rainy and windy = TRUE then play = no                2
    otherwise play = yes                                                 0
    <BLANKLINE>
    6 rules; the first rule that holds answers
    """

    def __init__(
        self,
        *,
        measure: Measure = "share",
        order: Literal["given", "smallest-first"] = "given",
        decide: Literal["first", "vote"] = "first",
        min_accuracy: float = 0.0,
        nominal: NominalTests = "value",
        missing: Missing = "fails",
        beam_width: int = 1,
        class_weight: object = None,
        costs: Any = None,
        decision_threshold: float | None = None,
        compat: Literal["weka"] | None = None,
    ) -> None:
        self.measure = measure
        self.order = order
        self.decide = decide
        self.min_accuracy = min_accuracy
        self.nominal = nominal
        self.missing = missing
        self.beam_width = beam_width
        self.class_weight = class_weight
        self.costs = costs
        self.decision_threshold = decision_threshold
        self.compat = compat

    _counts_weights = False

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # perfect rules follow every row
        return tags

    def _weighted(self, table: Table) -> Table:
        """The reference program takes no account of row weights."""
        return super()._weighted(table if self.compat is None else unweighted(table))

    def _learn_rules(self, table: Table) -> RuleList:
        least = share("min_accuracy", self.min_accuracy)
        by_size = one_of("order", self.order, ("given", "smallest-first")) == "smallest-first"
        decide = one_of("decide", self.decide, ("first", "vote"))
        like_reference = one_of("compat", self.compat, ("weka", None)) == "weka"
        if like_reference and self.beam_width != 1:
            msg = f"beam_width is {self.beam_width!r}; compat='weka' adds the best condition each time: expected 1"
            raise ValueError(msg)
        covering = Covering(
            table,
            measure=one_of("measure", self.measure, COVERING_MEASURES),
            missing=one_of("missing", self.missing, MISSINGS),
            nominal=one_of("nominal", self.nominal, NOMINALS),
            idle=like_reference,
            beam_width=whole("beam_width", self.beam_width, 1),
        )
        overall = class_weights(table)
        labels = np.flatnonzero(overall)
        if by_size:
            labels = labels[np.argsort(overall[labels], kind="stable")][:-1]
        rules: list[Rule] = []
        uncovered = np.ones(table.n_rows, np.bool_)
        for label in labels.tolist():
            covering.engine.restore()
            if by_size:
                covering.engine.remove(np.flatnonzero(~uncovered))
            found, covered = rules_for(covering, label, least, leading=not like_reference)
            rules += found
            uncovered &= ~covered
        default = None if like_reference else default_rule(table, uncovered)
        learned = RuleList(table.schema, tuple(rules), default, decide, recipe={"layout": "if-then"})
        return as_they_decide(learned, table) if decide == "first" else learned


def as_they_decide(rules: RuleList, table: Table) -> RuleList:
    """The rules with the weight and the errors of the rows that each decides: rules of two classes may cover a row."""
    counted = measured(rules, table)

    def told(rule: Rule, by: Rule) -> Rule:
        return replace(rule, coverage=by.coverage, errors=by.errors)

    default = None if rules.default is None or counted.default is None else told(rules.default, counted.default)
    return replace(rules, rules=tuple(map(told, rules.rules, counted.rules)), default=default)


def rules_for(covering: Covering, label: int, least: float, *, leading: bool) -> tuple[list[Rule], Mask]:
    """Rules for a class until no row of it is left, or the next one is not accurate enough; and the rows covered.

    Rows that nothing tells apart may end in a rule that is mostly wrong; it is left out where its class must lead.
    """
    rules: list[Rule] = []
    covered = np.zeros(covering.table.n_rows, np.bool_)
    while covering.class_weights[label] > 0:
        grown = covering.grow(label)
        if grown.right[-1] < least * grown.covered[-1]:
            break
        rows = covering.rows(grown)
        value = class_weights(covering.table, rows)
        if not value[label] > 0:  # every rule takes a row of its class away, so that the loop ends
            break
        covering.engine.remove(rows)
        if not leading or int(value.argmax()) == label:
            rules.append(rule_of(simplify(grown.conditions), label, value))
            covered[rows] = True
    return rules, covered
