"""Dates as people write them, and their parts as columns."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
import pytest

import hornbeam
from hornbeam.data import dates
from hornbeam.data.columns.date_parts import MONTHS, WEEKDAYS
from hornbeam.data.columns.written_dates import read_dates
from hornbeam.data.examine import examine
from hornbeam.data.schema import Nominal, Numeric

if TYPE_CHECKING:
    from pathlib import Path


def pattern(*texts: str, prefer: tuple[str, ...] = ()) -> tuple[str, str | None] | None:
    read = read_dates(texts, np.ones(len(texts)), prefer)
    return None if read is None else (read.pattern, read.other)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["31/12/2023", "01/02/2023"], "%d/%m/%Y"),
        (["12/31/2023", "1/2/2023"], "%m/%d/%Y"),
        (["31.12.2023 14:00", "1.2.2023 03:05"], "%d.%m.%Y %H:%M"),
        (["01.02.2023", "03.04.2023"], "%d.%m.%Y"),
        (["Dec 31, 2023", "Jan 1, 2024"], "%b %d, %Y"),
        (["31 December 2023", "1 May 2023"], "%d %B %Y"),
        (["05-Jan-23", "06-Feb-23"], "%d-%b-%y"),
        (["2023/12/31", "2023/1/1"], "%Y/%m/%d"),
        (["2023-01-01T05:00:00Z", "2023-01-02T05:00:00+01:00"], "%Y-%m-%dT%H:%M:%S%z"),
        (["12/31/23 5:30 PM", "1/2/23 11:00 AM"], "%m/%d/%y %I:%M %p"),
        (["Mon, 02 Jan 2023 10:00:00"], "%a, %d %b %Y %H:%M:%S"),
        (["Jan 2023", "Feb 2023"], "%b %Y"),
        (["Jan-23", "Feb-22"], "%b-%y"),
        (["01/2023", "12/2022"], "%m/%Y"),
        (["20231231T140000", "20230101T000000"], "%Y%m%dT%H%M%S"),
        (["Sun Dec 31 14:00:00 2023"], "%a %b %d %H:%M:%S %Y"),
        (["Sun Dec 31 14:00:00 UTC 2023"], "%a %b %d %H:%M:%S %Z %Y"),
        (["Sun Dec 31 14:00:00 +0000 2023"], "%a %b %d %H:%M:%S %z %Y"),
        (["March 1st, 2022", "April 22nd, 2022"], "%B %d, %Y"),
        (["3. M\u00e4rz 2022", "4. Oktober 2022"], "%d. %B %Y"),
        (["3 mars 2022", "4 ao\u00fbt 2022"], "%d %B %Y"),
        (["1 de octubre de 2022", "2 de mayo de 2022"], "%d %B %Y"),
        (["03-Dez-22", "04-Mai-22"], "%d-%b-%y"),
        (["14:30", "15:45"], "%H:%M"),
    ],
)
def test_patterns(texts: list[str], expected: str) -> None:
    assert pattern(*texts) == (expected, None)


@pytest.mark.parametrize("texts", [["1/2", "3/4"], ["12-34-56", "11-22-33"], ["1.2.3", "1.10.2"], ["May 5", "x"]])
def test_other_texts_are_no_dates(texts: list[str]) -> None:
    assert pattern(*texts) is None


def test_day_and_month_are_told_apart_by_evidence() -> None:
    assert pattern("05/06/2023", "07/08/2023") == ("%m/%d/%Y", "%d/%m/%Y")
    assert pattern("05/06/2023", "07/08/2023", prefer=("%d/%m/%Y %H:%M",)) == ("%d/%m/%Y", None)
    assert pattern("01/02/2023", "01/03/2023") == ("%d/%m/%Y", "%m/%d/%Y")  # the first of every month
    assert pattern("1/1/2023", "2/1/2023", "3/1/2023") == ("%m/%d/%Y", "%d/%m/%Y")


def test_times_of_day_count_from_midnight() -> None:
    assert dates.parse_each(["00:01", "no"], "%H:%M")[0] == 60


def days(count: int = 60) -> list[datetime]:
    return [datetime(2023, 1, 1, tzinfo=UTC) + timedelta(days=3 * i, hours=5 * i % 24) for i in range(count)]


def write(path: Path, form: str) -> Path:
    rows = [f"{day.strftime(form)}|{'weekend' if day.weekday() > 4 else 'work'}\n" for day in days()]
    path.write_text("when|kind\n" + "".join(rows))
    return path


@pytest.mark.parametrize(
    "form",
    [
        "%Y-%m-%d %H:%M:%S",
        "%d/%m/%Y %H:%M",
        "%m/%d/%Y %H:%M",
        "%d.%m.%Y %H:%M",
        "%b %d, %Y %H:%M",
        "%Y-%m-%dT%H:%M:%SZ",
    ],
)
def test_a_date_is_used_by_its_parts(tmp_path: Path, form: str) -> None:
    """UX 5: dates were categories, or learned by heart."""
    table = hornbeam.read(write(tmp_path / "t.csv", form), target="kind")
    features = [table.schema.names[i] for i in table.schema.features]
    assert features == ["month of when", "weekday of when", "hour of when"]  # the year does not vary
    weekday = table.schema.columns[table.schema.position("weekday of when")]
    assert isinstance(weekday, Nominal)
    assert weekday.ordered
    shown = [(MONTHS[m], WEEKDAYS[w], h) for m, w, h in zip(*(table.column(f).tolist() for f in features), strict=True)]
    assert shown == [(day.strftime("%B"), day.strftime("%A"), day.hour) for day in days()]
    note = "when: a date, replaced by its month, weekday and hour; --keep when to use the date itself"
    assert f"{note}, --date-parts for other parts" in table.notes


def test_keep_uses_the_date_itself(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "%d/%m/%Y")
    table = hornbeam.read(path, target="kind", keep=["when"])
    assert [table.schema.columns[i] for i in table.schema.features] == [Numeric("when", "%d/%m/%Y")]
    named = hornbeam.read(path, target="kind", dates={"when": "%d/%m/%Y"}, keep=["when"])
    np.testing.assert_array_equal(table.column("when"), named.column("when"))


def test_dates_that_can_be_swapped_are_pointed_out(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("when,y\n" + "".join(f"0{1 + i % 9}/0{1 + i % 7}/2023,{i}.5\n" for i in range(30)))
    with pytest.warns(hornbeam.DataWarning, match=r"could be swapped; dates={'when': '%d/%m/%Y'} to change"):
        swapped = hornbeam.read(path, target="y")
    given = hornbeam.read(path, target="y", dates={"when": "%d/%m/%Y"})
    assert swapped.column("month of when").tolist() != given.column("month of when").tolist()


def test_digits_are_dates_only_where_all_are(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("d,n,y\n" + "".join(f"202301{10 + i},{20230110 + 7 * i},{i * i}.5\n" for i in range(15)))
    table = hornbeam.read(path, target="y")
    assert table.schema.columns[0] == Numeric("d", "%Y%m%d")
    assert table.schema.columns[table.schema.position("n")] == Numeric("n")  # 20230131 + 7 is no date


def test_a_model_needs_only_the_original_column(tmp_path: Path) -> None:
    table = hornbeam.read(write(tmp_path / "t.csv", "%d/%m/%Y"), target="kind")
    tree = hornbeam.C45Classifier().fit(table)
    tree.save(tmp_path / "m.hornbeam")
    model = hornbeam.load(tmp_path / "m.hornbeam")
    texts = hornbeam.read({"when": ["07/01/2023", "09/01/2023"]}, nominal=["when"])  # a Saturday and a Monday
    assert model.predict(texts).tolist() == ["weekend", "work"]


def test_months_of_other_languages_are_the_months(tmp_path: Path) -> None:
    names = ["Januar", "Februar", "M\u00e4rz", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober"]
    path = tmp_path / "t.csv"
    path.write_text("day,x\n" + "".join(f"{i + 1}. {names[i]} 2022,{i * i}\n" for i in range(10)), encoding="utf-8")
    table = hornbeam.read(path)
    assert [dates.show(value, "%Y-%m-%d") for value in table.column("day")] == [
        f"2022-{month:02d}-{month:02d}" for month in range(1, 11)
    ]


def test_parts_can_be_chosen_and_are_computed_again(tmp_path: Path) -> None:
    days = [datetime(2023, 1, 5, tzinfo=UTC) + timedelta(days=i) for i in range(60)]
    kinds = ["late" if i >= 30 else "early" for i in range(60)]
    path = tmp_path / "t.csv"
    rows = "".join(
        f"{day:%d/%m/%Y},{i * 7 % 5}.5,{kind}\n" for i, (day, kind) in enumerate(zip(days, kinds, strict=True))
    )
    path.write_text("when,x,kind\n" + rows, encoding="utf-8")
    table = hornbeam.read(path, target="kind", date_parts={"when": ["day", "days"]})
    assert table.schema.names == ("when", "day of when", "days of when since 2023-01-05", "x", "kind")
    assert table.column("day of when").tolist() == [day.day for day in days]
    assert table.column("days of when since 2023-01-05").tolist() == list(range(60))
    note = "when: a date, replaced by its day and days since 2023-01-05; --keep when to use the date itself"
    assert note in table.notes
    assert "says nothing about later dates; --order when" in next(
        one.message for one in examine(table) if one.kind == "calendar"
    )
    tree = hornbeam.C45Classifier().fit(table)
    new = hornbeam.read({"when": ["01/03/2023", "08/01/2023", "20/02/2023"], "x": [0.5, 0.5, 1.5]})
    assert tree.predict(new).tolist() == ["late", "early", "late"]
    with pytest.raises(
        hornbeam.data.errors.DataError, match="found 'century' as a part of dates; expected some of year"
    ):
        hornbeam.read(path, date_parts={"when": ["century"]})
    with pytest.raises(hornbeam.data.errors.DataError, match="no dates, so it has no parts"):
        hornbeam.read(path, date_parts={"x": ["year"]})


def test_times_with_a_zone_are_said_to_be_utc(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = "".join(f"2023-01-{i + 1:02d}T00:30:00+02:00,{i * i}\n" for i in range(20))
    path.write_text("when,x\n" + rows, encoding="utf-8")
    table = hornbeam.read(path)
    assert "when: times with a time zone, read as UTC" in table.notes
    assert dates.show(table.column("when")[1], "%Y-%m-%d %H:%M") == "2023-01-01 22:30"
    path.write_text("when,x\n" + rows.replace("+02:00", ""), encoding="utf-8")
    assert not any("UTC" in note for note in hornbeam.read(path).notes)
