"""Locally weighted learning: fitted values are those of a naive weighted regression; threads; bad input."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_files import members_of, pack

import hornbeam
from hornbeam.learn.neighbors.local import LocallyWeightedClassifier, LocallyWeightedRegressor
from hornbeam.model.base.plain import ModelError
from hornbeam.model.files.storage import from_bytes, to_bytes

KERNELS: dict[str, Any] = {
    "uniform": lambda u: (u <= 1).astype(float),
    "inverse": lambda u: 1 / np.maximum(u, 1e-6),
    "gaussian": lambda u: np.exp(-(u**2) / 2),
    "triangular": lambda u: np.maximum(1 - u, 0),
    "epanechnikov": lambda u: np.maximum(1 - u**2, 0),
    "tricube": lambda u: np.maximum(1 - u**3, 0) ** 3,
}


def naive(x: Any, y: Any, asked: Any, kernel: str, reach: float | None, k: int | None) -> Any:
    """One least-squares problem a row, solved by NumPy."""
    low, width = x.min(axis=0), np.ptp(x, axis=0)
    x, asked = (x - low) / width, (asked - low) / width
    found = []
    for row in asked:
        away = np.sqrt(((x - row) ** 2).sum(axis=1))
        wide = reach if reach is not None else 1.0001 * np.sort(away)[min(k or len(x), len(x)) - 1]
        root = np.sqrt(KERNELS[kernel](away / wide))
        design = np.column_stack([np.ones(len(x)), x])
        solved = np.linalg.lstsq(design * root[:, np.newaxis], y * root, rcond=None)[0]
        found.append(solved @ [1, *row])
    return np.array(found)


@pytest.mark.parametrize("kernel", list(KERNELS))
@pytest.mark.parametrize(("k", "bandwidth"), [(None, None), (25, None), (None, 0.8)])
@given(seed=st.integers(0, 2**32 - 1))
def test_fitted_values_are_those_of_a_naive_regression(
    kernel: str, k: int | None, bandwidth: float | None, seed: int
) -> None:
    random = np.random.default_rng(seed)
    x, asked = random.normal(size=(60, 3)), random.normal(size=(5, 3)) / 2
    y = np.sin(x[:, 0]) + x[:, 1] * 3 + random.normal(size=60) / 10
    ours = (
        LocallyWeightedRegressor(kernel=kernel, n_neighbors=k, bandwidth=bandwidth, ridge=0.0).fit(x, y).predict(asked)
    )
    np.testing.assert_allclose(ours, naive(x, y, asked, kernel, bandwidth, k), rtol=1e-6, atol=1e-6)


def test_a_line_is_found_whatever_the_kernel() -> None:
    x = np.arange(20.0)[:, np.newaxis]
    for kernel in KERNELS:
        answers = LocallyWeightedRegressor(kernel=kernel, ridge=0.0).fit(x, 3 * x[:, 0] - 1).predict([[2.5], [30.0]])
        np.testing.assert_allclose(answers, [6.5, 89.0], rtol=1e-6)


def test_columns_that_others_determine_do_no_harm() -> None:
    random = np.random.default_rng(3)
    x = random.normal(size=(50, 2))
    y = x[:, 0] - x[:, 1]
    doubled = np.column_stack([x, x[:, 0] + x[:, 1], np.full(50, 4.0)])
    answers = LocallyWeightedRegressor(n_neighbors=20, ridge=0.0).fit(doubled, y).predict(doubled)
    np.testing.assert_allclose(answers, y, atol=1e-6)


def test_columns_that_say_nearly_the_same_do_no_harm() -> None:
    random = np.random.default_rng(5)
    x = random.normal(size=(60, 2))
    near = np.column_stack([x, x[:, 0] + 1e-4 * random.normal(size=60)])
    y = x[:, 0] - x[:, 1] + 0.1 * random.normal(size=60)
    far = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])  # where the two differ, as no row before
    assert np.abs(LocallyWeightedRegressor().fit(near, y).predict(far)).max() < 2.0
    assert np.abs(LocallyWeightedRegressor(ridge=0.0).fit(near, y).predict(far)).max() > 20.0


def test_an_older_model_has_the_ridge_that_it_had() -> None:
    random = np.random.default_rng(6)
    x = random.normal(size=(40, 2))
    model = LocallyWeightedRegressor(ridge=0.01).fit(x, x[:, 0]).model_
    members = members_of(to_bytes(model))
    plain = json.loads(members["model.json"])
    del plain["local"]["by_weight"]
    members["model.json"] = json.dumps(plain).encode()
    older = from_bytes(pack(members, {"kind": "local"}))
    assert not older.by_weight
    assert older.same_as(replace(model, by_weight=False))
    assert not np.allclose(older.predict(x), model.predict(x))


def test_more_neighbors_than_rows_are_all_rows() -> None:
    x, y = np.arange(8.0)[:, np.newaxis], np.arange(8.0) ** 2
    few = LocallyWeightedRegressor(n_neighbors=8).fit(x, y).predict(x)
    assert np.array_equal(few, LocallyWeightedRegressor(n_neighbors=800).fit(x, y).predict(x))


def test_where_no_row_is_near_all_count_alike() -> None:
    x, y = np.array([[0.0], [0.1], [0.2]]), np.array([1.0, 2.0, 6.0])
    answers = LocallyWeightedRegressor(kernel="tricube", bandwidth=0.01, ridge=1e9).fit(x, y).predict([[0.15]])
    np.testing.assert_allclose(answers, 3.0, rtol=1e-6)


def test_threads_do_not_matter_and_missing_values_are_taken() -> None:
    table = hornbeam.read("auto-mpg")
    table = table.take(np.tile(np.arange(table.n_rows), 4))
    one = LocallyWeightedRegressor(n_neighbors=30).fit(table).predict(table)
    assert np.isfinite(one).all()
    assert np.array_equal(one, LocallyWeightedRegressor(n_neighbors=30, n_jobs=3).fit(table).predict(table))


def test_any_classifier_learns_locally() -> None:
    table = hornbeam.read("iris")
    some = table.take([0, 60, 75, 120])
    for estimator in ("c45", hornbeam.RipperClassifier(random_state=1), None):
        answers = LocallyWeightedClassifier(estimator, n_neighbors=40).fit(table).predict_proba(some)
        assert np.array_equal(answers.argmax(axis=1), some.target_values())
    threaded = LocallyWeightedClassifier(n_jobs=2).fit(table).predict_proba(table)
    assert np.array_equal(threaded, LocallyWeightedClassifier().fit(table).predict_proba(table))


def test_what_is_wrong_is_refused(tmp_path: Any) -> None:
    table = hornbeam.read("iris")
    with pytest.raises(ValueError, match="both n_neighbors and bandwidth are given"):
        LocallyWeightedClassifier(n_neighbors=3, bandwidth=1.0).fit(table)
    with pytest.raises(ValueError, match="kernel is 'round'"):
        LocallyWeightedClassifier(kernel="round").fit(table)
    with pytest.raises(TypeError, match="expected a classifier of hornbeam"):
        LocallyWeightedClassifier(hornbeam.CartRegressor()).fit(table)
    with pytest.raises(TypeError, match="which takes no weights"):
        LocallyWeightedClassifier(hornbeam.IB2Classifier()).fit(table)
    for ensemble in (hornbeam.BaggingClassifier("c45", n_estimators=3), hornbeam.RandomForestClassifier(3)):
        with pytest.raises(ModelError, match=r"cannot hold \w+ as a learner for every row"):
            LocallyWeightedClassifier(ensemble).fit(table).save(tmp_path / "model")
    with pytest.raises(ModelError, match="costs, which a model file cannot hold"):
        LocallyWeightedClassifier(hornbeam.C45Classifier(costs=1)).fit(table).save(tmp_path / "model")


LEARNERS = (None, "c45", "id3", hornbeam.C45Classifier(confidence=0.1, min_samples_leaf=5), hornbeam.OneRClassifier())


@pytest.mark.parametrize("estimator", LEARNERS, ids=repr)
def test_a_learner_comes_back_from_its_file(tmp_path: Any, estimator: Any) -> None:
    table = hornbeam.read("weather.nominal" if estimator == "id3" else "iris")
    learner = LocallyWeightedClassifier(estimator, kernel="gaussian", n_neighbors=20).fit(table)
    learner.save(tmp_path / "model")
    model = hornbeam.load(tmp_path / "model")
    assert model.same_as(learner.model_)
    assert np.array_equal(model.predict_proba(table), learner.predict_proba(table))
    again = LocallyWeightedClassifier.from_model(model)
    assert np.array_equal(again.predict(table), learner.predict(table))
    with zipfile.ZipFile(tmp_path / "model") as archive:
        assert not any(name.endswith((".pkl", ".pickle")) for name in archive.namelist())


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"scheme": "forest"}, "the learner is 'forest'"),
        ({"scheme": "locally-weighted"}, "the learner is 'locally-weighted'"),
        ({"scheme": ["c45"]}, "the learner is"),
        ({"parameters": {"confidence": "much"}}, "has 'much' as confidence"),
        ({"parameters": {"min_samples_leaf": 2**40}}, "has 1099511627776 as min_samples_leaf"),
        ({"scheme": "ripper", "parameters": {"optimizations": 2**31 - 1}}, "has 2147483647 as optimizations"),
        ({"scheme": "irep", "parameters": {"beam_width": 2**31 - 1}}, "has 2147483647 as beam_width"),
        ({"scheme": "svm", "parameters": {"kernel": "polynomial", "degree": 2**31 - 1}}, "has 2147483647 as degree"),
        ({"scheme": "svm", "parameters": {"products": 10**6}}, "has 1000000 as products"),
        ({"scheme": "tree", "parameters": {"bins": 2**31 - 1}}, "has 2147483647 as bins"),
        ({"scheme": "tree", "parameters": {"max_cuts": 2**31 - 1}}, "has 2147483647 as max_cuts"),
        ({"parameters": {"__class__": 1}}, "are not those of its scheme"),
        ({"parameters": {"prune": "anything"}}, "has 'anything' as prune"),
        ({"parameters": []}, "are not those of its scheme"),
    ],
)
def test_a_file_with_another_learner_is_found_out(change: Any, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        from_bytes(changed_file(change))


def changed_file(change: Any) -> bytes:
    members = members_of(to_bytes(LocallyWeightedClassifier("c45").fit(hornbeam.read("iris")).model_))
    plain = json.loads(members["model.json"])
    plain["local-learner"] |= change
    members["model.json"] = json.dumps(plain).encode()
    return pack(members, {"kind": "local-learner"})


def test_loading_does_not_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    data = changed_file({})

    def refuse(*_: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(hornbeam.C45Classifier, "fit", refuse)
    from_bytes(data)


def test_a_learner_that_cannot_learn_says_so_when_it_is_used() -> None:
    model = from_bytes(changed_file({"parameters": {"confidence": 2.0}}))
    with pytest.raises(ModelError, match=r"cannot learn from the rows .*confidence"):
        model.predict(hornbeam.read("iris"))


def test_a_model_comes_back_from_its_file(tmp_path: Any) -> None:
    table = hornbeam.read("auto-mpg")
    learner = LocallyWeightedRegressor(n_neighbors=30, scale="rank").fit(table)
    learner.save(tmp_path / "model")
    model = hornbeam.load(tmp_path / "model")
    assert model.same_as(learner.model_)
    assert np.array_equal(model.predict(table), learner.predict(table))
