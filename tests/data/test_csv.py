"""Delimited text: what is detected, what is noted, what can be overridden, and what is refused."""

from __future__ import annotations

import gzip
import io
import re
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam.data.errors import DataError
from hornbeam.data.read import read
from hornbeam.data.schema import Nominal, Numeric, SchemaError
from hornbeam.data.text import csv
from hornbeam.data.text.csv import MISSING

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.data.table import Table


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.csv"


def texts(table: Table, column: str) -> list[str | None]:
    kind = table.schema.columns[table.schema.position(column)]
    assert isinstance(kind, Nominal)
    return [kind.categories[code] if code >= 0 else None for code in table.column(column)]


def load(path: Path, content: str | bytes, **options: Any) -> Table:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read(path, **options)


def test_numbers_texts_and_missing_values(path: Path) -> None:
    table = load(path, "n,c\n1.5,red\n?,\n-2e3,NA\n,red\n")
    np.testing.assert_array_equal(table.column("n"), [1.5, np.nan, -2000, np.nan])
    assert texts(table, "c") == ["red", None, None, "red"]
    assert table.schema.name == "table"
    assert table.schema.target is None


@pytest.mark.parametrize("marker", [m for m in MISSING if m])
def test_each_marker_is_missing_in_both_kinds(path: Path, marker: str) -> None:
    table = load(path, f"n,c\n1.5,a\n{marker},{marker}\n")
    assert np.isnan(table.column("n")[1])
    assert table.column("c").tolist() == [0, -1]


def test_none_is_missing_among_numbers_only(path: Path) -> None:
    table = load(path, "n,c\n1,none\nnone,x\n3,none\n")
    np.testing.assert_array_equal(table.column("n"), [1, np.nan, 3])
    assert texts(table, "c") == ["none", "x", "none"]
    assert "n: 'none' read as missing among numbers; --nominal n to change" in table.notes


def test_markers_can_be_replaced(path: Path) -> None:
    table = load(path, "n,c,d\n-9,NA,1\n3,x,2\n,,3\n", missing=["-9"])
    np.testing.assert_array_equal(table.column("n"), [np.nan, 3, np.nan])
    assert texts(table, "c") == ["NA", "x", None]


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_delimiters_are_found(path: Path, delimiter: str) -> None:
    table = load(path, "\n".join(delimiter.join(row) for row in (["a", "b"], ["1.5", "x y"], ["2.5", "z:w"])))
    assert table.schema.names == ("a", "b")
    assert any("delimiter" in note for note in table.notes) == (delimiter != ",")


def test_a_delimiter_inside_values_is_not_taken(path: Path) -> None:
    table = load(path, 'name;price\n"a, b";1,50\n"c, d";2,25\n')
    assert table.schema.names == ("name", "price")
    np.testing.assert_array_equal(table.column("price"), [1.5, 2.25])


def test_a_delimiter_can_be_given(path: Path) -> None:
    assert load(path, "a b\n1.5 2.5\n", delimiter=" ").schema.names == ("a", "b")
    with pytest.raises(DataError, match="one plain character"):
        load(path, "a b\n", delimiter="::")


def test_single_quotes_are_found_and_quotes_can_be_turned_off(path: Path) -> None:
    assert texts(load(path, "'a','b'\n'x,y','1.5'\n"), "a") == ["x,y"]
    assert load(path, "a,b\n'x,1\n'y,2\n", quote="").schema.columns[0] == Nominal("a", ("'x", "'y"))


@pytest.mark.parametrize(
    ("content", "names", "rows"),
    [
        ("a,b\n1,2\n", ("a", "b"), 1),
        ("1.5,x\n2.5,y\n", ("column1", "column2"), 2),
        ("x,y\nz,y\nx,w\nx,y\n", ("column1", "column2"), 4),
        ("x,y\nz,w\n", ("x", "y"), 1),
        (",b\n1,2\n", ("column1", "b"), 1),
        ("a,b", ("a", "b"), 0),
        ("a,b\n", ("a", "b"), 0),
    ],
)
def test_headers_are_found(path: Path, content: str, names: tuple[str, ...], rows: int) -> None:
    table = load(path, content)
    assert table.schema.names == names
    assert len(table) == rows


def test_a_header_can_be_given(path: Path) -> None:
    assert load(path, "2019,2020\n1,2\n", header=True).schema.names == ("2019", "2020")
    assert len(load(path, "a,b\nx,y\n", header=False)) == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "utf-32"])
