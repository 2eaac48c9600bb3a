"""Measures of rules: what they prefer, and that the compiled ones are these."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam.learn.rules.score import WORTHS, correct, gain, margin, share, significance
from hornbeam.learn.rules.significance import log_significance


@st.composite
def counts(draw: st.DrawFn) -> tuple[float, float, float, float]:
    """Right, covered, of the class and all."""
    right, wrong = draw(st.integers(0, 50)), draw(st.integers(0, 50))
    return right, right + wrong, right + draw(st.integers(0, 50)), right + wrong + draw(st.integers(50, 100))


@given(counts())
def test_margin_orders_as_the_share_does(figures: tuple[float, float, float, float]) -> None:
    assert margin(*figures) == pytest.approx(2 * share(*figures) - 1)


@given(counts())
def test_correct_is_the_share_of_all_rows_that_are_right(figures: tuple[float, float, float, float]) -> None:
    right, covered, of_class, total = figures
    left_out = total - of_class - (covered - right)
    assert correct(*figures) == pytest.approx((right + left_out) / total)


def test_significance_grows_with_what_is_right() -> None:
    found = [significance(right, 10, 20, 60) for right in range(11)]
    assert found == sorted(found)
    assert found[5] == -log_significance(5, 10, 20, 60)


@pytest.mark.parametrize("name", sorted(WORTHS))
def test_a_rule_that_covers_nothing_has_a_worth(name: str) -> None:
    assert WORTHS[name](0, 0, 5, 10) <= WORTHS[name](5, 5, 5, 10)


def test_gain_counts_bits_of_the_rows_left_of_the_class() -> None:
    assert gain(3, 3, 4, 8) == pytest.approx(3.0)
    assert gain(0, 5, 4, 8) == 0.0
    assert gain(2, 4, 4, 8) == pytest.approx(0.0)
    assert gain(3, 3, 4, 8, added=1) < gain(3, 3, 4, 8)


def test_significance_of_very_large_weights() -> None:
    """Sums of terms would take as many steps as the root of the weights."""
    exact = log_significance(4.0e8, 5e8, 3e8 + 2e8, 1e9)
    for factor in (10.0, 1e6, 1e18):
        found = log_significance(4.0e8 * factor, 5e8 * factor, 5e8 * factor, 1e9 * factor)
        assert found == pytest.approx(exact * factor, rel=1e-6)
    assert log_significance(2e20, 5e20, 5e20, 1e21) == pytest.approx(0.0, abs=1e-9)  # worse than chance


def test_significance_forgives_what_rounding_leaves_of_large_weights() -> None:
    assert log_significance(1e15 + 1, 1e15, 2e15, 3e15) <= 0
    with pytest.raises(ValueError, match="expected right <= covered"):
        log_significance(1.1e15, 1e15, 2e15, 3e15)
