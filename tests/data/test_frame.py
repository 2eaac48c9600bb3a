"""Data frames and arrays in and out."""

from __future__ import annotations

import datetime as dt
import decimal
import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from hornbeam.data.arrow import SCHEMA_KEY
from hornbeam.data.errors import DataError
from hornbeam.data.read import read
from hornbeam.data.schema import Nominal, Numeric, SchemaError


def assert_mixed(table: Any) -> None:
    assert table.schema.columns[:2] == (Numeric("n"), Nominal("c", ("x", "y")))
    np.testing.assert_array_equal(table.column("n"), [1.5, np.nan, 3])
    assert table.column("c").tolist() == [0, -1, 1]


def test_pandas() -> None:
    frame = pd.DataFrame({"n": [1.5, None, 3], "c": ["x", None, "y"]}, index=[5, 6, 7])
    assert_mixed(read(frame))
    frame["c"] = pd.Categorical(["x", None, "y"], ["y", "x", "z"], ordered=True)
    assert read(frame).schema.columns[1] == Nominal("c", ("y", "x", "z"), ordered=True)
    frame["m"] = pd.Series([1, "a", None], index=frame.index, dtype=object)
    frame["i"] = pd.array([1, None, 3], dtype="Int64")
    frame["b"] = [True, False, True]
    table = read(frame)
    assert table.schema.columns[2] == Nominal("m", ("1", "a"))
    np.testing.assert_array_equal(table.column("i"), [1, np.nan, 3])
    assert table.column("b").tolist() == [1, 0, 1]
    assert read(pd.DataFrame({0: [1.5], 1: ["a"]})).schema.names == ("0", "1")


def test_polars_arrow_duckdb() -> None:
    values: dict[str, list[Any]] = {"n": [1.5, None, 3.0], "c": ["x", None, "y"]}
    assert_mixed(read(pl.DataFrame(values)))
    assert_mixed(read(pl.DataFrame(values).with_columns(pl.col("c").cast(pl.Categorical))))
    enum = pl.DataFrame(values).with_columns(pl.col("c").cast(pl.Enum(["x", "y"])))
    assert read(enum).schema.columns[1] == Nominal("c", ("x", "y"), ordered=True)
    assert read(enum).notes == ("c: its categories are in order in the source; --nominal c to change",)
    assert_mixed(read(enum, nominal=["c"]))
    arrow = pa.table(values)
    assert_mixed(read(arrow))
    assert_mixed(read(arrow.to_batches()[0]))
    assert_mixed(read(pa.RecordBatchReader.from_batches(arrow.schema, arrow.to_batches())))
    assert_mixed(read(values))
    with duckdb.connect() as connection:
        assert_mixed(read(connection.sql("select * from (values (1.5, 'x'), (null, null), (3, 'y')) t(n, c)")))


def test_every_arrow_type() -> None:
    day = dt.date(1970, 1, 2)
    second = dt.datetime(1970, 1, 1, 0, 0, 1)  # noqa: DTZ001 (without a zone on purpose)
    source = pa.table(
        {
            "bool": pa.array([True, None, False]),
            "int8": pa.array([1, None, 3], pa.int8()),
            "uint64": pa.array([1, None, 3], pa.uint64()),
            "float16": pa.array([1, None, 3], pa.float16()),
            "float32": pa.array([0.5, None, 3], pa.float32()),
            "decimal": pa.array([decimal.Decimal("1.5"), None, decimal.Decimal(2)]),
            "date32": pa.array([day, None, day]),
            "date64": pa.array([day, None, day], pa.date64()),
            "second": pa.array([second, None, second], pa.timestamp("s")),
            "nano": pa.array([1_500_000_000, None, 0], pa.timestamp("ns", "UTC")),
            "time": pa.array([dt.time(0, 1), None, dt.time(1)]),
            "duration": pa.array([90, None, 0], pa.duration("s")),
            "null": pa.nulls(3),
            "large": pa.array(["x", None, "y"], pa.large_string()),
            "view": pa.array(["x", None, "y"], pa.string_view()),
            "int dictionary": pa.array([7, None, 8]).dictionary_encode(),
            "float dictionary": pa.array([0.5, None, 2.0]).dictionary_encode(),
        }
    )
    table = read(source.slice(0, 3))
    found = dict(zip(table.schema.names, zip(table.schema.columns, table.columns, strict=True), strict=True))
    numbers = {
        "int8": [1, np.nan, 3], "uint64": [1, np.nan, 3], "float16": [1, np.nan, 3], "float32": [0.5, np.nan, 3],
        "decimal": [1.5, np.nan, 2], "date32": [86400, np.nan, 86400], "date64": [86400, np.nan, 86400],
        "second": [1, np.nan, 1], "nano": [1.5, np.nan, 0], "time": [60, np.nan, 3600], "duration": [90, np.nan, 0],
        "null": [np.nan] * 3,
    }  # fmt: skip
    for name, wanted in numbers.items():
        assert isinstance(found[name][0], Numeric), name
        np.testing.assert_array_equal(found[name][1], wanted, err_msg=name)
    nominal = {
        "bool": ("false", "true"), "large": ("x", "y"), "view": ("x", "y"), "int dictionary": ("7", "8"),
        "float dictionary": ("0.5", "2"),
    }  # fmt: skip
    for name, categories in nominal.items():
        assert found[name][0] == Nominal(name, categories)
        assert found[name][1].tolist() == ([1, -1, 0] if name == "bool" else [0, -1, 1])
    assert found["date32"][0] == Numeric("date32", "%Y-%m-%d")
    assert found["nano"][0] == Numeric("nano", "%Y-%m-%dT%H:%M:%S.%f")


