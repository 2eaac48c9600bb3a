"""Lazy learners in pieces: the same model as from all rows at once."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import hornbeam
from hornbeam import (
    ExemplarsClassifier,
    IB2Classifier,
    LocallyWeightedClassifier,
    LocallyWeightedRegressor,
    NeighborsClassifier,
    NeighborsRegressor,
)

if TYPE_CHECKING:
    from pathlib import Path

CLASSIFIERS = {
    "neighbors": NeighborsClassifier(n_neighbors=3),
    "inverse": NeighborsClassifier(n_neighbors=4, weights="inverse", numeric="deviation", missing="average"),
    "value difference": NeighborsClassifier(
        n_neighbors=3, nominal="value-difference", numeric="rank", missing="ignore"
    ),
    "best k": NeighborsClassifier(n_neighbors=6, choose_k=True),
    "balanced": NeighborsClassifier(n_neighbors=3, class_weight="balanced"),
    "weka": NeighborsClassifier(n_neighbors=1, ties="first", compat="weka"),
    "local": LocallyWeightedClassifier(n_neighbors=20),
    "local tree": LocallyWeightedClassifier("c45", kernel="tricube", scale="deviation"),
}
REGRESSORS = {
    "neighbors": NeighborsRegressor(n_neighbors=3),
    "similarity": NeighborsRegressor(n_neighbors=4, weights="similarity", nominal="value-difference"),
    "best k": NeighborsRegressor(n_neighbors=6, choose_k=True, numeric="rank"),
    "local": LocallyWeightedRegressor(n_neighbors=20),
    "local, deviation": LocallyWeightedRegressor(kernel="gaussian", bandwidth=0.5, scale="deviation"),
}


def frame_of(rows: int, seed: int) -> tuple[pd.DataFrame, Any, Any]:
    """Numbers whose range grows with the rows, texts of which some come late, gaps; classes and numbers."""
    random = np.random.default_rng(seed)
    wide = random.normal(size=rows) * np.linspace(0.1, 3, rows)
    words = np.array(["red", "green", "blue", "late"])[random.integers(0, np.where(np.arange(rows) < rows // 2, 2, 4))]
    frame = pd.DataFrame({"x": wide, "word": words, "z": random.integers(0, 5, rows).astype(float)})
    frame.loc[random.random(rows) < 0.1, "x"] = np.nan
    frame.loc[3:, "word"] = frame["word"][3:].where(random.random(rows - 3) > 0.1, None)
    labels = np.where((np.nan_to_num(frame["x"]) > 0) ^ (words == "red"), "yes", "no").astype(object)
    labels[rows - 2 :] = "maybe"
    return frame, labels, np.nan_to_num(frame["x"]) * 2 + (words == "red") + random.normal(size=rows)


def pieces_of(rows: int, seed: int) -> list[Any]:
    random = np.random.default_rng(seed)
    places = np.sort(random.choice(np.arange(10, rows), 3, replace=False))
    return np.split(np.arange(rows), places)


def in_pieces(learner: Any, frame: Any, y: Any, weights: Any, seed: int, **first: Any) -> Any:
    copy = type(learner)(**learner.get_params(deep=False))
    for number, rows in enumerate(pieces_of(len(frame), seed)):
        part = None if weights is None else weights[rows]
        copy.partial_fit(frame.iloc[rows], y[rows], sample_weight=part, **(first if number == 0 else {}))
    return copy


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_classes_in_pieces_are_those_of_all_rows_at_once(name: str, seed: int, weighted: bool) -> None:
    frame, labels, _ = frame_of(60, seed)
    weights = np.random.default_rng(seed).integers(0, 4, 60).astype(float) if weighted else None
    if weights is not None:
        weights[:10] = 1
        weights[-2:] = 2
    learner = CLASSIFIERS[name]
    found = in_pieces(learner, frame, labels, weights, seed, classes=["no", "maybe", "yes"])
    whole = type(learner)(**learner.get_params(deep=False)).fit(frame, labels, weights)
    assert found.model_.same_as(whole.model_)
    assert found.classes_.tolist() == whole.classes_.tolist()
    assert found.predict_proba(frame).tolist() == whole.predict_proba(frame).tolist()
    assert found.predict(frame).tolist() == whole.predict(frame).tolist()


@pytest.mark.parametrize("name", REGRESSORS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_numbers_in_pieces_are_those_of_all_rows_at_once(name: str, seed: int, weighted: bool) -> None:
    frame, _, y = frame_of(60, seed)
    weights = np.random.default_rng(seed).uniform(0.5, 3, 60) if weighted else None
    learner = REGRESSORS[name]
    found = in_pieces(learner, frame, y, weights, seed)
    whole = type(learner)(**learner.get_params(deep=False)).fit(frame, y, weights)
    assert found.model_.same_as(whole.model_)
    assert found.predict(frame).tolist() == whole.predict(frame).tolist()


@pytest.mark.parametrize("learner", [NeighborsClassifier(n_neighbors=3), LocallyWeightedClassifier(n_neighbors=30)])
def test_tables_in_pieces(learner: Any) -> None:
    table = hornbeam.read("labor")
    learner = type(learner)(**learner.get_params(deep=False))
    for rows in np.array_split(np.random.default_rng(0).permutation(table.n_rows), 4):
        learner.partial_fit(table.take(rows))
    order = np.concatenate(np.array_split(np.random.default_rng(0).permutation(table.n_rows), 4))
    whole = type(learner)(**learner.get_params(deep=False)).fit(table.take(order))
    assert learner.predict_proba(table).tolist() == whole.predict_proba(table).tolist()


def test_arrays_in_pieces_and_rows_one_by_one() -> None:
    random = np.random.default_rng(0)
    x, y = random.normal(size=(40, 3)), random.normal(size=40)
    one_by_one = NeighborsRegressor(n_neighbors=2)
    for row in range(40):
        one_by_one.partial_fit(x[row : row + 1], y[row : row + 1])
    assert one_by_one.predict(x).tolist() == NeighborsRegressor(n_neighbors=2).fit(x, y).predict(x).tolist()
    with pytest.raises(ValueError, match="2 features"):
        one_by_one.partial_fit(x[:, :2], y)


def test_rows_of_calls_without_weights_count_once() -> None:
    frame, _, y = frame_of(40, 0)
    found = (
        NeighborsRegressor(n_neighbors=3).partial_fit(frame[:20], y[:20]).partial_fit(frame[20:], y[20:], [2.0] * 20)
    )
    found.partial_fit(frame[:5], y[:5])
    rows = np.concatenate([np.arange(40), np.arange(5)])
    weights = np.repeat([1.0, 2.0, 1.0], [20, 20, 5])
    whole = NeighborsRegressor(n_neighbors=3).fit(frame.iloc[rows], y[rows], weights)
    assert found.model_.same_as(whole.model_)


def test_fit_starts_again() -> None:
    frame, _, y = frame_of(40, 0)
    again = NeighborsRegressor(n_neighbors=3).partial_fit(frame[:20], y[:20]).fit(frame[20:], y[20:])
    again.partial_fit(frame[:20], y[:20])
    assert len(again.model_) == 40
    assert again.fit(frame[:7], y[:7]).model_.kept.n_rows == 7


def test_a_saved_and_a_pickled_model_go_on(tmp_path: Path) -> None:
    frame, labels, y = frame_of(40, 1)
    for learner, truth in ((NeighborsClassifier(n_neighbors=3), labels), (LocallyWeightedRegressor(n_neighbors=9), y)):
        whole = type(learner)(**learner.get_params(deep=False)).fit(frame, truth)
        classes = {} if truth is y else {"classes": np.unique(labels)}
        learner.partial_fit(frame[:25], truth[:25], **classes)
        learner.save(tmp_path / "m.hornbeam")
        loaded = type(learner).from_model(hornbeam.load(tmp_path / "m.hornbeam"), **learner.get_params(deep=False))
        copied = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes
        for each in (loaded, copied, learner):
            each.partial_fit(frame[25:], truth[25:])
            assert each.predict(frame).tolist() == whole.predict(frame).tolist()


def test_class_weights_of_a_model_read_from_a_file_are_not_guessed(tmp_path: Path) -> None:
    frame, labels, _ = frame_of(40, 1)
    NeighborsClassifier(class_weight="balanced").fit(frame, labels).save(tmp_path / "m.hornbeam")
    loaded = NeighborsClassifier.from_model(hornbeam.load(tmp_path / "m.hornbeam"), class_weight="balanced")
    with pytest.raises(ValueError, match="class_weight must be None in partial_fit"):
        loaded.partial_fit(frame, labels)


@pytest.mark.parametrize(
    "learner", [NeighborsClassifier(), LocallyWeightedClassifier(), IB2Classifier(), ExemplarsClassifier()]
)
def test_an_unknown_class_is_named(learner: Any) -> None:
    frame, labels, _ = frame_of(40, 0)
    learner = type(learner)(**learner.get_params(deep=False)).partial_fit(frame[:20], labels[:20])
    with pytest.raises(ValueError, match="the class 'maybe' was not known; the classes are 'no', 'yes'"):
        learner.partial_fit(frame[20:], labels[20:])
    table = hornbeam.read(frame.assign(y=labels), target="y")
    other = type(learner)(**learner.get_params(deep=False)).partial_fit(
        hornbeam.read(frame[:20].assign(y=labels[:20]), target="y")
    )
    with pytest.raises(ValueError, match="the class 'maybe' was not known"):
        other.partial_fit(table)


def test_what_cannot_be_added_is_named() -> None:
    frame, labels, y = frame_of(40, 0)
    frame["size"] = pd.Categorical(np.tile(["small", "large"], 20), ["small", "large"], ordered=True)
    found = NeighborsRegressor().partial_fit(frame[:20], y[:20])
    more = frame.assign(size=pd.Categorical(["huge"] * 40, ["small", "huge"], ordered=True))
    with pytest.raises(ValueError, match=r"column 'size' is ordered and has the new category 'huge'.*'small', 'large'"):
        found.partial_fit(more, y)
    with pytest.raises(ValueError, match="y has 3 numbers for 40 rows"):
        found.partial_fit(frame, y[:3])
    with pytest.raises(ValueError, match="requires y"):
        found.partial_fit(frame)
    with pytest.raises(ValueError, match="NaN"):
        found.partial_fit(frame, np.full(40, np.nan))
    with pytest.raises(ValueError, match="predicts numbers"):
        found.partial_fit(hornbeam.read(frame.assign(y=labels), target="y"))
    assert len(found.model_) == 20  # as it was
