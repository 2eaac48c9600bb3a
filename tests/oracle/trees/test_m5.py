"""Model trees and their rules are the reference program's, character by character, and so are predictions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracle.trees.cubist_answers import Cubist, ask_for_cubist
from oracle.trees.m5_answers import ModelAnswer, large_pairs, model_answer, small_pairs
from oracle.trees.m5_results import (
    BAR,
    Outcome,
    body,
    compare,
    complaints,
    cross_validated,
    error,
    prediction_difference,
)

from hornbeam.learn.trees.model_trees.m5 import M5Regressor

SMALL = small_pairs()
pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")


@pytest.mark.parametrize(("scheme", "data"), SMALL)
def test_small_set_is_identical(scheme: str, data: str) -> None:
    assert compare(scheme, data).difference == ""


@pytest.mark.parametrize("scheme", ["M5P", "M5Rules"])
def test_a_spoiled_answer_is_a_difference(scheme: str) -> None:
    stored = model_answer(scheme, "cpu")
    found, leaves = body(stored)
    assert stored.same_text(found, leaves)
    for old, new in (("0.8007", "0.8008"), ("7.5", "7.6"), ("12.903", "12.902")):
        assert old in stored.text
        assert not replace(stored, text=stored.text.replace(old, new)).same_text(found, leaves)


def test_a_spoiled_prediction_is_a_difference() -> None:
    stored = model_answer("M5P", "cpu")
    assert stored.predictions is not None
    theirs = np.array(stored.predictions, float)
    assert prediction_difference(stored, theirs) == ""
    row = int(np.argmin(np.abs(theirs - stored.table.target_values())))
    spoiled = theirs + 0.01 * (np.arange(len(theirs)) == row)
    assert prediction_difference(stored, spoiled) == "1 predictions differ"
    assert prediction_difference(stored, theirs[::-1]).startswith("correlation")


def test_a_default_that_is_less_accurate_is_found_out() -> None:
    outcomes = [Outcome("M5P", "cpu", "", folds=True, ratio=BAR + 0.001), Outcome("M5P-N", "cpu", "", True, None)]
    assert len(complaints(outcomes)) == 1
    assert complaints([Outcome("M5P", "cpu", "", folds=True, ratio=BAR)]) == []


def sets() -> list[ModelAnswer]:
    return [model_answer(scheme, data) for scheme, data in SMALL + large_pairs() if scheme == "M5P"]


@pytest.mark.oracle
def test_five_committees_are_as_accurate_as_cubists() -> None:
    # The bar: on the same folds, the geometric mean of the ratios of our errors to those of Cubist with five committees
    # is at most 1.
    ask_for_cubist()
    ratios = [
        error(stored, cross_validated(stored, lambda: M5Regressor(committees=5)))
        / error(stored, cross_validated(stored, lambda: Cubist(n_committees=5)))
        for stored in sets()
    ]
    assert len(ratios) == 17
    mean = float(np.exp(np.mean(np.log(ratios))))
    print(f"geometric mean of the ratios of errors: {mean:.4f}")  # noqa: T201 - shown by pytest -s
    assert mean <= 1.0
