"""What the commands do with the columns of ordinary files, and what they say about it."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np
import pytest

import hornbeam

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.cli.conftest import Command

RNG = np.random.default_rng(5)
ROWS = 60
X = [f"{value:.3f}" for value in RNG.normal(size=ROWS)]
KINDS = ["yes" if i < 40 else "no" for i in range(ROWS)]
NUMBERED = "column1: numbers the rows (1, 2, ...) and is left out; --keep column1 to use it"


def write(path: Path, delimiter: str = ",", **columns: Sequence[object]) -> Path:
    names = [name.removeprefix("_") for name in columns]
    rows = [delimiter.join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join([delimiter.join(names), *rows]) + "\n")
    return path


@pytest.fixture
def numbered(tmp_path: Path) -> Path:
    """A file as `to_csv` writes it: an unnamed column of row numbers, in the order of the classes."""
    return write(tmp_path / "rows.csv", _=range(1, ROWS + 1), x=X, constant=["k"] * ROWS, y=KINDS)


def test_row_numbers_are_not_learned_from(good: Command, numbered: Path) -> None:
    """UX 2: `column1 <= 656`, 99.9% right."""
    told = good("learn", numbered)
    assert NUMBERED in told.err
    assert "column1" not in told.out
    assert "column1 <=" in good("learn", numbered, "--keep", "column1").out


@pytest.mark.parametrize(
    "arguments",
    [
        ["learn", "DATA", "--cv", "0"],
        ["data", "DATA"],
        ["compare", "DATA", "--schemes", "one-r,c45", "--cv", "2"],
        ["curve", "DATA", "--of", "confusion", "--cv", "2"],
        ["cluster", "DATA"],
        ["report", "DATA", "--schemes", "one-r", "--cv", "2", "--output", "FILE"],
        ["learn", "DATA", "--tune", "confidence", "--tune-folds", "2", "--cv", "0"],
    ],
    ids=lambda arguments: "-".join(arguments[:1] + arguments[2:3]),
)
def test_every_command_prints_notes_and_warnings(
    good: Command, numbered: Path, tmp_path: Path, arguments: list[str]
) -> None:
    """UX 13: compare, report, curve and cluster printed none."""
    names = {"DATA": str(numbered), "FILE": str(tmp_path / "r.html")}
    told = good(*(names.get(one, one) for one in arguments))
    assert told.err.count(NUMBERED) == 1
    assert told.err.count("warning: 'constant' is 'k' in every row") == 1


def test_a_target_of_zero_and_one_is_a_class(good: Command, tmp_path: Path) -> None:
    """UX 3: R² -0.277 for a target of 0 and 1."""
    path, model = write(tmp_path / "t.csv", x=X, delayed=[int(float(x) > 0.3) for x in X]), tmp_path / "m.hornbeam"
    told = good("learn", path, "--save", model)
    assert "C4.5 tree for delayed" in told.out
    assert "delayed: two values, 0 and 1, read as classes; --numeric delayed to change" in told.err
    assert "60 of 60 rows right" in good("predict", model, path, "--proba").err
    assert "R²" in good("learn", path, "--numeric", "delayed").out


def test_many_classes_are_asked_about_first(good: Command, bad: Command, tmp_path: Path) -> None:
    """UX 4: 48 MB on the terminal."""
    path = write(tmp_path / "t.csv", x=X, town=[f"town {chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(ROWS)])
    told = bad("learn", path, "-t", "town")
    assert "'town' has 60 distinct values and would be predicted as classes" in told.err
    assert "--max-classes 60 to learn it anyway" in told.err
    good("learn", path, "-t", "town", "--max-classes", "60", "--cv", "0")


def test_money_is_a_number_and_new_files_are_read_the_same(good: Command, bad: Command, tmp_path: Path) -> None:
    """UX 4: `$1,234` was a class; a model must read new files as it read its own."""
    prices = [1000 + 37 * i for i in range(ROWS)]
    sizes = [f"{i}.5 kg" for i in range(ROWS)]
    path = write(tmp_path / "t.csv", ";", size=sizes, x=X, price=[f"${price:,}" for price in prices])
    model = tmp_path / "m.hornbeam"
    told = good("learn", path, "--save", model, "--cv", "0")
    assert "price: read as numbers without '$' and ',' between thousands" in told.err
    assert "size: read as numbers without 'kg'" in told.err
    assert "CART tree for price" in told.out
    all_rows = good("predict", model, path)
    assert "mean absolute error" in all_rows.err
    one = write(tmp_path / "one.csv", ";", size=["30.5 kg"], x=["0.1"])
    assert float(good("predict", model, one).out.split()[1]) == float(all_rows.out.split()[31])
    other = write(tmp_path / "other.csv", ";", size=["30 g", "40 g"], x=["0.1", "0.2"])
    assert "found numbers in 'g'; expected numbers in 'kg'" in bad("predict", model, other).err


def test_an_export_says_which_columns_are_computed(good: Command, tmp_path: Path) -> None:
    days = [f"2023-{1 + i % 12:02}-{1 + i % 27:02},{'ab'[i % 12 > 5]}" for i in range(120)]
    (tmp_path / "t.csv").write_text("\n".join(["day,kind", *days]), encoding="utf-8")
    good("learn", tmp_path / "t.csv", "--cv", 0, "--save", tmp_path / "m.hornbeam")
    said = good("export", tmp_path / "m.hornbeam", "-o", tmp_path / "m.sql").err
    assert "'month of day'" in said
    assert "computed from 'day': the other program needs them as columns" in said
    hornbeam.C45Classifier().fit(hornbeam.read("iris")).save(tmp_path / "iris.hornbeam")
    assert not good("export", tmp_path / "iris.hornbeam", "-o", tmp_path / "m.sql").err


def test_dates_are_used_by_their_parts_and_read_again(good: Command, tmp_path: Path) -> None:
    """UX 5: 31/12/2023 was a category, and there was no option for dates."""
    days = [date(2023, 1, 1) + timedelta(days=5 * i) for i in range(ROWS)]
    kinds = ["rest" if day.weekday() > 4 else "work" for day in days]
    path = write(tmp_path / "t.csv", when=[day.strftime("%d/%m/%Y") for day in days], x=X, kind=kinds)
    model = tmp_path / "m.hornbeam"
    told = good("learn", path, "--save", model)
    assert "when: a date, replaced by its month and weekday; --keep when to use the date itself" in told.err
    assert "weekday of when" in told.out
    assert "60 of 60 rows right" in good("predict", model, path).err
    # In this file alone, day and month could be swapped: 7 January 2023 was a Saturday, 1 July 2023 was one too;
    # 8 January was a Sunday, 1 August a Tuesday.
    new = write(tmp_path / "new.csv", when=["08/01/2023", "02/01/2023"], x=["0.1", "0.2"])
    assert good("predict", model, new).out.split() == ["kind", "rest", "work"]
    kept = good("learn", path, "--keep", "when", "--cv", "0")
    assert "says nothing about later dates; --order when evaluates it on later rows" in kept.err
    assert "%d/%m/%Y" in good("data", path).err
    assert "month of when" in good("data", path, "--dates", "when=%d/%m/%Y").out


def test_ambiguous_dates_name_the_option(good: Command, tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", when=[f"0{1 + i % 9}/0{1 + i % 7}/2023" for i in range(ROWS)], x=X, y=KINDS)
    assert "day and month could be swapped; --dates when=%d/%m/%Y to change" in good("data", path).err
    assert "swapped" not in good("data", path, "--dates", "when=%d/%m/%Y").err


def test_a_date_is_no_target(bad: Command, good: Command, tmp_path: Path) -> None:
    """UX 35: a date as the target was printed as 1275049461."""
    days = [date(2023, 1, 1) + timedelta(days=i * i) for i in range(ROWS)]
    path = write(tmp_path / "t.csv", x=X, y=KINDS, when=days)
    told = bad("learn", path, "-t", "when")
    assert "column 'when': the target is a date" in told.err
    assert "--numeric when to predict seconds since 1970" in told.err
    good("learn", path, "-t", "when", "--numeric", "when", "--cv", "0")
    assert "the target is 'y'" in good("learn", path, "--cv", "0").err


def test_decimal_and_thousands(good: Command, tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", ";", a=[f"1,{i:03d}" for i in range(ROWS)], y=KINDS)
    assert "1000 to 1059" in good("data", path, "--thousands", ",").out
    assert "1 to 1.059" in good("data", path, "--decimal", ",").out


def test_markers_and_spellings_are_pointed_out(good: Command, tmp_path: Path) -> None:
    """UX 37."""
    coded = [-999 if i % 10 == 0 else f"{i / 10:.1f}" for i in range(ROWS)]
    sexes = ["male", "MALE", "female"] * 20
    path = write(tmp_path / "t.csv", depth=coded, sex=sexes, x=X, y=KINDS)
    told = good("data", path).err
    assert (
        "'depth' is -999 in 6 rows, far from its other values (0.1 to 5.9); if that means missing, --missing -999"
        in told
    )
    assert "'sex' has categories that differ only by case or spaces: 'male' and 'MALE'" in told
    shown = good("data", path, "--missing", "-999").out
    assert "6 (10.0%)" in shown
    also = write(tmp_path / "u.csv", depth=["NA", *coded[1:]], x=X, y=KINDS)
    assert "6 (10.0%)" in good("data", also, "--missing", "-999").out  # NA is missing all the same


def test_texts_are_left_out_or_used_by_words(good: Command, tmp_path: Path) -> None:
    texts = [f"the {'good' if kind == 'yes' else 'poor'} one seen on day d{i} at noon" for i, kind in enumerate(KINDS)]
    path, model = write(tmp_path / "t.csv", note=texts, x=X, y=KINDS), tmp_path / "m.hornbeam"
    assert "note: texts of about 9 words, left out; --text note" in good("learn", path, "--cv", "0").err
    assert "note: good" in good("learn", path, "--text", "note", "--cv", "0", "--save", model).out
    assert "60 of 60 rows right" in good("predict", model, path).err


def test_categories_of_few_rows_never_win_silently(good: Command, tmp_path: Path) -> None:
    names = [f"n{i % 55}x" for i in range(ROWS * 2)]
    path = write(tmp_path / "t.csv", name=names, x=X * 2, y=KINDS * 2)
    assert "'name' has 55 categories in 120 rows, 2.2 rows each, which a model may memorize" in good("data", path).err


def test_tables_without_a_target_to_learn_are_refused_in_one_line(good: Command, bad: Command, tmp_path: Path) -> None:
    """The command `data` describes them all the same."""
    path = write(tmp_path / "t.csv", x=X, y=[""] * ROWS)
    for command in ("learn", "report", "compare"):
        assert (
            bad(command, path)
            .err.splitlines()[-1]
            .endswith("the target 'y' is missing in every row; name another column with --target")
        )
    assert "the target 'y' is missing in every row" in good("data", path).err
    empty = write(tmp_path / "empty.csv", x=[], y=[])
    for command in ("learn", "report", "compare"):
        assert "the table 'empty' has no rows; expected at least one below the header" in bad(command, empty).err
    assert "the table 'empty' has no rows" in good("data", empty).err
    many = write(tmp_path / "many.csv", x=X, y=[f"k{i % 55}" for i in range(ROWS)])
    assert "55 distinct values" in bad("learn", many).err
    assert "y" in good("data", many).out


def test_commands_that_use_a_model_print_how_a_file_was_read(good: Command, bad: Command, tmp_path: Path) -> None:
    """Every command says what it guessed about the file; columns are read as the model's were."""
    path, model = write(tmp_path / "t.csv", ";", x=X, y=KINDS), tmp_path / "m.hornbeam"
    good("learn", path, "--cv", "0", "--save", model)
    note = "delimiter: ';' found between values; --delimiter to change"
    commands = [
        ("predict", model, path),
        ("audit", model, path),
        ("diff", model, model, "--data", path),
        ("show", model, "--to", "rules", "--data", path),
    ]
    for command in commands:
        told = good(*command).err
        assert told.count(note) == 1, command
        assert "distinct" not in told
        assert good(*command, "-q").err == ""
    without = write(tmp_path / "u.csv", x=X)
    assert "the target 'y', a column that --data DATA does not have" in (
        bad("show", model, "--to", "rules", "--data", without).err
    )
    dirty = write(tmp_path / "d.csv", x=["oops", *X[1:]], y=KINDS)
    assert "x: 'oops' read as missing among numbers; --nominal x to change" in good("predict", model, dirty).err
    dirty = write(tmp_path / "e.csv", x=["oops 1", *X[1:]], y=KINDS)
    assert "x: 1 cell that is not a number read as missing ('oops 1' in row 1)" in good("predict", model, dirty).err


