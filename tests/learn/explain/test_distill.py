"""One small model that answers as an ensemble does, and how often it does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hornbeam
from hornbeam.data.table import Table
from hornbeam.learn.explain.distill import as_rules, as_tree
from hornbeam.learn.explain.distilling import _with_made_up
from hornbeam.model.rules.rule import RuleList
from hornbeam.model.trees.tree import Tree


@pytest.fixture(scope="module")
def vote() -> tuple[Any, Table]:
    table = hornbeam.read("vote")
    return hornbeam.BaggingClassifier(n_estimators=15, random_state=1).fit(table), table


@pytest.fixture(scope="module")
def miles() -> tuple[Any, Table]:
    table = hornbeam.read("auto-mpg")
    return hornbeam.RandomForestRegressor(n_estimators=15, random_state=1).fit(table), table


def test_a_small_tree_agrees(vote: tuple[Any, Table]) -> None:
    bagged, table = vote
    small = as_tree(bagged, table, max_leaf_nodes=6, random_state=0)
    assert isinstance(small.model_, Tree)
    assert small.model_.n_leaves <= 6
    assert small.n_held_out == round(0.3 * table.n_rows)
    assert 0.95 < small.fidelity <= 1
    assert small.score > 0.9
    assert "fidelity 0.9" in repr(small) or "fidelity 1.0" in repr(small)
    again = as_tree(bagged.model_, table, max_leaf_nodes=6, random_state=0)
    assert again.model_.same_as(small.model_)
    assert again.fidelity == small.fidelity


def test_fidelity_is_agreement_on_the_rows_held_out(vote: tuple[Any, Table]) -> None:
    bagged, table = vote
    learned, other = table.take(np.arange(300)), table.take(np.arange(300, 435))
    small = as_tree(bagged, learned, 3, made_up=0, held_out=other)
    alike = small.model_.predict_codes(other) == bagged.model_.predict_codes(other)
    assert small.fidelity == pytest.approx(alike.mean())
    assert small.score == pytest.approx((small.model_.predict_codes(other) == other.target_values()).mean())
    assert small.original_score == pytest.approx(bagged.score(other))
    assert small.n_held_out == 135
    # without rows made up, it is the tree of the ensemble's answers
    columns = list(learned.columns)
    assert learned.schema.target is not None
    columns[learned.schema.target] = bagged.model_.predict_codes(learned)
    expected = hornbeam.TreeClassifier(max_leaf_nodes=3).fit(Table(learned.schema, columns)).model_
    assert small.model_.same_as(expected)


def test_true_targets_are_not_looked_at(vote: tuple[Any, Table]) -> None:
    bagged, table = vote
    columns = list(table.columns)
    assert table.schema.target is not None
    columns[table.schema.target] = np.full(table.n_rows, -1)
    small = as_tree(bagged, Table(table.schema, columns), 4, random_state=0)
    assert small.fidelity > 0.9
    assert np.isnan(small.score)
    assert small.model_.same_as(as_tree(bagged, table, 4, random_state=0).model_)


def test_rules_agree(vote: tuple[Any, Table]) -> None:
    bagged, table = vote
    found = as_rules(bagged, table, random_state=0)
    assert isinstance(found.model_, RuleList)
    assert found.fidelity > 0.95
    short = as_rules(bagged, table, max_rules=1, random_state=0)
    assert len(short.model_) == 1
    short.model_.validate()
    assert (short.model_.predict_codes(table) >= 0).all()
    assert 0.6 < short.fidelity <= found.fidelity
    assert "1 rules" in repr(short)
    long = as_rules(bagged, table, max_rules=99, random_state=0)
    assert len(long.model_) == len(found.model_)
    other = as_rules(bagged, table, estimator=hornbeam.RipperClassifier(), random_state=0)
    assert isinstance(other.estimator_, hornbeam.RipperClassifier)
    assert other.fidelity > 0.9


def test_numbers(miles: tuple[Any, Table]) -> None:
    forest, table = miles
    coarse, fine = (as_tree(forest, table, leaves, random_state=0) for leaves in (3, 24))
    assert coarse.model_.n_leaves == 3
    assert 0.5 < coarse.fidelity < fine.fidelity <= 1
    assert fine.original_score >= fine.score
    rules = as_rules(forest, table, max_rules=5, random_state=0)
    assert len(rules.model_) == 5
    assert rules.fidelity == pytest.approx(as_tree(forest, table, 5, random_state=0).fidelity)
    with pytest.raises(ValueError, match="max_rules"):
        as_rules(forest, table, max_rules=2, estimator=hornbeam.M5RulesRegressor())


def test_made_up_rows_come_from_two_rows() -> None:
    table = hornbeam.read("labor")
    more = _with_made_up(table, 500, np.random.default_rng(0))
    assert more.n_rows == table.n_rows + 500
    for given, made in zip(table.columns, more.columns, strict=True):
        assert np.array_equal(made[: table.n_rows], given, equal_nan=given.dtype == np.float64)
        assert set(made[~np.isnan(made)].tolist()) <= set(given[~np.isnan(given)].tolist())
    firsts = np.column_stack([column.astype(float) for column in more.columns])
    given = {tuple(row) for row in np.nan_to_num(firsts[: table.n_rows], nan=-9).tolist()}
    new = sum(tuple(row) not in given for row in np.nan_to_num(firsts[table.n_rows :], nan=-9).tolist())
    assert new > 400


def test_a_model_learned_with_weights_answers_rows_without() -> None:
    iris = hornbeam.read("iris")
    weighted = hornbeam.C45Classifier().fit(iris, sample_weight=np.arange(1, 151))
    assert as_tree(weighted, iris, 4, random_state=0).fidelity > 0.9


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"held_out": 1.0}, "held_out is 1.0"),
        ({"held_out": 0.0001}, "cannot be divided"),
        ({"made_up": -1}, "made_up is -1"),
        ({"max_rules": 0}, "max_rules is 0"),
    ],
)
def test_what_cannot_be_is_refused(vote: tuple[Any, Table], parameters: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        as_rules(*vote, **parameters)


def test_every_row_is_held_out_once(vote: tuple[Any, Table]) -> None:
    bagged, table = vote
    rows = table.take(np.arange(40))
    small = as_tree(bagged, rows, 3, made_up=0, folds=40, random_state=0)
    answers = bagged.model_.predict_codes(rows)
    columns = list(rows.columns)
    assert rows.schema.target is not None
    columns[rows.schema.target] = answers
    answered = Table(rows.schema, columns)
    alike = [
        hornbeam.TreeClassifier(max_leaf_nodes=3)
        .fit(answered.take(np.delete(np.arange(40), row)))
        .model_.predict_codes(rows.take([row]))[0]
        == answers[row]
        for row in range(40)
    ]
    assert small.fidelity == pytest.approx(np.mean(alike))
    assert small.model_.same_as(hornbeam.TreeClassifier(max_leaf_nodes=3).fit(answered).model_)
    assert (small.n_held_out, small.folds) == (40, 40)
    assert small.confusion is not None
    assert small.confusion.sum(axis=1).tolist() == np.bincount(answers, minlength=2).tolist()
    assert small.confusion.trace() == sum(alike)
    with pytest.raises(ValueError, match="cannot be held out in 41 parts"):
        as_tree(bagged, rows, 3, folds=41)


def test_what_is_learned_by_heart_is_no_agreement() -> None:
    random = np.random.default_rng(0)
    columns = (hornbeam.Numeric("x"), hornbeam.Nominal("y", ("a", "b")))
    table = Table(hornbeam.Schema(columns, ("feature", "target")), [random.random(200), random.integers(0, 2, 200)])
    nearest = hornbeam.NeighborsClassifier(1).fit(table)
    small = as_tree(nearest, table, 200, made_up=0, folds=5, random_state=0)
    assert (small.model_.predict_codes(table) == nearest.model_.predict_codes(table)).mean() > 0.95
    assert small.fidelity < 0.65
    written = hornbeam.show.text(small)
    assert f"{100 * small.fidelity:.1f}% of 200 rows, held out in turn (5 folds)" in written
    assert "not used for learning" in hornbeam.show.text(as_tree(nearest, table, 2, random_state=0))


def test_numbers_in_turn(miles: tuple[Any, Table]) -> None:
    forest, table = miles
    small = as_tree(forest, table, 8, made_up=0, folds=4, random_state=0)
    assert small.confusion is None
    assert 0.6 < small.fidelity < 1
    assert f"R² {small.fidelity:.3f}" in hornbeam.show.text(small)


@pytest.mark.parametrize(
    "clusterer",
    [hornbeam.KMeans(3, random_state=0), hornbeam.MixtureModel(2, random_state=0), hornbeam.HierarchicalClustering(3)],
    ids=lambda clusterer: type(clusterer).__name__,
)
def test_clusters_are_referred_to_what_explains_them(clusterer: Any) -> None:
    iris = hornbeam.read("iris")
    clusterer.fit(iris)
    for distilled, by in ((as_tree, "tree"), (as_rules, "rules")):
        told = rf"{type(clusterer).__name__} finds clusters .*explain_clusters\(model, table, by='{by}'\)"
        with pytest.raises(TypeError, match=told):
            distilled(clusterer, iris)
        with pytest.raises(TypeError, match="explain_clusters"):
            distilled(clusterer.model_, iris, estimator=hornbeam.C45Classifier())
    assert hornbeam.distill.explain_clusters(clusterer, iris, random_state=0).fidelity > 0.5
