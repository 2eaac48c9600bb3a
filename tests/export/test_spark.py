"""Queries for Spark SQL predict as the models they are made of, in Spark itself. Starting it takes seconds: once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from export.compiled import hostile
from node_answers import other_rows

import hornbeam
from hornbeam.export import sql
from hornbeam.export.judges.check import check
from hornbeam.export.judges.spark import find_spark

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hornbeam.data.table import Table

if find_spark():
    pytest.skip(f"{find_spark()} is missing: queries for Spark are not run", allow_module_level=True)


@pytest.fixture(scope="module", autouse=True)
def _stopped() -> Iterator[None]:
    yield
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is not None:
        session.stop()


def _cases() -> Iterator[tuple[Any, Table]]:
    for estimator, name in (
        (hornbeam.C45Classifier(), "labor"),  # fractional rows
        (hornbeam.CartClassifier(costs={"bad": {"good": 3}}), "labor"),  # surrogates
        (hornbeam.M5Regressor(), "servo"),
        (hornbeam.RipperClassifier(), "labor"),
        (hornbeam.RandomForestClassifier(n_estimators=3, random_state=0), "labor"),
        (hornbeam.GradientBoostingClassifier(n_estimators=3), "iris"),
        (hornbeam.SVMClassifier(kernel="linear", probability=True, random_state=0), "labor"),
        (hornbeam.KMeans(3, random_state=0), "labor"),
        (hornbeam.MixtureModel(2, covariance_type="full", random_state=0), "iris"),
    ):
        table = hornbeam.read(name)
        yield estimator.fit(table), other_rows(table, 40, seed=6)
    yield from list(hostile())[:1]


def test_models_of_every_kind(tmp_path: Path) -> None:
    for model, rows in _cases():
        (tmp_path / "model.sql").write_text(sql(model, dialect="spark"), "utf-8")
        found = check(tmp_path / "model.sql", model, rows)
        assert found.is_equal, f"{model}: {found}"
        assert found.runtime == "spark"


def test_a_table_with_a_schema_is_refused(tmp_path: Path) -> None:
    model = hornbeam.C45Classifier().fit(hornbeam.read("labor"))
    (tmp_path / "model.sql").write_text(sql(model, dialect="spark", table="a.b"), "utf-8")
    with pytest.raises(ValueError, match="temporary view of Spark has no schema"):
        check(tmp_path / "model.sql", model, hornbeam.read("labor"))
