"""Rules of one column and perfect rules are the reference program's, character by character, and so are predictions."""

from __future__ import annotations

import numpy as np
import pytest
from oracle.compare import table_of
from oracle.simple_rules import (
    HEADERS,
    LEARNERS,
    arff,
    as_text,
    cross_validated,
    exceptions_against_theirs,
    shared_pairs,
    small_pairs,
    stored,
)

from hornbeam.show import text

SMALL, SHARED = small_pairs(), shared_pairs()


def check(scheme: str, data: str) -> None:
    model, predictions = stored(scheme, data)
    ours = text(LEARNERS[scheme]().fit(table_of(arff(data))), style="weka")
    assert HEADERS[scheme] + ours + "\n" == model
    assert as_text(cross_validated(LEARNERS[scheme], data)) == predictions


@pytest.mark.parametrize(("scheme", "data"), SMALL)
def test_small_set_is_identical(scheme: str, data: str) -> None:
    check(scheme, data)


@pytest.mark.oracle
@pytest.mark.parametrize(("scheme", "data"), SHARED)
def test_shared_set_is_identical(scheme: str, data: str) -> None:
    check(scheme, data)


def test_no_small_answer_is_left_out() -> None:
    assert len(SMALL) == 8


@pytest.mark.oracle
def test_no_shared_answer_is_left_out() -> None:
    # Without the shared folder this fails, and does not skip: `make oracle` means all of them.
    assert len(SMALL) + len(SHARED) == 35 + 8


@pytest.mark.oracle
def test_exceptions_are_as_accurate() -> None:
    # The bar: on average at most one point below.
    found = exceptions_against_theirs()
    assert len(found) == 34
    assert np.mean([ours - theirs for _, ours, theirs in found]) >= -1.0
