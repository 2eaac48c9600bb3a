"""Rules of trees lose the conditions that the naive program would drop, whatever tree they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from learn.rules.test_part import many_branches
from learn.trees.test_against_reference import mixed_tables
from reference.generalized import estimate, generalized, rows_of

import hornbeam
from hornbeam.core.rules.generalize import pack
from hornbeam.data.schema import SchemaError
from hornbeam.learn.base.estimator import usable
from hornbeam.learn.rules import from_tree
from hornbeam.learn.rules.from_tree import Paths, generalize, post_pruned
from hornbeam.learn.trees.c45 import C45Classifier
from hornbeam.learn.trees.cart import CartClassifier
from hornbeam.learn.trees.tree_classifier import TreeClassifier
from hornbeam.learn.trees.tree_learner import held_out
from hornbeam.model.base.condition import IsMissing
from hornbeam.model.base.plain import ModelError
from hornbeam.model.rules.rule import RuleList, rules_from_tree

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.data.table import Table

TREES: dict[str, Any] = {
    "multiway": C45Classifier(prune=None, collapse=False),
    "one-vs-rest": C45Classifier(prune=None, nominal="one-vs-rest", min_samples_leaf=1),
    "surrogates": CartClassifier(cp=0, min_samples_split=2, min_samples_leaf=1, folds=0),
    "several cuts": TreeClassifier(numeric="multi-cut", missing="own-category", nominal="subset"),
    "default direction": TreeClassifier(missing="default-direction", nominal="multiway"),
}


def check(table: Table, tree: Any, confidence: float | None) -> None:
    leaves = Paths(tree)
    expected = set()
    for path, label in zip(leaves.paths, leaves.labels, strict=True):
        kept, _ = generalized([leaves.conditions[number] for number in path], label, table, confidence)
        expected.add((label, frozenset(kept)))
    found = generalize(tree, table, confidence)
    assert {(rule.label, frozenset(rule.conditions)) for rule in found} == expected
    assert len(found) == len(expected)
    for rule in found:
        assert np.array_equal(rule.rows, np.flatnonzero(rows_of(rule.conditions, table)))
        wanted = estimate(rule.conditions, rule.label, table, confidence)
        assert rule.estimate == pytest.approx(wanted, abs=1e-9)


@given(table=mixed_tables(), name=st.sampled_from(sorted(TREES)), confidence=st.sampled_from([None, 0.1, 0.25]))
def test_conditions_dropped_are_those_of_the_naive_program(table: Table, name: str, confidence: float | None) -> None:
    rows = usable(table)
    check(rows, TREES[name].fit(table).model_, confidence)


def test_larger_tables_too() -> None:
    table = many_branches(seed=1, missing=0.1)  # rows that do not fill the last word
    check(table, C45Classifier(prune=None).fit(table).model_, 0.25)
    check(table.take(np.arange(100)), C45Classifier(prune=None).fit(table).model_, None)


def test_rules_do_not_depend_on_how_many_are_looked_at_together(monkeypatch: pytest.MonkeyPatch) -> None:
    table = many_branches(seed=2)
    tree = C45Classifier(prune=None, min_samples_leaf=1, collapse=False).fit(table).model_
    whole = [(r.label, r.conditions, r.rows.tolist()) for r in generalize(tree, table, 0.25)]
    monkeypatch.setattr(from_tree, "MOST_WORDS", 1)
    monkeypatch.setattr(from_tree, "FEW_RULES", 5)
    assert len(Paths(tree).paths) > 10
    assert [(r.label, r.conditions, r.rows.tolist()) for r in generalize(tree, table, 0.25)] == whole


def test_paths_are_those_of_the_tree() -> None:
    table = many_branches(seed=3)
    tree = C45Classifier(prune=None).fit(table).model_
    leaves = Paths(tree)
    rules = [rule for rule in rules_from_tree(tree).rules if rule.coverage > 0]
    assert len(rules) == len(leaves.paths)
    for rule, path in zip(rules, leaves.paths, strict=True):
        covered = rows_of([leaves.conditions[number] for number in path], table)
        assert np.array_equal(covered, rule.holds(table) > 0.5)
        assert len(path) == len(rule.conditions)


def test_rows_held_out_decide_without_a_limit() -> None:
    table = many_branches(seed=4)
    tree = C45Classifier(prune=None).fit(table.take(np.arange(400))).model_
    check(table.take(np.arange(400, 600)), tree, None)
    pruned = post_pruned(tree, table.take(np.arange(400, 600)), None)
    assert 0 < len(pruned) <= len(rules_from_tree(tree).rules)


def test_post_pruned_rules_are_in_order_and_cover_what_they_say() -> None:
    table = many_branches(seed=5)
    pruned = post_pruned(C45Classifier(prune=None).fit(table).model_, table)
    pruned.validate()
    fired = pruned.fired(table)
    for place, rule in enumerate(pruned.rules):
        assert (fired == place).sum() == rule.coverage > 0
    rates = [estimate(rule.conditions, rule.label, table, 0.25) for rule in pruned.rules]
    assert rates == sorted(rates)
    assert pruned.default is not None
    assert (fired < 0).sum() == pruned.default.coverage


def test_a_row_without_a_value_fails_every_test_but_for_that() -> None:
    table = many_branches(seed=6, missing=0.3)
    pruned = post_pruned(C45Classifier(prune=None).fit(table).model_, table)
    assert all(condition.if_missing == 0.0 for rule in pruned.rules for condition in rule.conditions)
    tree = TreeClassifier(missing="own-category", nominal="multiway").fit(table).model_
    asked = [condition for condition in Paths(tree).conditions if isinstance(condition, IsMissing)]
    assert all(condition.if_missing == 1.0 for condition in asked)


def test_bits_are_rows() -> None:
    passes = np.random.default_rng(0).random(131) < 0.5
    words = pack(passes)
    assert len(words) == 3
    assert [bool(int(words[row // 64]) >> row % 64 & 1) for row in range(131)] == passes.tolist()


def test_what_rules_cannot_say_is_refused() -> None:
    table = hornbeam.read("iris")
    tree = TreeClassifier(combinations=True, max_depth=2).fit(table).model_
    with pytest.raises(ModelError, match="sums of columns"):
        post_pruned(tree, table)
    tree = CartClassifier(cp=0, folds=0).fit(hornbeam.read("vote")).model_
    with pytest.raises(ModelError, match="surrogate"):
        hornbeam.prune.rules(tree, hornbeam.read("vote"))
    numbers = hornbeam.read("cpu")
    with pytest.raises(SchemaError, match="numeric"):
        post_pruned(hornbeam.TreeRegressor().fit(numbers).model_, numbers)


def test_a_row_that_the_tree_sends_down_one_branch_goes_with_that_branch() -> None:
    table = many_branches(seed=7, missing=0.3)
    for missing in ("default-direction", "majority", "impute"):
        tree = TreeClassifier(missing=missing, nominal="one-vs-rest").fit(table).model_
        leaves = Paths(tree)
        covered = np.array([rows_of([leaves.conditions[n] for n in path], table) for path in leaves.paths])
        assert (covered.sum(axis=0) == 1).all()  # every row is in one leaf, whatever it lacks
        assert np.array_equal(np.array(leaves.labels)[covered.argmax(axis=0)], tree.predict_codes(table))


@pytest.mark.parametrize("leaf", ["distribution", "laplace", "m-estimate"])
def test_an_estimator_pruned_to_rules_answers_as_its_list(leaf: str, tmp_path: Path) -> None:
    table = many_branches(seed=8, missing=0.1)
    learner = TreeClassifier(prune="rules", leaf=leaf).fit(table)
    tree = TreeClassifier(leaf=leaf).fit(table).model_
    expected = hornbeam.prune.rules(tree, table)
    assert isinstance(learner.model_, RuleList)
    assert [rule.conditions for rule in learner.model_.rules] == [rule.conditions for rule in expected.rules]
    shares = learner.predict_proba(table)
    assert np.array_equal(shares, expected.predict_proba(table))
    assert shares.sum(axis=1) == pytest.approx(1.0)
    assert (shares == 0).any() == (leaf == "distribution")
    assert learner.score(table) > 0.5
    assert not hasattr(learner, "feature_importances_")
    learner.save(tmp_path / "rules")
    assert np.array_equal(hornbeam.load(tmp_path / "rules").predict_proba(table), shares)
    assert "the first rule that holds decides" in hornbeam.show.text(learner)


def test_an_estimator_judges_by_rows_held_out_where_it_has_folds() -> None:
    table = many_branches(seed=9)
    rules = TreeClassifier(prune="rules", folds=4, random_state=0).fit(table).model_
    covered = sum(rule.coverage for rule in rules.rules) + rules.default.coverage
    assert covered == table.n_rows // 4
    growing, judging = held_out(table, 4, 0)
    tree = TreeClassifier().fit(table.take(growing)).model_
    expected = hornbeam.prune.rules(tree, table.take(judging), held_out=True)
    assert [rule.conditions for rule in rules.rules] == [rule.conditions for rule in expected.rules]


def test_a_matrix_of_numbers_is_predicted_as_a_table_is() -> None:
    rows = np.random.default_rng(0).normal(size=(200, 3))
    learner = TreeClassifier(prune="rules").fit(rows, rows[:, 0] * rows[:, 1] > 0)
    table = hornbeam.Table(learner.schema_.select(learner.schema_.features), list(rows.T))
    assert np.array_equal(learner.predict(rows), learner.predict(table))
    assert np.array_equal(learner.predict_proba(rows), learner.predict_proba(table))


def test_columns_are_found_by_name_and_rows_without_a_class_do_not_count() -> None:
    table = many_branches(seed=10)
    tree = C45Classifier(prune=None).fit(table).model_
    whole = hornbeam.prune.rules(tree, table)
    turned = table.select(list(reversed(range(len(table.columns)))))
    columns = [*turned.columns]
    place = turned.schema.target
    columns[place] = np.concatenate([columns[place], np.full(5, -1, np.int32)])
    columns = [c if len(c) > table.n_rows else np.concatenate([c, c[:5]]) for c in columns]
    again = hornbeam.prune.rules(tree, hornbeam.Table(turned.schema, columns))
    assert [(rule.conditions, rule.coverage) for rule in again.rules] == [
        (rule.conditions, rule.coverage) for rule in whole.rules
    ]
    pruned = C45Classifier(prune="rules", collapse=False).fit(table).model_
    assert [rule.conditions for rule in pruned.rules] == [
        rule.conditions
        for rule in hornbeam.prune.rules(C45Classifier(prune=None, collapse=False).fit(table).model_, table).rules
    ]


@pytest.mark.parametrize(
    ("choice", "match"),
    [
        ({"missing": "surrogate"}, "other columns"),
        ({"combinations": True}, "one column"),
        ({"costs": [[0, 1], [2, 0]]}, "costs"),
        ({"monotonic_cst": {"age": 1}}, "limits"),
        ({"keep_trace": True}, "hornbeam.prune.rules"),
    ],
)
def test_what_does_not_go_with_rules_is_said(choice: dict[str, Any], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        TreeClassifier(prune="rules", **choice).fit(hornbeam.read("credit-g"))
