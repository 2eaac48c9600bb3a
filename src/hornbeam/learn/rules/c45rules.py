"""C4.5rules: the leaves of an unpruned tree as rules, simplified one by one and chosen class by class.

References
----------
J. R. Quinlan, *C4.5: Programs for Machine Learning*, Morgan Kaufmann (1993), chapter 5.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.sparse import csr_array
from scipy.special import gammaln

from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import one_of
from hornbeam.learn.rules.from_tree import generalize, rows_by_rule
from hornbeam.learn.rules.grower import MISSINGS
from hornbeam.learn.rules.rule_learner import RuleListClassifier, class_weights, default_rule, rule_of
from hornbeam.learn.trees.as_tree import plain_recipe
from hornbeam.learn.trees.build import build_tree
from hornbeam.learn.trees.c45 import C45Classifier
from hornbeam.model.base.condition import IsIn, IsMissing
from hornbeam.model.rules.rule import RuleList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.core.base.arrays import AnyArray, Bools, Floats, Indices
    from hornbeam.data.table import Table
    from hornbeam.learn.rules.from_tree import Generalized
    from hornbeam.learn.trees.recipe import Recipe
    from hornbeam.model.base.condition import Condition
    from hornbeam.model.rules.rule import Rule

    FloatArray = Floats

THEORY_WEIGHT = 0.5  # factor of the bits of rules, since rules are redundant (Quinlan 1993)
LEAST_BETTER = 1e-9  # bits and errors that differ by less are equal


@estimator
class RulesFromTrees(RuleListClassifier):
    """Base of the classifiers whose rules are leaves of C4.5 trees.

    Parameters
    ----------
    confidence : float
        Confidence of the error limit by which trees or rules are pruned; a smaller value prunes more.
    min_samples_leaf : float
        At least two branches of every split hold this much weight.
    nominal : {"multiway", "one-vs-rest"}
        A branch of the tree for every category, or one category against the rest.
    mdl : bool
        Charge numeric columns for the choice among their cuts.
    leaf : {"distribution", "laplace"}
        Class probabilities of rules as counted, or with one added to every class.
    threshold : {"data-value", "midpoint"}
        Where a cut is put: at the largest training value not above the midpoint of two values, or at the midpoint.
    """

    confidence: float = 0.25
    min_samples_leaf: float = 2
    nominal: Literal["multiway", "one-vs-rest"] = "multiway"
    mdl: bool = True
    leaf: Literal["distribution", "laplace"] = "distribution"
    threshold: Literal["data-value", "midpoint"] = "data-value"

    def _tree_recipe(self, **more: Any) -> Recipe:
        """How trees are grown; `more` are parameters of `C45Classifier` that a subclass chooses itself."""
        shared = ("confidence", "min_samples_leaf", "nominal", "mdl", "leaf", "threshold")
        return C45Classifier(**{name: getattr(self, name) for name in shared}, **more).recipe()


@estimator
class C45RulesClassifier(RulesFromTrees):
    """Rules from an unpruned C4.5 tree.

    Every leaf becomes a rule. Conditions of a rule are dropped as long as its expected errors do not rise, and
    duplicate rules are removed. For every class, the rules are chosen that describe its rows in the fewest bits.
    Classes whose rules cover the fewest rows of other classes come first; a default predicts the rows that no rule
    covers. Finally, rules without which the list makes no more errors are removed.

    Parameters
    ----------
    missing : {"fails", "value"}
        A row with a missing value fails every condition on the column (and takes every branch of the tree in part); or
        missing is one more value: a branch of a nominal column, and of a numeric one the better side of the cut.

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
    3 rules; the first rule that holds decides
    """

    missing: Literal["fails", "value"] = "fails"

    def recipe(self) -> Recipe:
        """The choices of the tree."""
        recipe = self._tree_recipe(prune=None)
        own = one_of("missing", self.missing, MISSINGS) == "value"
        return replace(recipe, missing="own-category") if own else recipe

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


def log2_choose(total: FloatArray | float, some: FloatArray | float) -> FloatArray:
    """Bits to identify `some` of `total`; weights need not be whole numbers.

    Examples
    --------
    >>> float(log2_choose(4.0, 2.0).round(3))  # one of six pairs
    2.585
    """
    bits: FloatArray = (
        gammaln(np.add(total, 1)) - gammaln(np.add(some, 1)) - gammaln(np.subtract(total, some) + 1)
    ) / (math.log(2.0))
    return bits


class ConditionBits:
    """Bits of conditions on a table's columns: for the column, and for its value or cut."""

    def __init__(self, table: Table) -> None:
        self.of_column = math.log2(max(len(table.schema.features), 1))
        self.of_value: dict[int, float] = {}
        for place in table.schema.features:
            column = table.schema.columns[place]
            if isinstance(column, Nominal):
                self.of_value[place] = math.log2(max(len(column.categories), 1))
            else:
                ordered = table.columns[place][table.sort_order(place)]
                n_cuts = int(np.count_nonzero(ordered[1:] > ordered[:-1]))
                self.of_value[place] = 1.0 + math.log2(max(n_cuts, 1))

    def of_rule(self, conditions: Sequence[Condition]) -> float:
        """Bits of a rule: those of its conditions, minus those of their order, which does not matter."""
        bits = sum(
            self.of_column + (1.0 if isinstance(c, IsMissing) else self.of_value[c.column] * _length(c))
            for c in conditions
        )
        return max(bits - math.lgamma(len(conditions) + 1) / math.log(2.0), 0.0)


