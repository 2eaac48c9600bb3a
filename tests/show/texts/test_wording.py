"""Names and numbers in words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hornbeam.show.texts.wording import amounts, number, printable, width


@given(st.text())
def test_a_printable_name_is_printable(name: str) -> None:
    shown = printable(name)
    assert len(shown.splitlines()) <= 1
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in shown)


@given(st.text(alphabet=st.characters(exclude_categories=["C", "Z"])))
def test_an_ordinary_name_is_left_alone(name: str) -> None:
    assert printable(name) == name


@given(st.text(), st.integers(2, 30))
def test_a_limit_is_kept(name: str, limit: int) -> None:
    assert width(printable(name, limit)) <= limit


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_written_to_six_digits(value: float) -> None:
    assert abs(float(number(value)) - value) <= max(0.5000001e-6, 5.1e-6 * abs(value))
    assert number(value) != "-0"


@given(st.lists(st.integers(0, 10**9)))
def test_whole_weights_are_written_whole(values: list[int]) -> None:
    assert amounts([float(v) for v in values]) == [str(v) for v in values]
