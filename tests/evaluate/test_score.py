from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import accuracy_score, cohen_kappa_score, confusion_matrix, r2_score

from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.evaluate import ClassificationScore, RegressionScore, score, score_estimator, wilson_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

CLASSES = ("red", "green", "blue")


def classes_table(truth: list[int], weights: list[float] | None = None) -> Table:
    columns: list[Any] = [Nominal("colour", CLASSES)]
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
    other = Schema((Nominal("colour", ("violet", "green")),), ("target",))
    found = score_estimator(learned, Table(other, [np.array([1, 1, 0], np.int32)]))
    assert isinstance(found, ClassificationScore)
    assert found.categories == ("red", "green", "blue", "violet")
    assert found.confusion[1, 1] == 2
    assert found.confusion[3, 1] == 1
    assert found.accuracy == pytest.approx(2 / 3)


def test_a_test_table_needs_the_target() -> None:
    learned = Constant(classes_table([0]).schema, "green")
    with pytest.raises(SchemaError, match="no column 'colour'"):
        score_estimator(learned, numbers_table([1.0]))
    mixed = Table(Schema((Numeric("colour"),), ("target",)), [np.array([1.0])])
    with pytest.raises(SchemaError, match="numeric in one of the tables"):
        score_estimator(learned, mixed)
