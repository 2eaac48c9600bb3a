"""Methods and attributes that scikit-learn's estimators of the same kind have."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import hornbeam
from tests.conformance.every import CLASSIFIERS, class_table, new_rows, number_table, table_for

TREES = ("c45", "id3", "cart", "tree", "tree fractional", "tree several cuts", "cart numbers", "tree numbers", "m5")
EVERY = CLASSIFIERS | {
    "cart numbers": hornbeam.CartRegressor(random_state=0),
    "tree numbers": hornbeam.TreeRegressor(min_samples_leaf=5),
    "m5": hornbeam.M5Regressor(),
}


@pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")
@pytest.mark.parametrize("name", TREES)
def test_what_a_tree_can_be_asked(name: str) -> None:
    learner = EVERY[name].fit(table_for(name, missing=0.0 if name == "id3" else 0.05))
    tree, asked = learner.model_, new_rows(name)
    assert learner.get_depth() == tree.depth > 0
    assert learner.get_n_leaves() == tree.n_leaves > 1
    leaves = learner.apply(asked)
    assert (tree.first_child[leaves] < 0).all() or name == "tree fractional" or name.startswith("c45")
    paths = learner.decision_path(asked)
    assert paths.shape == (asked.n_rows, tree.n_nodes)
    assert set(paths.data.tolist()) == {1}
    assert (paths[:, [0]].toarray() == 1).all()  # the root
    assert all(paths[row, leaf] == 1 for row, leaf in enumerate(leaves))
    for row in range(asked.n_rows):  # every node but the root is reached from its parent
        nodes = set(paths[[row]].indices.tolist())
        assert {int(tree.parent[node]) for node in nodes if node} <= nodes


def test_rules_are_no_tree() -> None:
    rules = hornbeam.C45Classifier(prune="rules").fit(class_table())
    for wanted in ("get_depth", "get_n_leaves"):
        with pytest.raises(AttributeError, match=f"{wanted} is for one tree; the model is a RuleList"):
            getattr(rules, wanted)()
    assert not hasattr(rules, "feature_importances_")


@pytest.mark.parametrize("name", ["forest", "boosting", "bagging"])
def test_members_are_estimators(name: str) -> None:
    table, asked = class_table(), class_table(seed=99)
    learner = CLASSIFIERS[name].fit(table)
    members = learner.estimators_
    if name == "boosting":
        scores = np.zeros((asked.n_rows, 3)) + learner.model_.base
        for number, tree in enumerate(members):
            scores[:, number % 3] += tree.predict(asked)
        assert np.allclose(scores, learner.decision_function(asked), atol=1e-5)
        assert len(members) == 3 * learner.n_iter_
    else:
        mean = np.mean([one.predict_proba(asked) for one in members], axis=0)
        assert np.allclose(mean, learner.predict_proba(asked), atol=1e-6)
        assert all((one.classes_ == learner.classes_).all() for one in members)
    if name != "bagging":
        leaves = learner.apply(asked)
        assert leaves.shape == (asked.n_rows, len(members))
        paths, start = learner.decision_path(asked)
        assert start[-1] == paths.shape[1] == learner.model_.n_nodes
        for number, one in enumerate(members):
            assert np.array_equal(leaves[:, number], one.apply(asked))
            assert (paths[:, start[number] : start[number + 1]] != one.decision_path(asked)).nnz == 0


def test_members_take_arrays_as_the_whole_does() -> None:
    random = np.random.default_rng(2)
    x, y = random.normal(size=(60, 4)), random.integers(0, 3, 60) * 10
    bagged = hornbeam.BaggingClassifier(n_estimators=4, max_features=2, random_state=3).fit(x, y)
    for one, features in zip(bagged.estimators_, bagged.estimators_features_, strict=True):
        assert len(features) == 2
        assert set(one.predict(x[:, features]).tolist()) <= {0, 10, 20}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        forest = hornbeam.RandomForestRegressor(3, random_state=0).fit(x, y)
        mean = np.mean([one.predict(x) for one in forest.estimators_], axis=0)
    assert np.allclose(mean, forest.predict(x))


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_logarithms_of_probabilities(name: str) -> None:
    table = class_table(60, missing=0.0)
    learner = CLASSIFIERS[name].fit(table)
    with np.errstate(divide="ignore"):
        assert np.array_equal(learner.predict_log_proba(table), np.log(learner.predict_proba(table)))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_and_stages_of_boosting(n_classes: int) -> None:
    table, asked = class_table(n_classes=n_classes), class_table(seed=5, n_classes=n_classes)
    learner = hornbeam.GradientBoostingClassifier(6, learning_rate=0.3).fit(table)
    scores = learner.decision_function(asked)
    assert scores.shape == ((asked.n_rows,) if n_classes == 2 else (asked.n_rows, n_classes))
    exact = np.stack([np.zeros(len(scores)), scores], axis=1) if n_classes == 2 else scores
    shares = np.exp(exact) / np.exp(exact).sum(axis=1, keepdims=True)
    assert np.allclose(shares, learner.predict_proba(asked))
    stages = list(learner.staged_decision_function(asked))
    assert len(stages) == 6
    assert np.array_equal(stages[-1], scores)
    assert np.array_equal(list(learner.staged_predict(asked))[-1], learner.predict(asked))
    fewer = hornbeam.GradientBoostingClassifier(2, learning_rate=0.3).fit(table)
    assert np.allclose(stages[1], fewer.decision_function(asked))


def test_the_last_stage_decides_by_the_threshold_too() -> None:
    table = class_table(n_classes=2)
    learner = hornbeam.GradientBoostingClassifier(5, decision_threshold=0.2).fit(table)
    assert np.array_equal(list(learner.staged_predict(table))[-1], learner.predict(table))
    assert (learner.predict(table) != learner.set_params(decision_threshold=None).predict(table)).any()


def test_stages_of_numbers_end_in_the_prediction() -> None:
    table = number_table()
    learner = hornbeam.GradientBoostingRegressor(4).fit(table)
    assert np.array_equal(list(learner.staged_predict(table))[-1], learner.predict(table))


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classes_have_weights(name: str) -> None:
    assert "class_weight" in CLASSIFIERS[name].get_params()


@pytest.mark.parametrize("learner", [hornbeam.CartClassifier(folds=0), hornbeam.LocallyWeightedClassifier()])
def test_class_weights_are_row_weights(learner: Any) -> None:
    table = class_table(missing=0.0)
    weights = np.array([1.0, 2.0, 5.0])[table.target_values()]
    by_class = dict(zip(("class a", "class b", "class c"), (1, 2, 5), strict=True))
    one = learner.set_params(class_weight=by_class).fit(table).predict_proba(table)
    other = learner.set_params(class_weight=None).fit(table, sample_weight=weights).predict_proba(table)
    assert np.array_equal(one, other)
    assert not np.array_equal(one, learner.fit(table).predict_proba(table))


def test_balanced_classes_in_cart() -> None:
    random = np.random.default_rng(4)
    x = random.normal(size=(600, 2))
    y = (x[:, 0] + random.normal(size=600) > 2.2).astype(int)
    plain, balanced = (hornbeam.CartClassifier(class_weight=way, folds=0).fit(x, y) for way in (None, "balanced"))
    assert balanced.predict(x).sum() > 2 * plain.predict(x).sum()
