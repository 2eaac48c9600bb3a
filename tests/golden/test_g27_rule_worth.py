"""G27 of the golden figures: what the three measures of a rule's worth prefer."""

from __future__ import annotations

import pytest

from hornbeam.learn.rules.score import correct, margin, share

OF_CLASS, TOTAL = 3000.0, 10000.0


def test_right_and_rightly_left_out_prefers_many_to_pure() -> None:
    assert correct(2000, 3000, OF_CLASS, TOTAL) > correct(1000, 1001, OF_CLASS, TOTAL)


def test_the_share_prefers_one_of_one_to_a_thousand_of_a_thousand_and_one() -> None:
    assert share(1, 1) > share(1000, 1001)


@pytest.mark.parametrize(("right", "covered"), [(1, 1), (1000, 1001), (3, 8), (0, 4)])
def test_right_less_wrong_is_the_share_in_another_unit(right: int, covered: int) -> None:
    assert margin(right, covered) == (right - (covered - right)) / covered
    assert margin(right, covered) == pytest.approx(2 * share(right, covered) - 1, abs=1e-15)
