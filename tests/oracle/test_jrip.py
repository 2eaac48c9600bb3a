"""RIPPER's rules are the reference program's, character by character, and so is every cross-validated prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle.rule_answers import RuleAnswer, rule_answer, shared_pairs, small_pairs

from hornbeam.learn.rules.ripper import RipperClassifier
from hornbeam.show import text

OPTIONS: dict[str, dict[str, Any]] = {
    "JRip": {},
    "JRip-P": {"prune": None},
    "JRip-O0": {"optimizations": 0},
    "w39-JRip": {"compat": "weka-3.9"},
}
SMALL, SHARED = small_pairs(tuple(OPTIONS)), shared_pairs(tuple(OPTIONS))
NO_ANSWER = {("JRip", "letter")}  # the program was stopped there
SEEDS = (None, 2, 3, 4, 5)
BAR = -0.3  # points of accuracy, on average


def learner(scheme: str) -> RipperClassifier:
    return RipperClassifier(**{"compat": "weka", **OPTIONS[scheme]})


def body_of(stored: RuleAnswer) -> str:
    assert stored.text is not None
    return stored.text.partition("===========\n\n")[2].rpartition("\n\nNumber of Rules")[0]


def check(scheme: str, data: str) -> None:
    stored = rule_answer(scheme, data)
    if stored.text is None:
        assert (scheme, data) in NO_ANSWER
        return
    assert text(learner(scheme).fit(stored.table), style="weka") == body_of(stored)
    assert np.array_equal(stored.cross_validated(lambda: learner(scheme)), stored.codes)


def better_by(data: str) -> float:
    """By how many points the default is better than the program, on average over seeds."""
    stored = rule_answer("JRip", data)
    truth = stored.table.target_values()
    ours = [
        np.mean(stored.cross_validated(lambda seed=seed: RipperClassifier(random_state=seed)) == truth)  # type: ignore[misc]
        for seed in SEEDS
    ]
    return 100 * float(np.mean(ours) - np.mean(stored.codes == truth))


@pytest.mark.parametrize(("scheme", "data"), SMALL)
def test_small_set_is_identical(scheme: str, data: str) -> None:
    check(scheme, data)


@pytest.mark.oracle
@pytest.mark.parametrize(("scheme", "data"), SHARED)
def test_shared_set_is_identical(scheme: str, data: str) -> None:
    check(scheme, data)


def test_no_small_answer_is_left_out() -> None:
    assert len(SMALL) == 44


@pytest.mark.oracle
def test_no_shared_answer_is_left_out() -> None:
    # Without the shared folder this fails, and does not skip: `make oracle` means all of them.
    assert len(SMALL) + len(SHARED) == 125


@pytest.mark.oracle
def test_the_default_is_as_accurate_on_average() -> None:
    sets = [pair[1] for pair in SMALL + SHARED if pair[0] == "JRip" and pair not in NO_ANSWER]
    assert len(sets) == 34
    assert np.mean([better_by(data) for data in sets]) >= BAR


def test_a_spoiled_answer_is_a_difference() -> None:
    stored = rule_answer("JRip", "iris")
    ours = text(learner("JRip").fit(stored.table), style="weka")
    assert ours == body_of(stored)
    for old, new in (("3.3", "3.4"), (">=", "<="), ("46.0", "45.0")):
        assert old in ours
        assert ours.replace(old, new) != body_of(stored)
    assert text(RipperClassifier(random_state=8).fit(stored.table), style="weka") != body_of(stored)
