"""G16 of the golden figures: the significance of a rule, by the hypergeometric distribution and by the binomial one."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, hypergeom

from hornbeam.learn.rules.significance import log_significance, rule_significance


def test_the_printed_example() -> None:
    assert rule_significance(2, 6, 3, 10) == pytest.approx(2 / 3, rel=1e-12)
    assert rule_significance(2, 6, 3, 10, "binomial") == pytest.approx(0.509, abs=5e-4)


@st.composite
def rules(draw: st.DrawFn, most: int = 60) -> tuple[int, int, int, int]:
    total = draw(st.integers(1, most))
    of_class = draw(st.integers(0, total))
    covered = draw(st.integers(1, total))
    right = draw(st.integers(max(0, covered + of_class - total), min(covered, of_class)))
    return right, covered, of_class, total


@given(rules())
def test_sums_of_probabilities(rule: tuple[int, int, int, int]) -> None:
    right, covered, of_class, total = rule
    picks = range(right, min(covered, of_class) + 1)
    exact = math.fsum(hypergeom.pmf(pick, total, of_class, covered) for pick in picks)
    assert rule_significance(*rule) == pytest.approx(exact, rel=1e-10)
    with_return = math.fsum(binom.pmf(pick, covered, of_class / total) for pick in picks)
    assert rule_significance(*rule, "binomial") == pytest.approx(with_return, rel=1e-10)


@given(rules(), st.integers(20, 50))
def test_large_numbers_have_the_same_formula(rule: tuple[int, int, int, int], times: int) -> None:
    right, covered, of_class, total = (times * number + 0 * times for number in rule)
    exact = log_significance(right, covered, of_class, total)
    # weights that are not quite whole take the other way, by the gamma function
    assert log_significance(right, covered, of_class, total + 1e-13 * total) == pytest.approx(exact, rel=1e-6, abs=1e-6)


def test_a_rule_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="a rule covers 5 right of 4"):
        rule_significance(5, 4, 6, 10)
    with pytest.raises(ValueError, match="covers 11 of 10"):
        rule_significance(3, 11, 6, 10)
