"""A fitted estimator can be pickled and copied, before it has predicted and after, and predicts the same."""

from __future__ import annotations

import copy
import io
import pickle
import warnings
from typing import Any

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import cross_validate

import hornbeam
from hornbeam.model.files.storage import to_bytes
from hornbeam.schemes import SCHEMES

MORE: dict[str, Any] = {
    **{f"svm-{kernel}": hornbeam.SVMClassifier(kernel=kernel) for kernel in ("linear", "polynomial", "sigmoid")},
    "svm-probability": hornbeam.SVMClassifier(probability=True, random_state=0),
    "svm-planes": hornbeam.SVMClassifier(kernel="linear", solver="planes", random_state=0),
    "bagged-svm": hornbeam.BaggingClassifier(hornbeam.SVMClassifier(), n_estimators=2, random_state=0),
    "m5-neighbors": hornbeam.M5Regressor(neighbors=3),
    "committee": hornbeam.M5Regressor(committees=2),
    "instances-kd": hornbeam.NeighborsRegressor(3),
}
CASES = [(f"{scheme.name}-{scheme.predicts}", scheme) for scheme in SCHEMES] + list(MORE.items())


def fitted(made: Any) -> tuple[Any, Any]:
    if hasattr(made, "load"):
        learner = made.load()()
        numbers = made.predicts == "number"
    else:
        learner, numbers = made, "Regressor" in type(made).__name__
    table = hornbeam.read("cpu" if numbers else "iris")
    table = table.take(np.arange(0, table.n_rows, 5))
    if "random_state" in learner.get_params():
        learner.set_params(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if type(learner).__name__ == "ID3Classifier":
            table = hornbeam.read("weather.nominal")
        return learner.fit(table), table


def by_pickle(learner: Any) -> Any:
    return pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own


def by_joblib(learner: Any) -> Any:
    buffer = io.BytesIO()
    joblib.dump(learner, buffer)
    buffer.seek(0)
    return joblib.load(buffer)


WAYS = {"pickle": by_pickle, "copy": copy.copy, "deepcopy": copy.deepcopy, "joblib": by_joblib}


@pytest.mark.parametrize(("name", "made"), CASES, ids=[name for name, _ in CASES])
def test_copies_predict_the_same(name: str, made: Any) -> None:
    del name
    learner, table = fitted(made)
    before = {way: act(learner) for way, act in WAYS.items()}
    expected = learner.predict(table)
    shares = learner.predict_proba(table) if hasattr(learner, "predict_proba") else None
    hornbeam.show.text(learner)  # keeps what it works out, too
    for way, act in WAYS.items():
        for other in (before[way], act(learner)):
            assert np.array_equal(other.predict(table), expected), way
            if shares is not None:
                assert np.array_equal(other.predict_proba(table), shares), way
        assert to_bytes(act(learner.model_)) == to_bytes(learner.model_), way  # the model alone, too


def test_machines_of_sparse_rows_and_given_values() -> None:
    x = np.random.default_rng(0).poisson(1.0, size=(20, 4)).astype(float)
    y = np.arange(20) % 3
    for learner, rows in (
        (hornbeam.SVMClassifier(gamma=0.5), sparse.csr_array(x)),
        (hornbeam.SVMClassifier(kernel="precomputed"), x @ x.T),
        (hornbeam.SVMRegressor(), sparse.csr_array(x)),
    ):
        expected = learner.fit(rows, y).predict(rows)
        for act in WAYS.values():
            assert np.array_equal(act(learner).predict(rows), expected)


def test_estimators_come_back_from_other_processes() -> None:
    iris = hornbeam.read("iris")
    x, y = iris.select(iris.schema.features).to_numpy(), iris.target_values()
    found = cross_validate(hornbeam.SVMClassifier(), x, y, cv=2, return_estimator=True, n_jobs=2)
    assert all(hasattr(each, "model_") for each in found["estimator"])