def test_times_of_day_are_read_again(good: Command, tmp_path: Path) -> None:
    times = [f"{i // 3:02d}:{i % 3 * 20:02d}" for i in range(ROWS)]
    path, model = write(tmp_path / "t.csv", at=times, y=KINDS), tmp_path / "m.hornbeam"
    told = good("learn", path, "--cv", "0", "--save", model)
    assert "at: times of day, in seconds; --nominal at to change" in told.err
    assert "60 of 60 rows right" in good("predict", model, path).err
    exact = write(tmp_path / "u.csv", at=[f"{time}:00" for time in times], y=KINDS)
    assert "60 of 60 rows right" in good("predict", model, exact).err
    hand = write(tmp_path / "v.csv", at=[time.lstrip("0") if time > "01" else time for time in times], y=KINDS)
    assert "60 of 60 rows right" in good("predict", model, hand).err  # 9:20


def test_a_number_is_suggested_only_where_the_target_may_be_one(bad: Command, tmp_path: Path) -> None:
    towns = bad("learn", write(tmp_path / "t.csv", x=X, y=[f"town {i}" for i in range(ROWS)])).err
    assert "--numeric" not in towns
    years = bad("learn", write(tmp_path / "u.csv", x=X, y=range(ROWS)), "--nominal", "y").err
    assert "--numeric y to predict numbers, --target to choose another column, or --max-classes 60" in years


def test_long_names_of_classes_stay_different(good: Command, tmp_path: Path) -> None:
    names = [f"a rather long name of the class {kind}" for kind in KINDS]
    out = good("learn", write(tmp_path / "t.csv", x=X, y=names), "--cv", "2").out
    assert "; a rather lon…e class yes 40, a rather lon…he class no 20" in out
    assert re.search(r"^a rather lon…e class yes +\d", out, re.MULTILINE)
