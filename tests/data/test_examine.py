"""What is said about a table before learning, and its description."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from hornbeam.data import examples
from hornbeam.data.errors import DataError
from hornbeam.data.examine import count_duplicates, describe, examine
from hornbeam.data.read import read
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table


def table_of(**columns: list[str | float | None]) -> Table:
    return read({name: values for name, values in columns.items()}).with_target(-1)  # noqa: C416 (a plain dict)


def kinds(table: Table) -> list[tuple[str, str | None]]:
    return [(finding.kind, finding.column) for finding in examine(table)]


CLASSES: list[str | float | None] = ["a", "b", "b", "a", "c"] * 10


def test_nothing_to_say() -> None:
    rng = np.random.default_rng(0)
    assert examine(table_of(n=list(rng.normal(size=50)), y=CLASSES)) == []


def test_identifiers() -> None:
    numbers = list(np.random.default_rng(0).permutation(50) + 3.0)
    assert kinds(table_of(i=[f"row {i}" for i in range(50)], y=CLASSES)) == [("identifier", "i")]
    assert kinds(table_of(i=[2.0 * i for i in range(50)], y=CLASSES)) == [("identifier", "i")]
    assert kinds(table_of(i=numbers, y=CLASSES)) == [("identifier", "i")]


def test_times_are_not_called_row_numbers() -> None:
    for values in ([1871.0 + i for i in range(50)], [1949 + i / 12 for i in range(50)]):
        (finding,) = examine(table_of(time=values, y=CLASSES))
        assert (finding.kind, finding.column) == ("calendar", "time")
        assert "'time' is time, one step per row (" in finding.message
        assert finding.message.endswith("; --order time evaluates it on later rows")
    assert kinds(table_of(time=[50.0 - i for i in range(50)], y=CLASSES)) == [("identifier", "time")]
    assert kinds(table_of(age=[float(i) for i in range(50)], y=CLASSES)) == [("identifier", "age")]


def test_identifiers_that_several_rows_share() -> None:
    others: dict[str, list[str | float | None]] = {"n": list(np.random.default_rng(0).normal(size=50)), "y": CLASSES}
    patients: list[str | float | None] = [float(i // 2) for i in range(50)]
    (finding,) = examine(table_of(**{"patient.id": patients}, **others))
    assert finding.kind == "groups"
    assert finding.message == (
        "'patient.id' has 25 values in 50 rows and seems to identify groups of rows; "
        "--group patient.id keeps such rows together, --ignore patient.id leaves it out"
    )
    assert kinds(table_of(ID=[f"X{i // 2}" for i in range(50)], **others)) == [("groups", "ID")]
    for name in ("acid", "grid", "bid", "x"):
        assert kinds(table_of(**{name: patients}, **others)) == []
    assert kinds(table_of(id=[float(i % 7) for i in range(50)], **others)) == []  # few: categories
    assert kinds(table_of(id=[i / 4 for i in range(25)] * 2, **others)) == []  # no codes


def test_identifiers_of_small_tables() -> None:
    """A Day column beside the fourteen rows of the weather data; ordinary columns of few rows are left alone."""
    weather = read("weather")
    columns = {
        column.name: np.array(column.categories)[values].tolist()
        for column, values in zip(weather.schema.columns, weather.columns, strict=True)
    }  # type: ignore[union-attr]
    days: list[str | float | None] = [f"D{i}" for i in range(1, 15)]
    found = examine(read({"Day": days, **columns}, target="play"))
    assert [(one.kind, one.column) for one in found] == [("identifier", "Day")]
    assert found[0].message == "'Day' has 14 categories in 14 rows: it identifies rows; --ignore Day?"
    few = CLASSES[:14]
    assert kinds(table_of(i=[*days[:13], "D2"], y=few)) == []  # one comes twice
    assert ("identifier", "i") in kinds(table_of(i=[*days[:10], None, None, None, None], y=few))
    assert kinds(table_of(i=[float(i) for i in range(14)], y=few)) == []
    assert kinds(table_of(i=list(np.random.default_rng(0).normal(size=14)), y=few)) == []
    assert kinds(table_of(i=days[:7], y=few[:7])) == []  # too few to tell


def test_constant_and_all_missing() -> None:
    table = read(
        Table(
            Schema((Nominal("c", ("x", "y")), Numeric("m"), Numeric("n"), Nominal("y", ("a", "b")))),
            [[0, 0, -1], [np.nan] * 3, [1.0, 2.0, 4.0], [0, 1, 1]],
        ),
        target="y",
    )
    assert kinds(table) == [("constant", "c"), ("all-missing", "m")]
    assert "'x' in every row where it is known" in examine(table)[0].message


def test_columns_that_give_the_target_away() -> None:
    rng = np.random.default_rng(0)
    noise: list[str | float | None] = list(rng.normal(size=50))
    codes: list[str | float | None] = [f"code {y}" for y in CLASSES]
    ranges: list[str | float | None] = [{"a": 0.0, "b": 5.0, "c": 9.0}[str(y)] + rng.random() for y in CLASSES]
    assert kinds(table_of(n=noise, c=codes, y=CLASSES)) == [("gives-away", "c")]
    assert kinds(table_of(n=noise, c=ranges, y=CLASSES)) == [("gives-away", "c")]
    assert kinds(table_of(n=noise, y=[-32.0 + 1.8 * float(n or 0) for n in noise])) == [("gives-away", "n")]
    codes[0] = "code b"
    assert kinds(table_of(n=noise, c=codes, y=CLASSES)) == []


def test_duplicates_are_counted_over_used_columns() -> None:
    table = table_of(a=["x", "x", None, None, "z"], n=[1.5, 1.5, None, None, 2.5], y=["p", "p", "q", "q", "p"])
    assert count_duplicates(table) == 2
    assert kinds(table) == [("duplicates", None)]
    assert count_duplicates(table_of(a=["x"] * 3, k=["1", "2", "3"], y=["p"] * 3).assign({"k": "ignored"})) == 2


def test_duplicates_of_the_columns_that_are_used() -> None:
    table = table_of(a=["x", "x", "z"], k=["1", "2", "3"], y=["p", "p", "q"]).assign({"k": "ignored"})
    (finding,) = examine(table)
    assert finding.message == "1 of 3 rows is the same as an earlier row in every column that is used"


def test_spellings_and_markers_of_the_target() -> None:
    numbers: list[str | float | None] = list(np.random.default_rng(0).normal(size=50))
    assert kinds(table_of(n=numbers, y=["yes", "Yes", "no", "no", "NO"] * 10)) == [("spelling", "y")]
    assert kinds(table_of(n=numbers, y=[-999.0 if i % 10 == 0 else float(i) for i in range(50)])) == [("marker", "y")]


def test_targets_that_cannot_be_learned() -> None:
    assert kinds(table_of(n=[1.5, 2.5], y=["p", "p"])) == [("one-class", "y")]
    assert kinds(table_of(n=[1.5, 2.5], y=[None, None])) == [("no-target", "y")]
    assert kinds(read("weather").take([])) == [("no-rows", None)]


def test_describe() -> None:
    found = describe(read("labor"))
    assert (found.name, found.rows, found.target) == ("labor", 57, "class")
    assert found.balance == {"bad": 20 / 57, "good": 37 / 57}
    duration = found.columns[0]
    assert (duration.kind, duration.missing, duration.distinct, duration.minimum, duration.maximum) == (
        "numeric",
        1,
        3,
        1,
        3,
    )
    assert found.columns[-1].counts == (20, 37)
    assert json.loads(json.dumps(found.to_json()))["rows"] == 57
    dates = Table(Schema((Numeric("d", "%Y-%m-%d"), Numeric("m"))), [[0.0, 172800.0], [np.nan, np.nan]])
    first, second = describe(dates).columns
    assert (first.kind, first.minimum, first.mean, first.maximum) == ("date", "1970-01-01", "1970-01-02", "1970-01-03")
    assert (second.distinct, second.mean) == (0, None)


def test_the_mean_of_huge_numbers_is_finite() -> None:
    assert describe(Table(Schema((Numeric("n"),)), [[1.5e308, 1.5e308]])).columns[0].mean == pytest.approx(1.5e308)


def test_example_sets() -> None:
    sizes = {name: (len(read(name)), len(read(name).schema.columns)) for name in examples.names()}
    assert sizes == {
        "auto-mpg": (398, 8), "casablanca": (8, 2), "contact-lenses": (24, 5), "cpu": (209, 7), "credit-g": (1000, 21),
        "glass": (214, 10), "iris": (150, 5), "labor": (57, 17), "servo": (167, 5), "vote": (435, 17),
        "weather": (14, 5), "weather.nominal": (14, 5), "weather.numeric": (14, 5),
    }  # fmt: skip
    assert all(read(name).schema.target == len(read(name).schema.columns) - 1 for name in examples.names())
    casablanca = read("casablanca")
    assert casablanca.column("likes").tolist() == [0, 1, 0, 1, 1, 0, 0, 1]
    assert read("iris", target=0).schema.target_column.name == "sepallength"
    assert all(examples.summary(name) for name in examples.names())
    with pytest.raises(DataError, match="no example set"):
        examples.load("nonsense")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"delimiter": ";"}, "delimiter"),
        ({"header": False}, "header"),
        ({"encoding": "latin-1", "skip_rows": 2}, "skip_rows, encoding"),
    ],
)
def test_options_of_text_files_are_refused_for_example_sets(options: dict[str, Any], named: str) -> None:
    with pytest.raises(DataError, match=f"'iris' is an example set; {named} can only be given for files"):
        read("iris", **options)


def test_a_file_comes_before_an_example_of_its_name(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(str(tmp_path))
    with open("iris", "w") as file:  # noqa: PTH123 (the plain name is the point)
        file.write("a,b\n1.5,x\n")
    assert len(read("iris")) == 1
