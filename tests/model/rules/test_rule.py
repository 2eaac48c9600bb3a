"""Lists of rules: the three ways to decide, exceptions, and the rules of a tree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Random, fill_table, randoms, trees

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model.base.condition import Above, AtMost, IsIn, IsMissing
from hornbeam.model.base.plain import ModelError
from hornbeam.model.rules.rule import Rule, RuleList, rules_from_tree
from hornbeam.model.trees.tree import STOP, Tree

SCHEMA = Schema((Numeric("x"), Nominal("y", ("a", "b"))), ("feature", "target"))
ROWS = Table(SCHEMA, [[0.0, 2.0, 4.0, np.nan], [0, 0, 0, 0]])
LOW = Rule((AtMost(0, 3.0, 0.5),), np.array([3.0, 1.0]), 0)
MIDDLE = Rule((Above(0, 1.0, 0.5),), np.array([0.0, 4.0]), 1)
DEFAULT = Rule((), np.array([1.0, 1.0]), 0)


def test_the_first_rule_that_fires_decides() -> None:
    rules = RuleList(SCHEMA, (LOW, MIDDLE))
    assert rules.fired(ROWS).tolist() == [0, 0, 1, 0]
    assert rules.predict_codes(ROWS).tolist() == [0, 0, 1, 0]
    np.testing.assert_allclose(rules.predict_proba(ROWS), [[0.75, 0.25], [0.75, 0.25], [0, 1], [0.75, 0.25]])


def test_votes_are_weighted() -> None:
    rules = RuleList(SCHEMA, (LOW, MIDDLE), decide="vote", pseudo_count=1.0)
    np.testing.assert_allclose(
        rules.predict_proba(ROWS), [[4 / 6, 2 / 6], [2.5 / 6, 3.5 / 6], [1 / 6, 5 / 6], [2.5 / 6, 3.5 / 6]]
    )
    assert rules.predict_codes(ROWS).tolist() == [0, 1, 1, 1]


def test_each_rule_takes_its_part_of_what_is_left() -> None:
    rules = RuleList(SCHEMA, (LOW, MIDDLE), DEFAULT, "remaining")
    # The row without x: half to the first rule, a quarter to the second, a quarter to the default.
    np.testing.assert_allclose(
        rules.predict_proba(ROWS), [[0.75, 0.25], [0.75, 0.25], [0, 1], [0.375 + 0.125, 0.125 + 0.25 + 0.125]]
    )
    assert rules.predict_codes(ROWS).tolist() == [0, 0, 1, 0]  # a tie goes to the first class
    assert rules.fired(ROWS).tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize("decide", ["first", "vote", "remaining"])
def test_where_nothing_fires_the_default_answers_or_nobody(decide: str) -> None:
    rules = RuleList(SCHEMA, (replace(MIDDLE, conditions=(Above(0, 1.0),)),), None, decide)  # type: ignore[arg-type]
    assert rules.predict_codes(ROWS).tolist() == [-1, 1, 1, -1]
    assert rules.predict_proba(ROWS)[0].tolist() == [0, 0]
    rules = replace(rules, default=DEFAULT)
    assert rules.predict_codes(ROWS).tolist() == [0, 1, 1, 0]
    assert rules.fired(ROWS).tolist() == [-1, 0, 0, -1]
    np.testing.assert_allclose(rules.predict_proba(ROWS)[0], [0.5, 0.5])


def test_exceptions_stand_in_place_of_their_rule() -> None:
    inner = RuleList(SCHEMA, (Rule((Above(0, 3.0),), np.array([5.0, 0.0]), 0),))
    middle = RuleList(SCHEMA, (Rule((Above(0, 1.0),), np.array([0.0, 5.0]), 1, exceptions=inner),))
    rules = RuleList(SCHEMA, (), Rule((), np.array([4.0, 1.0]), 0, exceptions=middle))
    assert rules.predict_codes(ROWS).tolist() == [0, 1, 0, 0]
    np.testing.assert_allclose(rules.predict_proba(ROWS), [[0.8, 0.2], [0, 1], [1, 0], [0.8, 0.2]])
    rules.validate()


def test_numbers() -> None:
    schema = Schema((Numeric("x"), Numeric("y")), ("feature", "target"))
    rows = Table(schema, [[0.0, 4.0, np.nan], [0, 0, 0]])
    parts = (Rule((AtMost(0, 1.0, 0.25),), 2.0), Rule((Above(0, 1.0, 0.75),), 6.0))
    assert RuleList(schema, parts, None, "vote").predict(rows).tolist() == [2.0, 6.0, 5.0]
    alone = RuleList(schema, (Rule((AtMost(0, 1.0),), 2.0),))
    np.testing.assert_array_equal(alone.predict(rows), [2.0, np.nan, np.nan])
    with pytest.raises(ModelError, match="'y' is numeric"):
        alone.predict_proba(rows)
    assert parts[0].describe(schema) == "if x <= 1 then y = 2"


def test_unsound_rules_are_refused() -> None:
    for rule, words in [
        (Rule((AtMost(7, 1.0),), np.ones(2), 0), "rule 1: a condition tests column 7"),
        (Rule((), np.ones(3), 0), "not an array of 2 class weights"),
        (Rule((), 1.0, 0), "not an array of 2 class weights"),
        (Rule((), np.array([1.0, np.nan]), 0), "negative or not a number"),
        (Rule((), np.ones(2), 2), "label 2 is not a class"),
        (Rule((), np.ones(2), 0, np.nan), "coverage"),
    ]:
        with pytest.raises(ModelError, match=words):
            RuleList(SCHEMA, (rule,)).validate()
    with pytest.raises(ModelError, match="decide is 'loudest'"):
        RuleList(SCHEMA, (), None, "loudest").validate()  # type: ignore[arg-type]


@given(st.sampled_from(["nominal", "numeric"]).flatmap(lambda target: trees(target=target)), randoms())
def test_the_rules_of_a_tree_predict_as_the_tree(tree: Tree, random: Random) -> None:
    rules = rules_from_tree(tree)
    rules.validate()
    assert len(rules) >= tree.n_leaves
    table = fill_table(random, tree.schema, 30, random.choice((0.0, 0.3)))
    if tree.task == "classification":
        assert rules.predict_codes(table).tolist() == tree.predict_codes(table).tolist()
        np.testing.assert_allclose(rules.predict_proba(table), tree.predict_proba(table), rtol=1e-12, atol=1e-15)
    else:
        np.testing.assert_allclose(rules.predict(table), tree.predict(table), rtol=1e-12, atol=1e-12)


def test_the_rules_of_the_weather(weather: Tree) -> None:
    rules = rules_from_tree(weather)
    assert [rule.describe(weather.schema) for rule in rules.rules] == [
        "if outlook = sunny and humidity <= 75 then play = yes",
        "if outlook = sunny and humidity > 75 then play = no",
        "if outlook = overcast then play = yes",
        "if outlook = rainy and windy = TRUE then play = no",
        "if outlook = rainy and windy = FALSE then play = yes",
    ]
    assert [rule.coverage for rule in rules.rules] == [2, 3, 4, 2, 3]


def test_a_node_where_rows_stop_adds_a_rule(weather: Tree) -> None:
    missing = weather.missing.copy()
    missing[1] = STOP
    rules = rules_from_tree(replace(weather, missing=missing))
    assert len(rules) == 6
    assert rules.rules[0].conditions == (IsIn(0, (0,), 5 / 14), IsMissing(1))


def test_a_lone_leaf_is_a_rule_that_always_holds(weather: Tree) -> None:
    first = {name: array[:1] for name, array in weather.arrays().items()}
    leaf = replace(weather, **{**first, "first_child": np.array([-1], np.int32)})
    leaf = replace(leaf, n_children=np.zeros(1, np.int32), split=np.array([-1], np.int32))
    assert [rule.describe(leaf.schema) for rule in rules_from_tree(leaf).rules] == ["always play = yes"]


def test_what_is_added_to_the_classes_by_their_prior_shares_is_added_in_the_rules_too(weather: Tree) -> None:
    tree = replace(weather, pseudo_count=2.0, prior=np.array([0.75, 0.25]))
    rules = rules_from_tree(tree)
    assert rules.rules[2].value.tolist() == [5.5, 0.5]  # type: ignore[union-attr]
    table = fill_table(Random(1), tree.schema, 40, 0.3)
    np.testing.assert_allclose(rules.predict_proba(table), tree.predict_proba(table), rtol=1e-12)


def test_known_and_missing_are_conditions(weather: Tree) -> None:
    for flipped in (False, True):
        splits = replace(weather.splits, cuts=np.array([np.inf]), flipped=np.array([False, flipped, False]))
        missing = weather.missing.copy()
        missing[1] = 0 if flipped else 1
        tree = replace(weather, splits=splits, missing=missing)
        told = [rule.describe(tree.schema) for rule in rules_from_tree(tree).rules[:2]]
        told = told[::-1] if flipped else told
        assert [words.split(" and ")[1].split(" then ")[0] for words in told] == [
            "humidity is known",
            "humidity is missing",
        ]
        table = fill_table(Random(1), tree.schema, 40, 0.3)
        assert rules_from_tree(tree).predict_codes(table).tolist() == tree.predict_codes(table).tolist()


def test_a_tree_with_surrogates_says_why_it_has_no_rules(weather: Tree) -> None:
    start = np.array([0, *[1] * 8], np.int64)
    tree = replace(weather, surrogate_start=start, surrogates=np.array([1], np.int32))
    with pytest.raises(ModelError, match="surrogate splits, which use other columns"):
        rules_from_tree(tree)
