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
    assert "when: a date, used by its month, weekday and hour; --keep when to use the date itself" in table.notes


def test_keep_uses_the_date_itself(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "%d/%m/%Y")
    table = hornbeam.read(path, target="kind", keep=["when"])
    assert [table.schema.columns[i] for i in table.schema.features] == [Numeric("when", "%d/%m/%Y")]
    named = hornbeam.read(path, target="kind", dates={"when": "%d/%m/%Y"}, keep=["when"])
    np.testing.assert_array_equal(table.column("when"), named.column("when"))


def test_dates_that_can_be_swapped_are_pointed_out(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("when,y\n" + "".join(f"0{1 + i % 9}/0{1 + i % 7}/2023,{i}.5\n" for i in range(30)))
    with pytest.warns(hornbeam.DataWarning, match="day and month could be swapped; --dates when=%d/%m/%Y to change"):
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
