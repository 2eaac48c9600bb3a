"""Impurities are least mean losses: no other single answer does better."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from hornbeam.learn.trees import criteria

counts_and_answers = st.integers(2, 4).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 20), min_size=n, max_size=n).filter(any),
        st.lists(st.floats(0.01, 1), min_size=n, max_size=n),
    )
)
numbers = st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=12)


@given(counts_and_answers)
def test_no_shares_answer_better_than_the_classes_own(drawn: tuple[list[int], list[float]]) -> None:
    counts, raw = np.array(drawn[0], float), np.array(drawn[1])
    truth, answer = counts / counts.sum(), raw / raw.sum()
    log_loss = -float(truth @ np.log2(answer))
    brier = float(truth @ ((np.eye(len(truth)) - answer) ** 2).sum(axis=1))
    assert criteria.class_impurity(counts, "log") <= log_loss + 1e-9
    assert criteria.class_impurity(counts, "brier") <= brier + 1e-9
    own = float(truth @ ((np.eye(len(truth)) - truth) ** 2).sum(axis=1))
    assert criteria.class_impurity(counts, "brier") == pytest.approx(own)


@given(counts_and_answers)
def test_a_matrix_of_losses_contains_the_others(drawn: tuple[list[int], list[float]]) -> None:
    counts, _ = drawn
    wrong = 1 - np.eye(len(counts))
    assert criteria.class_impurity(counts, wrong) == pytest.approx(criteria.misclassification(counts))
    assert criteria.class_impurity(counts, 3 * wrong) == pytest.approx(3 * criteria.misclassification(counts))


@given(numbers, st.integers(-60, 60))
def test_no_number_answers_better_than_mean_and_median(values: list[float], answer: int) -> None:
    array = np.array(values)
    assert criteria.number_impurity(values) <= ((array - answer) ** 2).mean() + 1e-9
    assert criteria.number_impurity(values, "absolute") <= np.abs(array - answer).mean() + 1e-9
    assert criteria.number_impurity(values) == pytest.approx(array.var())


@given(numbers, st.integers(1, 3))
def test_weights_are_repeated_numbers(values: list[float], factor: int) -> None:
    weights = [1 + (place * factor) % 3 for place in range(len(values))]
    repeated = np.repeat(values, weights)
    for loss in ("squared", "absolute"):
        weighted = criteria.number_impurity(values, loss, weights)  # type: ignore[arg-type]
        assert weighted == pytest.approx(criteria.number_impurity(repeated, loss))  # type: ignore[arg-type]
    assert criteria.median(values, weights) == np.sort(repeated)[(len(repeated) - 1) // 2]


@given(st.lists(numbers, min_size=1, max_size=4))
def test_dividing_numbers_never_hurts(branches: list[list[float]]) -> None:
    for reduction in (criteria.variance_reduction, criteria.sd_reduction, criteria.absolute_error_reduction):
        assert reduction(branches) >= -1e-9
        assert reduction([*branches, []]) == reduction(branches)  # a branch without rows says nothing


def test_standard_deviation_is_the_root_before_the_average() -> None:
    branches = [[1.0, 3.0], [10.0, 30.0, 50.0]]
    whole = np.concatenate(branches)
    expected = whole.std() - 2 / 5 * np.std(branches[0]) - 3 / 5 * np.std(branches[1])
    assert criteria.sd_reduction(branches) == pytest.approx(expected)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=5))
def test_chi_square_is_scipys(rows: list[tuple[int, int, int]]) -> None:
    table = np.array(rows, float)
    found = criteria.chi_square(table)
    kept = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    if min(kept.shape, default=0) < 2:
        assert (found.degrees, found.p_value) == (0, 1.0)
        return
    expected = chi2_contingency(kept, correction=False)
    assert found.statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert found.degrees == expected.dof
    assert found.p_value == pytest.approx(expected.pvalue)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: criteria.class_impurity([1, 2], "hinge"), "loss is 'hinge'"),  # type: ignore[arg-type]
        (lambda: criteria.class_impurity([1, 2], [[0, 1]]), "a row for each of the 2 classes"),
        (lambda: criteria.number_impurity([1.0], "hinge"), "loss is 'hinge'"),  # type: ignore[arg-type]
        (lambda: criteria.number_impurity([math.nan]), "finite numbers"),
        (lambda: criteria.number_impurity([1.0, 2.0], "squared", [1.0]), "1 weights for 2 numbers"),
        (lambda: criteria.variance_reduction([[]]), "no numbers"),
    ],
)
def test_what_is_wrong_is_said(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=message):
        call()
