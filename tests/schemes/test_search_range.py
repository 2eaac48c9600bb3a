"""Ranges of parameters: their numbers, their scale, and that every scheme learns at what it declares."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hornbeam
from hornbeam.schemes import SCHEMES, Parameter, Scheme
from hornbeam.schemes.scheme import Range

LOW = st.floats(1e-6, 1e3)
SCALES = st.sampled_from(["linear", "log"])


@given(LOW, st.floats(1.5, 1e6), SCALES, st.integers(2, 12))
def test_values_rise_from_one_end_to_the_other(low: float, times: float, scale: str, steps: int) -> None:
    searched = Range(low, low * times, scale, steps)  # type: ignore[arg-type]
    values = searched.values()
    assert values[0] == low
    assert values[-1] == low * times
    assert list(values) == sorted(set(values))
    assert all(isinstance(value, float) for value in values)


@given(st.integers(0, 5), st.integers(1, 500), st.integers(2, 12))
def test_whole_numbers(low: int, more: int, steps: int) -> None:
    values = Range(low, low + more, "whole", steps).values()
    assert all(isinstance(value, int) for value in values)
    assert (values[0], values[-1]) == (low, low + more)
    assert len(values) <= steps
    if more < steps:
        assert values == tuple(range(low, low + more + 1))


@given(LOW, st.floats(1.5, 1e6), SCALES, st.floats(0, 1))
def test_place_and_at_are_each_other_turned_round(low: float, times: float, scale: str, place: float) -> None:
    searched = Range(low, low * times, scale)  # type: ignore[arg-type]
    value = searched.at(place)
    exact = low * times**place if scale == "log" else low + low * (times - 1) * place
    assert value == pytest.approx(exact, rel=6e-3)  # three figures
    assert searched.at(searched.place(value)) == pytest.approx(value, rel=6e-3)


def test_powers_of_two_stay_what_they_are() -> None:
    assert Range(2.0**-5, 2.0**15, "log", 6).values() == tuple(2.0**e for e in (-5, -1, 3, 7, 11, 15))
    assert Range(2.0**-15, 2.0**3, "log", 7).between(2.0**-6, 2.0**-2) == 2.0**-4


def test_zero_is_below_every_ratio() -> None:
    assert Range(1e-8, 100, "log").place(0.0) == -math.inf


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 1), "from 1 to 1"),
        ((0, math.inf), "finite"),
        ((0, 1, "log"), "more than 0"),
        ((0, 1.5, "whole"), "whole numbers"),
        ((0, 1, "linear", 1), "1 steps"),
        ((0, 1, "square"), "linear, log or whole"),
    ],
)
def test_what_is_no_range_is_refused(arguments: tuple[float, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Range(*arguments)  # type: ignore[arg-type]


SEARCHED = [(scheme, p) for scheme in SCHEMES for p in scheme.parameters if p.search is not None]


@pytest.mark.parametrize(("scheme", "parameter"), SEARCHED, ids=lambda part: part.name)
def test_a_scheme_learns_at_the_ends_of_what_it_declares(scheme: Scheme, parameter: Parameter) -> None:
    table = hornbeam.read("iris" if scheme.predicts == "category" else "servo")
    assert parameter.search is not None
    values = parameter.search.values() if isinstance(parameter.search, Range) else parameter.search
    few = {"n_estimators": 3} if any(p.name == "n_estimators" for p in scheme.parameters) else {}
    for value in (values[0], values[-1]):
        learned = scheme.load()(**few, **{parameter.name: value}).fit(table)
        assert len(learned.predict(table)) == len(table)
