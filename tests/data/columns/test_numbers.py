"""Numbers as people write them, and texts that only look like numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

import hornbeam
from hornbeam.data.columns.numbers import Notation, Style, read_numbers
from hornbeam.data.errors import DataError
from hornbeam.data.infer import as_numeric
from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError

if TYPE_CHECKING:
    from pathlib import Path


def values(*texts: str, **style: str) -> list[float] | None:
    reading = read_numbers(texts, np.ones(len(texts)), Style(**style))
    return None if reading is None else reading.values.tolist()


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["$1,234", "$99", "-$5", "($12.50)"], [1234, 99, -5, -12.5]),
        (["$ 1,234.00", "$ (12.50)", "$ -", "$ (1,086.00)"], [1234, -12.5, 0, -1086]),
        (["$0,000", "$1,200", "$8,000"], [0, 1200, 8000]),  # a zero shows no decimal comma
        (["$0,000", "$0,000,000"], [0, 0]),
        (["\u20ac 0,000", "\u20ac 1,5"], [0, 1.5]),
        (["US$ 5", "US$ 1,000,000"], [5, 1_000_000]),
        (["EUR 5", "EUR 6.50", "7"], [5, 6.5, 7]),
        (["1\u202f234,50 \u20ac", "99 \u20ac"], [1234.5, 99]),
        (["1 234", "12 345 678", "5"], [1234, 12_345_678, 5]),
        (["1'234.50", "1\u2019000"], [1234.5, 1000]),
        (["12.345,67", "1.234"], [12_345.67, 1234]),
        (["1,5", "2,75"], [1.5, 2.75]),
        (["0,123", "1,456"], [0.123, 1.456]),
        (["1,234", "5,678"], [1234, 5678]),
        (["12,34,567", "1,23,456"], [1_234_567, 123_456]),
        (["99.5%", "3 %"], [99.5, 3]),
        (["12 kg", "9.5 kg", "0"], [12, 9.5, 0]),
        (["5.1cm", "4.9cm"], [5.1, 4.9]),
        (["20 mi/h", "30 mi/h"], [20, 30]),
        (["\u22125", "6", "7-"], [-5, 6, -7]),
        (["1e5", "2E-3"], [1e5, 2e-3]),
        (["41.3K", "5.2M", "950", "0", "1.2bn"], [41_300, 5_200_000, 950, 0, 1_200_000_000]),
        (["$5.2M", "$870K", "($1.2bn)"], [5_200_000, 870_000, -1_200_000_000]),
        (["5,2 Mio. \u20ac", "870 Tsd. \u20ac"], [5_200_000, 870_000]),
        (["8.7M", "201k", "19M"], [8_700_000, 201_000, 19_000_000]),
        (["293.1 K", "301.5 K"], [293.1, 301.5]),  # kelvin
        (['="57.03"', '="8.10"', "9"], [57.03, 8.1, 9]),
        (['="$1,203"', '="$8"'], [1203, 8]),
    ],
)
def test_numbers(texts: list[str], numbers: list[float]) -> None:
    assert values(*texts) == numbers


@pytest.mark.parametrize(
    "texts",
    [
        ["D1", "D2"],
        ["555-1234", "555-3456"],
        ["+1 555 123 4567", "+1 555 123 4568"],
        ["555 123 456", "555 123 457"],  # always the same groups
        ["192.168.100.200", "192.168.101.201"],
        ["10.0.0.1", "10.0.0.12"],
        ["1.2.3", "1.10.2"],
        ["12:30", "13:45"],
        ["31/12/2023", "01/02/2023"],
        ["1st", "2nd", "3rd"],
        ["2023Q1", "2023Q2"],
        ["3 m", "4 ft"],  # two units
        ["$5", "\u20ac6"],
        ["12345-6789", "12345-0000"],
        ["18-25", "26-35"],
        [">50K", "<=50K"],
        ["12", "12B", "14", "14B"],  # numbers of houses
        ["5K", "3M", "7K"],  # nothing says that these are amounts
    ],
)
def test_codes_and_other_texts_are_no_numbers(texts: list[str]) -> None:
    assert values(*texts) is None


def test_letters_that_are_factors_are_said_and_used_for_new_rows(tmp_path: Path) -> None:
    lines = [f"{(10 + i) / 10}{'KM'[i % 2]},{'ab'[i % 2]}" for i in range(40)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["views,kind", *lines, "950,a"]) + "\n", encoding="utf-8")
    table = hornbeam.read(path, target="kind")
    assert table.column("views")[:2].tolist() == [1000, 1_100_000]
    said = [note for note in table.notes if note.startswith("views: ")]
    assert said == [
        (
            "views: read as numbers with letters as factors (K is thousand, M million, B or bn billion); "
            "--nominal views to change"
        )
    ]
    model = hornbeam.C45Classifier().fit(table).model_
    hornbeam.save(model, tmp_path / "m.hornbeam")
    again = hornbeam.load(tmp_path / "m.hornbeam")
    new = hornbeam.read({"views": ["5.2M"]})
    assert again.predict(new).tolist() == ["b"]
    assert again.predict(hornbeam.read({"views": ["4.2K"]})).tolist() == ["a"]


def test_formulas_of_excel_are_said(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["x,code,y", *(f'="{i}.5",="00{i}",{i}' for i in range(10, 40))]), encoding="utf-8")
    table = hornbeam.read(path)
    assert table.column("x")[:2].tolist() == [10.5, 11.5]
    assert 'x: read as numbers with ="..." as what it contains' in "\n".join(table.notes)
    assert not isinstance(table.schema.columns[1], Numeric)  # leading zeros


def test_leading_zeros_are_codes() -> None:
    found = values("01234", "12345", "00501")
    assert found is not None
    assert math.isnan(found[0])
    assert math.isnan(found[2])


def test_the_caller_decides_what_is_open() -> None:
    assert values("1,234", decimal=",") == [1.234]
    assert values("1.234", decimal=".") == [1.234]
    assert values("1.234", thousands=".") == [1234]
    assert values("1,234", likely=",") == [1.234]
    assert values("1,234", "1,234,567", likely=",") == [1234, 1_234_567]  # evidence wins over what is likely
    for wrong in ({"decimal": ";"}, {"thousands": "x"}, {"decimal": ",", "thousands": ","}):
        with pytest.raises(DataError):
            Style(**wrong)


def lines(path: Path, name: str, *cells: str) -> Path:
    path.write_text(f"{name};y\n" + "".join(f"{cell};{i * 0.37 % 1:.3f}\n" for i, cell in enumerate(cells)))
    return path


def test_a_note_says_what_was_removed(tmp_path: Path) -> None:
    """UX 4: money was a category of its own for nearly every row."""
    path = lines(tmp_path / "t.csv", "price", *(f"${1000 + 7 * i:,}" for i in range(30)))
    with pytest.warns(hornbeam.DataWarning, match="price: read as numbers without"):
        table = hornbeam.read(path, target="y")
    assert table.schema.columns[0] == Numeric("price")
    assert table.column("price").tolist() == [1000 + 7 * i for i in range(30)]
    assert "price: read as numbers without '$' and ',' between thousands; --nominal price to change" in table.notes
    kept = hornbeam.read(path, target="y", nominal=["price"])
    assert isinstance(kept.schema.columns[0], Nominal)


def test_percent_stays_percent(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.csv", "rate", *(f"{i}.5%" for i in range(30)))
    table = hornbeam.read(path, target="y")
    assert table.column("rate")[3] == 3.5
    assert "rate: read as numbers without '%', so that 50% is 50; --nominal rate to change" in table.notes


def test_a_few_other_cells_are_missing_and_reported_by_row(tmp_path: Path) -> None:
    cells = [f"{i}.25" for i in range(38)]
    table = hornbeam.read(lines(tmp_path / "a.csv", "size", *cells, "about 3", "40"), target="y")
    assert np.flatnonzero(np.isnan(table.column("size"))).tolist() == [38]
    assert (
        "size: 1 cell that is not a number read as missing ('about 3' in row 39); --nominal size to change"
        in table.notes
    )
    several = hornbeam.read(lines(tmp_path / "b.csv", "size", *cells, *["x", "y", "z"]), target="y")
    assert isinstance(several.schema.columns[0], Nominal)  # more than 5%
    few = hornbeam.read(lines(tmp_path / "c.csv", "size", *cells[:15], "x"), target="y")
    assert isinstance(few.schema.columns[0], Nominal)  # too few rows to be sure


def test_two_amounts_with_a_unit_are_categories(tmp_path: Path) -> None:
    table = hornbeam.read(lines(tmp_path / "t.csv", "drive", *["2wd", "4wd"] * 20), target="y")
    assert table.schema.columns[0] == Nominal("drive", ("2wd", "4wd"))


def test_a_decimal_comma_in_one_column_decides_the_others(tmp_path: Path) -> None:
    """In a file with 1.234,50, the cells 1.234 of another column are whole numbers."""
    path = tmp_path / "t.csv"
    path.write_text("a;b;y\n" + "".join(f"1.{i:03d},50;{1 + i}.{i:03d};{'pq'[i % 2]}\n" for i in range(30)))
    table = hornbeam.read(path, target="y")
    assert table.column("a")[7] == 1007.5
    assert table.column("b")[7] == 8007
    given = hornbeam.read(path, target="y", decimal=".")
    assert given.column("b")[7] == 8.007


NOTE = "decimal point: ',' in numbers such as 1,5; --decimal to change"


def test_a_decimal_comma_between_commas_is_said(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('x,y\n"1,5",a\n"2,75",b\n"-3,5",a\n')
    table = hornbeam.read(path, target="y")
    assert table.column("x").tolist() == [1.5, 2.75, -3.5]
    assert table.notes == (NOTE,)


def test_columns_with_points_and_with_commas_are_read_each_by_itself(tmp_path: Path) -> None:
    """Where 1.234,50 and 1,234.50 are in one file, the cells 1,234 are whole numbers, as without the first."""
    lines = [f'"1.{i:03d},50","{1 + i},{i:03d}.25","{1 + i},{i:03d}",{"pq"[i % 2]}' for i in range(30)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["a,b,c,y", *lines, ""]))
    table = hornbeam.read(path, target="y")
    assert [table.column(name)[7] for name in "abc"] == [1007.5, 8007.25, 8007]
    assert NOTE not in table.notes
    assert any(note.startswith("c: read as numbers without ',' between thousands") for note in table.notes)


def test_texts_of_frames_are_read_too() -> None:
    frame = {"price": [f"${i},{i}00" for i in range(1, 10)], "code": ["1", "2", "3"] * 3, "y": [0.5] * 9}
    table = hornbeam.read(frame, target="y")
    assert isinstance(table.schema.columns[0], Numeric)
    assert isinstance(table.schema.columns[1], Nominal)  # plain texts were meant


def test_new_rows_are_read_as_the_model_read_its_rows() -> None:
    texts = Nominal("x", ("1.234", "2"))
    codes = np.array([0, 1], np.int32)
    assert as_numeric(texts, codes, notation=Notation(",", ".", "kg"))[1].tolist() == [1234, 2]
    assert as_numeric(texts, codes)[1].tolist() == [1.234, 2]
    with pytest.raises(DataError, match="found numbers in 'g'; expected numbers in 'kg'"):
        as_numeric(Nominal("x", ("5 g", "6 g")), codes, notation=Notation(".", "", "kg"))


def test_a_schema_keeps_the_notation() -> None:
    schema = Schema((Numeric("x", notation=Notation(",", ".", "kg")),))
    plain = schema.to_json()
    read = Schema.from_json(plain).columns[0]
    assert isinstance(read, Numeric)
    assert read.notation == Notation(",", ".", "kg")
    for wrong in ("kg", {"decimal": 1}):
        plain["columns"][0]["notation"] = wrong
        with pytest.raises(SchemaError, match="the notation of numbers is"):
            Schema.from_json(plain)


def test_a_model_reads_texts_of_frames() -> None:
    amounts = [f"{i}.000,5 kg" for i in range(1, 31)]
    classes = ["low" if i < 15 else "high" for i in range(30)]
    tree = hornbeam.C45Classifier().fit(hornbeam.read({"w": amounts, "y": classes}, target="y"))
    assert tree.model_.predict(hornbeam.read({"w": ["3.000 kg"]})).tolist() == ["low"]


def test_several_files_with_other_units_are_not_mixed(tmp_path: Path) -> None:
    kilograms = lines(tmp_path / "a.csv", "w", *(f"{i} kg" for i in range(5, 30)))
    grams = lines(tmp_path / "b.csv", "w", *(f"{i} g" for i in range(5, 30)))
    table = hornbeam.read([kilograms, grams])
    assert isinstance(table.schema.columns[0], Nominal)
    assert (
        "w: numbers in 'kg' in 'a.csv', numbers in 'g' in 'b.csv', read as nominal; --numeric w to change"
        in table.notes
    )
    plain, money = lines(tmp_path / "c.csv", "w", "5", "6", "7"), lines(tmp_path / "d.csv", "w", "$8", "$1,900")
    assert hornbeam.read([plain, money]).column("w").tolist() == [5, 6, 7, 8, 1900]
