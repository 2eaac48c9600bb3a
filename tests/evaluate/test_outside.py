from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.evaluate import compare
from hornbeam.evaluate.comparing.outside import FromArrays, on_tables


def mixed(rows: int = 120) -> Table:
    random = np.random.default_rng(3)
    x, color = random.normal(size=rows), random.integers(-1, 3, rows)
    y = ((np.nan_to_num(x) + (color == 1) + 0.3 * random.normal(size=rows)) > 0.4).astype(np.int32)
    x[random.random(rows) < 0.2] = np.nan
    y[:3] = -1
    schema = Schema(
        (
            Numeric("x"),
            Nominal("color", ("red", "green", "blue", "never")),
            Numeric("empty"),
            Nominal("y", ("no", "yes")),
        ),
        ("feature", "feature", "feature", "target"),
        "mixed",
    )
    return Table(schema, [x, color, np.full(rows, np.nan), y])


def frame(table: Table) -> Any:
    return table.to_pandas()


def test_they_learn_as_a_pipeline_of_their_own_would() -> None:
    table = mixed()
    truth = table.target_values()
    theirs = make_pipeline(
        make_column_transformer(
            (SimpleImputer(strategy="median", keep_empty_features=True), [0, 2]),
            (OneHotEncoder(categories=[["red", "green", "blue"]], handle_unknown="ignore"), [1]),
        ),
        LogisticRegression(max_iter=1000),
    )
    names = np.array(["red", "green", "blue", "never", None], object)[table.column("color")]
    rows = np.column_stack([table.column("x").astype(object), names, np.full(len(table), np.nan)])
    known = truth >= 0
    theirs.fit(rows[known], np.array(["no", "yes"])[truth[known]])
    ours = on_tables(LogisticRegression(max_iter=1000)).fit(table)
    assert ours.classes_.tolist() == ["no", "yes"]
    assert ours.predict(table).tolist() == theirs.predict(rows).tolist()
    assert ours.predict_proba(table) == pytest.approx(theirs.predict_proba(rows), abs=1e-4)


def test_they_join_a_comparison() -> None:
    methods = {
        "ours": hornbeam.C45Classifier(),
        "regression": make_pipeline(StandardScaler(), LogisticRegression()),
        "forest": RandomForestClassifier(n_estimators=20),
    }
    found = compare(methods, mixed(), folds=4, keep=True)
    for outcome in found.tables[0].outcomes:
        assert outcome.problem is None
        assert outcome.metrics["AUC"].mean > 0.7
    assert found.tables[0].outcome("forest").size is not None
    assert not found.tables[0].outcome("forest").has("leaves")
    again = compare(methods, mixed(), folds=4, n_jobs=2)
    assert again.to_json() == found.to_json()  # their seeds are the comparison's
    assert methods["forest"].random_state is None
    numbers = compare({"a": Ridge(), "b": RandomForestRegressor(n_estimators=5)}, hornbeam.read("cpu"), folds=3)
    assert all(outcome.problem is None for outcome in numbers.tables[0].outcomes)


def test_what_stands_for_a_missing_number_is_learned_inside_the_fold() -> None:
    table = mixed()
    x = table.column("x")
    part = table.take(np.flatnonzero(x > 0))
    learned = on_tables(DummyClassifier()).fit(part)
    assert learned.fills_ == {0: pytest.approx(np.median(x[x > 0][part.target_values() >= 0])), 2: 0.0}


def test_weights_are_passed_on_or_refused() -> None:
    table = mixed()
    weights = np.arange(len(table)) % 3.0
    schema = Schema((*table.schema.columns, Numeric("w")), (*table.schema.roles, "weight"), "mixed")
    heavy = table.extended(schema, weights)
    rows = np.repeat(np.arange(len(table)), weights.astype(int))
    for estimator in (LogisticRegression(max_iter=2000), make_pipeline(StandardScaler(), LogisticRegression())):
        one = on_tables(estimator).fit(heavy)
        if isinstance(estimator, LogisticRegression):  # a scaler takes no weights here
            other = on_tables(estimator).fit(table.take(rows))
            assert one.predict_proba(table) == pytest.approx(other.predict_proba(table), abs=0.01)
    with pytest.raises(ValueError, match="KNeighborsClassifier takes no weights, but the rows have weights"):
        on_tables(KNeighborsClassifier()).fit(heavy)


def test_arrays_that_no_machine_would_hold_are_refused() -> None:
    rows = 30_000
    schema = Schema((Nominal("id", tuple(map(str, range(rows)))), Numeric("y")), ("feature", "target"), "wide")
    table = Table(schema, [np.arange(rows), np.arange(rows, dtype=float)])
    with pytest.raises(ValueError, match="30000 rows by 30000 columns is too large; the column 'id' has 30000 categ"):
        on_tables(Ridge()).fit(table)


def test_only_what_takes_arrays_is_wrapped() -> None:
    ours = hornbeam.C45Classifier()
    assert on_tables(ours) is ours
    wrapped = on_tables(LogisticRegression())
    assert isinstance(wrapped, FromArrays)
    assert on_tables(wrapped) is wrapped

    class Own:
        def fit(self, table: Table) -> None: ...

    own = Own()
    assert on_tables(own) is own
    assert not hasattr(on_tables(Ridge()).fit(hornbeam.read("cpu")), "predict_proba")