def test_encodings_are_found(path: Path, encoding: str) -> None:
    table = load(path, "größe,b\n1.5,é\n2.5,x\n".encode(encoding))
    assert table.schema.names == ("größe", "b")
    assert texts(table, "b") == ["é", "x"]
    assert any("Latin-1" in note for note in table.notes) == (encoding == "latin-1")


def test_latin_letters_far_into_a_file_are_found(path: Path) -> None:
    content = b"a,b\n" + b"1.5,xxxxxxxxxxxx\n" * 30_000 + "2.5,é\n".encode("latin-1")
    table = load(path, content)
    assert texts(table, "b")[-1] == "é"
    with pytest.raises(DataError, match="0xe9") as caught:
        load(path, content, encoding="utf-8")
    assert caught.value.line == 30_002


@pytest.mark.parametrize("rows", [3, 30_000])
def test_files_of_windows_have_their_own_characters(path: Path, rows: int) -> None:
    """What Excel writes as CSV: the euro sign and the quotes of Windows-1252 are not in Latin-1."""
    lines = ["name;price", *["x;1,50"] * rows, "“é”;1.234,50 €", "y;2,00 €", ""]
    table = load(path, "\r\n".join(lines).replace("1,50\r", "1,50 €\r").encode("cp1252"))
    assert texts(table, "name")[-2] == "“é”"
    assert table.column("price")[-2:].tolist() == [1234.5, 2]
    assert any("Windows-1252" in note for note in table.notes)
    assert texts(load(path, b"a,b\n1.5,\x81\xe9\n"), "b") == ["\x81é"]  # no character of Windows-1252


def test_wrong_encodings_are_refused(path: Path) -> None:
    with pytest.raises(DataError, match="not utf-8") as caught:
        load(path, "a,b\n1,é\n".encode("latin-1"), encoding="utf-8")
    assert caught.value.line == 2
    with pytest.raises(DataError, match="no encoding is called 'nonsense'"):
        load(path, "a\n", encoding="nonsense")
    assert texts(load(path, "a\nß\n".encode("cp437"), encoding="cp437"), "a") == ["ß"]


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        ("", None, "empty"),
        ("\n \n", None, "blank"),
        ("a,b\n1,2\n\n3\n", 4, "found 1 value, expected 2"),
        ("a,b\n1,2\n3,4,5\n", 3, "found 3 values, expected 2"),
        ('a,b\n"x\ny",2\n3\n', 4, "found 1 value, expected 2"),
        ("a,b\r\n1,2\r\n3\r\n", 3, "found 1 value, expected 2"),
        ("a,b\n1,\0\n", 2, "NUL"),
        ('a,b\n1,x\n2,"y\n3,z\n', 3, "never closed"),
        ("x" * (1 << 22) + "x", 1, "longer than"),
        ("," * 100_000 + "\n", 1, "at most that many columns"),
    ],
)
def test_what_is_refused(path: Path, content: str, line: int | None, says: str) -> None:
    with pytest.raises(DataError, match=re.escape(says)) as caught:
        load(path, content)
    assert caught.value.line == line
    assert "table.csv" in str(caught.value)


def test_a_line_of_40_megabytes_is_refused(path: Path) -> None:
    with pytest.raises(DataError, match="longer than 16 MB") as caught:
        load(path, b"a,b\n1,2\n" + b"x" * 40_000_000 + b",1\n1,2\n")
    assert caught.value.line == 3


def test_a_line_of_5_megabytes_is_read(path: Path) -> None:
    table = load(path, b"a,b\n" + b"x" * 5_000_000 + b",1.5\ny,2\n")
    assert len(texts(table, "a")[0] or "") == 5_000_000


@pytest.mark.parametrize("value", ["inf", "-inf", "1e400"])
def test_infinite_values_are_refused(path: Path, value: str) -> None:
    with pytest.raises(SchemaError, match=r"column 'a', row 2: found -?inf.* --missing -?inf reads it as missing"):
        load(path, f"a,b\n1,2\n{value},3\n")


def test_line_ends_inside_quotes_across_blocks(path: Path) -> None:
    rows = [f'{i},"line {i}\nand more"' for i in range(200_000)]
    table = load(path, "n,c\n" + "\n".join(rows) + "\n")
    assert len(table) == 200_000
    assert texts(table, "c")[-1] == "line 199999\nand more"


