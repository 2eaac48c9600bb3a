"""Trees of ID3 and C4.5 are the reference program's, line by line, and so is every cross-validated prediction."""

from __future__ import annotations

import numpy as np
import pytest
from oracle.trees.answers import answer, small_pairs
from oracle.trees.compare import (
    Outcome,
    compare,
    differences,
    same_but_for_digits,
    same_but_for_neighboring_cut,
    table_of,
)

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table

SMALL = small_pairs()


def explain(outcome: Outcome) -> str:
    lines = [f"{outcome.scheme} on {outcome.data}: {len(outcome.differing_rows)} rows are predicted otherwise"]
    for ours, theirs in outcome.differing_lines[:8]:
        lines += [f"  ours   {ours}", f"  theirs {theirs}"]
    return "\n".join(lines)


def check(scheme: str, data: str) -> None:
    outcome = compare(scheme, data)
    assert outcome.text_identical, explain(outcome)
    assert outcome.predictions_identical, explain(outcome)


@pytest.mark.parametrize(("scheme", "data"), SMALL)
def test_small_set_is_identical(scheme: str, data: str) -> None:
    check(scheme, data)


def test_a_spoiled_line_is_a_difference() -> None:
    stored = answer("J48", "iris")
    table = table_of(stored.arff)
    assert differences(stored.body, stored, table) == ([], [])
    for spoiled in (
        stored.body.replace("50.0", "50.01"),
        stored.body.replace("0.6", "0.60"),
        stored.body + "\n",
        stored.body.rpartition("\n")[0],
    ):
        assert differences(spoiled, stored, table)[0]


def test_a_neighboring_cut_is_a_difference_also_from_the_newer_version() -> None:
    stored = answer("w39-J48-noMDL", "iris")
    table = table_of(stored.arff)
    differ, neighboring = differences(stored.body.replace("<= 1.9:", "<= 1.7:"), stored, table)
    line = "petallength <= 1.9: Iris-setosa (50.0)"
    assert differ == neighboring == [(line.replace("1.9", "1.7"), line)]


@pytest.mark.parametrize(
    ("ours", "theirs", "digits", "neighboring"),
    [
        ("a <= 0: x (5.0)", "a <= -0: x (5.0)", True, False),
        ("a <= 2: x (5.33/1.0)", "a <= 2: x (5.34/1.0)", True, False),
        ("b = y: x (5.33/1.0)", "b = y: x (5.34/1.0)", True, False),
        ("a <= 2: x (5.0)", "a <= 1: x (5.0)", False, True),
        ("|   a > 2", "|   a > 1", False, True),
        ("a <= 3: x (5.0)", "a <= 1: x (5.0)", False, False),
        ("a <= 2: x (5.0)", "a <= 1: y (5.0)", False, False),
        ("a <= 2: x (5.0)", "a <= 1.5: x (5.0)", False, False),
        ("a <= 2: x (5.0)", "a <= 2: x (5.0/1.0)", False, False),
        ("a <= 2: x (5.0)", "a > 2: x (5.0)", False, False),
        ("b = y: x (5.0)", "b = z: x (5.0)", False, False),
        ("|   a <= 2", "a <= 2", False, False),
        ("a <= 2", "(no line)", False, False),
    ],
)
def test_rounding_is_told_from_difference(ours: str, theirs: str, *, digits: bool, neighboring: bool) -> None:
    schema = Schema((Numeric("a"), Nominal("class", ("x", "y"))), ("feature", "target"))
    table = Table(schema, [np.array([0.0, 1.0, 2.0, 3.0, np.nan]), np.array([0, 1, 0, 1, 0])])
    assert same_but_for_digits(ours, theirs) is digits
    assert same_but_for_neighboring_cut(ours, theirs, table) is neighboring
