"""Delimited text as people have it: titles, comments, repeated names, row names, rows of other lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from hornbeam.data.errors import DataError
from hornbeam.data.read import read

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.data.table import Table

TABLE = "name,age,class\nAnn,30.5,a\nBob,41.5,b\nCid,52.5,a\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.csv"


def load(path: Path, content: str | bytes, **options: Any) -> Table:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read(path, **options)


def assert_is_the_table(table: Table) -> None:
    assert table.schema.names == ("name", "age", "class")
    np.testing.assert_array_equal(table.column("age"), [30.5, 41.5, 52.5])
    assert table.column("class").tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("above", "lines"),
    [
        ("Our staff\n", "line 1 is"),
        ("Our staff, all of it\nmade by us\n", "lines 1 to 2 are"),
        ("Our staff\n\n\nof 2023\n\n", "lines 1 to 4 are"),
        ('"Our\nstaff"\n', "line 1 is"),
        ("Our staff,,\n", "line 1 is"),
        ("Our staff,,\n,,\nof 2023,,\n", "lines 1 to 3 are"),
        ("Our staff\r\n", "line 1 is"),
    ],
)
def test_title_lines_are_skipped_and_said(path: Path, above: str, lines: str) -> None:
    table = load(path, above + TABLE)
    assert_is_the_table(table)
    said = f"titles: {lines} skipped, with fewer cells than the 3 columns of the table; --skip-rows 0 to change"
    assert table.notes[0] == said


def test_titles_can_be_kept_and_skipped_by_number(path: Path) -> None:
    with pytest.raises(DataError, match="line 2: found 3 values, expected 1"):
        load(path, "Our staff\n" + TABLE, skip_rows=0)
    table = load(path, "a,b,c\nd,e,f\n" + TABLE, skip_rows=2)
    assert_is_the_table(table)
    assert table.notes == ()
    with pytest.raises(DataError, match="9 lines are to be skipped, but there are 4"):
        load(path, TABLE, skip_rows=9)
    with pytest.raises(DataError, match="the file is blank below that"):
        load(path, TABLE, skip_rows=4)


def test_a_table_of_texts_has_a_title_too(path: Path) -> None:
    table = load(path, "People,,\nname,town,class\nAnn,York,a\nBob,Bath,b\n")
    assert table.schema.names == ("name", "town", "class")
    assert table.n_rows == 2


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("a,,\n1,2,3\n4,5,6\n", ("a", "column2", "column3")),  # a header, as numbers follow
        ("x\n1\n2\n", ("x",)),
        ("a,b\n1,2\n", ("a", "b")),
        ("\n\na,b\n1,2\n3,4\n", ("a", "b")),  # empty lines are not titles
    ],
)
def test_what_is_no_title(path: Path, content: str, names: tuple[str, ...]) -> None:
    table = load(path, content)
    assert table.schema.names == names
    assert not any(note.startswith("titles") for note in table.notes)
    assert all(column.dtype == np.float64 for column in table.columns)


def test_too_little_evidence_for_a_title(path: Path) -> None:
    with pytest.raises(DataError, match="line 2: found 3 values, expected 1"):
        load(path, "a\n1,2,3\n")
    with pytest.raises(DataError, match="line 2: found 3 values, expected 2"):
        load(path, "a,b\n1,2,3\n4,5\n6,7,8\n9,10\n")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_comment_lines_at_the_start(path: Path, end: str) -> None:
    table = load(path, ("# from \"here\n#\n\n# it's, by, us\n" + TABLE).replace("\n", end))
    assert_is_the_table(table)
    assert table.notes[0] == "comments: lines 1 to 4 start with '#' and are skipped; --comment '' to change"


def test_comments_and_titles(path: Path) -> None:
    table = load(path, "# x\nOur staff\n" + TABLE)
    assert_is_the_table(table)
    assert [note.partition(" skipped")[0] for note in table.notes] == [
        "comments: line 1 starts with '#' and is", "titles: line 2 is",
    ]  # fmt: skip


def test_comments_further_down_are_named_by_the_caller(path: Path) -> None:
    with pytest.raises(DataError, match="line 6: found 1 value, expected 3: '# end'; comment='#' to skip lines"):
        load(path, "# x\n" + TABLE + "# end\n")
    assert_is_the_table(load(path, "% x\n" + TABLE.replace("Bob", "% y\nBob") + "% end", comment="%"))
    with pytest.raises(DataError, match="line 5: found 1 value"):  # lines are those of the file
        load(path, "# x\n" + TABLE.replace("Bob", "# y\nx\nBob"), comment="#")


def test_a_comment_sign_inside_quotes_is_a_value(path: Path) -> None:
    table = load(path, '# "\na,b\n"x\n# y",1\n# "\nz,2\n', comment="#")
    column = table.schema.columns[0]
    assert column.categories == ("x\n# y", "z")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("#id,size\n1,2\n3,4\n", ("#id", "size")),
        ("# made by us\n# id,size\n1,2\n3,4\n", ("# id", "size")),
        ("# by x, y\nid,size\n1,2\n3,4\n", ("id", "size")),
    ],
)
def test_a_header_that_starts_like_a_comment(path: Path, content: str, names: tuple[str, ...]) -> None:
    table = load(path, content)
    assert table.schema.names == names
    assert table.n_rows == 2


def test_no_line_is_a_comment(path: Path) -> None:
    table = load(path, "#x,y\n#1,2\n#3,4\n", comment="")
    assert table.schema.names == ("#x", "y")
    assert table.n_rows == 2


def test_row_names_as_r_writes_them(path: Path) -> None:
    pd.read_csv(pd.io.common.StringIO(TABLE)).to_csv(path, index=True, sep=" ")
    content = path.read_text()
    assert content.startswith(" ")
    table = load(path, content.removeprefix(" ").replace(" ", ","))
    assert table.schema.names == ("column1", "name", "age", "class")
    np.testing.assert_array_equal(table.column("column1"), [0, 1, 2])
    assert table.notes[0].startswith("header: it has one name fewer than there are columns")


@pytest.mark.parametrize("header", ["a,b,c", "a,b,c,"])
def test_lines_that_end_with_a_delimiter(path: Path, header: str) -> None:
    table = load(path, header + "\n1,2,x,\n3,4,y,\n5,6,x,\n")
    assert table.schema.names == ("a", "b", "c")
    assert "column 4: left out, without a name and without values" in table.notes
    kept = load(path, header + "\n1,2,x,\n3,4,y,\n5,6,x,\n", nominal=["column4"])
    assert kept.schema.names == ("a", "b", "c", "column4")


def test_repeated_names_are_numbered(path: Path) -> None:
    table = load(path, "x,x,y,x.2,x\n1,2,3,4,5\n6,7,8,9,10\n", nominal=["x.3"])
    assert table.schema.names == ("x", "x.3", "y", "x.2", "x.4")
    assert table.notes[0] == "header: 3 columns are called x; they are numbered: x, x.3, x.4"
    assert table.column("x.3").tolist() == [0, 1]


def test_the_header_can_be_said(path: Path) -> None:
    assert load(path, TABLE, header=False).schema.names == ("column1", "column2", "column3")
    assert load(path, "1,2\n3,4\n", header=True).schema.names == ("1", "2")


def test_numbers_are_names_beside_row_numbers_without_a_name(path: Path) -> None:
    pd.DataFrame({1990: [1.5, 2.5], 2000: [3.5, 4.5]}).to_csv(path)
    assert read(path).schema.names == ("column1", "1990", "2000")
    assert read(path).column("2000").tolist() == [3.5, 4.5]
    assert load(path, ",1,2\n5,3,4\n7,6,8\n").schema.names == ("column1", "column2", "column3")


def test_numbers_are_names_beside_row_names_without_a_name(path: Path) -> None:
    assert load(path, ",1940,1945\nfood,22.2,44.5\nhealth,3.5,5.7\ncare,1,1.9\n").schema.names[1:] == ("1940", "1945")
    assert load(path, ",16.5,16.75\n71,0,0\n70,0,1\n69,2,1\n").schema.names == ("column1", "16.5", "16.75")
    unnamed = ("column1", "column2", "column3")
    assert load(path, ",1,2\na,22.2,44.5\na,3.5,5.7\nb,1,1.9\n").schema.names == unnamed  # not row names
    assert load(path, ",1,2\na,22.2,44.5\n,3.5,5.7\nb,1,1.9\n").schema.names == unnamed
    assert load(path, ",1,1\na,22.2,44.5\nb,3.5,5.7\nc,1,1.9\n").schema.names == unnamed  # twice the same name
    assert load(path, ",1,2\n71,0,0\n12,0,1\n69,2,1\n").schema.names == unnamed


BAD = "a,b\n1,x\n2\n3,y\n\n4,z,5\n" + "6,w\n" * 3


def test_bad_rows_are_reported_by_line(path: Path) -> None:
    with pytest.raises(DataError, match=r"line 3: found 1 value, expected 2: '2' \(2 such rows: lines 3, 6\); "):
        load(path, BAD)
    with pytest.raises(DataError, match="bad_rows='skip' to leave such rows out"):
        load(path, BAD)


@pytest.mark.parametrize("above", ["", "# c\n# d\n"])
def test_bad_rows_can_be_left_out(path: Path, above: str) -> None:
    table = load(path, above + BAD, bad_rows="skip")
    np.testing.assert_array_equal(table.column("a"), [1, 3, 6, 6, 6])
    lines = ", ".join(str(line + above.count("\n")) for line in (3, 6))
    assert f"rows: 2 of 7 rows left out, with more or fewer than 2 cells (lines {lines})" in table.notes


def test_most_rows_are_never_left_out(path: Path) -> None:
    with pytest.raises(DataError, match="line 1: 3 of 4 rows have more or fewer than 2 cells"):
        load(path, "a,b\n1,2\n3,4,5\n6\n7,8,9,10\n", bad_rows="skip")


def test_bad_rows_below_a_title(path: Path) -> None:
    table = load(path, "Sales\n\nshop,price,size\nA,1.5,2.5\nB,2.5\nC,3.5,4.5\n", bad_rows="skip")
    assert table.schema.names == ("shop", "price", "size")
    assert table.n_rows == 2


def test_many_bad_rows_name_ten_lines(path: Path) -> None:
    table = load(path, "a,b\n" + "1,2\n" * 400 + "3\n" * 12, bad_rows="skip")
    assert any("(lines 402, 403, 404, 405, 406, 407, 408, 409, 410, 411 and 2 more)" in note for note in table.notes)


def test_bad_rows_beside_quotes_codes_and_latin(path: Path) -> None:
    content = 'a,b,c\n"x\ny",007,é\n1\n"z",010,ü\n'.encode("latin-1")
    table = load(path, content, bad_rows="skip")
    assert table.n_rows == 2
    assert table.schema.columns[1].categories == ("007", "010")  # type: ignore[union-attr]
    assert any("1 of 3 rows left out" in note and "(line 4)" in note for note in table.notes)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"skip_rows": -1}, "skip_rows is -1"),
        ({"comment": "//"}, "the comment is '//'; expected one plain character"),
        ({"bad_rows": "drop"}, "bad_rows is 'drop'; expected 'error' or 'skip'"),
    ],
)
def test_impossible_wishes(path: Path, options: dict[str, Any], says: str) -> None:
    with pytest.raises(DataError, match=says):
        load(path, TABLE, **options)


# --- lines that are no rows, and spaces between columns ---


def test_rows_without_a_value_are_left_out_and_said(path: Path) -> None:
    """UX 23: a line of blanks and commas counted as a row."""
    table = load(path, "x,y\n1,a\n,\n  \n , \n2,b\n3,a\n,c\n")
    assert table.column("x").tolist()[:3] == [1, 2, 3]
    assert table.n_rows == 4  # the last row has a value
    assert "rows: 3 rows without any value are left out (lines 3, 4, 5)" in table.notes
    quoted = load(path, 'x,y\n"1\n,\n",a\n2,b\n')  # inside quotes it is text
    assert quoted.n_rows == 2
    assert not any(note.startswith("rows: ") for note in quoted.notes)
    many = load(path, "x,y\n" + "1,a\n2,b\n" * 20 + ",\n" * 12)
    assert "rows: 12 rows without any value are left out (lines 42, 43, 44, 45, 46, 47, 48, 49, 50, 51 and 2 more)" in (
        many.notes
    )


def test_a_table_writes_rows_without_a_value_so_that_they_are_read(path: Path) -> None:
    table = read({"x": [1.0, None, 3.0], "y": ["a", None, "b"]})
    table.write(path)
    back = load(path, path.read_text("utf-8"))
    assert back.n_rows == 3
    assert np.isnan(back.column("x")[1])


@pytest.mark.parametrize("ends", [",", ",,,"])
def test_a_header_shorter_than_rows_that_end_with_delimiters(path: Path, ends: str) -> None:
    table = load(path, "x,z,y\n" + "".join(f"{i}.5,{'pq'[i % 2]},{'ab'[i % 3 > 0]}{ends}\n" for i in range(9)))
    assert table.schema.names == ("x", "z", "y")
    assert table.n_rows == 9


@pytest.mark.parametrize(
    "content",
    [
        "size kind\n 1.5    a\n12.5    b\n 3.0    a\n",  # as pandas prints it
        '"size" "kind"\n"1" 1.5 "a"\n"2" 12.5 "b"\n"3" 3.0 "a"\n',  # as R writes it
        "| size | kind |\n|-----:|:-----|\n| 1.5 | a |\n| 12.5 | b |\n| 3.0 | a |\n",  # Markdown
        "+------+------+\n| size | kind |\n+------+------+\n| 1.5 | a |\n| 12.5 | b |\n| 3.0 | a |\n+------+------+\n",
        " size | kind \n------+------\n  1.5 | a\n 12.5 | b\n  3.0 | a\n",
    ],
)
def test_tables_as_programs_print_them(path: Path, content: str) -> None:
    table = load(path, content)
    assert table.schema.names[-2:] == ("size", "kind")
    assert table.column("size").tolist() == [1.5, 12.5, 3]
    assert [table.schema.columns[-1].categories[code] for code in table.column("kind")] == ["a", "b", "a"]


@pytest.mark.parametrize("content", ["town\nNew York\nLos Angeles\nSan Jose\n", "size\n12 kg\n13 kg\n12 kg\n"])
def test_texts_with_spaces_are_one_column(path: Path, content: str) -> None:
    assert len(load(path, content).schema.names) == 1
