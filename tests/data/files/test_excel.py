"""Workbooks: typed cells, titles, empty rows and columns, sheets by name, and files that only look like workbooks."""

from __future__ import annotations

import io
import sys
import zipfile
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import xlsxwriter  # type: ignore[import-untyped]

from hornbeam.data.errors import DataError
from hornbeam.data.files import excel, unzip
from hornbeam.data.read import read
from hornbeam.data.schema import Nominal, Numeric

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from hornbeam.data.table import Table


def assert_are_the_people(table: Table) -> None:
    assert table.schema.names == ("name", "age", "born", "code", "member", "class")
    np.testing.assert_array_equal(table.column("age"), [30.5, 41, np.nan, 55.25])
    born = table.schema.columns[2]
    assert isinstance(born, Numeric)
    assert born.format is not None
    assert table.column("born")[0] == datetime.fromisoformat("1993-01-05T00:00:00+00:00").timestamp()
    assert table.schema.columns[3] == Nominal("code", ("007", "010", "123", "999"))
    assert table.schema.columns[4] == Nominal("member", ("true", "false"))
    assert table.column("class").tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("ending", ["xlsx", "ods"])
@pytest.mark.parametrize(("row", "column"), [(0, 0), (3, 2)])
def test_a_sheet_as_pandas_writes_it(tmp_path: Path, people: pd.DataFrame, ending: str, row: int, column: int) -> None:
    path = tmp_path / f"people.{ending}"
    people.to_excel(str(path), index=False, startrow=row, startcol=column)
    table = read(path, keep=["born"])
    assert_are_the_people(table)
    assert table.schema.name == "people"
    assert not any("sheet" in note for note in table.notes)


def workbook(path: Path, sheets: dict[str, Any]) -> Path:
    with xlsxwriter.Workbook(path, {"default_date_format": "yyyy-mm-dd hh:mm:ss"}) as book:
        duration, clock = book.add_format({"num_format": "[h]:mm"}), book.add_format({"num_format": "hh:mm"})
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for i, row in enumerate(rows):
                for j, value in enumerate(row):
                    form = duration if isinstance(value, timedelta) else clock if isinstance(value, time) else None
                    sheet.write(i, j, value, form)
    return path


ROWS = [["size", "class"], [1.5, "a"], [2.5, "b"], [3.5, "a"]]


def test_titles_above_and_empty_rows_between(tmp_path: Path) -> None:
    rows = [["Our report"], [], ["of 2023"], ["size", "class", "town"], [1.5, "a", "x"], [], [2.5, "b", "y"]]
    table = read(workbook(tmp_path / "book.xlsx", {"S": rows}))
    assert table.schema.names == ("size", "class", "town")
    assert table.column("size").tolist() == [1.5, 2.5]
    assert table.notes[0].startswith("titles: lines 1 to 3 are skipped")
    again = read(tmp_path / "book.xlsx", skip_rows=3)
    assert again.schema == table.schema
    assert again.notes == ()


def test_sheets_are_chosen_by_name(tmp_path: Path) -> None:
    other = [["x"], [1.25], [2.25]]
    path = workbook(tmp_path / "book.xlsx", {"empty": [], "first": ROWS, "my other": other})
    table = read(path)
    assert table.schema.names == ("size", "class")
    assert table.notes[0] == (
        "sheet: 'first' is read, the first that is not empty of 3 ('empty', 'first', 'my other'); "
        "book.xlsx::empty to change"
    )
    named = read(f"{path}::my other")
    assert named.schema.names == ("x",)
    assert named.schema.name == "my other"
    assert named.notes == ()
    with pytest.raises(
        DataError, match=r"book\.xlsx: there is no sheet 'z'; the workbook has 'empty', 'first', 'my oth"
    ):
        read(f"{path}::z")
    with pytest.raises(DataError, match="the sheet 'empty' is empty"):
        read(f"{path}::empty")


