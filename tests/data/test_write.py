"""Tables written and read back: what each format keeps, and that no half file is left."""

from __future__ import annotations

import sys
import tempfile
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import python_calamine
from hypothesis import given, settings
from hypothesis import strategies as st

from hornbeam.data import examples
from hornbeam.data.errors import DataError
from hornbeam.data.read import read
from hornbeam.data.replacing import replacing
from hornbeam.data.schema import Column, Nominal, Numeric, Role, Schema
from hornbeam.data.table import Table
from hornbeam.data.write import quoted, write, write_arff

# Text a file can hold: no NUL, which no text file may have, and no lone surrogate, which no encoding has.
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6)
NASTY = st.sampled_from(
    ["?", "a b", "'", '"', "\\", "%", "{x}", ",", "", " ", "\t", "é", "@data", "NA", "1", "x\ny", "x\ry"]
)
NUMBERS = st.one_of(st.just(float("nan")), st.floats(allow_nan=False, allow_infinity=False))


@st.composite
def tables(draw: st.DrawFn) -> Table:
    n_rows = draw(st.integers(0, 6))
    names = draw(st.lists(st.one_of(TEXTS, NASTY), min_size=1, max_size=4, unique=True))
    columns: list[Column] = []
    arrays: list[Any] = []
    for name in names:
        kind = draw(st.sampled_from(["numeric", "date", "nominal", "ordered"]))
        if kind == "numeric":
            columns.append(Numeric(name))
            arrays.append(np.array(draw(st.lists(NUMBERS, min_size=n_rows, max_size=n_rows)), np.float64))
        elif kind == "date":
            columns.append(Numeric(name, draw(st.sampled_from(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%d/%m/%Y"]))))
            days = draw(st.lists(st.integers(-700_000, 2_900_000), min_size=n_rows, max_size=n_rows))
            arrays.append(np.array(days, np.float64) * 86400)
        else:
            categories = draw(st.lists(st.one_of(TEXTS, NASTY), min_size=1, max_size=5, unique=True))
            columns.append(Nominal(name, tuple(categories), ordered=kind == "ordered"))
            codes = st.integers(-1, len(categories) - 1)
            arrays.append(np.array(draw(st.lists(codes, min_size=n_rows, max_size=n_rows)), np.int32))
    roles: list[Role] = ["feature"] * len(columns)
    if draw(st.booleans()):
        roles[-1] = "target"
    return Table(Schema(tuple(columns), tuple(roles), "drawn"), arrays)


def assert_same_values(left: Table, right: Table) -> None:
    assert len(left) == len(right)
    for name, one, other in zip(left.schema.names, left.columns, right.columns, strict=True):
        np.testing.assert_array_equal(one, other, err_msg=name)


@given(tables())
def test_arff_keeps_kinds_categories_and_values(table: Table) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.arff"
        write(table, path)
        back = read(path)
    plain = tuple(Nominal(c.name, c.categories) if isinstance(c, Nominal) else c for c in table.schema.columns)
    assert back.schema.columns == plain
    assert_same_values(back, table)


@pytest.mark.parametrize("ending", ["parquet", "feather", "arrow"])
@given(table=tables())
def test_columnar_files_keep_everything(ending: str, table: Table) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"drawn.{ending}"
        table.write(path)
        back = read(path)
    assert back.schema == table.schema
    assert_same_values(back, table)


@given(table=tables())
def test_arrow_tables_keep_everything(table: Table) -> None:
    back = read(table.to_arrow(), name="drawn")
    assert back.schema == table.schema
    assert_same_values(back, table)


SAFE = st.text(st.characters(categories=["L"]), min_size=1, max_size=4).filter(
    lambda text: text.lower() not in {"na", "nan", "null", "none", "inf", "infinity"}
)


@given(st.lists(st.tuples(NUMBERS, st.one_of(st.none(), SAFE.map(lambda s: s + ', "x'), SAFE)), min_size=1, max_size=8))
def test_csv_keeps_values(rows: list[tuple[float, str | None]]) -> None:
    categories = tuple(dict.fromkeys(text for _, text in rows if text is not None))
    codes = [-1 if text is None else categories.index(text) for _, text in rows]
    schema = Schema((Numeric("a number"), Nominal('a "text", so', categories)), name="drawn")
    table = Table(schema, [np.array([n for n, _ in rows]), np.array(codes, np.int32)])
    with tempfile.TemporaryDirectory() as folder:
        for name in ("drawn.csv", "drawn.tsv"):
            path = Path(folder) / name
            table.write(path)
            back = read(path, numeric=[0], nominal=[1], header=True)
            assert back.schema == schema
            assert_same_values(back, table)


@pytest.mark.parametrize("ending", ["json", "jsonl", "xlsx"])
@given(rows=st.lists(st.tuples(NUMBERS, st.one_of(st.none(), SAFE, NASTY)), max_size=6))
@settings(max_examples=30)
def test_records_and_sheets_keep_values(ending: str, rows: list[tuple[float, str | None]]) -> None:
    kept = [(number, text) for number, text in rows if text is None or (text.strip() and "\r" not in text)]
    kept = [(number, text) for number, text in kept if ending != "xlsx" or not abs(number) > 9e307]
    kept.append((0.5, "x"))
    categories = tuple(dict.fromkeys(text for _, text in kept if text is not None))
    codes = [-1 if text is None else categories.index(text) for _, text in kept]
    schema = Schema(
        (Numeric("a number"), Nominal('a "text", so', categories), Numeric("day", "%Y-%m-%d")), name="drawn"
    )
    days = np.arange(len(kept)) * 86400.0
    table = Table(schema, [np.array([n for n, _ in kept]), np.array(codes, np.int32), days])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"drawn.{ending}"
        table.write(path)
        back = read(path, numeric=[0], ordered={1: [c.strip() for c in categories]}, missing=[""], header=True)
    assert [c.strip() for c in categories] == list(back.schema.columns[1].categories)  # type: ignore[union-attr]
    assert back.schema.columns[2] == schema.columns[2]
    np.testing.assert_array_equal(back.columns[1], table.columns[1])
    np.testing.assert_array_equal(back.columns[2], days)
    if ending == "xlsx":  # sheets keep 16 digits, and no number below 1e-307
        np.testing.assert_allclose(back.columns[0], table.columns[0], rtol=1e-15, atol=1e-300)
    else:
        np.testing.assert_array_equal(back.columns[0], table.columns[0])


def test_excel_keeps_types_and_texts_that_look_like_formulas(tmp_path: Path) -> None:
    schema = Schema(
        (Nominal("t", ("=1+1", "http://x", "7")), Numeric("when", "%Y-%m-%dT%H:%M:%S"), Numeric("old", "%Y-%m-%d"))
    )
    columns = [np.array([0, 1, 2], np.int32), np.array([0.0, np.nan, 43200.0]), np.array([-3e9, 0.0, np.nan])]
    Table(schema, columns).write(tmp_path / "t.xlsx")
    rows = python_calamine.load_workbook(tmp_path / "t.xlsx").get_sheet_by_index(0).to_python()
    assert rows == [
        ["t", "when", "old"],
        ["=1+1", date(1970, 1, 1), "1874-12-07"],
        ["http://x", "", "1970-01-01"],
        ["7", datetime(1970, 1, 1, 12), ""],  # noqa: DTZ001
    ]


def test_what_a_sheet_has_no_room_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.xlsx"
    tall = Table(Schema((Numeric("x"),)), [np.zeros(1 << 20)])
    with pytest.raises(DataError, match="1048576 rows and 1 column; a sheet has room for 1048575 and 16384"):
        tall.write(path)
    long = Table(Schema((Nominal("x", ("a" * 40_000,)),)), [np.zeros(1, np.int32)])
    with pytest.raises(DataError, match="column 'x': row 1: a text of 40000 characters"):
        long.write(path)
    large = Table(Schema((Numeric("x"),)), [np.array([1.0, -1.7e308])])
    with pytest.raises(
        DataError, match=r"column 'x': row 2: found -1\.7e\+308; a sheet has room for numbers up to 9\.9e307"
    ):
        large.write(path)
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(DataError, match=r"needs xlsxwriter: pip install 'hornbeam\[excel\]'"):
        read("iris").write(path)
    assert not path.exists()


def test_json_is_plain(tmp_path: Path) -> None:
    schema = Schema((Numeric("x"), Nominal("c", ("é", "b"))))
    table = Table(schema, [np.array([1.0, np.nan]), np.array([0, -1], np.int32)])
    table.write(tmp_path / "t.json")
    assert (tmp_path / "t.json").read_text(encoding="utf-8") == '[{"x": 1, "c": "é"},\n{"x": null, "c": null}]\n'
    table.write(tmp_path / "t.jsonl")
    assert (tmp_path / "t.jsonl").read_text(encoding="utf-8") == '{"x": 1, "c": "é"}\n{"x": null, "c": null}\n'


@pytest.mark.parametrize("name", examples.names())
@pytest.mark.parametrize("ending", ["csv", "tsv", "arff", "parquet", "feather", "json", "jsonl", "xlsx"])
def test_example_sets_come_back(tmp_path: Path, name: str, ending: str) -> None:
    table = read(name)
    path = tmp_path / f"{table.schema.name}.{ending}"
    table.write(path)
    typed = ending in {"arff", "parquet", "feather"}
    ordered = {} if typed else {c.name: c.categories for c in table.schema.columns if isinstance(c, Nominal)}
    # Such a file has no declared categories, so their order is given back; "none" and "?" stay what they were.
    back = read(path, target=table.schema.names[-1], ordered=ordered, missing=[""], header=True)
    assert back.schema.names == table.schema.names
    assert back.schema.roles == table.schema.roles
    assert_same_values(back, table)
    if not ordered:
        assert back.fingerprint() == table.fingerprint()


def test_one_column_with_missing_values_keeps_its_rows(tmp_path: Path) -> None:
    table = Table(Schema((Numeric("a"),)), [np.array([1.5, np.nan, 2.5])])
    table.write(tmp_path / "a.csv")
    assert_same_values(read(tmp_path / "a.csv"), table)


def test_weights_become_weights_in_braces(tmp_path: Path) -> None:
    schema = Schema((Numeric("w"), Nominal("a", ("x",))), ("weight", "feature"))
    write_arff(Table(schema, [np.array([0.5, 2.0]), np.array([0, -1], np.int32)]), tmp_path / "w.arff")
    assert "x,{0.5}\n?,{2}\n" in (tmp_path / "w.arff").read_text()
    assert read(tmp_path / "w.arff").weights.tolist() == [0.5, 2.0]  # type: ignore[union-attr]


def test_fractions_of_seconds_in_arff(tmp_path: Path) -> None:
    table = Table(Schema((Numeric("t", "%Y-%m-%dT%H:%M:%S.%f"),)), [np.array([1.25, np.nan])])
    table.write(tmp_path / "t.arff")
    np.testing.assert_array_equal(read(tmp_path / "t.arff").columns[0], [1.25, np.nan])


def test_an_unknown_ending_and_an_absent_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"'\.docx'"):
        read("iris").write(tmp_path / "iris.docx")
    with pytest.raises(DataError, match="cannot be written"):
        read("iris").write(tmp_path / "absent" / "iris.csv")


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_text("old")

    def fail() -> None:
        with replacing(path) as file:
            file.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("text", "written"), [("a-b", "a-b"), ("a b", "'a b'"), ("?", "'?'"), ("it's", "'it\\'s'"), ("", "''")]
)
def test_quoted(text: str, written: str) -> None:
    assert quoted(text) == written


def test_texts_of_a_workbook_are_never_markup(tmp_path: Path) -> None:
    names = ("<r>&</b></r>", "<r><t>x</t></r>", " <r>", "=1+1")
    Table(Schema((Nominal("<r></r>", names),)), [np.arange(4, dtype=np.int32)]).write(tmp_path / "t.xlsx")
    rows = python_calamine.load_workbook(tmp_path / "t.xlsx").get_sheet_by_index(0).to_python()
    assert [row[0] for row in rows] == ["<r></r>", *names]
