"""Several targets: each is learned as it would be alone, with scikit-learn's shapes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.metrics import r2_score

import hornbeam
from hornbeam.learn.base.several_targets import target_columns
from hornbeam.model.base.plain import ModelError
from hornbeam.model.base.several import SeveralModels

CLASSIFIERS: list[Any] = [
    hornbeam.C45Classifier(),
    hornbeam.CartClassifier(folds=0),
    hornbeam.TreeClassifier(),
    hornbeam.RandomForestClassifier(5, random_state=0),
    hornbeam.GradientBoostingClassifier(5),
    hornbeam.BaggingClassifier(n_estimators=3, random_state=0),
    hornbeam.NeighborsClassifier(),
]
REGRESSORS: list[Any] = [
    hornbeam.CartRegressor(folds=0),
    hornbeam.TreeRegressor(min_samples_leaf=5),
    hornbeam.M5Regressor(),
    hornbeam.RandomForestRegressor(5, random_state=0),
    hornbeam.GradientBoostingRegressor(5),
    hornbeam.BaggingRegressor(n_estimators=3, random_state=0),
    hornbeam.NeighborsRegressor(),
]
RANDOM = np.random.default_rng(8)
X = RANDOM.normal(size=(80, 3))
NUMBERS = np.column_stack([X[:, 0] + X[:, 1], X[:, 2] ** 2])
CLASSES = np.column_stack([(X[:, 0] > 0).astype(int), RANDOM.integers(0, 3, 80) * 10])

pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")


@pytest.mark.parametrize("learner", CLASSIFIERS, ids=lambda learner: type(learner).__name__)
def test_classes(learner: Any) -> None:
    several = clone(learner).fit(X, CLASSES)
    alone = [clone(learner).fit(X, column) for column in CLASSES.T]
    assert several.n_outputs_ == 2
    assert np.array_equal(several.predict(X), np.column_stack([one.predict(X) for one in alone]))
    assert several.predict(X).dtype.kind == "i"
    for place, one in enumerate(alone):
        assert np.array_equal(several.classes_[place], one.classes_)
        assert np.array_equal(several.predict_proba(X)[place], one.predict_proba(X))
        assert np.array_equal(several.predict_log_proba(X)[place], one.predict_log_proba(X))
    labels = (CLASSES > 0).astype(int)
    score = clone(learner).fit(X, labels).score(X, labels)
    assert score == (clone(learner).fit(X, labels).predict(X) == labels).all(axis=1).mean()


@pytest.mark.parametrize("learner", REGRESSORS, ids=lambda learner: type(learner).__name__)
def test_numbers(learner: Any) -> None:
    several = clone(learner).fit(X, NUMBERS)
    alone = np.column_stack([clone(learner).fit(X, column).predict(X) for column in NUMBERS.T])
    assert np.array_equal(several.predict(X), alone)
    assert several.score(X, NUMBERS) == r2_score(NUMBERS, alone)


@pytest.mark.parametrize("learner", [*CLASSIFIERS, *REGRESSORS], ids=lambda learner: type(learner).__name__)
def test_tags_say_so(learner: Any) -> None:
    assert learner.__sklearn_tags__().target_tags.multi_output


def test_one_target_after_several_and_several_after_one() -> None:
    learner = hornbeam.TreeRegressor(max_depth=2)
    one = learner.fit(X, NUMBERS[:, 0]).predict(X)
    learner.fit(X, NUMBERS)
    assert isinstance(learner.model_, SeveralModels)
    assert np.array_equal(learner.fit(X, NUMBERS[:, 0]).predict(X), one)
    assert not hasattr(learner, "outputs_")
    assert isinstance(learner.model_, hornbeam.Tree)


@pytest.mark.parametrize("learner", [*CLASSIFIERS, *REGRESSORS], ids=lambda learner: type(learner).__name__)
def test_a_file_has_the_models_of_all_targets(learner: Any, tmp_path: Any) -> None:
    y = CLASSES if learner in CLASSIFIERS else NUMBERS
    fitted = clone(learner).fit(X, y)
    hornbeam.save(fitted, tmp_path / "several.hornbeam")
    model = hornbeam.load(tmp_path / "several.hornbeam")
    assert model.same_as(fitted.model_)
    assert np.array_equal(model.predict(X), fitted.predict(X))
    assert model.predict(X).dtype == fitted.predict(X).dtype
    if learner in CLASSIFIERS:
        for found, expected in zip(model.predict_proba(X), fitted.predict_proba(X), strict=True):
            assert np.array_equal(found, expected)
    (tmp_path / "again").mkdir()
    fitted.save(tmp_path / "again" / "several.hornbeam")
    first, second = (tmp_path / "several.hornbeam").read_bytes(), (tmp_path / "again" / "several.hornbeam").read_bytes()
    assert first == second


def test_decisions_of_several_targets_are_kept(tmp_path: Any) -> None:
    labels = (CLASSES > 0).astype(int)
    learner = hornbeam.TreeClassifier(max_depth=2, decision_threshold=0.9).fit(X, labels)
    hornbeam.save(learner, tmp_path / "m.hornbeam")
    assert np.array_equal(hornbeam.load(tmp_path / "m.hornbeam").predict(X), learner.predict(X))
    assert not np.array_equal(
        learner.predict(X), clone(learner).set_params(decision_threshold=None).fit(X, labels).predict(X)
    )


def test_all_targets_are_printed_and_explained() -> None:
    y = pd.DataFrame(NUMBERS, columns=["height", "weight"])
    learner = hornbeam.TreeRegressor(max_depth=2).fit(pd.DataFrame(X, columns=list("abc")), y)
    written = hornbeam.show.text(learner)
    assert written.startswith("target 1 of 2: height\n\n")
    for one, name in zip(learner.outputs_, ("height", "weight"), strict=True):
        assert f": {name}\n\n{hornbeam.show.text(one)}" in written
    said = hornbeam.show.explain(learner, X, 3)
    assert hornbeam.show.explain(learner.outputs_[1], X, 3) in said
    assert "target 2 of 2: weight" in learner._repr_html_()
    assert repr(learner.model_) == "SeveralModels('table': 2 targets, height, weight)"


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_targets_by_name(kind: str) -> None:
    frame = pd.DataFrame(np.column_stack([X, NUMBERS]), columns=list("abcde"))
    given: Any = {"pandas": frame, "polars": pl.from_pandas(frame), "pyarrow": pa.Table.from_pandas(frame)}[kind]
    learner = hornbeam.TreeRegressor(max_depth=3).fit(given, ["d", "e"])
    assert np.array_equal(learner.predict(X), hornbeam.TreeRegressor(max_depth=3).fit(X, NUMBERS).predict(X))
    names = [one.schema_.target_column.name for one in learner.outputs_]
    assert names == (["target", "target"] if kind == "pyarrow" else ["d", "e"])  # such a column has no name
    assert list(learner.feature_names_in_) == ["a", "b", "c"]


def test_a_class_for_each_row_is_no_list_of_names() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    assert hornbeam.TreeClassifier().fit(frame, ["a", "b"]).classes_.tolist() == ["a", "b"]


def test_models_that_do_not_fit_together_are_refused() -> None:
    model = hornbeam.TreeRegressor(max_depth=2).fit(X, NUMBERS).model_
    with pytest.raises(ModelError, match="expected two targets or more"):
        replace(model, members=model.members[:1]).validate()
    with pytest.raises(ModelError, match="target 1 has a column that the schema does not have"):
        replace(model, schema=hornbeam.Schema((hornbeam.Numeric("other"),))).validate()
    with pytest.raises(ModelError, match="expected features only"):
        replace(model, schema=model.members[0].schema).validate()


def test_what_is_of_one_model_is_asked_of_the_outputs(tmp_path: Any) -> None:
    learner = hornbeam.RandomForestRegressor(3, random_state=0).fit(X, NUMBERS)
    with pytest.raises(AttributeError, match=r"has learned 2 targets, .*; use each of outputs_"):
        learner.apply(X)
    assert not hasattr(learner, "feature_importances_")
    learner.outputs_[1].save(tmp_path / "m.hornbeam")
    assert np.array_equal(hornbeam.load(tmp_path / "m.hornbeam").predict(X), learner.predict(X)[:, 1])
    neighbors = hornbeam.NeighborsRegressor().fit(X, NUMBERS)
    with pytest.raises(ValueError, match="partial_fit is for one target; there are 2"):
        neighbors.partial_fit(X, NUMBERS[:, 0])


def test_scores_of_several_targets() -> None:
    learner = hornbeam.GradientBoostingClassifier(4).fit(X, CLASSES)
    assert not hasattr(learner, "decision_function")
    assert [one.decision_function(X).shape for one in learner.outputs_] == [(80,), (80, 3)]
    assert hasattr(learner.fit(X, CLASSES[:, 0]), "decision_function")


def test_class_weights_by_target() -> None:
    weights = [{0: 1, 1: 9}, "balanced"]
    several = hornbeam.TreeClassifier(max_depth=1, class_weight=weights).fit(X, CLASSES)
    for place, weight in enumerate(weights):
        one = hornbeam.TreeClassifier(max_depth=1, class_weight=weight).fit(X, CLASSES[:, place])
        assert np.array_equal(several.predict_proba(X)[place], one.predict_proba(X))
    with pytest.raises(ValueError, match="class_weight has 1 entries; expected one for each of the 2 targets"):
        hornbeam.TreeClassifier(class_weight=["balanced"]).fit(X, CLASSES)


def test_targets_of_different_kinds_keep_them() -> None:
    y = pd.DataFrame({"a": CLASSES[:, 0], "b": np.where(X[:, 1] > 0, "up", "down")})
    found = hornbeam.C45Classifier().fit(X, y).predict(X)
    assert set(map(type, found[0])) <= {int, str, np.int64, np.str_}
    assert set(found[:, 1]) == {"up", "down"}


@pytest.mark.parametrize(
    "y",
    [
        NUMBERS,
        NUMBERS.tolist(),
        pd.DataFrame(NUMBERS, columns=["a", "a"]),
        pl.DataFrame({"a": NUMBERS[:, 0], "b": NUMBERS[:, 1]}),
        pa.table({"a": NUMBERS[:, 0], "b": NUMBERS[:, 1]}),
    ],
    ids=["array", "lists", "pandas", "polars", "pyarrow"],
)
def test_any_table_of_targets(y: Any) -> None:
    columns = target_columns(y)
    assert columns is not None
    assert np.array_equal(np.column_stack([np.asarray(column) for column in columns]), NUMBERS)
    assert np.array_equal(
        hornbeam.TreeRegressor(max_depth=2).fit(X, y).predict(X),
        hornbeam.TreeRegressor(max_depth=2).fit(X, NUMBERS).predict(X),
    )


@pytest.mark.parametrize("y", [None, [1.0, 2.0], np.zeros((3, 1)), pd.Series([1.0]), "ab"])
def test_one_target_is_one(y: Any) -> None:
    assert target_columns(y) is None


def test_the_model_of_one_target_is_drawn() -> None:
    """The error did not say how."""
    frame = pd.DataFrame({"x": range(20), "a": [0.0, 1.0] * 10, "b": range(20)})
    fitted = hornbeam.CartRegressor().fit(frame[["x"]], frame[["a", "b"]])
    with pytest.raises(TypeError, match=r"cannot draw a SeveralModels; .*: model\.members\[0\]"):
        hornbeam.show.svg(fitted)
    assert "<svg" in hornbeam.show.svg(fitted.model_.members[1])