def test_a_workbook_without_a_cell(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the sheet 'S' is empty"):
        read(workbook(tmp_path / "book.xlsx", {"S": []}))


def test_many_sheets_are_not_all_listed(tmp_path: Path) -> None:
    path = workbook(tmp_path / "book.xlsx", {f"s{i}": ROWS for i in range(30)})
    with pytest.raises(DataError, match=r"'s9' and 20 more$"):
        read(f"{path}::z")


def test_cells_of_every_type(tmp_path: Path) -> None:
    rows: list[list[Any]] = [
        ["when", "clock", "long", "mixed", "text"],
        [datetime(2020, 1, 5, 10, 30), time(8, 15), timedelta(hours=30), 1.5, "x, y"],  # noqa: DTZ001
        [datetime(2020, 1, 6), time(9, 15), timedelta(hours=1), "z", 'a "b"\nc'],  # noqa: DTZ001
    ]
    table = read(workbook(tmp_path / "book.xlsx", {"S": rows}), keep=["when"])
    when, clock, long, mixed, text = table.schema.columns
    assert isinstance(when, Numeric)
    assert np.diff(table.column("when")).tolist() == [13.5 * 3600]
    assert isinstance(clock, Numeric)
    assert isinstance(long, Numeric)
    assert table.column("long").tolist() == [30 * 3600, 3600]
    assert mixed == Nominal("mixed", ("1.5", "z"))
    assert text == Nominal("text", ("x, y", 'a "b"\nc'))


def test_numbers_keep_the_digits_of_the_sheet(tmp_path: Path) -> None:
    values = np.random.default_rng(1).normal(size=200) * 10.0 ** np.arange(-100, 100)
    path = workbook(tmp_path / "book.xlsx", {"S": [["x"], *([v] for v in values.tolist())]})
    np.testing.assert_allclose(read(path).column("x"), values, rtol=1e-15)  # sheets keep 16 digits


def test_roles_and_kinds_are_those_of_any_file(tmp_path: Path) -> None:
    path = workbook(tmp_path / "book.xlsx", {"S": [["id", "size", "class"], [1, 1.5, "a"], [2, 2.5, "b"]]})
    table = read(path, target="class", nominal=["id"], ignore=["size"])
    assert table.schema.roles == ("feature", "ignored", "target")
    assert table.schema.columns[0] == Nominal("id", ("1", "2"))


def test_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook(tmp_path / "book.xlsx", {"S": ROWS})
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(DataError, match=r"needs python-calamine: pip install 'hornbeam\[excel\]'"):
        read(path)


def test_damaged_workbooks(tmp_path: Path) -> None:
    whole = workbook(tmp_path / "book.xlsx", {"S": ROWS}).read_bytes()
    path = tmp_path / "cut.xlsx"
    for data in (whole[: len(whole) // 2], whole[:100], excel.OLE + b"\0" * 2000, excel.OLE):
        path.write_bytes(data)
        with pytest.raises(DataError, match=r"cut\.xlsx: .*(damaged|unknown kind)"):
            read(path)
    path.write_bytes(b"a,b\n1,2\n")
    with pytest.raises(DataError, match=r"the name ends in \.xlsx, but the content begins with"):
        read(path)


def changed(path: Path, name: str, old: bytes, new: bytes) -> None:
    with zipfile.ZipFile(path) as archive:
        files = {entry: archive.read(entry) for entry in archive.namelist()}
    assert old in files[name]
    files[name] = files[name].replace(old, new)
    with zipfile.ZipFile(path, "w") as archive:
        for entry, data in files.items():
            archive.writestr(entry, data)


def test_cells_far_apart_do_not_fill_the_memory(tmp_path: Path) -> None:
    path = workbook(tmp_path / "book.xlsx", {"S": ROWS})
    changed(path, "xl/worksheets/sheet1.xml", b'r="B4"', b'r="XFD1048576"')
    with pytest.raises(DataError, match="in 1048576 rows and 16384 columns; expected fewer empty cells"):
        read(path)


def test_repeated_cells_do_not_fill_the_memory(tmp_path: Path, people: pd.DataFrame) -> None:
    path = tmp_path / "people.ods"
    people.to_excel(str(path), index=False)
    changed(path, "content.xml", b"<table:table-row", b'<table:table-row table:number-rows-repeated="1000000"')
    changed(path, "content.xml", b"<table:table-cell", b'<table:table-cell table:number-columns-repeated="900"')
    with pytest.raises(DataError, match=r"in \d+ rows and 5400 columns; expected fewer empty cells"):
        read(path)


def test_a_workbook_that_unpacks_to_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook(tmp_path / "book.xlsx", {"S": [["x"], *([0.5] for _ in range(20_000))]})
    assert read(path).n_rows == 20_000
    monkeypatch.setattr(unzip, "ALWAYS", 100_000)
    monkeypatch.setattr(unzip, "RATIO", 1)
    with pytest.raises(DataError, match="unpacks to more than"):
        read(path)


def test_standard_input_may_be_a_workbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = workbook(tmp_path / "book.xlsx", {"S": ROWS}).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert read("-").schema.names == ("size", "class")
