"""Trees grown inside a DuckDB database are those grown in memory, and rows stay where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from oracle import evidence
from scanned_tables import differences, made_table, write_database, write_parts

import hornbeam
from hornbeam.data.errors import DataError
from hornbeam.data.schema import Nominal

if TYPE_CHECKING:
    from pathlib import Path

ESTIMATORS = [
    hornbeam.C45Classifier(),
    hornbeam.ID3Classifier(),
    hornbeam.CartClassifier(max_surrogates=0, folds=0),
]
SMALL = ("contact-lenses", "glass", "labor", "weather.numeric", "zoo")


def same_as_in_memory(name: str, estimator: Any, folder: Path) -> None:
    table = hornbeam.read(evidence.arff(name), target=-1)
    if not isinstance(table.schema.target_column, Nominal):
        return
    if isinstance(estimator, hornbeam.ID3Classifier) and any(table.missing(i).any() for i in table.schema.features):
        return  # refuses missing values
    expected = estimator.fit(table).model_
    path = write_database(table, folder / "rows.duckdb")
    source = hornbeam.scan(path, target=table.schema.target_column.name, engine="duckdb", bins=60_000)
    found = type(estimator)(**estimator.get_params()).fit(source).model_
    source.close()
    assert differences(expected, found, 1e-6) == {}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
@pytest.mark.parametrize("name", SMALL)
def test_trees_are_those_in_memory(tmp_path: Path, name: str, estimator: Any) -> None:
    same_as_in_memory(name, estimator, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "estimator"),
    [(name, estimator) for name in evidence.sets() if name not in SMALL for estimator in ESTIMATORS],
)
def test_all_trees_are_those_in_memory(tmp_path: Path, name: str, estimator: Any) -> None:
    same_as_in_memory(name, estimator, tmp_path)


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_the_model_file_is_that_of_partitions(tmp_path: Path, missing: float) -> None:
    table = made_table(300, missing=missing, values=None)
    path = write_database(table, tmp_path / "rows.duckdb")
    pattern = write_parts(table, tmp_path / "parts", 3, seed=1)
    options = {"target": "y", "local_rows": 0, "bins": 16}
    for name, source in (
        ("duckdb", hornbeam.scan(path, engine="duckdb", **options)),
        ("table", hornbeam.scan(path, workers=0, **options)),
        ("parquet", hornbeam.scan(pattern, workers=0, **options)),
    ):
        hornbeam.C45Classifier().fit(source).save(tmp_path / name)
        source.close()
    assert (tmp_path / "duckdb").read_bytes() == (tmp_path / "parquet").read_bytes()
    assert (tmp_path / "table").read_bytes() == (tmp_path / "parquet").read_bytes()


def test_only_counts_leave_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hornbeam.scale.database.counting import DatabaseCounter

    fetched = []
    run = DatabaseCounter._run

    def watched(self: Any, query: str) -> Any:
        found = run(self, query)
        fetched.append(len(found))
        return found

    monkeypatch.setattr(DatabaseCounter, "_run", watched)
    table = made_table(5000, values=None)
    path = write_database(table, tmp_path / "rows.duckdb")
    source = hornbeam.scan(path, target="y", engine="duckdb", bins=8)
    hornbeam.TreeClassifier(criterion="entropy", max_depth=3).fit(source)
    monkeypatch.setattr(source.parts.__class__, "read", None)
    # three classes, eight codes and one for missing, at most four nodes of a level
    assert 10 < max(fetched) <= 3 * 9 * 4


def test_mistakes_are_named(tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "rows.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE a AS SELECT DATE '2020-01-01' AS day, 'x' AS y")
    with pytest.raises(DataError, match="column 'day': its type is DATE"):
        _ = hornbeam.scan(path, target="y", engine="duckdb").schema
    assert hornbeam.scan(path, target="y", engine="duckdb", ignore=["day"]).schema.names == ("y",)
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE b AS SELECT 1 AS x")
    with pytest.raises(DataError, match="its tables are 'a', 'b'; name one"):
        hornbeam.scan(path, target="y")
    (tmp_path / "no.duckdb").write_text("nothing")
    with pytest.raises(DataError, match="cannot be opened as a DuckDB file"):
        hornbeam.scan(tmp_path / "no.duckdb", target="y")
    write_parts(made_table(10), tmp_path / "parts", 1)
    with pytest.raises(ValueError, match="engine='duckdb' learns inside a DuckDB file"):
        _ = hornbeam.scan(tmp_path / "parts", target="y", engine="duckdb").schema
