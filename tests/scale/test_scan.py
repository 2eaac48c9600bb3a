"""The schema of many files, and what is said of files that do not fit together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scanned_tables import made_table, write_parts

import hornbeam
from hornbeam.data.errors import DataError
from hornbeam.data.schema import Nominal, Numeric, SchemaError
from hornbeam.data.write import write as write_table

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, name: str, **columns: object) -> None:
    pq.write_table(pa.table(columns), folder / name)


def test_categories_are_united_and_sorted(tmp_path: Path) -> None:
    write(tmp_path, "a.parquet", c=["z", "b", None], x=[1, 2, 3])
    write(tmp_path, "b.parquet", c=["a", "b"], x=[1.5, None])
    write(tmp_path, "c.parquet", c=pa.array([], pa.string()), x=pa.array([], pa.float64()))
    schema = hornbeam.scan(tmp_path / "*.parquet", workers=0).schema
    assert schema.columns == (Nominal("c", ("a", "b", "z")), Numeric("x"))


def test_declared_categories_keep_their_order(tmp_path: Path) -> None:
    size = pa.DictionaryArray.from_arrays([0, 1], ["small", "large"], ordered=True)
    write(tmp_path, "a.parquet", size=size)
    write(tmp_path, "b.parquet", size=size)
    assert hornbeam.scan(tmp_path, workers=0).schema.columns == (Nominal("size", ("small", "large"), ordered=True),)
    write(tmp_path, "c.parquet", size=pa.DictionaryArray.from_arrays([0], ["large"]))
    assert hornbeam.scan(tmp_path, workers=0).schema.columns == (Nominal("size", ("large", "small")),)


def test_the_schema_is_that_of_the_table(tmp_path: Path) -> None:
    table = made_table(50, missing=0.1)
    found = hornbeam.scan(write_parts(table, tmp_path, 7), target="y", workers=0).schema
    assert found.columns == table.schema.columns
    assert found.roles == table.schema.roles


def test_a_column_that_changes_its_type_is_named(tmp_path: Path) -> None:
    write(tmp_path, "a.parquet", x=[1.0])
    write(tmp_path, "b.parquet", x=["one"])
    with pytest.raises(DataError, match=r"column 'x': categories in .*b.parquet, numbers in .*a.parquet"):
        _ = hornbeam.scan(tmp_path, workers=0).schema


@pytest.mark.parametrize("workers", [0, 2])
def test_a_damaged_file_is_named(tmp_path: Path, workers: int) -> None:
    write_parts(made_table(3000), tmp_path, 3)
    damaged = tmp_path / "part-001.parquet"
    content = bytearray(damaged.read_bytes())
    content[100:3000] = bytes(2900)
    damaged.write_bytes(bytes(content))
    with pytest.raises(DataError, match=r"part-001.parquet: cannot be read as Parquet"):
        hornbeam.C45Classifier().fit(hornbeam.scan(tmp_path, target="y", workers=workers))
    damaged.write_bytes(b"no Parquet at all")
    with pytest.raises(DataError, match=r"part-001.parquet: cannot be read as Parquet"):
        _ = hornbeam.scan(tmp_path, target="y", workers=workers).schema


def test_other_mistakes_are_named(tmp_path: Path) -> None:
    write(tmp_path, "a.parquet", x=[1.0], label=["p"])
    with pytest.raises(SchemaError, match=r"'lable'.*'label'"):
        _ = hornbeam.scan(tmp_path, target="lable", workers=0).schema
    with pytest.raises(DataError, match="no file matches"):
        hornbeam.scan(tmp_path / "*.csv")
    with pytest.raises(DataError, match="there is no such file"):
        hornbeam.scan(tmp_path / "b.parquet")
    with pytest.raises(ValueError, match="engine is 'hadoop'"):
        _ = hornbeam.scan(tmp_path, engine="hadoop").schema
    with pytest.raises(ValueError, match="memory_mb=100 leaves 50 MB"):
        _ = hornbeam.scan(tmp_path, workers=2, memory_mb=100).schema
    write(tmp_path, "b.parquet", z=[1.0], label=["p"])
    with pytest.raises(DataError, match=r"b.parquet: there is no column 'x'"):
        _ = hornbeam.scan(tmp_path, workers=0).schema


@pytest.mark.parametrize("size", [40, 333, 1 << 20])
def test_ranges_of_a_csv_file_hold_every_row_once(tmp_path: Path, size: int) -> None:
    from hornbeam.scale.parts.text import CsvParts

    rows = [f"{i},{'a' * (i % 7)},v{i % 3}" for i in range(200)]
    (tmp_path / "t.csv").write_text("\n".join(["number,word,kind", *rows]) + ("\n" if size == 333 else ""))
    parts = CsvParts((str(tmp_path / "t.csv"),), size=size)
    read = pa.concat_tables([parts.read(key) for key in list(parts.keys())])
    assert read.column("number").to_pylist() == [str(i) for i in range(200)]
    assert read.column("word").to_pylist() == ["a" * (i % 7) or None for i in range(200)]


def test_csv_files_and_parquet_files_give_the_same_tree(tmp_path: Path) -> None:
    table = made_table(400, missing=0.05)
    pattern = write_parts(table, tmp_path / "parquet", 3)
    (tmp_path / "csv").mkdir()
    for number, rows in enumerate(np.array_split(np.arange(400), 2)):
        write_table(table.take(rows), tmp_path / "csv" / f"{number}.csv")
    one = hornbeam.C45Classifier().fit(hornbeam.scan(pattern, target="y", workers=0, local_rows=0)).model_
    other = hornbeam.C45Classifier().fit(hornbeam.scan(tmp_path / "csv", target="y", workers=0, local_rows=0)).model_
    assert one.same_as(other)


def test_numbers_can_be_classes(tmp_path: Path) -> None:
    write(tmp_path, "a.parquet", x=[1.0, 2.0, 3.0], y=[10, 9, 10])
    source = hornbeam.scan(tmp_path, target="y", nominal=["y"], workers=0)
    assert source.schema.target_column == Nominal("y", ("9", "10"))
    with pytest.raises(SchemaError, match="read it as nominal"):
        hornbeam.C45Classifier().fit(hornbeam.scan(tmp_path, target="y", workers=0))
