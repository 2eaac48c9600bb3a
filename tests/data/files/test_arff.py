"""ARFF files: the header, rows of every sort, errors with their place, and both ways of reading rows."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import evidence

from hornbeam.data.errors import DataError
from hornbeam.data.files.arff import read_arff, read_header
from hornbeam.data.files.arff_rows import Rows, read_rows
from hornbeam.data.read import read
from hornbeam.data.schema import Column, Nominal, Numeric


def _index() -> list[tuple[str, int, int, int, int]]:
    found = []
    for line in (evidence.EVIDENCE / "SOURCES.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) > 5 and cells[1].isdigit():
            found.append((cells[0], int(cells[1]), int(cells[2]), int(cells[3]), int(cells[4])))
    return found


def test_every_set_has_the_counts_of_the_index() -> None:
    sets = _index()
    assert [name for name, *_ in sets] == list(evidence.sets())
    assert len(sets) == 52
    for name, rows, nominal, numeric, missing in sets:
        table = read(evidence.arff(name), target=-1)
        features = [table.schema.columns[i] for i in table.schema.features]
        unknown = sum(int(np.isnan(a).sum() if a.dtype == np.float64 else (a < 0).sum()) for a in table.columns)
        counts = (
            len(table),
            sum(isinstance(c, Nominal) for c in features),
            sum(isinstance(c, Numeric) for c in features),
        )
        assert (name, *counts, unknown) == (name, rows, nominal, numeric, missing)
        # The target's missing values are counted with the rest, so this only differs for auto-horse.
        assert table.schema.target == len(table.schema.columns) - 1


def test_quick_and_careful_ways_agree_on_every_set() -> None:
    taken = 0
    for name in evidence.sets():
        text = evidence.arff(name).read_text(encoding="utf-8").replace("\r", "")
        header = read_header(text)
        columns = [a.column for a in header.attributes]
        strings = [a.is_string for a in header.attributes]
        careful = read_rows(text[header.data_start :], columns, strings, 1, quick=False)
        quick = read_rows(text[header.data_start :], columns, strings, 1, quick=True)
        assert _same(quick, careful), name
        taken += name in {"letter", "waveform-5000"}
    assert taken == 2


def _same(left: Rows, right: Rows) -> bool:
    arrays = all(
        np.array_equal(a, b, equal_nan=a.dtype == np.float64) for a, b in zip(left.arrays, right.arrays, strict=True)
    )
    return arrays and left.weights == right.weights and left.texts == right.texts


HEADER = """% a comment
@RELATION 'a "relation"'

