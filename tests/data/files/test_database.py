"""SQLite and DuckDB databases: one table, tables by name, and that no database is ever written to."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import sqlite3
import sys
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pytest

from hornbeam.data.errors import DataError
from hornbeam.data.read import read
from hornbeam.data.schema import Nominal, Numeric

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


def sqlite(path: Path, *statements: str) -> Path:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path


def duck(path: Path, *statements: str) -> Path:
    with contextlib.closing(duckdb.connect(str(path))) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


MAKERS = {"sqlite": sqlite, "duckdb": duck}


def state(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_a_sqlite_table_as_pandas_writes_it(tmp_path: Path, people: pd.DataFrame) -> None:
    path = tmp_path / "people.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        people.to_sql("staff", connection, index=False)
    before = state(tmp_path)
    table = read(path, target="class", keep=["born"])
    assert state(tmp_path) == before
    assert table.schema.name == "people"
    np.testing.assert_array_equal(table.column("age"), people["age"])
    born = table.schema.columns[2]
    assert isinstance(born, Numeric)
    assert born.format is not None
    assert table.schema.columns[3] == Nominal("code", ("007", "010", "123", "999"))
    assert read(f"{path}::staff").schema.name == "staff"


def test_a_duckdb_table(tmp_path: Path, people: pd.DataFrame) -> None:
    path = tmp_path / "people.duckdb"
    with contextlib.closing(duckdb.connect(str(path))) as connection:
        connection.register("frame", people)
        connection.execute("CREATE TABLE staff AS SELECT * FROM frame")
    before = state(tmp_path)
    table = read(path, target="class", ignore=["name"], keep=["born"])
    assert state(tmp_path) == before
    np.testing.assert_array_equal(table.column("age"), people["age"])
    assert table.schema.columns[4] == Nominal("member", ("false", "true"))


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_tables_are_chosen_by_name(tmp_path: Path, kind: str) -> None:
    path = MAKERS[kind](
        tmp_path / "my data",  # known by its content
        *(f'CREATE TABLE "t {i:02}" AS SELECT {i} + 0.5 AS x UNION ALL SELECT 3.25' for i in range(12)),
        'CREATE VIEW seen AS SELECT * FROM "t 03"',
    )
    with pytest.raises(
        DataError, match=r"my data: the database has 12 tables and 1 view \(.* and \d more\); name one: 'my data::t 00'"
    ):
        read(path)
    table = read(f"{path}::t 02")
    assert sorted(table.column("x").tolist()) == [2.5, 3.25]
    assert sorted(read(f"{path}::seen").column("x").tolist()) == [3.25, 3.5]
    with pytest.raises(DataError, match="there is no table 'nowhere' in the database; it has "):
        read(f"{path}::nowhere")


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_a_database_may_be_gzipped(tmp_path: Path, kind: str) -> None:
    path = MAKERS[kind](tmp_path / "d.db", "CREATE TABLE t AS SELECT 1.5 AS x")
    packed = tmp_path / "d.db.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read(packed).column("x").tolist() == [1.5]
    assert read(f"{packed}::t").column("x").tolist() == [1.5]


def test_names_cannot_run_statements(tmp_path: Path) -> None:
    path = sqlite(tmp_path / "d.db", 'CREATE TABLE "a""; DROP TABLE b; --" (x)', "CREATE TABLE b (x)")
    path = sqlite(path, "INSERT INTO b VALUES (1.5)", 'INSERT INTO "a""; DROP TABLE b; --" VALUES (2.5)')
    assert read(f'{path}::a"; DROP TABLE b; --').column("x").tolist() == [2.5]
    assert read(f"{path}::b").column("x").tolist() == [1.5]
    with pytest.raises(DataError, match="there is no table"):
        read(f"{path}::b; DROP TABLE b")


def test_a_write_ahead_log_is_not_read_and_said(tmp_path: Path) -> None:
    path = tmp_path / "d.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t AS SELECT 1.5 AS x")
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert read(path).column("x").tolist() == [1.5]
    connection.execute("INSERT INTO t VALUES (2.5)")
    connection.commit()
    before = state(tmp_path)
    table = read(path)
    assert state(tmp_path) == before
    assert table.column("x").tolist() == [1.5]
    assert "database: changes that are still in d.db-wal are not read" in table.notes
    connection.close()


def test_bytes_are_refused_unless_ignored(tmp_path: Path) -> None:
    path = sqlite(tmp_path / "d.db", "CREATE TABLE t (x, photo)", "INSERT INTO t VALUES (1.5, NULL), (2.5, x'00ff')")
    with pytest.raises(DataError, match="row 2, column 'photo': found bytes; expected a number"):
        read(path)
    table = read(path, ignore=["photo"])
    assert table.schema.names == ("x",)
    assert "photo: left out, a table has no columns of bytes" in table.notes


def test_a_view_cannot_read_other_files(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("x\n1.5\n")
    view = f"CREATE VIEW v AS SELECT * FROM read_csv('{tmp_path / 'secret.csv'}')"  # noqa: S608 (a path of the test)
    path = duck(tmp_path / "d.duckdb", view)
    with pytest.raises(DataError, match="has no tables, only views"):
        read(path)
    with pytest.raises(DataError, match=r"disabled|cannot|Permission"):
        read(f"{path}::v")


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_damaged_databases(tmp_path: Path, kind: str) -> None:
    path = MAKERS[kind](tmp_path / "d.db", "CREATE TABLE t AS SELECT 1.5 AS x")
    whole = path.read_bytes()
    for data in (whole[:50], whole[:20] + b"\xff" * (len(whole) - 20), whole[:100] + b"\xff" * 400 + whole[500:]):
        path.write_bytes(data)
        with pytest.raises(DataError, match=r"d\.db: the (SQLite|DuckDB)? ?database"):
            read(path)


def test_a_database_without_tables(tmp_path: Path) -> None:
    path = sqlite(tmp_path / "d.db", "CREATE TABLE t (x)", "DROP TABLE t")
    with pytest.raises(DataError, match="the database has no tables; expected one"):
        read(path)


def test_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = duck(tmp_path / "d.duckdb", "CREATE TABLE t AS SELECT 1.5 AS x")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(DataError, match=r"needs duckdb: pip install 'hornbeam\[duckdb\]'"):
        read(path)
