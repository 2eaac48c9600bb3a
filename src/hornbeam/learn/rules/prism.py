"""PRISM: perfect rules, class by class.

References
----------
J. Cendrowska, PRISM: an algorithm for inducing modular rules, *International Journal of Man-Machine Studies* 27 (1987)
349-370.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import one_of, share, whole
from hornbeam.learn.compat.weka import IgnoresWeights
from hornbeam.learn.rules.grower import Covering
from hornbeam.learn.rules.rule_learner import CoveringClassifier, class_weights, default_rule, rule_of
from hornbeam.model.base.condition import simplify
from hornbeam.model.rules.exceptions import measured
from hornbeam.model.rules.rule import FIRES, Rule, RuleList

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Bools
    from hornbeam.data.table import Table


@estimator
class PrismClassifier(IgnoresWeights, CoveringClassifier):
    """Rules that are perfect on the training rows (or cannot be extended), found class by class.

    For every class in turn, starting from all rows: conditions with the greatest proportion p/t of the class among the
    covered rows are added to a rule until it covers no other class; the rows that it covers are removed; and this is
    repeated until no row of the class remains. On a tie the condition that covers more rows is taken, then the first.

    Parameters
    ----------
    order : {"given", "smallest-first"}
        A set of rules for each class, in the order of the classes, each from all rows; or one list from the smallest
        class to the largest, which is the default, each class from the rows left by earlier rules.
    decide : {"first", "vote"}
        If several rules hold: the first decides, or their class weights are averaged.
    min_accuracy : float
        Stop with a class once its next rule would be less accurate than this.
    compat : {"weka", None}
        By default, rows that no rule covers are predicted as the most frequent class of such training rows (of all
        rows, if there are none), and rules that are mostly wrong, because they could not be extended, are left out.
        With "weka" the model makes no prediction where no rule holds, keeps such rules, and also adds conditions that
        exclude no row, until every column is used. Row weights are then ignored.

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
    6 rules; the first rule that holds decides
    """

    order: Literal["given", "smallest-first"] = "given"
    decide: Literal["first", "vote"] = "first"
    min_accuracy: float = 0.0
    beam_width: int = 1
    compat: Literal["weka"] | None = None

    _counts_weights = False
    _poor_score = True  # perfect rules fit every row

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
            idle=like_reference,
            beam_width=whole("beam_width", self.beam_width, 1),
            **self._conditions(),
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
        return as_they_decide(learned, table) if decide == "first" else as_they_vote(learned, table)


def as_they_decide(rules: RuleList, table: Table) -> RuleList:
    """The rules with the weight and the errors of the rows that each decides, since several rules may cover a row."""
    counted = measured(rules, table)

    def recounted(rule: Rule, by: Rule) -> Rule:
        return replace(rule, coverage=by.coverage, errors=by.errors)

    default = None if rules.default is None or counted.default is None else recounted(rules.default, counted.default)
    return replace(rules, rules=tuple(map(recounted, rules.rules, counted.rules)), default=default)


def as_they_vote(rules: RuleList, table: Table) -> RuleList:
    """The rules with the class weights of all rows that each covers: a rule may be learned after others took rows."""

    def counted(rule: Rule) -> Rule:
        value = class_weights(table, np.flatnonzero(rule.holds(table) >= FIRES))
        return rule_of(rule.conditions, rule.label, value)

    return replace(rules, rules=tuple(map(counted, rules.rules)))


def rules_for(covering: Covering, label: int, least: float, *, leading: bool) -> tuple[list[Rule], Bools]:
    """Rules for a class until none of its rows remain, or the next is not accurate enough; and the covered rows.

    Rows that no condition separates may lead to a rule that is mostly wrong; it is left out if `leading`.
    """
    rules: list[Rule] = []
    covered = np.zeros(covering.table.n_rows, np.bool_)
    while covering.class_weights[label] > 0:
        grown = covering.grow(label)
        if grown.right[-1] < least * grown.covered[-1]:
            break
        rows = covering.rows(grown)
        value = class_weights(covering.table, rows)
        if not value[label] > 0:  # every rule covers a row of its class, so that the loop ends
            break
        covering.engine.remove(rows)
        if not leading or int(value.argmax()) == label:
            rules.append(rule_of(simplify(grown.conditions), label, value))
            covered[rows] = True
    return rules, covered
