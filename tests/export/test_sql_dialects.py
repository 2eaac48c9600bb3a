"""Queries for the databases that are not run here: sqlglot reads them, and DuckDB runs what they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from export.compiled import hostile
from node_answers import other_rows

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.export import sql
from hornbeam.export.judges.check import check
from hornbeam.export.sql_writer.dialect import Dialect

if TYPE_CHECKING:
    from pathlib import Path

sqlglot = pytest.importorskip("sqlglot")
pytest.importorskip("duckdb")
NOT_RUN = ("bigquery", "snowflake", "tsql")
CASES = {
    "labor": hornbeam.C45Classifier(),
    "weather": hornbeam.RipperClassifier(random_state=0),
    "servo": hornbeam.M5Regressor(),
    "glass": hornbeam.GradientBoostingClassifier(n_estimators=3),
    "credit-g": hornbeam.C45Classifier(costs={"bad": {"good": 5}}),
}


def _agrees(path: Path, model: Any, rows: Table, dialect: str) -> None:
    head = sql(model).splitlines()[:2]  # with the manifest
    query = sql(model, dialect=dialect)
    if dialect == "tsql":  # sqlglot does not translate these; it takes FLOAT, which is double precision, for single
        query = query.replace(" COLLATE Latin1_General_BIN2", "").replace("(MAX)", "")
        query = query.replace(" AS FLOAT)", " AS DOUBLE PRECISION)")
    queries = sqlglot.transpile(query, read=dialect, write="duckdb", comments=False, pretty=True)
    (path / "model.sql").write_text("\n".join((*head, *queries)), "utf-8")
    found = check(path / "model.sql", model, rows, "duckdb")
    assert found.is_equal, f"{dialect}: {found}"


@pytest.mark.parametrize("dialect", NOT_RUN)
@pytest.mark.parametrize("name", CASES)
def test_a_query_means_the_same_in_duckdb(name: str, dialect: str, tmp_path: Path) -> None:
    table = hornbeam.read(name)
    _agrees(tmp_path, CASES[name].fit(table), other_rows(table, 40, seed=3), dialect)


@pytest.mark.parametrize("dialect", NOT_RUN[1:])  # BigQuery has no columns with such names
def test_hostile_names(dialect: str, tmp_path: Path) -> None:
    for model, rows in hostile():
        _agrees(tmp_path, model, rows, dialect)


def test_sql_server_keeps_characters() -> None:
    """Texts of its type VARCHAR have the characters of one code page only."""
    codes = np.arange(40, dtype=np.int32) % 2
    table = Table(Schema((Nominal("x", ("漢字", "é")), Nominal("y", ("a", "b"))), name="t"), [codes, codes])
    query = sql(hornbeam.C45Classifier().fit(table.with_target("y")), dialect="tsql")
    assert "N'漢字'" in query
    assert "CAST([x] AS NVARCHAR(MAX))" in query
    assert "VARCHAR" not in query.replace("NVARCHAR", "")


def test_sql_server_nests_case_at_most_ten_levels() -> None:
    """A deep tree, where every inner node has a leaf."""
    x = np.arange(400.0)
    columns = (Numeric("x"), Numeric("z"), Numeric("y"))
    table = Table(Schema(columns, name="t"), [x, np.round(1e4 * np.sin(x)), x**3 + 1e7 * (x % 2)]).with_target("y")
    tree = hornbeam.TreeRegressor(min_samples_leaf=1, prune=None).fit(table)
    assert tree.model_.n_leaves > 200
    query = sqlglot.parse_one(sql(tree, dialect="tsql"), dialect="tsql")
    deepest = max(_levels(case) for case in query.find_all(sqlglot.exp.Case))
    assert deepest <= 10


def _levels(case: Any) -> int:
    levels = 0
    while case is not None:
        levels += isinstance(case, sqlglot.exp.Case)
        case = case.parent
    return levels


def test_sql_server_has_no_infinite_numbers() -> None:
    assert Dialect("tsql").number(float("inf")) == "(1.7976931348623157e308)"
    assert Dialect("tsql").number(float("-inf")) == "(-1.7976931348623157e308)"
