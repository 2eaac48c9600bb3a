"""Dates as numbers, and their patterns in two notations."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam.data import dates
from hornbeam.data.errors import DataError


@pytest.mark.parametrize(
    ("letters", "pattern"),
    [
        ("yyyy-MM-dd'T'HH:mm:ss", "%Y-%m-%dT%H:%M:%S"),
        ("yyyy-MM-dd HH:mm:ss.SSS", "%Y-%m-%d %H:%M:%S.%f"),
        ("d MMM yy", "%d %b %y"),
        ("EEEE, d MMMM yyyy hh 'o''clock' a", "%A, %d %B %Y %I o'clock %p"),
        ("yyyy''DDD", "%Y'%j"),
        ("HH%mm Z", "%H%%%M %z"),
    ],
)
def test_letters_become_a_pattern(letters: str, pattern: str) -> None:
    assert dates.from_letters(letters) == pattern
    back = dates.to_letters(pattern)
    assert back is not None
    assert dates.from_letters(back) == pattern


def test_letters_and_directives_without_counterpart() -> None:
    with pytest.raises(DataError, match="'QQ'"):
        dates.from_letters("yyyy-QQ")
    assert dates.to_letters("%Y-%U") is None


@given(st.integers(-62_000_000_000, 253_000_000_000))
def test_what_is_shown_reads_back(seconds: int) -> None:
    assert dates.parse(dates.show(seconds, dates.SECOND), dates.SECOND) == seconds


def test_years_out_of_range_and_zones() -> None:
    assert dates.show(1e15, dates.DAY) == "1e+15 s"
    assert dates.parse("1970-01-01T01:00:00+0100", "%Y-%m-%dT%H:%M:%S%z") == 0
    assert dates.show(-62135596800, dates.DAY) == "0001-01-01"


@pytest.mark.parametrize(
    "module", ["hornbeam.data.table", "hornbeam.data.read", "hornbeam.data.examples", "hornbeam.data.examine"]
)
def test_heavy_libraries_are_not_imported(module: str) -> None:
    heavy = ("pyarrow", "pandas", "polars", "sklearn", "scipy")
    code = f"import sys, {module}; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_a_part_named_twice_is_refused() -> None:
    with pytest.raises(DataError, match="named before"):
        dates.from_letters("yy-yMdyy")
    with pytest.raises(DataError, match="twice"):
        dates.parse("2020 2020", "%Y %Y")