def test_many_blocks_keep_codes_and_order(path: Path) -> None:
    rng = np.random.default_rng(3)
    codes = rng.integers(-1, 300, 300_000)
    values = [f"category {code}" if code >= 0 else "" for code in codes]
    table = load(path, "c,n\n" + "\n".join(f"{value},{i}" for i, value in enumerate(values)) + "\n")
    assert texts(table, "c") == [value or None for value in values]
    seen = list(dict.fromkeys(value for value in values if value))
    assert table.schema.columns[0] == Nominal("c", tuple(seen))
    np.testing.assert_array_equal(table.column("n"), np.arange(300_000))


@pytest.mark.parametrize(
    "rows",
    [
        [f"{i},{i / 4},c{i % 5}" for i in range(60)],
        [f"{i},{i},c{i}" for i in range(30)] + [f"{i},{i / 4},c0" for i in range(30)],  # whole numbers, then fractions
        [f"{i},,c0" for i in range(30)] + [f"{i},{i},c1" for i in range(30)],  # nothing known, then numbers
        [f"{i},{i},c0" for i in range(30)] + [f"{i},none,c1" for i in range(30)],  # numbers, then texts
        [f"{i},x{i},c0" for i in range(30)] + [f"{i},{i},c1" for i in range(30)],  # texts, then numbers
        [f"{i},2020-01-{i % 28 + 1:02},c0" for i in range(30)] + [f"{i},unknown,c1" for i in range(30)],
        [f"{i},{i},caf\u00e9" for i in range(60)] + ["\n\n\n\n"],
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_pieces_of_a_long_file_are_read_as_the_whole(
    path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[str], line_end: str
) -> None:
    content = line_end.join(["a,b,c", *rows, ""])
    whole = load(path, content)
    monkeypatch.setattr(csv, "_PIECE", 100)
    pieces = load(path, content)
    assert pieces.schema == whole.schema
    assert pieces.notes == whole.notes
    for ours, expected in zip(pieces.columns, whole.columns, strict=True):
        np.testing.assert_array_equal(ours, expected)


def test_a_wrong_row_in_a_late_piece_is_placed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv, "_PIECE", 100)
    with pytest.raises(DataError, match="line 102: found 1 value, expected 2"):
        load(path, "a,b\n" + "1,2\n" * 100 + "3\n" + "1,2\n" * 100)


def test_notes_on_integers_name_the_option(path: Path) -> None:
    table = load(path, "zip code,big\n" + "".join(f"{i % 41},{i}\n" for i in range(500)))
    assert table.notes == ("zip code: 41 distinct integers, read as numeric; --nominal 'zip code' to change",)
    assert load(path, "zip,x\n1,a\n2,b\n", nominal=["zip"]).notes == ()


def test_codes_with_leading_zeros_stay_texts(path: Path) -> None:
    table = load(path, "zip,n\n01234,1.5\n98765,2.5\n")
    assert texts(table, "zip") == ["01234", "98765"]
    assert any(note.startswith("zip: codes with leading zeros") for note in table.notes)
    assert load(path, "zip,n\n01234,1.5\n", numeric=["zip"]).column("zip").tolist() == [1234.0]


def test_a_stray_text_among_numbers_is_noted(path: Path) -> None:
    table = load(path, "n,m\n1.5,1\nabc,2\n3,3\n4,4\n")
    assert table.schema.columns[0] == Nominal("n", ("1.5", "abc", "3", "4"))
    assert any("'abc' (row 2)" in note for note in table.notes)
    with pytest.raises(DataError, match="row 2: found 'abc'; expected a number"):
        load(path, "n,m\n1.5,1\nabc,2\n3,3\n4,4\n", numeric=["n"])


def test_dates(path: Path) -> None:
    table = load(path, "d,t\n1970-01-02,1970-01-01T00:00:01\n?,1970-01-01T00:01:00\n")
    assert table.schema.columns == (Numeric("d", "%Y-%m-%d"), Numeric("t", "%Y-%m-%dT%H:%M:%S"))
    np.testing.assert_array_equal(table.column("d"), [86400, np.nan])
    np.testing.assert_array_equal(table.column("t"), [1, 60])
    assert load(path, "d\n13/01/1970\n02/01/1970\n", dates=["d"]).column("d").tolist() == [12 * 86400.0, 86400.0]
    with pytest.raises(DataError, match="or"):
        load(path, "d\n02/01/1970\n", dates=["d"])
    with pytest.raises(DataError, match="row 2: found 'x'"):
        load(path, "d\n1 Jan 1970\nx\n", dates={"d": "%d %b %Y"})


def test_kinds_and_roles_can_be_given(path: Path) -> None:
    content = "a,b,c,w,g,i\n1,small,x,2,p,7\n10,large,y,0.5,q,8\n"
    table = load(
        path,
        content,
        target="c",
        nominal=[0],
        ordered={"b": ["small", "medium", "large"]},
        ignore="i",
        weight="w",
        group="g",
    )
    assert table.schema.columns[0] == Nominal("a", ("1", "10"))
    assert table.schema.columns[1] == Nominal("b", ("small", "medium", "large"), ordered=True)
    assert table.schema.roles == ("feature", "feature", "target", "weight", "group", "ignored")
    assert load(path, "n\n10\n9\n", ordered=["n"]).schema.columns[0] == Nominal("n", ("9", "10"), ordered=True)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"target": "z"}, "no column is called 'z'"),
        ({"target": 9}, "no column at position 9"),
        ({"nominal": ["z"]}, "no column is called 'z'"),
        ({"target": "b", "ignore": ["b"]}, "column .b. has two roles, ignored and target; expected one"),
        ({"weight": "b"}, "nominal"),
        ({"weight": "a"}, "row 2: found -1"),
        ({"nominal": ["a"], "numeric": ["a"]}, "one kind"),
        ({"ordered": {"b": ["x"]}}, "row 2: found 'y'"),
        ({"ordered": {"b": ["x", "y", "x"]}}, "twice"),
    ],
)
def test_impossible_wishes(path: Path, options: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        load(path, "a,b\n1.5,x\n-1,y\n", **options)


def test_blanks_around_values_are_removed(path: Path) -> None:
    table = load(path, "a, b\n1.5, x\n2.5, ?\n3.5,x \n")
    assert table.schema.names == ("a", "b")
    assert texts(table, "b") == ["x", None, "x"]


def test_gzip_standard_input_and_content_over_name(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"a,b\n1.5,x\n"
    path.with_name("t.csv.gz").write_bytes(gzip.compress(content))
    assert read(path.with_name("t.csv.gz")).schema.name == "t"
    path.with_name("t.csv.gz").write_bytes(gzip.compress(content)[:-9])
    with pytest.raises(DataError, match="damaged"):
        read(path.with_name("t.csv.gz"))
    for stream in (content, b"% c\n@RELATION r\n@ATTRIBUTE a real\n@ATTRIBUTE b {x}\n@DATA\n1.5,x\n"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stream)))
        assert read("-").column(0).tolist() == [1.5]


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="did you mean the example set 'weather'"):
        read("wether")
    with pytest.raises(DataError, match="folder"):
        read(tmp_path)
    with pytest.raises(DataError, match=r"no path|no file"):
        read("a\0b")