def _length(condition: Condition) -> int:
    return len(condition.codes) if isinstance(condition, IsIn) else 1


class _Covered:
    """Rows by rule and rules by row, of one class's rules."""

    def __init__(self, rules: Sequence[Generalized], n_rows: int) -> None:
        start, rows = rows_by_rule(rules)
        by_rule = csr_array((np.ones(len(rows), np.int8), rows, start), shape=(len(rules), n_rows))
        by_row = by_rule.tocsc()
        self.n_rules = len(rules)
        self.start = by_row.indptr.astype(np.int64)
        self.rule_of_entry = by_row.indices

    def sums(self, rows: AnyArray, amounts: FloatArray) -> FloatArray:
        """For every rule, the sum of amounts over the rows that it covers."""
        lengths = self.start[rows + 1] - self.start[rows]
        first = np.repeat(self.start[rows] - offsets(lengths)[:-1], lengths)
        rule = self.rule_of_entry[first + np.arange(len(first))]
        found: FloatArray = np.bincount(rule, np.repeat(amounts, lengths), minlength=self.n_rules).astype(np.float64)
        return found


def shortest(rules: Sequence[Generalized], table: Table, label: int, bits: FloatArray) -> list[int]:
    """Choose the rules of one class that describe its rows in the fewest bits.

    Parameters
    ----------
    rules : sequence of Generalized
        All rules of the class.
    table : Table
        The training rows.
    label : int
        The class.
    bits : array
        The bits of every rule.

    Returns
    -------
    list of int
        Numbers of the rules chosen, in order.
    """
    n_rows, n_rules = table.n_rows, len(rules)
    weights = table.row_weights
    own = table.target_values() == label
    right, wrong = np.where(own, weights, 0.0), np.where(own, 0.0, weights)
    total, of_class = float(weights.sum()), float(right.sum())
    covered = _Covered(rules, n_rows)
    times = np.zeros(n_rows, np.int32)  # the number of chosen rules that cover each row
    chosen = np.zeros(n_rules, np.bool_)
    everything = np.arange(n_rows)
    fresh = [covered.sums(everything, amount) for amount in (right, wrong)]  # of rows that no chosen rule covers
    alone = [np.zeros(n_rules), np.zeros(n_rules)]  # of rows that only one chosen rule covers
    hits = misses = theory = 0.0
    n_chosen = 0

    def length(hit: FloatArray | float, miss: FloatArray | float) -> FloatArray:
        fires = np.add(hit, miss)
        return log2_choose(fires, miss) + log2_choose(total - fires, np.maximum(of_class - hit, 0.0))

    now = float(length(0.0, 0.0))
    for _ in range(4 * n_rules + 1):
        sign = np.where(chosen, -1.0, 1.0)
        new_hits = hits + np.where(chosen, -alone[0], fresh[0])
        new_misses = misses + np.where(chosen, -alone[1], fresh[1])
        order_bits = np.array([math.lgamma(max(n_chosen + 1 + s, 1)) for s in (1, -1)]) / math.log(2.0)
        new = length(new_hits, np.maximum(new_misses, 0.0)) + THEORY_WEIGHT * np.maximum(
            theory + sign * bits - np.where(chosen, order_bits[1], order_bits[0]), 0.0
        )
        best = int(new.argmin())
        if new[best] >= now - LEAST_BETTER:
            break
        now = float(new[best])
        step = -1 if chosen[best] else 1
        rows = rules[best].rows
        before = times[rows]
        times[rows] += step
        first, second = rows[before == (0 if step > 0 else 1)], rows[before == (1 if step > 0 else 2)]
        for kind, amount in enumerate((right, wrong)):
            moved = step * covered.sums(first, amount[first])
            fresh[kind] -= moved
            alone[kind] += moved - step * covered.sums(second, amount[second])
        hits, misses = float(new_hits[best]), max(float(new_misses[best]), 0.0)
        theory += step * float(bits[best])
        n_chosen += step
        chosen[best] = step > 0
    return np.flatnonzero(chosen).tolist()