@Attribute "first one" {a, 'b c', "it's", '?', 'x\\'y'}
@attribute 'the \\'second\\'' REAL
@attribute third Integer [0, 9]
@ATTRIBUTE\tfourth\tstring
@attribute fifth date "yyyy-MM-dd"
@attribute sixth date
@attribute seventh{u,v}
"""


def test_header_in_full() -> None:
    table = read_arff(HEADER + "@DATA\n")
    assert table.schema.name == 'a "relation"'
    assert table.schema.columns == (
        Nominal("first one", ("a", "b c", "it's", "?", "x'y")),
        Numeric("the 'second'"),
        Numeric("third"),
        Nominal("fourth"),
        Numeric("fifth", "%Y-%m-%d"),
        Numeric("sixth", "%Y-%m-%dT%H:%M:%S"),
        Nominal("seventh", ("u", "v")),
    )
    assert len(table) == 0
    assert table.schema.roles[3] == "ignored"
    assert table.notes[0].startswith("fourth: free text")


def test_rows_in_full() -> None:
    table = read_arff(
        HEADER
        + """@data
% between rows
a, 1.5, 3, 'free \\t text', 1970-01-02, "1970-01-01T00:00:01", u
'?',\t-2e3 ,?,?,'1970-01-03',?,'v'   % at the end
"it's" .5 +7 word ? ? ?
'x\\'y',?,0,'free \\t text',?,?,v,{0.25}
'b c',1,2,"",?,?,u {2}
"""
    )
    first, second, third, fourth, fifth, sixth, seventh, weight = table.columns
    assert first.tolist() == [0, 3, 2, 4, 1]
    np.testing.assert_array_equal(second, [1.5, -2000, 0.5, np.nan, 1])
    np.testing.assert_array_equal(third, [3, np.nan, 7, 0, 2])
    assert table.schema.columns[3] == Nominal("fourth", ("free \t text", "word", ""))
    assert fourth.tolist() == [0, -1, 1, 0, 2]
    np.testing.assert_array_equal(fifth, [86400, 172800, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(sixth, [1, np.nan, np.nan, np.nan, np.nan])
    assert seventh.tolist() == [0, 1, -1, 1, 0]
    assert weight.tolist() == [1, 1, 1, 0.25, 2]
    assert table.schema.roles[-1] == "weight"


def test_sparse_rows() -> None:
    head = "@relation r\n@attribute a {x,y}\n@attribute n numeric\n@attribute b {'?',z}\n@attribute s string\n@data\n"
    table = read_arff(head + "{1 5, 2 z}\n{}\n{ 0 y , 2 ? }, {0.5}\n{2 '?', 3 'w w'} {3} % end\n")
    assert table.column("a").tolist() == [0, 0, 1, 0]
    assert table.column("n").tolist() == [5, 0, 0, 0]
    assert table.column("b").tolist() == [1, 0, -1, 0]
    assert [table.schema.columns[3].categories[c] for c in table.column("s")] == ["", "", "", "w w"]  # type: ignore[union-attr]
    assert table.column("weight").tolist() == [1, 1, 0.5, 3]


def test_a_weight_column_takes_a_free_name() -> None:
    table = read_arff("@relation r\n@attribute weight numeric\n@data\n7,{2}\n")
    assert table.schema.names == ("weight", "weight2")


@pytest.mark.parametrize(
    ("body", "line", "column", "says"),
    [
        ("@attribute a {x,y}\n@data\nx\nz\n", 5, "a", "'z'"),
        ("@attribute a numeric\n@data\nabc\n", 4, "a", "'abc'"),
        ("@attribute a numeric\n@data\n'?'\n", 4, "a", "'?'"),
        ("@attribute a numeric\n@data\n1e999\n", 4, "a", "too large"),
        ("@attribute a numeric\n@data\n-Infinity\n", 4, "a", "finite"),
        ("@attribute a numeric\n@data\n1_0\n", 4, "a", "'1_0'"),
        ("@attribute a numeric\n@attribute b numeric\n@data\n1\n", 5, None, "found 1 values, expected 2"),
        ("@attribute a numeric\n@attribute b numeric\n@data\n1,2,3\n", 5, None, "more than the 2 values"),
        ("@attribute a numeric\n@attribute b numeric\n@data\n1,,3\n", 5, "b", "between commas"),
        ("@attribute a numeric\n@attribute b numeric\n@data\n1,2,\n", 5, None, "comma after the last"),
        ("@attribute a {x}\n@data\n'x\n", 4, "a", "never closed"),
        ("@attribute a {x}\n@data\n'x'x\n", 4, "a", "expected a comma"),
        ("@attribute a {x}\n@data\nx,{-1}\n", 4, None, "weight"),
        ("@attribute a {x}\n@data\nx,{inf}\n", 4, None, "weight"),
        ("@attribute a date\n@data\nyesterday\n", 4, "a", "date"),
        ("@attribute a date 'yyyy-QQ'\n@data\n", 2, "a", "'QQ'"),
        ("@attribute a relational\n@end a\n@data\n", 2, "a", "relational"),
        ("@attribute a thing\n@data\n", 2, "a", "thing"),
        ("@attribute a\n@data\n", 2, "a", "no type"),
        ("@attribute\n@data\n", 2, None, "without a name"),
        ("@attribute a {x\n@data\n", 2, "a", "closing"),
        ("@attribute a {x,x}\n@data\n", 2, "a", "twice"),
        ("@attribute a real\n@attribute a real\n@data\n", 3, "a", "line 2"),
        ("@attribute 'a real\n@data\n", 2, None, "never closed"),
        ("@data\n1\n", 2, None, "before any @attribute"),
        ("nonsense\n", 2, None, "nonsense"),
        ("@attribute a real\n", None, None, "ends before"),
        ("@attribute a {x}\n@data\n{1 x}\n", 4, None, "position 1"),
        ("@attribute a {x}\n@attribute b {x}\n@data\n{1 x, 0 x}\n", 5, "a", "rising"),
        ("@attribute a {x}\n@data\n{0 x\n", 4, "a", "expected a comma or"),
        ("@attribute a {x}\n@data\n{0}\n", 4, None, "position and a value"),
        ("@attribute a {}\n@data\n{}\n", 4, "a", "no first category"),
    ],
)
def test_errors_name_their_place(body: str, line: int | None, column: str | None, says: str) -> None:
    with pytest.raises(DataError, match=re.escape(says)) as caught:
        read_arff("@relation r\n" + body)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_line_numbers_survive_other_line_ends() -> None:
    for end in ("\r\n", "\r"):
        with pytest.raises(DataError) as caught:
            read_arff(end.join(["@relation r", "", "@attribute a {x}", "@data", "x", "", "% c", "y"]))
        assert caught.value.line == 8


COLUMNS: list[Column] = [Nominal("a", ("x", "y z", "?", "it's", "%", " x")), Numeric("n"), Nominal("b", ("1", "2"))]
CELLS = st.sampled_from(
    [
        "x",
        "'x'",
        "'y z'",
        "?",
        "'?'",
        '"it\'s"',
        "'it\\'s'",
        "1",
        "2",
        "-1.5e3",
        "nan",
        "inf",
        "+1",
        " x",
        "y z",
        "''",
        "{",
        "1.",
        "'2'",
    ]
)
LINES = st.one_of(
    st.lists(CELLS, min_size=3, max_size=3).map(",".join),
    st.lists(CELLS, min_size=2, max_size=4).map(", ".join),
    st.tuples(
        st.sampled_from(["x", "?", "'?'", "'y z'"]), st.sampled_from(["1", "?", ".5"]), st.sampled_from("12?")
    ).map(",".join),
    st.text("x?1,'\" %\\\t", max_size=8),
)


@given(st.lists(LINES, max_size=5), st.booleans())
def test_the_two_ways_agree(lines: list[str], end: bool) -> None:
    text = "\n".join(lines) + ("\n" if end else "")

    def attempt(*, quick: bool) -> Any:
        try:
            return read_rows(text, COLUMNS, [False] * 3, 1, quick=quick)
        except DataError as error:
            return str(error)

    careful, quick = attempt(quick=False), attempt(quick=True)
    assert quick == careful if isinstance(careful, str) else _same(quick, careful)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["x", "?", "'?'", "'y z'"]),
            st.sampled_from(["1", "?", ".5", "-2e-3"]),
            st.sampled_from("12?"),
        ),
        min_size=1,
    )
)
def test_plain_rows_go_the_quick_way(rows: list[tuple[str, str, str]]) -> None:
    from hornbeam.data.files.arff_rows import _read_quickly

    text = "\n".join(",".join(row) for row in rows)
    arrays = _read_quickly(text, COLUMNS)
    assert arrays is not None
    assert _same(Rows(arrays, [[], [], []]), read_rows(text, COLUMNS, [False] * 3, 1, quick=False))


@given(st.one_of(st.text(max_size=60), st.text("@attributedn{}'\",? \t\n%\\relosgx1", max_size=60)), st.booleans())
def test_any_text_is_read_or_refused_clearly(text: str, headed: bool) -> None:
    whole = "@relation r\n@attribute a {x,'?'}\n@attribute n real\n@data\n" + text if headed else text
    try:
        read_arff(whole)
    except DataError as error:
        assert str(error)  # noqa: PT017 (any other error is a failure)
