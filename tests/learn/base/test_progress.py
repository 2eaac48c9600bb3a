"""Progress while a model is learned: lines, callbacks, and callbacks that stop it."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import hornbeam
from tests.conformance.every import class_table, number_table, plain_table

LEARNERS: list[tuple[Any, int]] = [
    (hornbeam.RandomForestClassifier(6, random_state=0), 6),
    (hornbeam.RandomForestRegressor(6, random_state=0, n_jobs=2), 6),
    (hornbeam.GradientBoostingClassifier(6), 6),
    (hornbeam.GradientBoostingRegressor(6), 6),
    (hornbeam.BaggingClassifier(n_estimators=6, random_state=0), 6),
    (hornbeam.BaggingRegressor(n_estimators=6, random_state=0, n_jobs=2), 6),
    (hornbeam.SVMClassifier(random_state=0), 3),
    (hornbeam.KMeans(3, n_init=6, random_state=0), 6),
    (hornbeam.MixtureModel(2, n_init=6, random_state=0), 6),
]
STOPPING = [learner for learner, _ in LEARNERS if not isinstance(learner, hornbeam.SVMClassifier)
            and "Bagging" not in type(learner).__name__]  # fmt: skip
named = pytest.mark.parametrize(("learner", "total"), LEARNERS, ids=lambda value: type(value).__name__)


def table_of(learner: Any) -> hornbeam.Table:
    if type(learner).__name__.endswith("Regressor"):
        return number_table()
    return class_table() if type(learner).__name__.endswith("Classifier") else plain_table()


@named
def test_every_step_is_reported(learner: Any, total: int) -> None:
    steps: list[tuple[int, int]] = []
    reporting = clone(learner).set_callbacks(lambda step, of: steps.append((step, of)))
    table = table_of(learner)
    reporting.fit(table)
    assert steps == [(step, total) for step in range(1, total + 1)]
    assert np.array_equal(reporting.predict(table), clone(learner).fit(table).predict(table))


@pytest.mark.parametrize("learner", STOPPING, ids=lambda learner: type(learner).__name__)
def test_a_callback_may_stop(learner: Any) -> None:
    steps: list[int] = []

    def stop(step: int, _total: int) -> bool:
        steps.append(step)
        return step == 2

    table = table_of(learner)
    stopped = clone(learner).set_callbacks(stop).fit(table)
    assert steps == [1, 2]
    fewer = {"n_estimators": 2} if "n_estimators" in learner.get_params() else {"n_init": 2}
    if not isinstance(learner, hornbeam.MixtureModel):  # which draws all starts first
        assert np.array_equal(stopped.predict(table), clone(learner).set_params(**fewer).fit(table).predict(table))


@named
def test_an_error_of_a_callback_stops(learner: Any, total: int) -> None:
    def fail(step: int, of: int) -> None:
        msg = f"enough after {step} of {of}"
        raise RuntimeError(msg)

    with pytest.raises(RuntimeError, match=f"enough after 1 of {total}"):
        clone(learner).set_callbacks(fail).fit(table_of(learner))


@named
def test_lines(learner: Any, total: int, capsys: pytest.CaptureFixture[str]) -> None:
    clone(learner).set_params(verbose=2).fit(table_of(learner))
    name = type(learner).__name__
    assert capsys.readouterr().err.splitlines() == [f"{name}: {step} of {total}" for step in range(1, total + 1)]
    clone(learner).fit(table_of(learner))
    assert capsys.readouterr().err == ""


def test_about_ten_lines(capsys: pytest.CaptureFixture[str]) -> None:
    hornbeam.GradientBoostingClassifier(50, verbose=1).fit(class_table())
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 10
    assert lines[-1] == "GradientBoostingClassifier: 50 of 50"


def test_callbacks_are_not_copied() -> None:
    learner = hornbeam.RandomForestClassifier(2).set_callbacks(lambda _step, _total: None).fit(class_table())
    assert pickle.loads(pickle.dumps(learner))._callbacks == ()  # noqa: S301 - our own bytes
    assert clone(learner)._callbacks == ()


def test_every_target_reports() -> None:
    steps: list[int] = []
    learner = hornbeam.RandomForestClassifier(2).set_callbacks(lambda step, _total: steps.append(step))
    learner.fit(np.arange(20.0).reshape(10, 2), np.array([[0, 1]] * 5 + [[1, 0]] * 5))
    assert steps == [1, 2, 1, 2]
