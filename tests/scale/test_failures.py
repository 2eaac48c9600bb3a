"""What is said if data, memory or a program is not as it should be; and partitions that lack something."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scanned_tasks
from scanned_tables import made_table, write_database, write_parts

import hornbeam
from hornbeam.data.errors import DataError
from hornbeam.scale.executors.base import ScaleError
from hornbeam.scale.executors.local import LocalExecutor

if TYPE_CHECKING:
    from collections.abc import Iterator

LEARNERS = [
    hornbeam.C45Classifier(),
    hornbeam.CartClassifier(folds=0, max_surrogates=0),
    hornbeam.GradientBoostingClassifier(3),
    hornbeam.RandomForestClassifier(3, random_state=1),
    hornbeam.BaggingClassifier(n_estimators=2, random_state=1),
    hornbeam.KMeans(2, random_state=1),
]


def rows(categories: str, n: int = 40, seed: int = 0) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    color = random.choice(list(categories), n)
    return {"x": random.normal(size=n), "color": color, "y": np.where(color == categories[-1], "p", "q")}


def write(folder: Path, *parts: Any) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    for number, part in enumerate(parts):
        pq.write_table(part if isinstance(part, pa.Table) else pa.table(part), folder / f"{number}.parquet")
    return str(folder)


def learned(place: str, estimator: Any = None, **options: Any) -> Any:
    source = hornbeam.scan(place, target="y", **{"workers": 0, "local_rows": 10, **options})
    try:
        return (estimator or hornbeam.C45Classifier()).fit(source)
    finally:
        source.close()


NO_ROWS = {"x": pa.array([], pa.float64()), "color": pa.array([], pa.string()), "y": pa.array([], pa.string())}
NO_TARGET = {"x": [1.0, 2.0], "color": ["w", "a"], "y": pa.array([None, None], pa.string())}


@pytest.mark.parametrize("estimator", LEARNERS, ids=str)
def test_a_category_of_one_partition_and_partitions_without_rows(tmp_path: Path, estimator: Any) -> None:
    parts = [NO_ROWS, rows("ab"), rows("abz", seed=1), NO_TARGET]
    text = pa.schema([("x", pa.float64()), ("color", pa.string()), ("y", pa.string())])
    whole = pa.concat_tables([pa.table(part).cast(text) for part in parts])
    found = learned(write(tmp_path / "several", *parts), estimator)
    assert found.schema_.columns[1].categories == ("a", "b", "w", "z")
    found.save(tmp_path / "one")
    learned(write(tmp_path / "whole", whole), estimator).save(tmp_path / "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (np.arange(40) % 2 == 0, np.arange(40), r"column 'b': categories in .*0.parquet, numbers in .*1.parquet"),
        (np.arange(40).astype("datetime64[D]"), np.arange(40), r"column 'b': dates in .*0.parquet, numbers in .*1.par"),
        (np.arange(40), [[1, 2]] * 40, r"column 'b': .*1.parquet: its type is list"),
        (np.arange(40), np.full(40, np.inf), r"1.parquet: column 'b', row 1: found inf"),
    ],
)
def test_a_column_that_changes_its_type(tmp_path: Path, one: Any, other: Any, found: str) -> None:
    place = write(tmp_path / "rows", {**rows("ab"), "b": one}, {**rows("ab"), "b": other})
    with pytest.raises(DataError, match=found):
        learned(place)


def test_whole_numbers_fractions_and_nothing_are_numbers(tmp_path: Path) -> None:
    own = [np.arange(40), np.arange(40) + 0.5, pa.nulls(40)]
    place = write(tmp_path / "rows", *({**rows("ab"), "b": one} for one in own))
    assert not hasattr(learned(place).schema_.columns[3], "categories")


def test_files_that_are_cut_off_empty_or_gone(tmp_path: Path) -> None:
    place = write(tmp_path / "rows", rows("ab"), rows("ab"))
    last = tmp_path / "rows" / "1.parquet"
    content = last.read_bytes()
    for left in (len(content) // 2, 0):
        last.write_bytes(content[:left])
        with pytest.raises(DataError, match=r"1.parquet: cannot be read as Parquet"):
            learned(place)
    last.write_bytes(content)
    source = hornbeam.scan(place, target="y", workers=0, local_rows=10)
    assert source.schema.names == ("x", "color", "y")
    last.unlink()
    with pytest.raises(DataError, match=r"1.parquet: cannot be read as Parquet.*No such file"):
        hornbeam.C45Classifier().fit(source)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"x,y\n1,p\n2,q\n3\n", r"t.csv, bytes 0 to 14: .*Expected 2 columns, got 1"),
        ("x,y\n1,p\n2,café\n".encode("latin-1"), r"t.csv, bytes 0 to 15: .*invalid UTF8"),
        ("x,größe\n1,p\n".encode("latin-1"), r"t.csv, line 1: not UTF-8"),
        (b"", r"t.csv: the file is empty; expected a line with the names"),
    ],
)
def test_damaged_text(tmp_path: Path, content: bytes, found: str) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(DataError, match=found):
        learned(str(tmp_path / "t.csv"))


def test_duckdb_without_memory(tmp_path: Path) -> None:
    path = write_database(made_table(20_000, values=None), tmp_path / "rows.duckdb")
    with pytest.raises(MemoryError, match=r"DuckDB needs more than memory_mb=5; expected a larger memory_mb"):
        learned(path, engine="duckdb", memory_mb=5)


def test_java_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyspark = pytest.importorskip("pyspark.sql")
    monkeypatch.setattr(pyspark.SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(
        RuntimeError, match="needs Java 17 or later, and no java was found; install it or set JAVA_HOME"
    ):
        learned(write(tmp_path / "rows", rows("ab")), engine="spark")


def test_a_process_that_is_killed_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(scanned_tasks.__file__).parent), _path()]))
    with LocalExecutor(1) as executor:
        handle = executor.load(scanned_tasks.numbers, [3])
        with pytest.raises(
            ScaleError, match=r"partition 3 ended 4 times \(status -9\); it was killed, perhaps because"
        ):
            executor.map_reduce(handle, scanned_tasks.killed_always, (), scanned_tasks.add)


def _path() -> str:
    return os.environ.get("PYTHONPATH", "")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.Client(processes=False, dashboard_address=None, n_workers=1, threads_per_worker=2) as one:
        yield one


def test_dask_names_a_damaged_file(tmp_path: Path, client: Any) -> None:
    place = write_parts(made_table(3000), tmp_path, 3)
    damaged = tmp_path / "part-001.parquet"
    content = bytearray(damaged.read_bytes())
    content[100:3000] = bytes(2900)
    damaged.write_bytes(bytes(content))
    with pytest.raises(DataError, match=r"part-001.parquet: cannot be read as Parquet"):
        learned(place, engine=client)
