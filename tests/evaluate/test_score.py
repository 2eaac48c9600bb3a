from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import (
    accuracy_score,
    cohen_kappa_score,
    confusion_matrix,
    mean_absolute_error,
    mean_squared_error,
    r2_score,
)

from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.evaluate import (
    ClassificationScore,
    RegressionScore,
    r2_interval,
    score,
    score_estimator,
    wilson_interval,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

CLASSES = ("red", "green", "blue")


def classes_table(truth: list[int], weights: list[float] | None = None) -> Table:
    columns: list[Any] = [Nominal("color", CLASSES)]
    arrays: list[Any] = [np.array(truth, np.int32)]
    roles = ["target"]
    if weights is not None:
        columns.append(Numeric("w"))
        arrays.append(np.array(weights))
        roles.append("weight")
    return Table(Schema(tuple(columns), tuple(roles)), arrays)  # type: ignore[arg-type]


def numbers_table(truth: list[float]) -> Table:
    return Table(Schema((Numeric("y"),), ("target",)), [np.array(truth)])


rows = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(1, 5)), min_size=1, max_size=30)


@given(rows)
def test_it_agrees_with_scikit_learn(drawn: list[tuple[int, int, int]]) -> None:
    truth, predicted, weights = (list(part) for part in zip(*drawn, strict=True))
    found = score(np.array(predicted), classes_table(truth, weights))
    assert isinstance(found, ClassificationScore)
    assert found.accuracy == pytest.approx(accuracy_score(truth, predicted, sample_weight=weights))
    expected = confusion_matrix(truth, predicted, labels=[0, 1, 2], sample_weight=weights)
    assert found.confusion.tolist() == expected.tolist()
    assert found.baseline == pytest.approx(max(np.bincount(truth, weights)) / sum(weights))
    if len({*truth, *predicted}) > 1:
        kappa = cohen_kappa_score(truth, predicted, sample_weight=weights)
        assert found.kappa == pytest.approx(kappa, nan_ok=True)


@given(st.integers(1, 500), st.data())
def test_the_interval_is_wilsons(n: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, n))
    expected = binomtest(right, n).proportion_ci(0.95, method="wilson")
    assert wilson_interval(right / n, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_weights_that_say_nothing_leave_the_interval_alone() -> None:
    truth, predicted = [0, 0, 1, 1, 2], np.array([0, 0, 1, 2, 2])
    plain, doubled = score(predicted, classes_table(truth)), score(predicted, classes_table(truth, [2.0] * 5))
    assert isinstance(plain, ClassificationScore)
    assert isinstance(doubled, ClassificationScore)
    assert doubled.interval == pytest.approx(plain.interval)


def test_rows_without_a_target_are_left_out() -> None:
    found = score(np.array([0, 1, 2, 0]), classes_table([0, -1, 2, 1]))
    assert found.n_rows == 3
    assert isinstance(found, ClassificationScore)
    assert found.accuracy == pytest.approx(2 / 3)


def test_no_answer_is_a_wrong_answer() -> None:
    found = score(np.array([0, -1]), classes_table([0, 0]))
    assert isinstance(found, ClassificationScore)
    assert found.accuracy == 0.5
    assert found.confusion.sum() == 1


def test_nothing_to_score() -> None:
    found = score(np.array([], np.int32), classes_table([]))
    assert isinstance(found, ClassificationScore)
    assert math.isnan(found.accuracy)
    assert found.to_json()["accuracy"] is None
    assert found.to_json()["interval"] == [None, None]


def test_numbers() -> None:
    truth, predicted = [1.0, 2.0, 4.0, math.nan], np.array([1.0, 3.0, 3.0, 9.0])
    found = score(predicted, numbers_table(truth))
    assert isinstance(found, RegressionScore)
    assert found.n_rows == 3
    assert found.mean_absolute_error == pytest.approx(2 / 3)
    assert found.root_mean_squared_error == pytest.approx(math.sqrt(2 / 3))
    assert found.r2 == pytest.approx(r2_score(truth[:3], predicted[:3]))


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=30))
def test_figures_of_numbers_are_those_of_others(drawn: list[tuple[int, int]]) -> None:
    truth, predicted = (np.array(part, float) for part in zip(*drawn, strict=True))
    found = score(predicted, numbers_table(truth.tolist()))
    assert isinstance(found, RegressionScore)
    assert found.mean_absolute_error == pytest.approx(mean_absolute_error(truth, predicted))
    assert found.root_mean_squared_error == pytest.approx(math.sqrt(mean_squared_error(truth, predicted)))
    if truth.std() == 0:
        assert math.isnan(found.r2)
        assert found.to_json()["interval"] == [None, None]
        return
    assert found.r2 == pytest.approx(r2_score(truth, predicted))
    mean = np.full(len(truth), truth.mean())
    shares = found.relative_absolute_error, found.root_relative_squared_error
    assert shares[0] == pytest.approx(mean_absolute_error(truth, predicted) / mean_absolute_error(truth, mean))
    assert shares[1] ** 2 == pytest.approx(1 - found.r2)
    assert found.interval[0] <= found.r2 <= found.interval[1] <= 1
    if predicted.std() > 0:
        assert found.correlation == pytest.approx(np.corrcoef(truth, predicted)[0, 1], abs=1e-9)
    else:
        assert math.isnan(found.correlation)