@given(st.one_of(st.binary(max_size=60), st.text("ab1,;\t\"'\n\r |.-?é\0", max_size=60).map(str.encode)))
def test_any_bytes_are_read_or_refused_clearly(content: bytes) -> None:
    from hornbeam.data.infer import Kinds
    from hornbeam.data.text.csv import read_csv

    try:
        table = read_csv(content, lambda _: Kinds())
    except (DataError, SchemaError) as error:
        assert str(error)  # noqa: PT017 (any other error is a failure)
    else:
        assert len(table) <= content.count(b"\n") + content.count(b"\r") + 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"delimiter": "\0"}, r"the delimiter is '\\x00'; expected one plain character"),
        ({"quote": "\0"}, r"the quote is '\\x00'; expected one plain character"),
        ({"encoding": "a\0b"}, r"no encoding is called 'a\\x00b'; expected a name"),
    ],
)
def test_options_with_a_nul_are_refused(options: dict[str, str], words: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(DataError, match=words):
        read(path, **options)


@pytest.mark.parametrize("path", ["a" * 5000, "/" + "b" * 5000 + ".csv"])
def test_a_path_that_is_too_long_is_refused_in_short(path: str) -> None:
    with pytest.raises(DataError, match=rf"has {len(path)} characters, more than the system allows") as refused:
        read(path)
    assert len(str(refused.value)) < 200
