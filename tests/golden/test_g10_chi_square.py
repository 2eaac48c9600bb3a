"""Golden figure G10: the chi-square test of a split that is useless."""

from __future__ import annotations

import numpy as np
import pytest

from hornbeam.learn.trees.criteria import chi_square, expected_counts

TABLE = np.array([[1, 4], [1, 3]])  # 2 and 7 rows of two classes, by branch


def test_g10_expected_counts() -> None:
    assert TABLE[0].sum() / TABLE.sum() == pytest.approx(5 / 9, abs=1e-4)
    assert expected_counts(TABLE)[0] == pytest.approx([10 / 9, 35 / 9], abs=1e-4)


def test_g10_the_statistic_is_useless_at_95_percent() -> None:
    found = chi_square(TABLE)
    assert found.statistic == pytest.approx(0.0321, abs=1e-4)
    assert found.degrees == 1
    assert found.p_value > 0.05
