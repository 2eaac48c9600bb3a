from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.model_selection import StratifiedKFold

from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.evaluate import ClassificationScore, RegressionScore, cross_validate

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Majority(BaseEstimator):  # type: ignore[misc]
    """Answers with the commonest class (or the mean) of what it saw."""

    seen: list[Table] = []  # noqa: RUF012 - what every clone was given, for the tests to look at

    def fit(self, table: Table) -> Self:
        Majority.seen.append(table)
        self.schema_ = table.schema
        column, truth = table.schema.target_column, table.target_values()
        self.answer: Any
        if isinstance(column, Nominal):
            self.answer = column.categories[int(np.bincount(truth).argmax())]
        else:
            self.answer = float(truth.mean())
        return self

    def predict(self, table: Table) -> NDArray[Any]:
        return np.array([self.answer] * table.n_rows, None if isinstance(self.answer, float) else object)


def table_of(truth: list[int], categories: int = 3) -> Table:
    names = tuple(f"class {code}" for code in range(categories))
    schema = Schema((Numeric("x"), Nominal("y", names)), ("feature", "target"))
    return Table(schema, [np.arange(len(truth), dtype=float), np.array(truth, np.int32)])


@pytest.fixture(autouse=True)
def forget() -> None:
    Majority.seen = []


def test_every_row_is_predicted_once_by_a_model_that_had_not_seen_it() -> None:
    table = table_of([0] * 30 + [1] * 20 + [2] * 10)
    result = cross_validate(Majority(), table, folds=5, seed=3)
    assert result.folds == 5
    assert np.bincount(result.fold).tolist() == [12] * 5
    for number, seen in enumerate(Majority.seen):
        assert set(seen.column("x").tolist()) == set(np.flatnonzero(result.fold != number).tolist())
    assert isinstance(result.score, ClassificationScore)
    assert result.score.accuracy == pytest.approx(0.5)
    assert result.score.interval[0] < 0.5 < result.score.interval[1]
    assert (result.predictions == 0).all()


def test_classes_are_spread_evenly() -> None:
    truth = np.array([0] * 30 + [1] * 20 + [2] * 10)
    result = cross_validate(Majority(), table_of(truth.tolist()), folds=10, seed=1)
    splitter = StratifiedKFold(10, shuffle=True, random_state=1)
    for number, (_, part) in enumerate(splitter.split(truth, truth)):
        assert np.flatnonzero(result.fold == number).tolist() == part.tolist()


def test_folds_share_sort_orders() -> None:
    table = table_of([0, 1] * 10)
    cross_validate(Majority(), table, folds=2)
    assert all(0 in seen._orders for seen in Majority.seen)


def test_given_folds_are_used() -> None:
    table = table_of([0, 1, 0, 1, 0, 1])
    result = cross_validate(Majority(), table, folds=[7, 7, 7, 3, 3, 3])
    assert result.fold.tolist() == [1, 1, 1, 0, 0, 0]
    assert result.seed is None
    with pytest.raises(ValueError, match="one fold number for each of the 6 rows"):
        cross_validate(Majority(), table, folds=[1, 2])


@given(st.lists(st.integers(-1, 2), min_size=2, max_size=25), st.integers(2, 12))
def test_any_table_can_be_dealt(truth: list[int], folds: int) -> None:
    known = sum(code >= 0 for code in truth)
    if known < 2:
        with pytest.raises(ValueError, match="at least two folds"):
            cross_validate(Majority(), table_of(truth), folds=folds)
        return
    result = cross_validate(Majority(), table_of(truth), folds=folds)
    assert ((result.fold < 0) == (np.array(truth) < 0)).all()
    assert result.folds == min(folds, known)
    assert sum(part.n_rows for part in result.fold_scores) == result.score.n_rows == known


def test_threads_change_nothing() -> None:
    table = table_of([0, 1, 1, 2] * 8)
    one, four = (cross_validate(Majority(), table, folds=4, n_jobs=n_jobs) for n_jobs in (None, 4))
    assert one.predictions.tolist() == four.predictions.tolist()
    assert one.to_json() == four.to_json()


def test_progress_is_told_from_none_to_all() -> None:
    told: list[tuple[int, int]] = []

    def note(done: int, total: int) -> None:
        told.append((done, total))

    for n_jobs in (None, 2):
        told.clear()
        cross_validate(Majority(), table_of([0, 1] * 6), folds=3, n_jobs=n_jobs, progress=note)
        assert told[0] == (0, 3)
        assert told[-1] == (3, 3)


class Failing(Majority):
    def fit(self, table: Table) -> Self:
        msg = f"no model from {table.n_rows} rows in {threading.current_thread().name}"
        raise ValueError(msg)


@pytest.mark.parametrize("n_jobs", [None, 2, -1])
def test_an_error_in_a_fold_is_the_callers(n_jobs: int | None) -> None:
    with pytest.raises(ValueError, match="no model from 8 rows"):
        cross_validate(Failing(), table_of([0, 1] * 6), folds=3, n_jobs=n_jobs)


def test_numbers_are_scored_as_numbers() -> None:
    schema = Schema((Numeric("x"), Numeric("y")), ("feature", "target"))
    table = Table(schema, [np.arange(10.0), np.array([*range(9), np.nan])])
    result = cross_validate(Majority(), table, folds=3)
    assert isinstance(result.score, RegressionScore)
    assert result.score.n_rows == 9
    assert np.isnan(result.predictions[9])
    assert len(result.to_json()["fold_scores"]) == 3


@pytest.mark.parametrize(("folds", "n_jobs", "message"), [(1, None, "folds is 1"), (3, 0, "n_jobs is 0")])
def test_wrong_numbers_are_named(folds: int, n_jobs: int | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cross_validate(Majority(), table_of([0, 1] * 6), folds=folds, n_jobs=n_jobs)


def test_a_table_without_target() -> None:
    with pytest.raises(SchemaError, match="no target"):
        cross_validate(Majority(), Table(Schema((Numeric("x"),)), [np.arange(4.0)]))
