"""Forests and boosting of other programs, read as ours: the same predictions on real rows, with values missing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from export.exported import run_module
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression

import hornbeam
from hornbeam.model import from_catboost, from_lightgbm, from_sklearn, from_xgboost
from hornbeam.model.base.plain import ModelError
from hornbeam.model.files.storage import from_bytes, to_bytes

if TYPE_CHECKING:
    from hornbeam.model.forests.forest import Forest

pandas = pytest.importorskip("pandas")

DOUBLE = 1e-12
SINGLE = 1e-6
GOALS = ["class", "housing", "credit_amount"]  # two classes, three classes, a number
FEW = {"n_estimators": 12, "random_state": 1}


def credit(goal: str) -> tuple[Any, Any]:
    """Rows of credit-g with a tenth of the cells missing, as categories and numbers; and the goal as numbers."""
    frame = hornbeam.read("credit-g").to_pandas()
    truth = frame.pop(goal)
    random = np.random.default_rng(3)
    for name in frame:
        kind = frame[name].dtype
        if not pandas.api.types.is_numeric_dtype(kind):
            frame[name] = frame[name].astype(str).astype("category")
        else:
            frame[name] = frame[name].astype(float) + random.random(len(frame)) / 3
        frame.loc[random.random(len(frame)) < 0.1, name] = np.nan
    if goal in GOALS[:2]:
        return frame, truth.astype(str).astype("category").cat.codes.to_numpy()
    return frame, truth.to_numpy(float) / 1000


def only_numbers(frame: Any) -> Any:
    return frame.select_dtypes("number")


def check(ours: Forest, theirs: Any, frame: Any, within: float, asked: Any = None) -> None:
    """Labels the same, probabilities and numbers within a difference; also after saving."""
    asked = frame if asked is None else asked
    ours.validate()
    again = from_bytes(to_bytes(ours))
    if hasattr(theirs, "predict_proba"):
        expected = theirs.predict_proba(asked)
        found = ours.predict_proba(frame)
        assert np.abs(found - expected).max() <= within
        assert np.ptp(expected) > 0.3
        labels = np.ravel(theirs.predict(asked)).astype(str)
        assert (ours.predict(frame).astype(str) == labels).all()
        assert np.array_equal(again.predict_proba(frame), found)
        return
    expected = theirs.predict(asked)
    found = ours.predict(frame)
    assert np.ptp(expected) > 0.3
    assert (np.abs(found - expected) <= within * np.maximum(1, np.abs(expected))).all()
    assert np.array_equal(again.predict(frame), found)


# ---- XGBoost --------------------------------------------------------------------------------------------------------


def beside_cuts(frame: Any, forest: Forest) -> Any:
    """Rows with numbers at the cuts and right above them, in 64 bits."""
    near = frame.copy()
    for place, name in enumerate(frame):
        cuts = forest.cut[(forest.feature == place) & np.isfinite(forest.cut)]
        if len(cuts) and pandas.api.types.is_numeric_dtype(frame[name].dtype):
            near[name] = np.resize(np.concatenate([cuts, np.nextafter(cuts, np.inf)]), len(frame))
    return near


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_cat_to_onehot": 1, "max_depth": 4},
        {"booster": "dart", "rate_drop": 0.5},
        {"num_parallel_tree": 2, "subsample": 0.5},
    ],
    ids=["plain", "sets", "dart", "parallel"],
)
def test_xgboost(goal: str, options: dict[str, Any]) -> None:
    xgboost = pytest.importorskip("xgboost")
    frame, truth = credit(goal)
    kind = xgboost.XGBClassifier if goal in GOALS[:2] else xgboost.XGBRegressor
    theirs = kind(**FEW, **options, enable_categorical=True, n_jobs=1).fit(frame, truth)
    ours = from_xgboost(theirs)
    assert ours.rest is None
    assert ours.codes is not None
    check(ours, theirs, frame, SINGLE)
    check(ours, theirs, beside_cuts(frame, ours), SINGLE)
    assert from_xgboost(json.loads(bytes(theirs.get_booster().save_raw("json")))).same_as(ours)


def test_xgboost_counts_and_early_stopping() -> None:
    xgboost = pytest.importorskip("xgboost")
    frame, truth = credit("credit_amount")
    poisson = xgboost.XGBRegressor(**FEW, objective="count:poisson", enable_categorical=True, n_jobs=1)
    check(from_xgboost(poisson.fit(frame, truth)), poisson, frame, SINGLE)
    stopped = xgboost.XGBRegressor(
        n_estimators=200, learning_rate=0.5, enable_categorical=True, early_stopping_rounds=3, n_jobs=1
    ).fit(frame[:500], truth[:500], eval_set=[(frame[500:], truth[500:])], verbose=False)
    ours = from_xgboost(stopped)
    assert ours.n_trees == stopped.best_iteration + 1
    check(ours, stopped, frame, SINGLE)
    assert from_xgboost(stopped.get_booster()).n_trees > ours.n_trees


def test_xgboost_categories_must_be_known() -> None:
    xgboost = pytest.importorskip("xgboost")
    random = np.random.default_rng(1)
    matrix = np.column_stack([random.integers(0, 4, 300), random.random(300)]).astype(float)
    data = xgboost.DMatrix(matrix, matrix[:, 0] % 2 + matrix[:, 1], feature_types=["c", "q"])
    booster = xgboost.train({"nthread": 1}, data, 4)
    with pytest.raises(ModelError, match="does not list the categories of the column 'x0'"):
        from_xgboost(booster)
    with pytest.raises(ModelError, match="but only 2 categories are named"):
        from_xgboost(booster, categories={"x0": ["a", "b"]})
    ours = from_xgboost(booster, categories={"x0": ["a", "b", "c", "d"]})
    frame = pandas.DataFrame({"x0": np.array(list("abcd"))[matrix[:, 0].astype(int)], "x1": matrix[:, 1]})
    assert np.abs(ours.predict(frame) - booster.predict(data)).max() < SINGLE


def test_what_is_refused_of_xgboost() -> None:
    with pytest.raises(ModelError, match="found an object of type int; expected a booster"):
        from_xgboost(3)
    with pytest.raises(ModelError, match="not the JSON of an XGBoost model: KeyError"):
        from_xgboost({})
    xgboost = pytest.importorskip("xgboost")
    frame, truth = credit("class")
    with pytest.raises(ModelError, match="XGBClassifier is not fitted"):
        from_xgboost(xgboost.XGBClassifier())
    linear = xgboost.XGBClassifier(n_estimators=2, booster="gblinear").fit(only_numbers(frame).fillna(0), truth)
    with pytest.raises(ModelError, match="the booster is 'gblinear'"):
        from_xgboost(linear)
    hinge = xgboost.XGBClassifier(n_estimators=2, objective="binary:hinge").fit(only_numbers(frame), truth)
    with pytest.raises(ModelError, match="the objective is 'binary:hinge'"):
        from_xgboost(hinge)


# ---- scikit-learn ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("least", [1, 7])
@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("kind", ["random", "extra"])
def test_forests_of_sklearn(kind: str, goal: str, least: int) -> None:
    frame, truth = credit(goal)
    classes = (RandomForestClassifier, ExtraTreesClassifier)
    numbers = (RandomForestRegressor, ExtraTreesRegressor)
    make = (classes if goal in GOALS[:2] else numbers)[kind == "extra"]
    theirs = make(**FEW, min_samples_leaf=least).fit(only_numbers(frame), truth)
    ours = from_sklearn(theirs)
    assert ours.combine == "mean"
    check(ours, theirs, only_numbers(frame), DOUBLE)
    check(ours, theirs, beside_cuts(only_numbers(frame), ours), DOUBLE)


@pytest.mark.parametrize(
    ("goal", "options"),
    [
        ("class", {}),
        ("class", {"loss": "exponential", "init": "zero"}),
        ("housing", {}),
        ("credit_amount", {}),
        ("credit_amount", {"loss": "huber", "init": "zero"}),
    ],
)
def test_gradient_boosting_of_sklearn(goal: str, options: dict[str, Any]) -> None:
    frame, truth = credit(goal)
    known = only_numbers(frame).fillna(-1.0)
    make = GradientBoostingClassifier if goal in GOALS[:2] else GradientBoostingRegressor
    theirs = make(**FEW, **options).fit(known, truth)
    check(from_sklearn(theirs), theirs, known, DOUBLE)


@pytest.mark.parametrize("goal", GOALS)
def test_histogram_gradient_boosting_of_sklearn(goal: str) -> None:
    frame, truth = credit(goal)
    make = HistGradientBoostingClassifier if goal in GOALS[:2] else HistGradientBoostingRegressor
    theirs = make(max_iter=12, random_state=1, min_samples_leaf=5).fit(frame, truth)
    ours = from_sklearn(theirs)
    assert ours.codes is not None
    check(ours, theirs, frame, DOUBLE)
    if goal == "credit_amount":
        poisson = make(max_iter=12, loss="poisson").fit(frame, truth)
        assert from_sklearn(poisson).link == "exp"
        check(from_sklearn(poisson), poisson, frame, DOUBLE)


def test_what_is_refused_of_sklearn() -> None:
    frame, truth = credit("class")
    known = only_numbers(frame).fillna(0.0)
    with pytest.raises(ModelError, match="found an object of type AdaBoostClassifier; expected"):
        from_sklearn(AdaBoostClassifier(n_estimators=2).fit(known, truth))
    with pytest.raises(ModelError, match="starts from a LogisticRegression"):
        from_sklearn(
            GradientBoostingClassifier(n_estimators=2, init=LogisticRegression(max_iter=9999)).fit(known, truth)
        )
    both = np.column_stack([truth, 1 - truth])
    with pytest.raises(ModelError, match="predicts 2 outputs at once"):
        from_sklearn(RandomForestClassifier(n_estimators=2).fit(known, both))
    with pytest.raises(ModelError, match="3 classes were named; the model has 2"):
        from_sklearn(RandomForestClassifier(n_estimators=2).fit(known, truth), classes=["a", "b", "c"])


# ---- LightGBM -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize(
    "options",
    [{}, {"boosting_type": "rf", "subsample": 0.5, "subsample_freq": 1}, {"max_cat_to_onehot": 1, "sigmoid": 0.7}],
    ids=["plain", "forest", "sets"],
)
def test_lightgbm(goal: str, options: dict[str, Any]) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    frame, truth = credit(goal)
    make = lightgbm.LGBMClassifier if goal in GOALS[:2] else lightgbm.LGBMRegressor
    theirs = make(**FEW, **options, n_jobs=1, verbose=-1, min_child_samples=5).fit(frame, truth)
    ours = from_lightgbm(theirs)
    assert ours.codes is not None
    check(ours, theirs, frame, DOUBLE)
    assert from_lightgbm(theirs.booster_.dump_model(), classes=getattr(theirs, "classes_", None)).same_as(ours)


def test_lightgbm_counts_and_refusals() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    frame, truth = credit("credit_amount")
    theirs = lightgbm.LGBMRegressor(**FEW, objective="poisson", n_jobs=1, verbose=-1).fit(frame, truth)
    check(from_lightgbm(theirs), theirs, frame, DOUBLE)
    with pytest.raises(ModelError, match="the objective poisson predicts a number"):
        from_lightgbm(theirs, classes=["a", "b"])
    root = lightgbm.LGBMRegressor(**FEW, reg_sqrt=True, n_jobs=1, verbose=-1).fit(frame, truth)
    with pytest.raises(ModelError, match="the objective is regression sqrt; can import"):
        from_lightgbm(root)


# ---- CatBoost -------------------------------------------------------------------------------------------------------

QUIET = {"iterations": 12, "thread_count": 1, "verbose": 0, "allow_writing_files": False, "random_seed": 1}


def with_texts(frame: Any) -> tuple[Any, dict[str, list[str]]]:
    """Rows without missing categories, which CatBoost refuses; and the categories."""
    texts = frame.copy()
    listed = {}
    for name in frame.columns.difference(only_numbers(frame).columns):
        texts[name] = texts[name].astype(object).where(texts[name].notna(), "unknown").astype(str).astype("category")
        listed[name] = list(texts[name].cat.categories)
    return texts, listed


@pytest.mark.parametrize("missing", ["Min", "Max"])
@pytest.mark.parametrize("goal", GOALS)
def test_catboost(goal: str, missing: str) -> None:
    catboost = pytest.importorskip("catboost")
    frame, truth = credit(goal)
    texts, listed = with_texts(frame)
    make = catboost.CatBoostClassifier if goal in GOALS[:2] else catboost.CatBoostRegressor
    theirs = make(**QUIET, one_hot_max_size=99, nan_mode=missing).fit(texts, truth, cat_features=list(listed))
    ours = from_catboost(theirs, categories=listed)
    assert ours.codes is not None
    check(ours, theirs, texts, DOUBLE)
    check(ours, theirs, beside_cuts(texts, ours), DOUBLE)
    with pytest.raises(ModelError, match="keeps only hashes of the categories"):
        from_catboost(theirs)
    with pytest.raises(ModelError, match="that is not among those given"):
        from_catboost(theirs, categories={name: ["no such"] for name in listed})


@pytest.mark.parametrize("goal", GOALS)
def test_catboost_without_levels(goal: str) -> None:
    catboost = pytest.importorskip("catboost")
    frame, truth = credit(goal)
    make = catboost.CatBoostClassifier if goal in GOALS[:2] else catboost.CatBoostRegressor
    theirs = make(**QUIET, grow_policy="Lossguide").fit(only_numbers(frame), truth)
    check(from_catboost(theirs), theirs, only_numbers(frame), DOUBLE)


def test_what_is_refused_of_catboost() -> None:
    with pytest.raises(ModelError, match="found an object of type int; expected a fitted model of CatBoost"):
        from_catboost(3)
    catboost = pytest.importorskip("catboost")
    frame, truth = credit("class")
    texts, listed = with_texts(frame)
    with pytest.raises(ModelError, match="CatBoostClassifier is not fitted"):
        from_catboost(catboost.CatBoostClassifier())
    theirs = catboost.CatBoostClassifier(**QUIET, one_hot_max_size=1).fit(texts, truth, cat_features=list(listed))
    with pytest.raises(ModelError, match=r"a split uses statistics of categories \(CTR\)"):
        from_catboost(theirs, categories=listed)


# ---- what becomes of them -------------------------------------------------------------------------------------------


def test_values_of_double_precision_are_kept_by_exports_and_explanations() -> None:
    frame, truth = credit("housing")
    theirs = RandomForestClassifier(n_estimators=5, max_depth=5, random_state=1).fit(only_numbers(frame), truth)
    ours = from_sklearn(theirs)
    assert ours.rest is not None
    rows = only_numbers(frame)[:60]
    steps = hornbeam.contributions(ours, ours.as_table(rows))
    assert np.abs(steps.prediction - theirs.predict_proba(rows)).max() < DOUBLE
    exported = run_module(hornbeam.export.python(ours))
    given = [{name: value for name, value in row.items() if value == value} for row in rows.to_dict("records")]  # noqa: PLR0124 - NaN is missing
    found = [[row[name] for name in ours.classes] for row in exported.predict_proba(given)]
    assert np.abs(np.array(found) - theirs.predict_proba(rows)).max() < DOUBLE
    shown = hornbeam.show.text(ours.tree(0))
    assert "age" in shown
