"""Queries in a real PostgreSQL server, which is started here on loopback (Debian: apt install postgresql)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from export.exported import CASES, is_refused, learned
from export.test_hostile_names import SLOWER, any_name_is_written
from hypothesis import given, settings
from hypothesis import strategies as st
from node_answers import other_rows
from postgres_server import lacking, running

import hornbeam
from hornbeam.export import sql
from hornbeam.export.judges.check import check

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.integration
pytest.importorskip("sqlglot")
NO_SQL = {"neighbors", "ib2", "ib3", "ib5", "svm"}
SETS = ("labor", "glass", "servo", "weather.numeric")


@pytest.fixture(scope="module", autouse=True)
def _server() -> Iterator[None]:
    if lacking() is not None:
        pytest.skip(f"{lacking()}")
    with running():
        yield


def _agrees(path: Path, model: Any, rows: Any, **options: Any) -> None:
    (path / "model.sql").write_text(sql(model, dialect="postgres", **options), "utf-8")
    found = check(path / "model.sql", model, rows, "postgres")
    assert found.is_equal, str(found)


@pytest.mark.parametrize(("scheme", "name"), [case for case in CASES if case.values[1] in SETS])
def test_every_scheme(scheme: Any, name: str, tmp_path: Path) -> None:
    if is_refused(scheme) or scheme.name in NO_SQL:
        pytest.skip("not written as SQL")
    _agrees(tmp_path, learned(scheme, name), other_rows(hornbeam.read(name), 40, seed=5))


def test_hostile_names_costs_and_many_trees(tmp_path: Path) -> None:
    from export.test_sql import HOSTILE

    table = hornbeam.read("credit-g")
    rows = other_rows(table, 60, seed=2)
    costly = hornbeam.C45Classifier(costs={"bad": {"good": 5}}).fit(table)
    _agrees(tmp_path, costly, rows, table='a "schema".it\'s a table')
    renamed = {old: f"{HOSTILE[i % len(HOSTILE)]}{i}" for i, old in enumerate(table.schema.names)}
    from dataclasses import replace

    columns = tuple(replace(column, name=renamed[column.name]) for column in table.schema.columns)
    hostile = type(table)(replace(table.schema, columns=columns), table.columns)
    _agrees(tmp_path, hornbeam.C45Classifier().fit(hostile), other_rows(hostile, 60, seed=3))
    many = hornbeam.GradientBoostingClassifier(n_estimators=200, max_leaf_nodes=8, early_stopping=False).fit(table)
    _agrees(tmp_path, many, rows)


@settings(max_examples=25)
@given(data=st.data())
def test_any_name_is_written(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    any_name_is_written("postgres", SLOWER["postgres"], tmp_path_factory.mktemp("names"), data)


def test_the_commands_of_the_page(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "export" / "sql.md").read_text("utf-8")
    commands = re.search(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert commands is not None
    table = hornbeam.read("weather.numeric")
    tree = hornbeam.C45Classifier().fit(table)
    tree.save(tmp_path / "play.hornbeam")
    table.write(tmp_path / "days.csv")
    named = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    command = ["bash", "-e", "-c", commands[1]]
    done = subprocess.run(command, cwd=tmp_path, env=named, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = [[cell.strip() for cell in line.split("|")] for line in done.stdout.splitlines() if line.count("|") == 3]
    assert rows[0] == ["outlook", "prediction", "probability_yes", "probability_no"]
    assert [row[1] for row in rows[1:]] == tree.predict(table).tolist()
