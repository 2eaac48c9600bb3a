"""Rules of one column, perfect rules, and rules cut back by significance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import hornbeam
from hornbeam import InductClassifier, OneRClassifier, PrismClassifier
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.rules.significance import log_significance

if TYPE_CHECKING:
    from hornbeam.model.rules.rule import RuleList

SETS = ["iris", "weather", "labor", "vote", "glass"]


def decided(rules: RuleList, table: Table) -> np.ndarray:
    return rules.fired(table)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("learner", [PrismClassifier(), InductClassifier(), OneRClassifier()])
def test_figures_are_those_of_the_rows(name: str, learner: Any) -> None:
    table = hornbeam.read(name)
    rules = learner.fit(table).model_
    rules.validate()
    if isinstance(learner, PrismClassifier):
        return  # a row may have been covered for another class before
    fired = decided(rules, table)
    for place, rule in enumerate(rules.rules):
        counted = np.bincount(table.target_values()[fired == place], minlength=len(rule.value))
        if rule.coverage > 0:
            assert np.array_equal(rule.value, counted)
            assert rule.coverage == counted.sum()
            assert rule.errors == counted.sum() - counted[rule.label]


@pytest.mark.parametrize("name", SETS)
def test_perfect_rules_are_perfect_or_out_of_columns(name: str) -> None:
    table = hornbeam.read(name)
    rules = PrismClassifier(missing="value").fit(table).model_
    for rule in rules.rules:
        if rule.errors:
            inside = table.take(rule.holds(table) > 0)
            for place in table.schema.features:
                assert len(np.unique(inside.columns[place])) == 1


@pytest.mark.parametrize(
    "learner", [PrismClassifier(), InductClassifier(), OneRClassifier(), PrismClassifier(measure="gain")]
)
def test_weights_are_repeated_rows(learner: Any) -> None:
    table = hornbeam.read("glass")
    weights = np.random.default_rng(0).integers(1, 4, table.n_rows)
    repeated = table.take(np.repeat(np.arange(table.n_rows), weights))
    one = learner.fit(table, sample_weight=weights).model_
    other = learner.fit(repeated).model_
    assert [rule.conditions for rule in one.rules] == [rule.conditions for rule in other.rules]
    assert all(np.allclose(a.value, b.value) for a, b in zip(one.rules, other.rules, strict=True))


def test_smallest_first_leaves_the_largest_to_the_default() -> None:
    table = hornbeam.read("glass")
    rules = PrismClassifier(order="smallest-first").fit(table).model_
    counts = np.bincount(table.target_values())
    labels = [rule.label for rule in rules.rules]
    assert [counts[label] for label in labels] == sorted(counts[label] for label in labels)
    assert rules.default.label == counts.argmax()
    assert counts.argmax() not in labels
    assert (rules.predict_codes(table) == table.target_values()).all()


def test_min_accuracy_stops_the_list() -> None:
    rows = [[0, 0, 0, 0, 1, 1, 1, 1], [1, 1, 1, 1, 1, 0, 0, 0]]
    schema = Schema((Nominal("c", ("a", "b")), Nominal("y", ("n", "p"))), ("feature", "target"))
    table = Table(schema, rows)
    assert [rule.errors for rule in PrismClassifier().fit(table).model_.rules] == [1, 0]
    strict = PrismClassifier(min_accuracy=0.8).fit(table).model_
    assert [(rule.label, rule.errors) for rule in strict.rules] == [(1, 0)]
    assert strict.default.label == 0


def test_missing_values_fail_or_are_a_value() -> None:
    schema = Schema((Numeric("x"), Nominal("y", ("n", "p"))), ("feature", "target"))
    table = Table(schema, [[1, 2, 3, np.nan, np.nan, np.nan], [0, 0, 0, 1, 1, 1]])
    fails = PrismClassifier().fit(table).model_
    assert not any("missing" in rule.describe(schema) for rule in fails.rules)
    own = PrismClassifier(missing="value").fit(table).model_
    assert "if x is missing then y = p" in [rule.describe(schema) for rule in own.rules]
    assert (own.predict_codes(table) == table.target_values()).all()


def test_the_most_significant_rule_comes_first() -> None:
    table = hornbeam.read("iris")
    rules = InductClassifier().fit(table).model_
    first = rules.rules[0]
    found = log_significance(first.value[first.label], first.coverage, 50, 150)
    assert first.errors == 0
    assert found == pytest.approx(log_significance(50, 50, 50, 150))
    assert len(InductClassifier(max_significance=1e-6).fit(table).model_) < len(rules)
    assert len(InductClassifier(distribution="binomial").fit(table).model_) > 1


def test_votes_of_rules() -> None:
    table = hornbeam.read("glass")
    voted = PrismClassifier(decide="vote").fit(table)
    assert voted.model_.decide == "vote"
    assert voted.score(table) > 0.9


def test_one_column_of_numbers() -> None:
    rules = OneRClassifier(compat="weka").fit(hornbeam.read("iris"))
    assert hornbeam.show.text(rules, style="weka").split("\n")[0] == "petalwidth:"
    wide = OneRClassifier(min_bucket=60).fit(hornbeam.read("iris")).model_
    assert len(wide) < 3


def test_one_column_without_any_value() -> None:
    schema = Schema((Numeric("x"), Nominal("y", ("n", "p"))), ("feature", "target"))
    rules = OneRClassifier().fit(Table(schema, [[np.nan, np.nan, np.nan], [0, 1, 1]])).model_
    assert len(rules) == 0
    assert rules.default.label == 1
    assert hornbeam.show.text(rules, style="weka") == "\t-> p\n(2/3 instances correct)"


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (OneRClassifier(min_bucket=-1), "min_bucket is -1"),
        (PrismClassifier(measure="other"), "measure is 'other'"),  # type: ignore[arg-type]
        (PrismClassifier(order="largest"), "order is 'largest'"),  # type: ignore[arg-type]
        (PrismClassifier(min_accuracy=2), "min_accuracy is 2; expected a number from 0 to 1"),
        (InductClassifier(distribution="normal"), "distribution is 'normal'"),  # type: ignore[arg-type]
    ],
)
def test_a_bad_parameter_is_named(learner: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        learner.fit(hornbeam.read("iris"))