def in_order(by_class: dict[int, list[Generalized]], table: Table) -> list[Generalized]:
    """Sort rules by class: next is the class whose rules cover the least weight of others in the remaining rows."""
    n_rows = table.n_rows
    weights = table.row_weights
    codes = table.target_values()
    covers = {label: _any_of(rules, n_rows) for label, rules in by_class.items() if rules}
    left = np.ones(n_rows, np.bool_)
    ordered: list[Generalized] = []
    while covers:
        wrong = {label: float(weights[rows & left & (codes != label)].sum()) for label, rows in covers.items()}
        label = min(wrong, key=lambda k: (wrong[k], k))
        ordered += sorted(by_class[label], key=lambda rule: rule.estimate)
        left &= ~covers.pop(label)
    return ordered


def _any_of(rules: Sequence[Generalized], n_rows: int) -> Bools:
    covered = np.zeros(n_rows, np.bool_)
    for rule in rules:
        covered[rule.rows] = True
    return covered


def without_idle(rules: list[Generalized], table: Table) -> tuple[list[Rule], Rule]:
    """Remove rules as long as errors on the training rows do not increase; return the remaining rules and the default.

    The default predicts the most frequent class of the rows that no rule covers.
    """
    n_rows = table.n_rows
    codes = table.target_values()
    weights = table.row_weights
    rules = list(rules)
    while True:
        n_rules = len(rules)
        fires, after = _first_two(rules, n_rows)
        default = default_rule(table, fires == n_rules)
        labels = np.array([*(rule.label for rule in rules), default.label], np.int64)
        gained = weights * ((labels[fires] != codes).astype(np.float64) - (labels[after] != codes))
        saved = np.bincount(fires, gained, minlength=n_rules + 1)[:n_rules]
        idle = int(n_rules - 1 - saved[::-1].argmax()) if n_rules else -1
        if idle < 0 or saved[idle] < -LEAST_BETTER:
            break
        del rules[idle]
    found = [
        rule_of(rule.conditions, rule.label, class_weights(table, fires == place)) for place, rule in enumerate(rules)
    ]
    return found, default


def _first_two(rules: Sequence[Generalized], n_rows: int) -> tuple[Indices, Indices]:
    """The first rule that covers each row, and the next one after it; the number of rules stands for the default."""
    first, second = np.full(n_rows, len(rules)), np.full(n_rows, len(rules))
    for place in range(len(rules) - 1, -1, -1):
        rows = rules[place].rows
        second[rows] = first[rows]
        first[rows] = place
    return first, second
