"""IREP: a rule for every class, pruned on rows held out, the one worth most kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hornbeam
from hornbeam.learn.rules.grower import RuleGrower
from hornbeam.learn.rules.irep import IrepClassifier
from hornbeam.learn.rules.score import WORTHS
from hornbeam.learn.rules.separate_and_conquer import Dealer, seed_state


def naive_first_rule(table: Any, worth: str, measure: str) -> tuple[int, tuple[Any, ...]]:
    """The first rule, every prefix of every class's rule weighed on the pruning rows."""
    grower = RuleGrower(table)
    dealer = Dealer(grower.classes, 3, seed_state(None))
    growing, pruning = dealer.parts(dealer.deal(grower.all_rows))
    best: tuple[float, float, int, tuple[Any, ...]] | None = None
    for label in range(grower.n_classes):
        conditions = grower.conditions(grower.grow(growing, label, measure, 2))
        truth = grower.classes[pruning] == label
        held = grower.table.take(pruning)

        def value(kept: tuple[Any, ...], held: Any = held, truth: Any = truth) -> tuple[float, float]:
            hit = np.ones(len(truth), bool)
            for condition in kept:
                hit &= condition.holds(held) > 0
            right, covered = float((hit & truth).sum()), float(hit.sum())
            return WORTHS[worth](right, covered, float(truth.sum()), float(len(truth))), right

        while conditions and value(conditions[:-1])[0] > value(conditions)[0]:
            conditions = conditions[:-1]
        if best is None or value(conditions) > best[:2]:
            best = (*value(conditions), label, conditions)
    assert best is not None
    return best[2], best[3]


@pytest.mark.parametrize("worth", sorted(WORTHS))
@pytest.mark.parametrize("measure", ["gain", "share"])
@pytest.mark.parametrize("name", ["iris", "glass", "vote", "labor"])
def test_the_first_rule_is_the_one_worth_most(name: str, measure: str, worth: str) -> None:
    table = hornbeam.read(name)
    label, conditions = naive_first_rule(table, worth, measure)
    model = IrepClassifier(worth=worth, measure=measure, min_accuracy=0).fit(table).model_
    if conditions:
        assert (model.rules[0].label, model.rules[0].conditions) == (label, conditions)
    else:
        assert not model.rules


@pytest.mark.parametrize("name", ["iris", "glass", "vote", "credit-g"])
def test_rules_are_better_than_the_default_alone(name: str) -> None:
    table = hornbeam.read(name)
    model = IrepClassifier().fit(table)
    truth = table.target_values()
    assert np.mean(model.model_.predict(table) == truth) > np.bincount(truth).max() / len(truth) + 0.01


def test_the_list_ends_with_a_rule_that_is_not_accurate_enough() -> None:
    table = hornbeam.read("credit-g")
    strict, loose = (IrepClassifier(min_accuracy=least).fit(table).model_ for least in (0.9, 0.0))
    assert len(strict) < len(loose)
    assert all(rule.errors <= 0.1 * rule.coverage + 1e-9 for rule in strict.rules)
    assert strict.rules == () or [r.conditions for r in loose.rules[: len(strict)]] == [
        r.conditions for r in strict.rules
    ]


@pytest.mark.parametrize("prune", ["incremental", "whole-list", None])
def test_the_default_is_the_most_frequent_class_of_the_rest(prune: Any) -> None:
    model = IrepClassifier(prune=prune).fit(hornbeam.read("glass")).model_
    assert model.default is not None
    value = np.asarray(model.default.value)
    assert value[model.default.label] == value.max()


def test_seeds_divide_the_rows_in_other_ways() -> None:
    table = hornbeam.read("credit-g")

    def rules(seed: int | None) -> list[Any]:
        return [rule.conditions for rule in IrepClassifier(random_state=seed).fit(table).model_.rules]

    assert rules(None) == rules(None)
    assert rules(0) != rules(1)


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"worth": "gini"}, "worth is 'gini'"),
        ({"measure": "gini"}, "measure is 'gini'"),
        ({"min_accuracy": 2}, "min_accuracy is 2"),
        ({"folds": 1}, "folds is 1"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        IrepClassifier(**parameters).fit(hornbeam.read("weather"))
