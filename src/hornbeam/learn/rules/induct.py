"""INDUCT: perfect rules for all classes, shortened while that makes them more significant; the best is kept.

References
----------
B. R. Gaines and P. Compton, Induction of ripple-down rules applied to modeling large databases, *Journal of Intelligent
Information Systems* 5 (1995) 211-228.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import one_of, share, whole
from hornbeam.learn.rules.grower import Covering
from hornbeam.learn.rules.rule_learner import CoveringClassifier, class_weights, default_rule, rule_of
from hornbeam.learn.rules.significance import DISTRIBUTIONS, Distribution, log_significance
from hornbeam.model.base.condition import simplify
from hornbeam.model.rules.rule import RuleList

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Ints64
    from hornbeam.data.table import Table
    from hornbeam.learn.rules.grower import Grown
    from hornbeam.model.rules.rule import Rule

SLACK = 1e-9  # logarithms of significances that differ by less are equal


@estimator
class InductClassifier(CoveringClassifier):
    """A list of rules, the most significant first.

    As long as rows are left: for every class among them a perfect rule is grown; its last condition is dropped while
    that makes the rule more significant; of the classes' rules the most significant is kept, and the rows that it
    covers are removed. The significance of a rule is the probability that a random rule of the same coverage does as
    well. A rule whose class is not the most frequent among the rows that it covers is skipped.

    Parameters
    ----------
    max_significance : float
        Stop once the next rule's significance would be above this.
    min_accuracy : float
        Stop once the next rule would be less accurate than this.

    Examples
    --------
    >>> import hornbeam
    >>> print(hornbeam.show.text(hornbeam.InductClassifier().fit(hornbeam.read("iris"))))
    iris                                                                         weight  wrong
    1. if petallength < 2.45 then class = Iris-setosa                                50
    2. if petallength >= 5.15 then class = Iris-virginica                            34
    3. if petalwidth < 1.45 then class = Iris-versicolor                             35
    4. if petalwidth >= 1.85 then class = Iris-virginica                              8
    5. if sepalwidth >= 3.05 then class = Iris-versicolor                             6
    6. if petalwidth >= 1.75 then class = Iris-virginica                              5
    7. if sepalwidth >= 2.85 then class = Iris-versicolor                             5
    8. if sepallength < 5.45 then class = Iris-virginica                              1
    9. if petallength >= 4.95 and petalwidth < 1.55 then class = Iris-virginica       2
    otherwise class = Iris-versicolor                                                 4
    <BLANKLINE>
    9 rules; the first rule that holds decides
    """

    distribution: Distribution = "hypergeometric"
    max_significance: float = 1.0
    min_accuracy: float = 0.0
    beam_width: int = 1

    _poor_score = True  # perfect rules fit every row

    def _learn_rules(self, table: Table) -> RuleList:
        distribution = one_of("distribution", self.distribution, DISTRIBUTIONS)
        least, most = share("min_accuracy", self.min_accuracy), share("max_significance", self.max_significance)
        covering = Covering(table, beam_width=whole("beam_width", self.beam_width, 1), **self._conditions())
        limit = float(np.log(most)) if most > 0 else -np.inf
        rules: list[Rule] = []
        while len(labels := np.flatnonzero(covering.class_weights)) > 1:
            found = [cut_back(covering.grow(label), distribution) for label in labels.tolist()]
            kept = _leading(covering, sorted(found, key=lambda pair: pair[0]))
            if kept is None or kept[0] > limit + SLACK or kept[1].errors > (1.0 - least) * kept[1].coverage:
                break
            rules.append(kept[1])
            covering.engine.remove(kept[2])
        uncovered = np.zeros(table.n_rows, np.bool_)
        uncovered[covering.left] = True
        return RuleList(table.schema, tuple(rules), default_rule(table, uncovered), recipe={"layout": "if-then"})


def _leading(covering: Covering, found: list[tuple[float, Grown]]) -> tuple[float, Rule, Ints64] | None:
    """The first rule whose class is the most frequent among the rows that it covers, and these rows."""
    n_classes = np.count_nonzero(covering.class_weights)
    for significance, grown in found:
        # a class with less than an equal part is not the most frequent
        if not grown.conditions or grown.right[-1] * n_classes < grown.covered[-1] * (1.0 - SLACK):
            continue
        rows = covering.rows(grown)
        value = class_weights(covering.table, rows)
        if value[grown.label] > 0 and int(value.argmax()) == grown.label:
            return significance, rule_of(simplify(grown.conditions), grown.label, value), rows
    return None


def cut_back(grown: Grown, distribution: Distribution = "hypergeometric") -> tuple[float, Grown]:
    """Drop last conditions while that makes the rule more significant; also return the log of its significance."""

    def significance(length: int) -> float:
        return log_significance(
            grown.right[length], grown.covered[length], grown.right[0], grown.covered[0], distribution
        )

    length = len(grown.conditions)
    now = significance(length)
    while length > 1:
        shorter = significance(length - 1)
        if not shorter < now - SLACK:
            break
        length, now = length - 1, shorter
    return now, grown.upto(length)
