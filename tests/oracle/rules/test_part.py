"""PART's rules are the reference program's, character by character, and so is every cross-validated prediction."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import evidence
from oracle.rules.part_results import BAR, SCHEMES, Outcome, Simplified, body_of, complaints, difference, learner
from oracle.rules.rule_answers import rule_answer

from hornbeam.learn.rules.part import PartClassifier
from hornbeam.show import text


@pytest.mark.parametrize(("scheme", "data"), evidence.small_pairs(SCHEMES))
def test_small_set_is_identical(scheme: str, data: str) -> None:
    assert difference(scheme, data) == ""


@pytest.mark.parametrize("data", ["iris", "glass", "hepatitis", "vote"])
def test_the_default_answers_as_the_program_does(data: str) -> None:
    # only the conditions of a rule are merged, which changes no prediction
    stored = rule_answer("PART", data)
    assert np.array_equal(stored.cross_validated(PartClassifier), stored.codes)


def test_a_spoiled_answer_is_a_difference() -> None:
    stored = rule_answer("PART", "iris")
    ours = text(learner("PART").fit(stored.table), style="weka")
    assert ours == body_of(stored)
    for old, new in (("0.6", "0.7"), ("<=", ">"), ("48.0", "47.0")):
        assert old in ours
        assert ours.replace(old, new) != body_of(stored)
    assert text(PartClassifier(min_samples_leaf=20).fit(stored.table), style="weka") != body_of(stored)


def test_a_default_that_is_less_accurate_is_found_out() -> None:
    good = Simplified(BAR, 6, 10)
    assert complaints([Outcome("PART", "iris", "", BAR, good)]) == []
    assert len(complaints([Outcome("PART", "iris", "", BAR - 0.1, good)])) == 1
    assert len(complaints([Outcome("PART", "iris", "", BAR, Simplified(BAR - 0.1, 7, 10))])) == 2
