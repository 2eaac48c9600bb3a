"""Least cost and thresholds against the arithmetic written out row by row."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score, f1_score, make_scorer, recall_score
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV, cross_val_predict

import hornbeam
from hornbeam.learn.base.decide import (
    METRICS,
    best_threshold,
    by_threshold,
    cost_matrix,
    least_cost,
    threshold_of_costs,
)

SHARES = st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 0.5, 2 / 3, 0.75, 0.9, 1.0])


def test_costs_by_name() -> None:
    found = cost_matrix({"a": {"b": 3, "a": 0.5}, "c": {"a": 2}}, ["a", "b", "c"])
    assert found.tolist() == [[0.5, 3.0, 1.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]
    assert cost_matrix({0: {1: 4}}, np.array([0, 1])).tolist() == [[0.0, 4.0], [1.0, 0.0]]
    assert cost_matrix({0: {"1": 4}}, ["0", "1"]).tolist() == [[0.0, 4.0], [1.0, 0.0]]
    assert cost_matrix({}, ["a", "b"]).tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert cost_matrix([[0, 2], [1, 0]], ["a", "b"]).tolist() == [[0.0, 2.0], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([[0, 1]], "shape \\(1, 2\\); expected 2 rows and 2 columns"),
        ([[0, -1], [1, 0]], "predicting 'b' for 'a' is -1.0"),
        ([[0, 1], [float("nan"), 0]], "predicting 'a' for 'b' is nan"),
        ("cheap", "costs is 'cheap'"),
        (3, "shape \\(\\)"),
        ({"a": 3}, "costs of the class 'a' are 3"),
        ({"a": {"z": 3}}, "name the class 'z'; the classes are 'a', 'b'"),
        ({"z": {"a": 3}}, "name the class 'z'"),
        ({"a": {"b": -3}}, "predicting 'b' for 'a' is -3"),
        ({"a": {"b": "much"}}, "is much; expected a number"),
        ({"a": {"b": True}}, "is True; expected a number"),
    ],
)
def test_costs_that_are_refused(costs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cost_matrix(costs, ["a", "b"])


@given(st.integers(1, 4), st.randoms(use_true_random=False))
def test_least_cost_is_the_least(n_classes: int, random: Any) -> None:
    counts = np.array([[random.randint(0, 5) for _ in range(n_classes)] for _ in range(8)], float) + 1e-3
    shares = counts / counts.sum(axis=1, keepdims=True)
    costs = np.array([[random.choice([0, 0.5, 1, 3]) for _ in range(n_classes)] for _ in range(n_classes)])
    for row, code in zip(shares, least_cost(shares, costs), strict=True):
        expected = [sum(row[true] * costs[true, answer] for true in range(n_classes)) for answer in range(n_classes)]
        assert expected[code] <= min(expected) + 1e-8
        assert all(cost > expected[code] - 1e-8 for cost in expected[:code])


def test_equal_costs_give_the_commonest_class_and_ties_the_first() -> None:
    shares = np.array([[1 / 3, 1 / 3, 1 / 3], [0.2, 0.5, 0.3], [0.2, 0.4, 0.4], [0.1 + 0.2, 0.3, 0.4 - 1e-17]])
    assert least_cost(shares, 1 - np.eye(3)).tolist() == [0, 1, 1, 2]
    assert least_cost(shares, np.zeros((3, 3))).tolist() == [0, 0, 0, 0]
    assert least_cost(np.empty((0, 2)), 1 - np.eye(2)).tolist() == []
    with pytest.raises(ValueError, match="the probabilities are of 3 classes"):
        least_cost(shares, np.eye(2))
    with pytest.raises(ValueError, match="expected a row for each row"):
        least_cost([0.1, 0.9], np.eye(2))


def test_by_threshold() -> None:
    shares = np.array([[0.7, 0.3], [0.71, 0.29], [0.0, 1.0], [1.0, 0.0]])
    assert by_threshold(shares, 1, 0.3).tolist() == [1, 0, 1, 0]
    assert by_threshold(shares, 0, 0.71).tolist() == [1, 0, 1, 0]
    assert by_threshold(shares, 1, 0).tolist() == [1, 1, 1, 1]
    assert by_threshold(shares, 1, 1).tolist() == [0, 0, 1, 0]
    assert by_threshold([[0.3, 0.3, 0.4], [0.2, 0.5, 0.3]], 2, 0.35).tolist() == [2, 1]
    assert by_threshold([[0.3, 0.3, 0.4]], 2, 0.5).tolist() == [0]


@pytest.mark.parametrize(
    ("positive", "threshold", "message"),
    [(2, 0.5, "positive is 2"), ("a", 0.5, "positive is 'a'"), (1, 1.5, "threshold is 1.5"), (1, None, "None")],
)
def test_thresholds_that_are_refused(positive: Any, threshold: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        by_threshold([[0.5, 0.5]], positive, threshold)


@given(st.lists(SHARES, min_size=1, max_size=9), st.sampled_from([0, 1]), st.sampled_from([0.5, 1.0, 2.0, 10.0]))
def test_the_threshold_of_costs_decides_as_the_costs(shares: list[float], positive: int, ratio: float) -> None:
    both = np.column_stack([1 - np.array(shares), shares])
    costs = np.array([[0.0, 1.0], [ratio, 0.0]])
    threshold = threshold_of_costs(costs, positive)
    by_cost, by_share = least_cost(both, costs), by_threshold(both, positive, threshold)
    tied = np.abs(both[:, positive] - threshold) < 1e-8
    assert np.array_equal(by_cost[~tied], by_share[~tied])


def test_costs_without_a_threshold() -> None:
    for costs in ([[0, 0], [0, 0]], [[2, 1], [1, 0]], np.zeros((3, 3))):
        with pytest.raises(ValueError, match=r"give no threshold|for two classes"):
            threshold_of_costs(costs)


def figure(truth: Any, answers: Any, weights: Any, metric: str, costs: Any) -> float:
    if costs is not None:
        return float(sum(w * costs[t][a] for t, a, w in zip(truth, answers, weights, strict=True)) / sum(weights))
    if metric == "accuracy":
        return float(np.average(truth == answers, weights=weights))
    if metric == "f1":
        return float(f1_score(truth, answers, sample_weight=weights, zero_division=0))
    return float(balanced_accuracy_score(truth, answers, sample_weight=weights))


@given(
    st.lists(st.tuples(SHARES, st.sampled_from([0, 1]), st.sampled_from([1.0, 0.5, 2.0])), min_size=2, max_size=12),
    st.sampled_from([*METRICS, "costs"]),
)
def test_the_best_threshold_is_the_best(rows: list[tuple[float, int, float]], metric: Any) -> None:
    share, truth, weight = (np.array(part) for part in zip(*rows, strict=True))
    if len(set(truth)) < 2:
        return
    costs = [[0, 1], [3, 0.5]] if metric == "costs" else None
    asked: Any = "accuracy" if metric == "costs" else metric
    threshold, reached = best_threshold(truth, share, weights=weight, costs=costs, metric=asked)
    assert 0 <= threshold <= 1
    both = np.column_stack([1 - share, share])

    def at(place: float) -> float:
        return figure(truth, by_threshold(both, 1, place), weight, asked, costs)

    assert at(threshold) == pytest.approx(reached)
    every = [at(place) for place in [*share, 0.0, 1.0, 0.5, *np.linspace(0.01, 0.99, 9)]]
    assert reached == pytest.approx(min(every) if costs else max(every))
    assert best_threshold(truth, both, weights=weight, costs=costs, metric=asked) == (threshold, reached)


def test_the_other_class_may_be_positive() -> None:
    truth, share = np.array([0, 0, 1, 1, 0]), np.array([0.1, 0.2, 0.3, 0.9, 0.45])
    both = np.column_stack([1 - share, share])
    costs = cost_matrix([[0, 5], [1, 0]], ["a", "b"])
    for positive in (0, 1):
        threshold, cost = best_threshold(truth, both, positive=positive, costs=costs)
        answers = by_threshold(both, positive, threshold)
        assert cost == pytest.approx(costs[truth, answers].mean())
        assert cost == pytest.approx(0.2)


def test_unknown_rows_are_left_out_and_ties_go_to_the_middle() -> None:
    assert best_threshold([0, 1, -1], [0.2, 0.8, np.nan]) == (0.5, 1.0)
    assert best_threshold([0, 1, 0], [0.2, 0.8, 0.9], weights=[1, 1, 0]) == (0.5, 1.0)
    assert best_threshold([0, 0], [0.2, 0.4]) == (pytest.approx(0.7), 1.0)
    assert best_threshold([0, 0], [1.0, 1.0]) == (0.5, 0.0)  # a share of 1 passes every threshold


@pytest.mark.parametrize(
    ("labels", "shares", "options", "message"),
    [
        ([0, 1], [0.1], {}, "expected one of each per row"),
        ([0, 2], [0.1, 0.2], {}, "values other than 0, 1"),
        ([-1], [0.1], {}, "a threshold needs such rows"),
        ([0, 1], [0.1, np.nan], {}, "a probability is not a number"),
        ([0, 1], [0.1, 0.2], {"weights": [1, -1]}, "weight is negative"),
        ([0, 1], [0.1, 0.2], {"metric": "auc"}, "metric is 'auc'"),
        ([0, 1], [0.1, 0.2], {"positive": 2}, "positive is 2"),
        ([0, 0], [0.1, 0.2], {"metric": "balanced-accuracy"}, "rows of both classes"),
        ([0, 1], [[0.1, 0.2, 0.7]] * 2, {}, "of 3 classes"),
        ([0, 1], [0.1, 0.2], {"costs": [[0, 1]]}, "expected 2 rows"),
    ],
)
def test_searches_that_are_refused(labels: Any, shares: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        best_threshold(labels, shares, **options)


def labor() -> tuple[Any, Any]:
    table = hornbeam.read("labor")
    target = table.schema.target_column
    names = np.array(target.categories, dtype=object).astype(str)
    return table.select(table.schema.features).to_pandas(), names[table.target_values()]


def test_our_classifiers_decide_by_costs_and_thresholds() -> None:
    rows, truth = labor()
    plain = hornbeam.C45Classifier().fit(rows, truth)
    shares = plain.predict_proba(rows)
    wary = hornbeam.C45Classifier(costs={"bad": {"good": 3}}).fit(rows, truth)
    costs = cost_matrix({"bad": {"good": 3}}, wary.classes_)
    assert np.array_equal(wary.predict(rows), plain.classes_[least_cost(shares, costs)])
    assert np.array_equal(wary.predict_proba(rows), shares)
    hopeful = hornbeam.C45Classifier(decision_threshold=0.4).fit(rows, truth)
    assert np.array_equal(hopeful.predict(rows), plain.classes_[by_threshold(shares, 1, 0.4)])
    assert not np.array_equal(hopeful.predict(rows), plain.predict(rows))


def test_scikit_learns_fixed_threshold_wraps_our_trees() -> None:
    rows, truth = labor()
    tree = hornbeam.C45Classifier()
    for positive, threshold in itertools.product(("bad", "good"), (0.1, 0.5, 0.9)):
        wrapped = FixedThresholdClassifier(clone(tree), threshold=threshold, pos_label=positive).fit(rows, truth)
        code = int(np.flatnonzero(wrapped.classes_ == positive)[0])
        shares = wrapped.predict_proba(rows)
        assert np.array_equal(wrapped.predict(rows), wrapped.classes_[by_threshold(shares, code, threshold)])


def test_scikit_learns_tuned_threshold_wraps_our_trees() -> None:
    rows, truth = labor()
    scorer = make_scorer(recall_score, pos_label="bad")
    tuned = TunedThresholdClassifierCV(hornbeam.C45Classifier(), scoring=scorer, cv=4).fit(rows, truth)
    assert set(tuned.predict(rows)) <= {"bad", "good"}
    assert 0 <= tuned.best_threshold_ <= 1
    shares = cross_val_predict(hornbeam.C45Classifier(), rows, truth, cv=4, method="predict_proba")
    threshold, cost = best_threshold(truth == "good", shares, costs=[[0, 5], [1, 0]])
    codes = (truth == "good").astype(int)
    costs = cost_matrix([[0, 5], [1, 0]], ["bad", "good"])
    assert cost == pytest.approx(costs[codes, by_threshold(shares, 1, threshold)].mean())
    assert cost <= costs[codes, by_threshold(shares, 1, 0.5)].mean()
