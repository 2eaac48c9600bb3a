"""Rules chosen class by class: no rule more or less makes the description shorter, and no rule is idle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from learn.rules.test_part import many_branches
from learn.trees.test_against_reference import mixed_tables
from oracle.trees.answers import answer
from oracle.trees.compare import table_of
from oracle.trees.test_trees import SMALL
from reference.generalized import description_length, log2_choose, rows_of

import hornbeam
from hornbeam.learn.base.estimator import usable
from hornbeam.learn.rules import c45rules
from hornbeam.learn.rules.c45rules import C45RulesClassifier
from hornbeam.learn.rules.from_tree import Generalized, generalize
from hornbeam.learn.trees.c45 import C45Classifier
from hornbeam.model.base.condition import AtMost, IsIn
from hornbeam.model.rules.rule import rules_from_tree
from hornbeam.show import text

if TYPE_CHECKING:
    from hornbeam.data.table import Table


def rules_by_class(table: Table) -> dict[int, list[Generalized]]:
    tree = C45Classifier(prune=None).fit(table).model_
    found: dict[int, list[Generalized]] = {}
    for rule in generalize(tree, usable(table), 0.25):
        found.setdefault(rule.label, []).append(rule)
    return found


def check_choice(table: Table) -> None:
    costs = c45rules.ConditionBits(table)
    for label, rules in rules_by_class(table).items():
        bits = [costs.of_rule(rule.conditions) for rule in rules]

        def length(chosen: set[int], rules: Any = rules, bits: Any = bits, label: int = label) -> float:
            places = sorted(chosen)
            covers = [rules[p].rows for p in places]
            return description_length(covers, [bits[p] for p in places], label, table, c45rules.THEORY_WEIGHT)

        chosen = set(c45rules.shortest(rules, table, label, np.array(bits)))
        assert length(chosen) <= length(set()) + 1e-9
        for place in range(len(rules)):
            assert length(chosen ^ {place}) >= length(chosen) - 1e-6


@given(table=mixed_tables())
def test_no_rule_more_or_less_shortens_the_description(table: Table) -> None:
    check_choice(usable(table))


def test_nor_on_a_larger_table() -> None:
    check_choice(many_branches(seed=1, missing=0.1))
    check_choice(many_branches(seed=2, weighted=True))


def errors_without(model: Any, table: Table, left_out: int) -> float:
    """Training weight that a list gets wrong without one of its rules, the default being what it is."""
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    answers = np.full(table.n_rows, model.default.label)
    for place in range(len(model.rules) - 1, -1, -1):
        if place != left_out:
            answers[rows_of(model.rules[place].conditions, table)] = model.rules[place].label
    return float(weights[answers != table.target_values()].sum())


@given(table=mixed_tables())
def test_no_rule_is_idle(table: Table) -> None:
    rows = usable(table)
    model = C45RulesClassifier().fit(table).model_
    model.validate()
    whole = errors_without(model, rows, -1)
    for place in range(len(model.rules)):
        assert errors_without(model, rows, place) > whole


def test_figures_are_those_of_the_rows() -> None:
    table = many_branches(seed=3)
    model = C45RulesClassifier().fit(table).model_
    fired = model.fired(table)
    assert len(model) > 1
    for place, rule in enumerate(model.rules):
        assert np.bincount(table.target_values()[fired == place], minlength=2) == pytest.approx(rule.value)
        assert rule.errors == rule.coverage - rule.value[rule.label]  # type: ignore[index]


def test_whole_weights_are_repeated_rows() -> None:
    table = many_branches(seed=4, n_rows=300)
    times = np.random.default_rng(4).integers(1, 4, 300)
    repeated = table.take(np.repeat(np.arange(300), times))
    weighted = C45RulesClassifier().fit(table, sample_weight=times.astype(float))
    assert text(weighted) == text(C45RulesClassifier().fit(repeated))


def test_bits_are_those_of_the_formulas() -> None:
    table = hornbeam.read("iris")
    costs = c45rules.ConditionBits(table)
    n_values = len(np.unique(table.columns[2]))
    one = np.log2(4) + 1 + np.log2(n_values - 1)
    assert costs.of_rule((AtMost(2, 1.9),)) == pytest.approx(one)
    assert costs.of_rule((AtMost(2, 1.9), AtMost(2, 1.8))) == pytest.approx(2 * one - 1)
    nominal = c45rules.ConditionBits(hornbeam.read("weather"))
    assert nominal.of_rule((IsIn(0, (1,)),)) == pytest.approx(np.log2(4) + np.log2(3))
    assert float(c45rules.log2_choose(7.0, 3.0)) == pytest.approx(np.log2(35)) == pytest.approx(log2_choose(7, 3))


def test_classes_come_in_order_of_their_wrong_rows() -> None:
    table = many_branches(seed=5)
    codes = table.target_values()
    exact = Generalized((), 1, np.flatnonzero(codes == 1)[:50].astype(np.int32), 0.0)
    loose = Generalized((), 0, np.arange(100, dtype=np.int32), 0.4)
    ordered = c45rules.in_order({0: [loose], 1: [exact]}, table)
    assert [rule.label for rule in ordered] == [1, 0]


@pytest.mark.parametrize("data", [data for scheme, data in SMALL if scheme == "J48"])
def test_fewer_conditions_than_the_tree(data: str) -> None:
    table = table_of(answer("J48", data).arff)
    tree = rules_from_tree(C45Classifier().fit(table).model_)
    rules = C45RulesClassifier().fit(table).model_
    assert sum(len(rule.conditions) for rule in rules.rules) <= sum(len(rule.conditions) for rule in tree.rules) + 1
