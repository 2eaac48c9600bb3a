"""A frame and its target read alike, whether the target is in the frame or beside it; and what is said about it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_score

import hornbeam
from hornbeam import evaluate
from hornbeam.evaluate import cross_validate

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 120
DATES = {
    "text": lambda days: days.strftime("%Y-%m-%d"),
    "time": lambda days: days,
    "digits": lambda days: days.strftime("%Y%m%d").astype(int),
}
pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.DataWarning")
LEARNERS = ("C45Classifier", "RipperClassifier", "NeighborsClassifier", "RandomForestClassifier", "SVMClassifier")


@pytest.fixture(params=DATES)
def frame(request: pytest.FixtureRequest) -> pd.DataFrame:
    chance = np.random.default_rng(1)
    days = pd.Timestamp("2021-01-05") + pd.to_timedelta(chance.integers(0, 900, ROWS), unit="D")
    money = chance.integers(1000, 9000, ROWS)
    return pd.DataFrame(
        {
            "money": [f"${each:,}" for each in money],
            "day": DATES[request.param](days),
            "size": chance.normal(size=ROWS),
            "y": np.where((money > 5000) & (days.month > 3), "high", "low"),
        }
    )


def said(call: Callable[[], Any]) -> tuple[Any, list[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return call(), caught


@pytest.mark.parametrize("name", LEARNERS)
def test_a_target_beside_the_frame_gives_the_same_model(frame: pd.DataFrame, name: str) -> None:
    x, y = frame.drop(columns="y"), frame["y"]
    beside, first = said(lambda: getattr(hornbeam, name)().fit(x, y))
    inside, second = said(lambda: getattr(hornbeam, name)().fit(frame, "y"))
    assert [str(each.message) for each in first] == [str(each.message) for each in second] != []
    assert beside.schema_.columns == inside.schema_.columns
    assert beside.n_features_in_ == inside.n_features_in_ == len(beside.schema_.features)
    read = hornbeam.read(frame, target="y")
    expected = inside.predict(read).tolist()
    assert beside.predict(x).tolist() == inside.predict(x).tolist() == inside.predict(frame).tolist() == expected
    assert beside.predict(x[:1]).tolist() == expected[:1]
    assert beside.score(x, y) == inside.score(frame, "y")


def test_the_importance_of_computed_columns(frame: pd.DataFrame) -> None:
    x, y = frame.drop(columns="y"), frame["y"]
    tree = hornbeam.C45Classifier().fit(x, y)
    importance = hornbeam.permutation_importance(tree, x, y, random_state=0)
    assert importance.names == tuple(tree.feature_names_in_)
    assert importance.names[int(importance.mean.argmax())] == "money"
    assert importance.mean[importance.names.index("month of day")] > 0


def test_cross_validation_reads_both_alike(frame: pd.DataFrame, tmp_path: Path) -> None:
    tree = hornbeam.C45Classifier()
    x, y = frame.drop(columns="y"), frame["y"]
    beside, first = said(lambda: cross_validate(tree, x, y, folds=3))
    inside, second = said(lambda: cross_validate(tree, frame, target="y", folds=3))
    assert str(beside) == str(inside)
    assert {str(each.message) for each in first} == {str(each.message) for each in second}
    frame.to_csv(tmp_path / "frame.csv", index=False)
    tree, _ = said(lambda: tree.fit(x, y))
    table, _ = said(lambda: hornbeam.read(tmp_path / "frame.csv", target="y"))
    assert tree.predict(table).tolist() == tree.predict(x).tolist()


def test_numbers_categories_and_booleans_stay_as_they_are() -> None:
    chance = np.random.default_rng(0)
    x = pd.DataFrame(
        {
            "number": chance.normal(size=ROWS),
            "kind": pd.Categorical(chance.choice(["b", "a"], ROWS)),
            "flag": chance.random(ROWS) > 0.5,
        }
    )
    y = np.where(x["flag"] ^ (chance.random(ROWS) > 0.9), "yes", "no")
    tree, found = said(lambda: hornbeam.C45Classifier().fit(x, y))
    assert found == []
    assert tree.feature_names_in_.tolist() == list(x.columns)
    assert [type(column).__name__ for column in tree.schema_.columns] == ["Numeric", "Nominal", "Nominal", "Nominal"]


def grouped() -> pd.DataFrame:
    chance = np.random.default_rng(0)
    patient = np.repeat(np.arange(30), 4)
    return pd.DataFrame({"patient": patient, "age": chance.normal(size=ROWS), "sick": chance.random(30)[patient] > 0.5})


CALLS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "fit": lambda frame: hornbeam.C45Classifier().fit(frame, "sick"),
    "fit with y": lambda frame: hornbeam.C45Classifier().fit(frame.drop(columns="sick"), frame["sick"]),
    "read": lambda frame: hornbeam.read(frame, target="sick"),
    "cross_validate": lambda frame: cross_validate(hornbeam.C45Classifier(), frame, target="sick", folds=3),
    "cross_validate with y": lambda frame: cross_validate(
        hornbeam.C45Classifier(), frame.drop(columns="sick"), frame["sick"], folds=3
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_python_warns_of_groups_and_points_at_the_caller(name: str) -> None:
    _, found = said(lambda: CALLS[name](grouped()))
    groups = [each for each in found if "'patient' has 30 values in 120 rows" in str(each.message)]
    assert len(groups) == 1
    assert "group='patient' keeps such rows together, ignore=['patient'] leaves it out" in str(groups[0].message)
    assert {each.filename for each in found} == {__file__}


def test_a_column_of_the_groups_is_no_news() -> None:
    _, found = said(lambda: hornbeam.read(grouped(), target="sick", group="patient"))
    assert found == []


def test_python_warns_of_times() -> None:
    frame = grouped().assign(year=np.arange(ROWS) * 2.0).drop(columns="patient")
    _, found = said(lambda: hornbeam.C45Classifier().fit(frame, "sick"))
    assert "'year' is time, one step per row" in str(found[0].message)
    assert "order='year' evaluates it on later rows" in str(found[0].message)


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: hornbeam.GradientBoostingClassifier(n_estimators=2).fit(x, y, sample_weight=np.full(ROWS, 1e-9)),
        lambda x, y: hornbeam.SVMClassifier(max_iter=1).fit(x, y),
        lambda x, y: hornbeam.C45Classifier().fit(x.assign(same=1), y),
        lambda x, y: hornbeam.C45Classifier().fit(x.assign(a="b"), y).predict(x.assign(a="c")),
    ],
)
def test_warnings_point_at_the_caller(call: Callable[[Any, Any], Any]) -> None:
    chance = np.random.default_rng(0)
    x = pd.DataFrame({"a": chance.normal(size=ROWS), "b": chance.normal(size=ROWS)})
    _, found = said(lambda: call(x, np.where(x["a"] + chance.normal(size=ROWS) > 0, "yes", "no")))
    assert {each.filename for each in found} == {str(Path(__file__))}


def days_first() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows with dates as 31/12/2023 and amounts as 1.234,50; and those where the day may be the month."""
    days = pd.Series(pd.date_range("2023-01-01", periods=365, freq="D"))
    frame = pd.DataFrame(
        {
            "day": days.dt.strftime("%d/%m/%Y"),
            "money": [f"{1 + i % 9}.{i:03d},50" for i in range(365)],
            "y": np.where(days.dt.month % 2 == 0, "even", "odd"),
        }
    )
    return frame, frame[(days.dt.day <= 12) & (days.dt.day != days.dt.month)].reset_index(drop=True)


