"""Trees grown inside a PostgreSQL server, or from its rows, are those grown in memory."""

from __future__ import annotations

import os
from math import isnan
from typing import TYPE_CHECKING, Any

import pytest
from oracle import evidence
from postgres_server import lacking, running
from scanned_tables import differences, made_table, write_parts

import hornbeam
from hornbeam.data.errors import DataError
from hornbeam.data.schema import Nominal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hornbeam.data.table import Table

pytestmark = pytest.mark.integration
psycopg = pytest.importorskip("psycopg")
ESTIMATORS = [
    hornbeam.C45Classifier(),
    hornbeam.ID3Classifier(),
    hornbeam.CartClassifier(max_surrogates=0, folds=0),
]
SETS = ("contact-lenses", "glass", "labor", "weather.numeric", "zoo", "vote", "iris", "hepatitis")


@pytest.fixture(scope="module", autouse=True)
def address() -> Iterator[str]:
    if lacking() is not None:
        pytest.skip(f"{lacking()}")
    with running():
        yield f"postgresql://postgres@127.0.0.1:{os.environ['PGPORT']}/postgres"


def written(table: Table, address: str, name: str) -> None:
    """Write the rows to a table, categories as types of their own."""

    def quoted(text: str, mark: str = '"') -> str:
        return mark + text.replace(mark, mark * 2) + mark

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"DROP TABLE IF EXISTS {quoted(name)} CASCADE")
        columns = []
        for number, column in enumerate(table.schema.columns):
            kind = "FLOAT8"
            if isinstance(column, Nominal):
                kind = quoted(f"{name}_{number}")
                connection.execute(f"DROP TYPE IF EXISTS {kind}")
                labels = ", ".join(quoted(category, "'") for category in column.categories)
                connection.execute(f"CREATE TYPE {kind} AS ENUM ({labels})")
            columns.append(f"{quoted(column.name)} {kind}")
        connection.execute(f"CREATE TABLE {quoted(name)} ({', '.join(columns)})")
        with connection.cursor().copy(f"COPY {quoted(name)} FROM STDIN") as copy:
            arrays = [
                [column.categories[code] if code >= 0 else None for code in values]
                if isinstance(column, Nominal)
                else [None if isnan(value) else value for value in values.tolist()]
                for column, values in zip(table.schema.columns, table.columns, strict=True)
            ]
            for row in zip(*arrays, strict=True):
                copy.write_row(row)


def learned(estimator: Any, address: str, name: str, **options: Any) -> Any:
    source = hornbeam.scan(address, table=name, **options)
    found = type(estimator)(**estimator.get_params()).fit(source)
    source.close()
    return found


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
@pytest.mark.parametrize("name", SETS)
def test_trees_are_those_in_memory(address: str, name: str, estimator: Any) -> None:
    table = hornbeam.read(evidence.arff(name), target=-1)
    if isinstance(estimator, hornbeam.ID3Classifier) and any(table.missing(i).any() for i in table.schema.features):
        pytest.skip("refuses missing values")
    expected = estimator.fit(table).model_
    written(table, address, name.replace(".", "_"))
    target = table.schema.target_column.name
    found = learned(estimator, address, name.replace(".", "_"), target=target, engine="postgres", bins=60_000).model_
    assert differences(expected, found, 1e-6) == {}


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_the_model_file_is_that_of_partitions(address: str, tmp_path: Path, missing: float) -> None:
    table = made_table(300, missing=missing, values=None)
    written(table, address, "made")
    pattern = write_parts(table, tmp_path / "parts", 3, seed=1)
    options: dict[str, Any] = {"target": "y", "local_rows": 0, "bins": 16}
    learned(hornbeam.C45Classifier(), address, "made", engine="postgres", **options).save(tmp_path / "inside")
    learned(hornbeam.C45Classifier(), address, "public.made", workers=2, **options).save(tmp_path / "table")
    hornbeam.C45Classifier().fit(hornbeam.scan(pattern, workers=0, **options)).save(tmp_path / "parquet")
    files = {(tmp_path / name).read_bytes() for name in ("inside", "table", "parquet")}
    assert len(files) == 1


def test_types_and_ranges_of_pages(address: str) -> None:
    from hornbeam.scale.parts.postgres import PostgresParts

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS several")
        connection.execute(
            "CREATE TABLE several AS SELECT i::smallint AS small, (i / 7.0)::numeric(10, 2) AS exact, "
            "i::real AS short, i % 3 = 0 AS flag, chr(97 + i % 4)::char(3) AS letter, ('k' || i % 2)::text AS y, "
            "now() AS moment, CASE i % 5 WHEN 0 THEN 'NaN'::float8 ELSE i END AS holes FROM generate_series(1, 900) i"
        )
        connection.execute("DELETE FROM several WHERE small % 11 = 0")
    with pytest.raises(DataError, match="column 'moment': its type is timestamp with time zone"):
        learned(hornbeam.C45Classifier(), address, "several", target="y", engine="postgres")
    parts = PostgresParts(address, "several", size=2)
    keys = parts.keys()
    assert len(keys) > 3
    assert sum(parts.read(key, ["small"]).num_rows for key in keys) == 900 - 900 // 11
    models = []
    options: dict[str, Any] = {"target": "y", "ignore": ["moment"], "bins": 1000}
    for engine, rows in (("postgres", 0), ("local", 0)):
        source = hornbeam.scan(address, table="several", engine=engine, workers=0, local_rows=rows, **options)
        models.append(hornbeam.C45Classifier().fit(source).model_)
        source.close()
    assert [column.name for column in models[0].schema.columns] == [
        "small", "exact", "short", "flag", "letter", "y", "holes",
    ]  # fmt: skip
    assert models[0].same_as(models[1])
    assert models[0].n_nodes > 1


def test_only_counts_leave_the_server(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from hornbeam.scale.database.engines import Postgres

    written(made_table(5000, values=None), address, "large")
    fetched: list[int] = []
    run = Postgres.run

    def watched(self: Any, query: str) -> Any:
        found = run(self, query)
        fetched.append(len(found))
        return found

    monkeypatch.setattr(Postgres, "run", watched)
    tree = hornbeam.TreeClassifier(criterion="entropy", max_depth=3)
    learned(tree, address, "large", target="y", engine="postgres", bins=8)
    assert 10 < max(fetched) <= 3 * 9 * 4


def test_the_command_line(address: str, tmp_path: Path) -> None:
    from hornbeam.cli.main import run

    written(made_table(300), address, "rows")
    given = ["--engine", "postgres", "--table", "rows", "--target", "y", "--save", str(tmp_path / "model")]
    assert run(["learn", address, *given]) == 0
    assert hornbeam.load(tmp_path / "model").n_nodes > 5


def test_mistakes_are_named(address: str) -> None:
    with pytest.raises(DataError, match="name one: table="):
        hornbeam.scan(address, target="y")
    with pytest.raises(DataError, match=r"nothing in postgresql://127.0.0.1:\d+/postgres: there is no such table"):
        _ = hornbeam.scan(address, table="nothing", target="y", engine="postgres").schema
    with pytest.raises(DataError, match=r"cannot be opened: .*connection failed"):
        _ = hornbeam.scan("postgresql://u:secret@127.0.0.1:9/x", table="t", target="y").schema
    with pytest.raises(ValueError, match="memory_mb does not limit a PostgreSQL server"):
        _ = hornbeam.scan(address, table="rows", target="y", engine="postgres", memory_mb=500).schema
    with pytest.raises(ValueError, match="engine='duckdb' learns inside a DuckDB file"):
        _ = hornbeam.scan(address, table="rows", target="y", engine="duckdb").schema
