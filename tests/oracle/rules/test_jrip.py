"""RIPPER's rules are the reference program's, character by character, and so is every cross-validated prediction."""

from __future__ import annotations

import pytest
from oracle import evidence
from oracle.rules.jrip_results import BAR, OPTIONS, Outcome, body_of, compare, complaints, learner
from oracle.rules.rule_answers import rule_answer

from hornbeam.learn.rules.ripper import RipperClassifier
from hornbeam.show import text


@pytest.mark.parametrize(("scheme", "data"), evidence.small_pairs(OPTIONS))
def test_small_set_is_identical(scheme: str, data: str) -> None:
    assert compare(scheme, data, default=False).difference == ""


def test_a_spoiled_answer_is_a_difference() -> None:
    stored = rule_answer("JRip", "iris")
    ours = text(learner("JRip").fit(stored.table), style="weka")
    assert ours == body_of(stored)
    for old, new in (("3.3", "3.4"), (">=", "<="), ("46.0", "45.0")):
        assert old in ours
        assert ours.replace(old, new) != body_of(stored)
    assert text(RipperClassifier(random_state=8).fit(stored.table), style="weka") != body_of(stored)


def test_a_default_that_is_less_accurate_is_found_out() -> None:
    assert complaints([Outcome("JRip", "iris", "", BAR), Outcome("JRip-P", "iris", "", None)]) == []
    assert len(complaints([Outcome("JRip", "iris", "", BAR - 0.2), Outcome("JRip", "vote", "", BAR + 0.1)])) == 1