def test_rows_with_their_target_are_read_in_the_way_of_the_model(tmp_path: Path) -> None:
    frame, few = days_first()
    tree = hornbeam.C45Classifier().fit(frame, "y")
    assert tree.score(few.drop(columns="y"), few["y"]) == 1
    few.to_csv(tmp_path / "few.csv", index=False)
    right, found = said(lambda: (tree.score(few, "y"), evaluate.score_estimator(tree, few, target="y").accuracy))
    assert (right, found) == ((1, 1), [])
    assert evaluate.score_estimator(tree, tmp_path / "few.csv", target="y").accuracy == 1
    cost = hornbeam.CartRegressor().fit(frame, "money")
    # these alone would be read as 1.5, 2.5 and 3.5
    short = few[:3].assign(money=["1.500", "2.500", "3.500"])
    errors = cost.predict(short) - [1500, 2500, 3500]
    assert evaluate.score_estimator(cost, short, target="money").mean_absolute_error == np.abs(errors).mean()
    assert cost.score(short, "money") == pytest.approx(1 - (errors**2).sum() / 2e6)


def test_sets_for_early_stopping_are_read_in_the_way_of_the_training_rows() -> None:
    frame, few = days_first()
    learner = hornbeam.GradientBoostingClassifier(n_estimators=5)
    by_name, found = said(lambda: learner.fit(frame, "y", eval_set=(few, "y")).evals_result_)
    assert sum("day: " in str(each.message) for each in found) == 1
    x, y = few.drop(columns="y"), few["y"]
    assert by_name == learner.fit(frame, "y", eval_set=(x, y)).evals_result_
    last = by_name["valid_0"]["logistic"][-1]
    assert last == pytest.approx(log_loss(y, learner.predict_proba(x)), rel=1e-12)


def test_rows_to_test_on_are_read_as_those_to_learn_from() -> None:
    frame, few = days_first()
    tree = hornbeam.CartClassifier(choose="cp")
    parts = evaluate.bias_variance(tree, frame, target="y", test=few, rounds=3)
    read = hornbeam.read(frame, target="y").take(np.flatnonzero(frame["day"].isin(few["day"])))
    assert parts.to_json() == evaluate.bias_variance(tree, frame, target="y", test=read, rounds=3).to_json()


def test_what_was_said_is_not_repeated_for_every_fold() -> None:
    """scikit-learn and pandas make Python forget which warnings it has shown."""
    frame = grouped().assign(**{"unlike any other": [f"row {i}" for i in range(ROWS)]})
    x, y = frame.drop(columns="sick"), frame["sick"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        cross_val_score(hornbeam.C45Classifier(), x, y, cv=4)
        texts = [str(each.message) for each in caught if "'unlike any other'" in str(each.message)]
        assert len(texts) == len(set(texts)) > 0
        warnings.simplefilter("always")
        cross_val_score(hornbeam.C45Classifier(), x, y, cv=4)
    assert sum("'unlike any other' has a different category" in str(each.message) for each in caught) == 1 + 4


def test_a_row_with_a_number_among_texts_can_be_predicted() -> None:
    x = pd.DataFrame({"code": ["x", 1, 2.5, None] * 10, "n": np.arange(40.0)})
    tree = hornbeam.C45Classifier().fit(x, np.where(x["code"].eq(2.5) | x["code"].eq(1), "a", "b"))
    whole = tree.predict(x)
    assert [tree.predict(x[i : i + 1])[0] for i in range(4)] == whole[:4].tolist() == ["b", "a", "a", "a"]
    assert tree.predict_proba(x[2:3]).tolist() == tree.predict_proba(x)[2:3].tolist()