def test_weights_of_numbers_are_repeated_rows() -> None:
    schema = Schema((Numeric("y"), Numeric("w")), ("target", "weight"))
    truth, predicted, weights = np.array([1.0, 5.0, 2.0, 8.0]), np.array([2.0, 4.0, 2.0, 5.0]), np.array([1.0, 2, 3, 1])
    one = score(predicted, Table(schema, [truth, weights]))
    again = np.repeat(np.arange(4), weights.astype(int))
    other = score(predicted[again], numbers_table(truth[again].tolist()))
    for figure in ("mean_absolute_error", "r2", "correlation", "relative_absolute_error"):
        assert getattr(one, figure) == pytest.approx(getattr(other, figure))
    assert isinstance(one, RegressionScore)
    assert isinstance(other, RegressionScore)
    assert one.interval[0] < other.interval[0]  # weights are not rows: they carry less


def test_the_interval_of_r2_holds_the_truth_as_often_as_it_says() -> None:
    random = np.random.default_rng(0)
    held = 0
    for _ in range(300):
        known = random.normal(size=200)
        truth = known + random.normal(size=200)
        low, high = r2_interval((truth - known) ** 2, (truth - truth.mean()) ** 2, np.ones(200))
        held += low <= 0.5 <= high
    assert 0.92 <= held / 300 <= 0.98


def test_an_interval_needs_two_rows_and_a_target_that_varies() -> None:
    one, two = np.ones(1), np.ones(2)
    assert math.isnan(r2_interval(one, one, one)[0])
    assert math.isnan(r2_interval(two, 0 * two, two)[0])
    assert r2_interval(0 * two, two, two) == (1.0, 1.0)


COSTS = np.array([[0.0, 1, 1], [5, 0, 1], [1, 1, 0]])


def test_mean_costs() -> None:
    found = score(np.array([0, 0, 2, -1]), classes_table([0, 1, 2, 1], [1.0, 2, 1, 1]), COSTS)
    assert isinstance(found, ClassificationScore)
    assert found.mean_cost == pytest.approx((0 + 2 * 5 + 0 + 5) / 5)  # no answer costs as the dearest
    assert found.baseline_cost == pytest.approx(min(3 * 5 + 1, 1 + 1, 1 + 3) / 5)
    assert found.to_json()["mean_cost"] == found.mean_cost
    assert "mean_cost" not in score(np.array([0]), classes_table([0])).to_json()
    nothing = score(np.array([], np.int32), classes_table([]), COSTS)
    assert nothing.to_json()["mean_cost"] is None


def test_as_many_predictions_as_rows() -> None:
    with pytest.raises(ValueError, match="2 predictions were given for 1 rows"):
        score(np.array([0, 1]), classes_table([0]))


class Constant:
    """Answers every row alike."""

    def __init__(self, schema: Schema, answer: str) -> None:
        self.schema_, self.answer = schema, answer

    def predict(self, table: Table) -> NDArray[Any]:
        return np.array([self.answer] * table.n_rows, object)


def test_a_test_table_may_number_its_classes_otherwise() -> None:
    learned = Constant(classes_table([0]).schema, "green")
    other = Schema((Nominal("color", ("violet", "green")),), ("target",))
    found = score_estimator(learned, Table(other, [np.array([1, 1, 0], np.int32)]))
    assert isinstance(found, ClassificationScore)
    assert found.categories == ("red", "green", "blue", "violet")
    assert found.confusion[1, 1] == 2
    assert found.confusion[3, 1] == 1
    assert found.accuracy == pytest.approx(2 / 3)


def test_a_test_table_needs_the_target() -> None:
    learned = Constant(classes_table([0]).schema, "green")
    with pytest.raises(SchemaError, match="no column 'color'"):
        score_estimator(learned, numbers_table([1.0]))
    mixed = Table(Schema((Numeric("color"),), ("target",)), [np.array([1.0])])
    with pytest.raises(SchemaError, match="numeric in one of the tables"):
        score_estimator(learned, mixed)


@pytest.mark.parametrize("rows", [3, 7, 13, 49])
@pytest.mark.parametrize("value", [0.1, 0.7, 1e9 / 3])
def test_numbers_that_do_not_vary_have_no_variance_to_explain(rows: int, value: float) -> None:
    """Even where their mean misses them by rounding."""
    same, varied = np.full(rows, value), np.arange(rows) * 1.0
    found = score(varied, numbers_table(same.tolist()))
    assert isinstance(found, RegressionScore)
    assert math.isnan(found.r2)
    assert math.isnan(found.relative_absolute_error)
    assert math.isnan(found.correlation)
    assert all(map(math.isnan, found.interval))
    other = score(same, numbers_table(varied.tolist()))
    assert isinstance(other, RegressionScore)
    assert math.isnan(other.correlation)
