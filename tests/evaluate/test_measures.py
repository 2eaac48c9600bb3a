from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from hornbeam.evaluate.measures import (
    ABOUT,
    MEASURES,
    area_under_roc,
    balanced_accuracy,
    brier_score,
    log_loss,
    of_probabilities,
)


@st.composite
def judged(draw: st.DrawFn, classes: int) -> tuple[Any, Any, Any, Any]:
    """Truth with every class in it, answers, shares (with ties) and weights."""
    n = draw(st.integers(classes, 25))
    truth = [*range(classes), *draw(st.lists(st.integers(0, classes - 1), min_size=n - classes, max_size=n - classes))]
    answers = draw(st.lists(st.integers(-1, classes - 1), min_size=n, max_size=n))
    raw = draw(st.lists(st.integers(1, 5), min_size=n * classes, max_size=n * classes))
    shares = np.array(raw, float).reshape(n, classes)
    weights = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    return np.array(truth), np.array(answers), shares / shares.sum(axis=1, keepdims=True), np.array(weights, float)


@given(judged(2), st.booleans())
def test_two_classes_are_measured_as_others_do(drawn: Any, weighted: bool) -> None:
    truth, _, shares, weights = drawn
    weights = weights if weighted else None
    area = metrics.roc_auc_score(truth, shares[:, 1], sample_weight=weights)
    assert area_under_roc(truth, shares, weights) == pytest.approx(area)
    assert log_loss(truth, shares, weights) == pytest.approx(metrics.log_loss(truth, shares, sample_weight=weights))
    squared = metrics.brier_score_loss(truth, shares[:, 1], sample_weight=weights)
    assert brier_score(truth, shares, weights) == pytest.approx(squared)


@given(judged(3), st.booleans())
def test_more_classes_are_measured_as_others_do(drawn: Any, weighted: bool) -> None:
    truth, answers, shares, weights = drawn
    weights = weights if weighted else None
    area = metrics.roc_auc_score(truth, shares, multi_class="ovr", average="weighted", sample_weight=weights)
    assert of_probabilities(truth, shares, weights) == {
        "AUC": pytest.approx(area),
        "log loss": pytest.approx(metrics.log_loss(truth, shares, sample_weight=weights)),
        "Brier score": pytest.approx(
            metrics.brier_score_loss(truth, shares, sample_weight=weights, scale_by_half=True)
        ),
    }
    recalls = [
        np.average(answers[truth == code] == code, weights=None if weights is None else weights[truth == code])
        for code in range(3)
    ]
    assert balanced_accuracy(truth, answers, weights) == pytest.approx(np.mean(recalls))
    if (answers >= 0).all():
        theirs = metrics.balanced_accuracy_score(truth, answers, sample_weight=weights)
        assert balanced_accuracy(truth, answers, weights) == pytest.approx(theirs)


@given(judged(3))
def test_a_weight_is_so_many_rows(drawn: Any) -> None:
    truth, answers, shares, weights = drawn
    again = np.repeat(np.arange(len(truth)), weights.astype(int))
    found = of_probabilities(truth, shares, weights)
    assert found == pytest.approx(of_probabilities(truth[again], shares[again]))
    assert balanced_accuracy(truth, answers, weights) == pytest.approx(balanced_accuracy(truth[again], answers[again]))


def test_what_does_not_exist_is_not_a_number() -> None:
    shares = np.full((3, 2), 0.5)
    assert math.isnan(area_under_roc(np.zeros(3, int), shares))
    assert math.isnan(log_loss(np.zeros(3, int), shares, np.zeros(3)))
    assert math.isnan(brier_score(np.zeros(0, int), np.zeros((0, 2))))
    assert math.isnan(balanced_accuracy(np.zeros(0, int), np.zeros(0, int)))
    # Classes that do not occur have no area of their own, and no share in the mean.
    three = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1]])
    assert area_under_roc(np.array([0, 1]), three) == 1.0


def test_a_class_without_a_chance_costs_much_but_not_without_end() -> None:
    assert log_loss(np.array([0]), np.array([[0.0, 1.0]])) == pytest.approx(-math.log(1e-15))


def test_every_measure_is_described() -> None:
    assert all(name in ABOUT for names in MEASURES.values() for name in names)
    assert {name for name, about in ABOUT.items() if about.higher_is_better} == {
        "accuracy",
        "balanced accuracy",
        "AUC",
        "R2",
    }
