"""Zip archives: the table inside, by name, never from outside, and limits for unpacking."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from hornbeam.data.errors import DataError
from hornbeam.data.files import unzip
from hornbeam.data.read import read

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

CSV = b"x,class\n1.5,a\n2.5,b\n"


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    path.write_bytes(packed(files))
    return path


def packed(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def test_the_only_table_is_read(tmp_path: Path) -> None:
    table = read(zipped(tmp_path / "a.zip", {"folder/loans.csv": CSV}))
    assert table.schema.name == "loans"
    assert table.column("x").tolist() == [1.5, 2.5]
    assert not any(note.startswith("zip") for note in table.notes)


def test_what_comes_with_an_archive_is_no_table(tmp_path: Path) -> None:
    files = {"__MACOSX/._loans.csv": b"\0", ".DS_Store": b"\0", "LICENSE": b"free", "loans.csv": CSV}
    table = read(zipped(tmp_path / "a.zip", files))
    assert table.n_rows == 2
    assert table.notes[0] == "zip: 'loans.csv' is read, the only table in the archive"


def test_several_tables_are_chosen_by_name(tmp_path: Path, people: pd.DataFrame) -> None:
    book = io.BytesIO()
    people.to_excel(book, sheet_name="my sheet", index=False)
    files = {f"{i:02}.csv": CSV for i in range(12)} | {"in/book.xlsx": book.getvalue()}
    path = zipped(tmp_path / "a.zip", files)
    with pytest.raises(
        DataError, match=r"a\.zip: the zip file has 13 tables \('00\.csv', .* and 3 more\); name one: a\.zip::00"
    ):
        read(path)
    assert read(f"{path}::03.csv").schema.name == "03"
    assert read(f"{path}::in/book.xlsx").n_rows == 4
    assert read(f"{path}::in/book.xlsx::my sheet").schema.name == "my sheet"
    with pytest.raises(DataError, match=r"in/book\.xlsx: there is no sheet 'z'"):
        read(f"{path}::in/book.xlsx::z")


def test_nothing_outside_the_archive_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_bytes(b"secret\n1.5\n")
    folder = tmp_path / "folder"
    folder.mkdir()
    path = zipped(folder / "a.zip", {"../secret.csv": CSV, "/etc/passwd": b"x\n3.5\n"})
    for name in ("../../secret.csv", f"{tmp_path}/secret.csv", "secret.csv", ".."):
        with pytest.raises(DataError, match=r"there is no file .* in the zip file"):
            read(f"{path}::{name}")
    assert read(f"{path}::../secret.csv").schema.names == ("x", "class")  # the one inside
    assert read(f"{path}::/etc/passwd").column("x").tolist() == [3.5]
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["a.zip", "folder", "secret.csv"]


def test_an_archive_that_unpacks_to_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zipped(tmp_path / "bomb.zip", {"a.csv": b"a,b\n" + b"1,x\n" * 500_000})
    assert read(path).n_rows == 500_000
    monkeypatch.setattr(unzip, "ALWAYS", 1 << 20)
    monkeypatch.setattr(unzip, "RATIO", 100)
    with pytest.raises(DataError, match=r"unpacks to more than \d+; if that is right, unpack it first"):
        read(path)


def test_archives_inside_archives_end(tmp_path: Path) -> None:
    data = CSV
    for layer in range(6):
        data = packed({"a.zip": data}) if layer else packed({"a.csv": data})
        path = tmp_path / "a.zip"
        path.write_bytes(data)
        if layer < 3:
            assert read(path).n_rows == 2
        else:
            with pytest.raises(DataError, match="unpack it first"):
                read(path)
    for _ in range(5):
        data = gzip.compress(data)
    path.write_bytes(data)
    with pytest.raises(DataError, match="unpack it first"):
        read(path)


def test_damaged_archives(tmp_path: Path) -> None:
    whole = packed({"a.csv": CSV * 100})
    path = tmp_path / "a.zip"
    wrong = bytearray(whole)
    wrong[60:70] = b"\xff" * 10
    for data in (whole[:40], whole[:-10], bytes(wrong), b"PK\x05\x06" + b"\0" * 18):
        path.write_bytes(data)
        with pytest.raises(DataError, match=r"a\.zip: .*(damaged|no files)"):
            read(path)
    path.write_bytes(CSV)
    with pytest.raises(DataError, match=r"the name ends in \.zip, but"):
        read(path)


def test_an_encrypted_file(tmp_path: Path) -> None:
    whole = bytearray(packed({"a.csv": CSV}))
    central = whole.index(b"PK\x01\x02")
    whole[6] |= 1
    whole[central + 8] |= 1
    (tmp_path / "a.zip").write_bytes(whole)
    with pytest.raises(DataError, match=r"'a\.csv' in the zip file is encrypted"):
        read(tmp_path / "a.zip")


def test_a_part_of_a_file_without_parts(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(CSV)
    with pytest.raises(DataError, match="::b names a part, which only workbooks, databases and zip files have"):
        read(f"{tmp_path / 'a.csv'}::b")
    (tmp_path / "a.csv::b").write_bytes(CSV)
    assert read(f"{tmp_path / 'a.csv::b'}").n_rows == 2


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "the file is empty"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "NUL byte"),
        (bytes(range(256)) * 20, "NUL byte"),
        (b"<!DOCTYPE html><html><table>", "a web page or XML"),
        (b"<?xml version='1.0'?>", "a web page or XML"),
    ],
)
@pytest.mark.parametrize("name", ["a.csv", "a", "a.xls"])
def test_files_that_are_no_tables(tmp_path: Path, data: bytes, says: str, name: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DataError, match=says):
        read(tmp_path / name)


def zstd(content: bytes) -> bytes:
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, "zstd") as stream:  # with its size at the end, not the bare codec
        stream.write(content)
    return out.getvalue().to_pybytes()


@pytest.mark.parametrize(("ending", "pack"), [("bz2", bz2.compress), ("xz", lzma.compress), ("zst", zstd)])
def test_other_packers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, pack: Any) -> None:
    content = b"x,y\n1.5,a\n2.5,b\n"
    path = tmp_path / f"t.csv.{ending}"
    path.write_bytes(pack(content))
    table = read(path)
    assert table.schema.name == "t"
    assert table.column("x").tolist() == [1.5, 2.5]
    path.write_bytes(pack(content)[:-6])
    with pytest.raises(DataError, match="file is damaged"):
        read(path)
    monkeypatch.setattr(unzip, "ALWAYS", 1 << 10)
    monkeypatch.setattr(unzip, "RATIO", 2)
    path.write_bytes(pack(b"x,y\n" + b"1.5,a\n" * 100_000))
    with pytest.raises(DataError, match="unpacks to more than"):
        read(path)
