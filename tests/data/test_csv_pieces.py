"""Long files, which are read in pieces: the same table as read whole, and nothing lost that stands late in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hornbeam.data.infer import Kinds
from hornbeam.data.schema import Nominal, Numeric
from hornbeam.data.text import csv
from hornbeam.data.text.sniff import TextForm
from hornbeam.data.text.start import find_codes

if TYPE_CHECKING:
    from hornbeam.data.table import Table

LATE = 700  # rows before the one that matters: more than are looked at to find out how a file is written


def no_kinds(_: Any) -> Kinds:
    return Kinds()


def read_with(text: str, piece: int, **options: Any) -> Table:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv, "_PIECE", piece)
        return csv.read_csv(text.encode(), no_kinds, TextForm(**options))


def alike(one: Table, other: Table) -> None:
    assert one.schema == other.schema
    assert one.notes == other.notes
    for a, b in zip(one.columns, other.columns, strict=True):
        np.testing.assert_array_equal(a, b)


VALUES = {
    "small": st.integers(-20, 20).map(str),
    "large": st.sampled_from(["9007199254740993", "9007199254740992", "-9007199254740993", "9223372036854775807"]),
    "larger": st.sampled_from(["9223372036854775808", "18446744073709551616", "-9223372036854775809"]),
    "fraction": st.sampled_from(["0.5", "-2.25", "1e3", "1e300", "1E-5", ".5", "5."]),
    "code": st.sampled_from(["007", "00", "01234", "0x1F", "0X1f", "0x"]),
    "signed": st.sampled_from(["+5", "-07", "+0.5"]),
    "text": st.sampled_from(["a", "b", "x y", "nan", "-", "1,5", "true", "0b1"]),
    "missing": st.sampled_from(["", "?", "NA"]),
    "moment": st.sampled_from(["2020-01-05", "2020-01-05 10:00:00", "00:15:00"]),
}


@st.composite
def files(draw: st.DrawFn) -> str:
    """Columns with two kinds of values, which change from one stretch of rows to the next."""
    n_columns, stretches = draw(st.integers(1, 3)), draw(st.integers(2, 4))
    lines = [",".join(f"column {i}" for i in range(n_columns))]
    pairs = [draw(st.permutations(list(VALUES)))[:2] for _ in range(n_columns)]
    for _ in range(stretches):
        kinds = [draw(st.sampled_from(pair)) for pair in pairs]
        n_rows = draw(st.integers(1, 8))
        lines += [",".join(draw(VALUES[kind]).replace(",", ".") for kind in kinds) for _ in range(n_rows)]
    return "\n".join(lines) + draw(st.sampled_from(["", "\n"]))


@settings(max_examples=max(200, settings().max_examples))
@given(files(), st.integers(10, 60))
def test_in_pieces_as_whole(text: str, piece: int) -> None:
    alike(read_with(text, piece), read_with(text, 1 << 24))


@given(st.data())
def test_codes_are_found_in_any_blocks(data: st.DataObject) -> None:
    cell = st.sampled_from(["007", "0x1F", "0.5", "10", "", '"007"', '"a,007"', '"a\n007"', "x 007", " 007", "00"])
    rows = data.draw(st.lists(st.lists(cell, min_size=2, max_size=2), min_size=1, max_size=12))
    text = "\n".join(",".join(row) for row in rows).encode()
    found = find_codes(text, ",", '"', data.draw(st.integers(1, 20)))
    assert found == find_codes(text, ",", '"')
    padded = {i for i in range(2) for row in rows if row[i].strip(' "') in {"007", "00"}}
    assert padded <= found.padded
    assert found.hexadecimal == {i for i in range(2) for row in rows if row[i] == "0x1F"}


@pytest.mark.parametrize("piece", [1000, 1 << 24])
def test_large_integers_before_a_fraction(piece: int) -> None:
    table = read_with("x,y\n" + "9007199254740993,a\n" * LATE + "0.5,b\n", piece)
    assert isinstance(table.schema.columns[0], Numeric)
    assert table.columns[0][0] == 9007199254740992.0  # the nearest that a number can be
    assert table.columns[0][-1] == 0.5
    assert any(note.startswith("x: integers up to 9.01e+15, more than a number keeps exactly") for note in table.notes)


@pytest.mark.parametrize("code", ["0x1F", "007"])
@pytest.mark.parametrize("piece", [1000, 1 << 24])
def test_a_code_late_in_the_file_is_one(code: str, piece: int) -> None:
    lines = [f"{row % 9 + 10},{row % 2}" for row in range(LATE)]
    early = read_with("\n".join(["x,y", f"{code},1", *lines]), piece)
    late = read_with("\n".join(["x,y", *lines, f"{code},1"]), piece)
    column = late.schema.columns[0]
    assert isinstance(column, Nominal)
    assert column.categories[-1] == code
    assert set(column.categories) == set(early.schema.columns[0].categories)  # type: ignore[union-attr]
    note = "x: codes with leading zeros, read as nominal; --numeric x to change"
    assert note in late.notes
    assert note in early.notes


def test_a_column_asked_to_be_numeric_is(tmp_path: Any) -> None:
    import hornbeam

    path = tmp_path / "codes.csv"
    path.write_text("x,y\n" + "10,a\n" * LATE + "007,b\n", encoding="utf-8")
    assert hornbeam.read(path, numeric=["x"]).columns[0][-1] == 7.0


def test_a_hexadecimal_number_among_signed_ones_is_text() -> None:
    table = read_with("x,y\n" + "-10,a\n" * LATE + "0x1F,b\n", 1000)
    column = table.schema.columns[0]
    assert isinstance(column, Nominal)
    assert column.categories == ("-10", "0x1F")


def test_zeros_inside_texts_and_fractions_are_no_codes() -> None:
    lines = [f"{row}.05,a 007" for row in range(LATE)]
    table = read_with("\n".join(["x,y", *lines, "0.5,0 1"]), 1000)
    assert isinstance(table.schema.columns[0], Numeric)
    assert not any("codes" in note for note in table.notes)


@pytest.mark.parametrize("text", ["9223372036854775809", "-18446744073709551617", "123456789012345678901234567890"])
def test_digits_of_very_large_integers_are_noted(text: str) -> None:
    table = read_with(f"x,y\n{text},a\n1,b\n", 1 << 24)
    assert any("more than a number keeps exactly" in note for note in table.notes)


@pytest.mark.parametrize("text", ["1e300", "9223372036854775808.0", "18446744073709551616"])
def test_numbers_that_are_kept_are_not_noted(text: str) -> None:
    table = read_with(f"x,y\n{text},a\n1,b\n", 1 << 24)
    assert table.columns[0][0] == float(text)
    assert not any("more than a number keeps exactly" in note for note in table.notes)


def test_many_large_identifiers_are_noted() -> None:
    lines = [f"{2**53 + 2 * row},a" for row in range(LATE)]
    assert any("more than a number keeps exactly" in note for note in read_with("\n".join(["x,y", *lines]), 1000).notes)
