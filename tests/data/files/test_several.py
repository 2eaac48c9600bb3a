"""Several files with the same columns: rows one below the other, categories and kinds over all files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from hornbeam.data.errors import DataError
from hornbeam.data.read import read
from hornbeam.data.schema import Nominal, Numeric

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


def write(folder: Path, **files: str) -> list[Path]:
    paths = []
    for name, content in files.items():
        paths.append(folder / f"{name}.csv")
        paths[-1].write_text(content)
    return paths


def test_rows_are_put_together_and_categories_united(tmp_path: Path) -> None:
    paths = write(tmp_path, a="x,c\n1.5,p\n2.5,q\n", b="c,x\nr,3.5\nq,4.5\n,5.5\n")
    for source in (paths, tuple(map(str, paths)), str(tmp_path / "*.csv"), str(tmp_path / "[ab].csv")):
        table = read(source, target="c")
        assert table.schema.names == ("x", "c")
        assert table.column("x").tolist() == [1.5, 2.5, 3.5, 4.5, 5.5]
        assert table.schema.target_column == Nominal("c", ("p", "q", "r"))
        assert table.column("c").tolist() == [0, 1, 2, 1, -1]
        assert table.schema.name == "a and 1 more"


def test_columns_must_agree(tmp_path: Path) -> None:
    paths = write(tmp_path, a="x,y\n1,2\n", b="x,z\n1,2\n", c="x,y,w\n1,2,3\n")
    with pytest.raises(DataError, match=r"b\.csv: there is no column 'y', which a\.csv has"):
        read(paths[:2])
    with pytest.raises(DataError, match=r"a\.csv: there is no column 'w', which c\.csv has"):
        read([paths[0], paths[2]])


def test_numbers_in_one_file_and_texts_in_another(tmp_path: Path) -> None:
    paths = write(tmp_path, a="x,y\n1.50,1\n2,2\n", b="x,y\nlow,3\n2,4\n")
    table = read(paths)
    assert table.schema.columns[0] == Nominal("x", ("1.50", "2", "low"))  # as they are written
    assert table.column("x").tolist() == [0, 1, 2, 1]
    assert "x: numbers in 'a.csv', texts in 'b.csv', read as nominal; --numeric x to change" in table.notes
    assert "y: 4 distinct integers, read as numeric; --nominal y to change" in table.notes
    assert not any("2 distinct integers" in note for note in table.notes)
    with pytest.raises(DataError, match=r"b\.csv: column 'x': row 1: found 'low'; expected a number"):
        read(paths, numeric=["x"])


def test_a_column_without_values_fits_any_kind(tmp_path: Path) -> None:
    paths = write(tmp_path, a="x,y,z\n,,2.5\n,,1.5\n", b="x,y,z\np,2.5,\nq,3.5,\n")
    table = read(paths)
    assert table.schema.columns == (Nominal("x", ("p", "q")), Numeric("y"), Numeric("z"))
    assert table.column("x").tolist() == [-1, -1, 0, 1]
    np.testing.assert_array_equal(table.column("y"), [np.nan, np.nan, 2.5, 3.5])
    assert not any("in 'a.csv', " in note for note in table.notes)


def test_dates_stay_dates(tmp_path: Path) -> None:
    paths = write(tmp_path, a="d,x\n2023-01-05,1.5\n", b="d,x\n2023-01-06 12:00:00,2.5\n", c="d,x\n17.5,1.5\n")
    table = read(paths[:2])
    assert table.schema.columns[0] == Numeric("d", "%Y-%m-%dT%H:%M:%S")
    assert np.diff(table.column("d")).tolist() == [1.5 * 86400]
    mixed = read([paths[0], paths[2]])
    assert mixed.schema.columns[0] == Nominal("d", ("2023-01-05", "17.5"))
    assert any(note.startswith("d: dates in 'a.csv', numbers in 'c.csv', read as nominal") for note in mixed.notes)


def test_named_kinds_and_roles_hold_for_all_files(tmp_path: Path) -> None:
    paths = write(tmp_path, a="x,y,w\n2,low,1\n", b="x,y,w\n1,high,2\n")
    table = read(paths, ordered={"y": ["low", "high"]}, nominal=["x"], weight="w")
    assert table.schema.columns[1] == Nominal("y", ("low", "high"), ordered=True)
    assert table.schema.columns[0] == Nominal("x", ("2", "1"))
    assert table.schema.roles == ("feature", "feature", "weight")
    by_number = read(paths, ordered=["x"])
    assert by_number.schema.columns[0] == Nominal("x", ("1", "2"), ordered=True)
    assert by_number.column("x").tolist() == [1, 0]


def test_notes_are_said_once(tmp_path: Path) -> None:
    paths = write(tmp_path, a="x;y\n1.5;p\n", b="x;y\n2.5;p\n", c="x,y\n3.5,p\n")
    assert read(paths[:2]).notes == ("delimiter: ';' found between values; --delimiter to change",)
    (note,) = read(paths).notes
    assert note == "delimiter: ';' found between values; --delimiter to change (in 2 files, first 'a.csv')"


def test_files_of_different_formats(tmp_path: Path, people: pd.DataFrame) -> None:
    people.to_csv(tmp_path / "1.csv", index=False)
    people.to_excel(tmp_path / "2.xlsx", index=False)
    people.drop(columns="member").assign(member=people["member"].map(str)).to_json(
        tmp_path / "3.jsonl", orient="records", lines=True, date_format="iso"
    )
    table = read(str(tmp_path / "*"))
    assert table.n_rows == 12
    np.testing.assert_array_equal(table.column("age"), np.tile(people["age"], 3))


def test_sheets_of_several_workbooks(tmp_path: Path, people: pd.DataFrame) -> None:
    for i in range(2):
        people.to_excel(tmp_path / f"{i}.xlsx", sheet_name="staff", index=False)
    assert read(f"{tmp_path}/*.xlsx::staff").n_rows == 8


def test_one_file_or_none(tmp_path: Path) -> None:
    (path,) = write(tmp_path, a="x\n1.5\n")
    assert read([path]).schema.name == "a"
    assert read(str(tmp_path / "a*.csv")).schema.name == "a"
    with pytest.raises(DataError, match=r"no file matches '.*b\*\.csv'"):
        read(str(tmp_path / "b*.csv"))
    starred = tmp_path / "a*.csv"
    starred.write_text("y\n2.5\n")
    assert read(str(starred)).schema.names == ("y",)  # a file of that name comes first


def test_lists_of_rows_are_still_rows() -> None:
    assert read([[1.5, 2], [3, 4]]).n_rows == 2
