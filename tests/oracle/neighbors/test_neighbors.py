"""Neighbors give the reference program's predictions, row by row."""

from __future__ import annotations

import numpy as np
import pytest
from oracle.neighbors.nearest import compare, differences, small_pairs


@pytest.mark.parametrize(("scheme", "data"), small_pairs())
def test_small_set_is_identical(scheme: str, data: str) -> None:
    assert compare(scheme, data).differing == 0


def test_a_difference_is_found() -> None:
    truth = np.zeros(3)
    assert differences(np.array([0.0, 1.0, 1.0]), truth, {"pred": "011"}) == 0
    assert differences(np.array([0.0, 1.0, 1.0]), truth, {"pred": "001"}) == 1
    assert differences(np.array([10.0, 2.0, 3.0]), truth, {"pred": [10.00001, 2.0, 3.001]}) == 1
    assert differences(np.array([1.0, 2.0, 3.0]), truth, {"mae": 2.0}) == 0
    assert differences(np.array([1.0, 2.0, 3.0]), truth, {"mae": 2.001}) == 1