@given(st.integers(0, 9), st.integers(0, 9))
def test_slices_are_read_from_their_offset(start: int, length: int) -> None:
    source = pa.table(
        {"n": [None if i % 3 == 0 else i for i in range(10)], "c": [None if i % 4 == 0 else str(i) for i in range(10)]}
    )
    part = source.slice(start, length)
    back = read(part).to_numpy().tolist()
    assert back == [[row["n"], row["c"]] for row in part.to_pylist()] or not back


def test_types_without_a_place_in_a_table() -> None:
    source = pa.table({"a": [1.5], "l": [[1, 2]]})
    with pytest.raises(DataError, match="column 'l': its type is list"):
        read(source)
    table = read(source, ignore=["l"])
    assert table.schema.names == ("a",)
    assert any("left out" in note for note in table.notes)


def test_bad_objects() -> None:
    with pytest.raises(DataError, match=r"builtins\.object"):
        read(object())
    with pytest.raises(SchemaError, match="two columns are called 'a'"):
        read(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]))
    with pytest.raises(SchemaError, match="column 'a', row 2: found inf"):
        read(pd.DataFrame({"a": [1, np.inf]}))


def test_arrays() -> None:
    table = read(np.array([[1.5, 2], [np.nan, 3]]))
    assert table.schema.columns == (Numeric("x0"), Numeric("x1"))
    np.testing.assert_array_equal(table.to_numpy(), [[1.5, 2], [np.nan, 3]])
    mixed = np.array([[1, "a", True], [None, "b", False], [2.5, np.nan, None]], object)
    table = read(mixed)
    assert table.schema.columns == (Numeric("x0"), Nominal("x1", ("a", "b")), Nominal("x2", ("false", "true")))
    assert table.to_numpy().tolist() == [[1.0, "a", "true"], [None, "b", "false"], [2.5, None, None]]
    structured = np.array([(1, "u"), (2, "v")], [("k", "i4"), ("t", "U1")])
    assert read(structured).schema.columns == (Numeric("k"), Nominal("t", ("u", "v")))
    assert read(structured, nominal=["k"]).schema.columns[0] == Nominal("k", ("1", "2"))
    with pytest.raises(DataError, match="1 dimensions"):
        read(np.zeros(3))
    with pytest.raises(DataError, match="complex"):
        read(np.zeros((2, 2), complex))
    with pytest.raises(DataError, match="row 1: found"):
        read(np.array([[object()]], object))


def test_out_to_frames() -> None:
    table = read("labor")
    frame = table.to_pandas()
    assert frame["class"].cat.categories.tolist() == ["bad", "good"]
    assert read(frame).schema.columns == table.schema.columns
    assert table.to_polars().shape == (57, 17)
    assert pl.from_arrow(table.to_arrow()).shape == pa.table(table).shape == (57, 17)


def test_stored_schema_that_no_longer_fits(tmp_path: Path) -> None:
    source = read("weather").to_arrow()
    assert read(source.select([0, 4])).schema.roles == ("feature", "target")
    other = source.set_column(0, "outlook", pa.array(["hail"] * 14)).replace_schema_metadata(source.schema.metadata)
    assert read(other).schema.columns[0] == Nominal("outlook", ("hail",))
    for damage in (b"", b"{}", b"[1]", b"\xff", json.dumps({"columns": [{"name": 1}]}).encode()):
        parquet.write_table(source.replace_schema_metadata({SCHEMA_KEY: damage}), tmp_path / "w.parquet")
        with pytest.raises(SchemaError, match="damaged"):
            read(tmp_path / "w.parquet")


@given(st.integers(0, 2000), st.integers(0, 255))
def test_damaged_columnar_files(place: int, byte: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for ending in ("parquet", "feather"):
            path = Path(folder) / f"w.{ending}"
            read("weather").write(path)
            content = bytearray(path.read_bytes())
            content[place % len(content)] = byte
            path.write_bytes(content[: len(content) - place % 7])
            try:
                read(path)
            except (DataError, SchemaError) as error:
                assert str(error)  # noqa: PT017 (any other error is a failure)


def test_a_category_that_is_not_a_number_is_missing(tmp_path: Path) -> None:
    """A dictionary of numbers may hold NaN; Parquet writes it as the numbers themselves."""
    numbers = pa.array([1.5, float("nan"), 2.5])
    table = pa.table({"d": pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 0, None], pa.int32()), numbers)})
    found = read(table)
    assert found.schema.columns[0] == Nominal("d", ("1.5", "2.5"))
    assert found.columns[0].tolist() == [0, -1, 1, 0, -1]
    parquet.write_table(table, tmp_path / "table.parquet")
    stored = read(tmp_path / "table.parquet").columns[0]
    assert np.array_equal(np.isnan(stored), found.columns[0] < 0)
