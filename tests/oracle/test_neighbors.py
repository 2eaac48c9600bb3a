"""Neighbours give the reference program's answers, row by row."""

from __future__ import annotations

import numpy as np
import pytest
from oracle.neighbors import EXPECTED, STOPPED, compare, differences, shared_pairs, small_pairs

SMALL, SHARED = small_pairs(), shared_pairs()


@pytest.mark.parametrize(("scheme", "data"), SMALL)
def test_small_set_is_identical(scheme: str, data: str) -> None:
    assert compare(scheme, data).differing == 0


@pytest.mark.oracle
@pytest.mark.parametrize(("scheme", "data"), [pair for pair in SHARED if pair not in STOPPED])
def test_shared_set_is_identical(scheme: str, data: str) -> None:
    assert compare(scheme, data).differing == 0


def test_no_small_answer_is_left_out() -> None:
    assert len(SMALL) == 25


@pytest.mark.oracle
def test_no_shared_answer_is_left_out() -> None:
    # Without the shared folder this fails, and does not skip: `make oracle` means all of them.
    assert len(SMALL) + len(SHARED) == EXPECTED


def test_a_difference_is_found() -> None:
    truth = np.zeros(3)
    assert differences(np.array([0.0, 1.0, 1.0]), truth, {"pred": "011"}) == 0
    assert differences(np.array([0.0, 1.0, 1.0]), truth, {"pred": "001"}) == 1
    assert differences(np.array([10.0, 2.0, 3.0]), truth, {"pred": [10.00001, 2.0, 3.001]}) == 1
    assert differences(np.array([1.0, 2.0, 3.0]), truth, {"mae": 2.0}) == 0
    assert differences(np.array([1.0, 2.0, 3.0]), truth, {"mae": 2.001}) == 1
