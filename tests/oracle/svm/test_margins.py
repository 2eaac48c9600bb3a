"""Support vector machines are as accurate as the reference program's."""

from __future__ import annotations

import pytest
from oracle.neighbors.lazy import Outcome
from oracle.svm.margins import compare, complaints, small_pairs
from oracle.trees.quality import Quality, class_cell


@pytest.mark.parametrize(("scheme", "data"), small_pairs())
def test_small_set_is_not_worse(scheme: str, data: str) -> None:
    found = compare(scheme, data)
    assert not found.quality.too_bad, class_cell(found.quality)
    assert found.agreeing >= 0.95 * found.rows


def test_a_difference_is_found_out() -> None:
    for ours in (93.9, 96.1):
        assert complaints([Outcome(Quality("SMO", "iris", ours, 95.0, standard_error=2.0), 100, 98)])
    assert not complaints([Outcome(Quality("SMO", "iris", 94.6, 95.0, standard_error=2.0), 100, 98)])
