"""Which columns of a file are left out, and what the target is."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING

import numpy as np
import pytest

import hornbeam
from hornbeam.data.notices import identifies_rows, numbers_rows
from hornbeam.data.schema import Nominal, Numeric

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hornbeam.data.table import Table

RNG = np.random.default_rng(3)
X = np.round(RNG.normal(size=40), 3).tolist()
CLASSES = ["a", "b", "b", "c"] * 10


def write(path: Path, **columns: Sequence[object]) -> Path:
    names = [name.replace("__", "") for name in columns]
    rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join([",".join(names), *rows]) + "\n")
    return path


def features(table: Table) -> list[str]:
    return [table.schema.names[i] for i in table.schema.features]


@pytest.mark.parametrize(
    ("name", "values", "why"),
    [
        ("__", range(1, 41), "column1: numbers the rows (1, 2, ...) and is left out; --keep column1 to use it"),
        ("index", range(40), "index: numbers the rows (0, 1, ...) and is left out; --keep index to use it"),
        ("anything", range(1, 41), "anything: numbers the rows (1, 2, ...) and is left out; --keep anything to use it"),
        (
            "shuffled",
            RNG.permutation(40) + 1,
            "shuffled: holds each integer from 1 to 40 once and identifies rows, left out; --keep shuffled to use it",
        ),
        (
            "customer_id",
            RNG.choice(10_000, 40, replace=False),
            "customer_id: a different integer in every row identifies rows, left out; --keep customer_id to use it",
        ),
        (
            "ID",
            [*RNG.choice(10_000, 38, replace=False), 11_000, 11_000],
            "ID: 39 distinct integers in 40 rows identify rows, left out; --keep ID to use it",
        ),
        *(
            (
                name,
                RNG.choice(10_000, 40, replace=False),
                f"{name}: a different integer in every row identifies rows, left out; --keep {name} to use it",
            )
            for name in ("docno", "distcod", "code", "site", "patient")
        ),
        (
            "name",
            [f"n{i}x" for i in range(40)],
            "name: 40 categories in 40 rows identify rows, left out; --keep name to use it",
        ),
        (
            "comment",
            [f"this is the text number {i} of all" for i in range(40)],
            (
                "comment: texts of about 8 words, left out; --text comment to use the words, "
                "--keep comment to use texts as categories"
            ),
        ),
    ],
)
def test_columns_that_name_rows_are_left_out(tmp_path: Path, name: str, values: Sequence[object], why: str) -> None:
    """UX 2: a row number was learned from, and 99.9% were right."""
    path = write(tmp_path / "t.csv", **{name: values}, x=X, y=CLASSES)
    with pytest.warns(hornbeam.DataWarning, match="left out"):
        table = hornbeam.read(path, target="y")
    assert features(table) == ["x"]
    assert why in table.notes
    kept = hornbeam.read(path, target="y", keep=[0])
    assert features(kept) == [table.schema.names[0], "x"]


def test_what_is_not_left_out(tmp_path: Path) -> None:
    rising = [3 * i for i in range(40)]
    years = range(1981, 2021)
    few = ["n1", "n2", "n3", "n4"] * 10
    table = hornbeam.read(write(tmp_path / "t.csv", rising=rising, year=years, few=few, x=X, y=CLASSES), target="y")
    assert features(table) == ["rising", "year", "few", "x"]
    ranks = write(tmp_path / "r.csv", a=RNG.permutation(40), b=RNG.permutation(40), x=X, y=CLASSES)
    assert features(hornbeam.read(ranks, target="y")) == ["a", "b", "x"]  # several are ranks
    alone = hornbeam.read(write(tmp_path / "u.csv", row=range(40), y=CLASSES), target="y")
    assert features(alone) == ["row"]  # there is no other
    goal = hornbeam.read(write(tmp_path / "v.csv", x=X, row=range(40)), target="row")
    assert goal.schema.target_column.name == "row"
    weighted = hornbeam.read(write(tmp_path / "w.csv", x=X, row=range(1, 41), y=CLASSES), target="y", weight="row")
    assert features(weighted) == ["x"]
    assert not any("left out" in note for note in weighted.notes)


def test_arff_files_and_example_sets_say_what_their_columns_are(tmp_path: Path) -> None:
    rows = "".join(f"{i},{x},{i % 2}\n" for i, x in enumerate(X))
    header = "@relation r\n@attribute row numeric\n@attribute x numeric\n@attribute y numeric\n@data\n"
    (tmp_path / "t.arff").write_text(header + rows)
    table = hornbeam.read(tmp_path / "t.arff", target="y")
    assert features(table) == ["row", "x"]
    assert table.schema.target_column == Numeric("y")
    assert table.notes == ()
    again = hornbeam.read(table, target="y")
    assert again.schema == table.schema
    table.write(tmp_path / "t.parquet")
    assert hornbeam.read(tmp_path / "t.parquet").schema.roles == table.schema.roles


def test_data_frames_keep_their_columns_and_warn() -> None:
    frame = {"index": list(range(40)), "x": X, "y": CLASSES}
    with pytest.warns(hornbeam.DataWarning, match="the column 'index' only numbers the rows"):
        table = hornbeam.read(frame, target="y")
    assert features(table) == ["index", "x"]


def test_few_rows_are_numbered_only_by_a_name_that_says_so() -> None:
    numbers = np.arange(1.0, 6.0)
    assert numbers_rows(Numeric("rownames"), numbers)
    assert not numbers_rows(Numeric("dose"), numbers)
    assert not numbers_rows(Numeric("year"), np.arange(1950.0, 2000.0))
    assert identifies_rows(Numeric("dose"), RNG.permutation(40).astype(float)) is not None
    assert identifies_rows(Numeric("dose"), RNG.choice(1000, 40, replace=False).astype(float)) is None


@pytest.mark.parametrize(("low", "high"), [(0, 1), ("0.0", "1.0"), (1, 2)])
def test_a_target_of_two_values_is_a_class(tmp_path: Path, low: object, high: object) -> None:
    """UX 3: a target of 0 and 1 became a regression."""
    path = write(tmp_path / "t.csv", x=X, default=[low, high] * 20)
    with pytest.warns(hornbeam.DataWarning, match="read as classes"):
        table = hornbeam.read(path, target="default")
    texts = [str(int(float(str(one)))) for one in (low, high)]
    assert table.schema.target_column == Nominal("default", tuple(texts))
    assert table.target_values().tolist() == [0, 1] * 20
    assert (
        f"default: two values, {texts[0]} and {texts[1]}, read as classes; --numeric default to change" in table.notes
    )
    named = hornbeam.read(path, target="default", numeric=["default"])
    assert named.schema.target_column == Numeric("default")
    assert hornbeam.read({"x": X, "d": [0, 1] * 20}, target="d").schema.target_column == Nominal("d", ("0", "1"))


def test_a_target_of_few_integers_is_asked_about_once(tmp_path: Path) -> None:
    table = hornbeam.read(write(tmp_path / "t.csv", x=X, stars=[1, 2, 3, 4] * 10), target="stars")
    assert table.schema.target_column == Numeric("stars")
    assert [note for note in table.notes if note.startswith("stars: ")] == [
        "stars: the target has 4 distinct integers and is predicted as a number; --nominal stars to predict classes"
    ]


def test_texts_are_used_by_their_words(tmp_path: Path) -> None:
    good, bad = "a great place with great food here", "a bad place with slow service there"
    texts = [f"{(good, bad)[i % 2]} number{i}" for i in range(40)]
    table = hornbeam.read(write(tmp_path / "t.csv", review=texts, y=["p", "n"] * 20), target="y", text=["review"])
    assert "review: great" in features(table)
    assert "review" not in features(table)
    tree = hornbeam.C45Classifier().fit(table)
    assert tree.model_.predict(hornbeam.read({"review": [good, bad]}, text=[])).tolist() == ["p", "n"]
    with pytest.raises(ValueError, match="'x': numbers; expected texts"):
        hornbeam.read({"x": X, "y": CLASSES}, text=["x"])


@pytest.mark.parametrize("marker", ["#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "NaT", "\\N"])
def test_markers_that_are_always_missing(tmp_path: Path, marker: str) -> None:
    """UX 37."""
    table = hornbeam.read(
        write(tmp_path / "t.csv", x=[marker, *X[1:]], g=[marker, *CLASSES[1:]], y=CLASSES), target="y"
    )
    assert np.isnan(table.column("x")[0])
    assert table.column("g")[0] == -1


@pytest.mark.parametrize("marker", ["na", "n.a.", "N.A.", "Unknown", "TBD", "None", "-", "not available"])
def test_markers_among_numbers(tmp_path: Path, marker: str) -> None:
    table = hornbeam.read(write(tmp_path / "t.csv", x=[marker] * 5 + X[5:], y=CLASSES), target="y")
    assert table.schema.columns[0] == Numeric("x")
    assert np.isnan(table.column("x")[:5]).all()
    assert f"x: {marker!r} read as missing among numbers; --nominal x to change" in table.notes


@pytest.mark.parametrize("marker", ["(empty)", "keine Angabe", "see note"])
def test_the_only_word_among_numbers_means_missing(tmp_path: Path, marker: str) -> None:
    """A column of numbers was left out as an identifier, or became categories, for one word in some rows."""
    path = write(tmp_path / "t.csv", x=[marker] * 10 + X[10:], z=X, y=CLASSES)
    table = hornbeam.read(path, target="y")
    assert table.schema.columns[0] == Numeric("x")
    assert features(table) == ["x", "z"]
    assert np.isnan(table.column("x")).tolist() == [True] * 10 + [False] * 30
    assert f"x: {marker!r} read as missing among numbers; --nominal x to change" in table.notes
    again = write(tmp_path / "u.csv", x=[marker, *X[:3]], z=X[:4], y=CLASSES[:4])
    with pytest.raises(ValueError, match=re.escape(f"expected a number; missing=[{marker!r}] reads it as missing")):
        hornbeam.read(again, numeric=["x"], target="y")
    assert np.isnan(hornbeam.read(again, numeric=["x"], missing=[marker], target="y").column("x")[0])


@pytest.mark.parametrize(
    "cells", [["low"] * 5 + ["high"] * 5 + X[10:], ["low"] * 25 + X[25:], ["low"] * 5 + [1, 2, 3, 4, 5] * 7]
)
def test_several_words_or_many_are_categories(tmp_path: Path, cells: Sequence[object]) -> None:
    path = write(tmp_path / "t.csv", x=cells, z=X, y=CLASSES)
    column = hornbeam.read(path, target="y", keep=["x"]).schema.columns[0]
    assert isinstance(column, Nominal)
    assert "low" in column.categories


def test_why_a_column_that_is_left_out_is_not_numeric(tmp_path: Path) -> None:
    cells = ["low", "low", "high", "high", *np.round(RNG.normal(size=36), 6).tolist()]
    table = hornbeam.read(write(tmp_path / "t.csv", x=cells, z=X, y=CLASSES), target="y")
    assert features(table) == ["z"]
    assert [note.split(" for ")[0] for note in table.notes if note.startswith("x: ")] == [
        "x: read as nominal although most of its 38 values are numbers,",
        "x: 38 categories in 40 rows identify rows, left out; --keep x to use it",
    ]


def test_markers_among_categories_are_pointed_out(tmp_path: Path) -> None:
    cells = ["n.a.", "red", "unknown", "blue"] * 10
    table = hornbeam.read(write(tmp_path / "t.csv", color=cells, x=X, y=CLASSES), target="y")
    assert table.notes == ("color: 'n.a.' (10 rows) is a category; --missing n.a. to read it as missing",)


def test_warnings_can_be_silenced_and_fit_warns_of_frames() -> None:
    """UX 36: `fit` said nothing."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"Unnamed: 0": range(40), "id": [f"c{i}" for i in range(40)], "one": 1, "x": X})
    with pytest.warns(hornbeam.DataWarning) as caught:
        hornbeam.C45Classifier().fit(frame, CLASSES)
    assert sorted(str(one.message) for one in caught) == [
        "the column 'Unnamed: 0' only numbers the rows; leave it out?",
        "the column 'id' has a different category in nearly every row; leave it out?",
        "the column 'one' has the same value in every row",
    ]
    assert {one.filename for one in caught} == {__file__}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", hornbeam.DataWarning)
        hornbeam.C45Classifier().fit(frame, CLASSES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hornbeam.C45Classifier().fit(frame[["x"]], CLASSES)


def test_fit_warns_of_columns_that_determine_the_target() -> None:
    """UX 36: `hornbeam learn` named leaks, `fit` did not."""
    pandas = pytest.importorskip("pandas")
    many = [f"k{i % 20}" for i in range(600)]
    rng = np.random.default_rng(1)
    frame = pandas.DataFrame(
        {
            "copy": [one.upper() for one in many],  # each value has one class
            "range": np.arange(600) // 30 + rng.uniform(0, 0.5, 600),  # each class has its own range, in another order
            "plate": [f"p{i}" for i in rng.integers(0, 100, 600)],  # many categories
            "noise": rng.normal(size=600),
        }
    )
    by_range = [f"k{i // 30}" for i in range(600)]
    for target, leak, how in (
        (many, "copy", "each of its values"),
        (by_range, "range", "each class has its own range"),
    ):
        for call in (
            lambda target=target: hornbeam.C45Classifier().fit(frame, target),
            lambda target=target: hornbeam.read(frame.assign(y=target), target="y"),
        ):
            with pytest.warns(hornbeam.DataWarning) as caught:
                call()
            said = [str(one.message) for one in caught]
            assert [one.split()[0] for one in said] == ["'plate'", repr(leak)]
            assert how in said[1]
            assert "which a model may memorize; ignore=['plate']?" in said[0]
    number = frame.noise * 3 + 1
    with pytest.warns(hornbeam.DataWarning, match="'noise' alone determines the target .*: it is a linear function"):
        hornbeam.CartRegressor().fit(frame[["noise", "range"]], number)


@pytest.mark.parametrize("rows", [15, 900, 3_000])
def test_the_quick_search_for_leaks_finds_what_the_full_one_does(rows: int) -> None:
    from hornbeam.data.examine import examine, examine_target

    for seed in range(40):
        rng = np.random.default_rng(seed)
        codes = rng.integers(0, 3, rows)
        truth = np.array(["a", "b", "c"])[codes]
        columns = {
            "few": codes * 10 + rng.integers(0, 3, rows),
            "mixed": np.where(rng.random(rows) < 2 / rows, 99, codes),
            "split": codes + rng.random(rows) * (1.0 if seed % 2 else 1.01),
            "free": rng.normal(size=rows),
            "gaps": np.where(rng.random(rows) < 0.3, np.nan, codes),
        }
        table = hornbeam.read(columns | {"y": truth}, target="y")
        wanted = [one for one in examine(table) if one.kind == "gives-away"]
        assert examine_target(table) == wanted
        numbers = hornbeam.read(columns | {"y": columns["free"] * -2 + 5}, target="y")
        assert examine_target(numbers) == [one for one in examine(numbers) if one.kind == "gives-away"]


def test_codes_among_numbers_make_them_codes(tmp_path: Path) -> None:
    """Stations such as 117 and c168: several codes of letters and digits are not cells without a number."""
    numbers = [100 + i // 2 for i in range(120)]
    several = write(tmp_path / "several.csv", station=["c168", "c204", *numbers], x=range(0, 244, 2))
    assert isinstance(hornbeam.read(several).schema.columns[0], Nominal)
    one = write(tmp_path / "one.csv", station=["c168", "c168", *numbers], x=range(0, 244, 2))
    assert isinstance(hornbeam.read(one).schema.columns[0], Numeric)


def test_a_name_for_y_gets_a_hint() -> None:
    with pytest.raises(ValueError, match="no column is called 'species'; the columns are 'x0'"):
        hornbeam.C45Classifier().fit(np.zeros((3, 1)), "species")
