"""Support vector machines are as accurate as the reference program's."""

from __future__ import annotations

import pytest
from oracle.lazy import Outcome
from oracle.margins import SCHEMES, SETS, compare, complaints, shared_pairs, small_pairs
from oracle.quality import Quality, class_cell

SMALL = small_pairs()


@pytest.mark.parametrize(("scheme", "data"), SMALL)
def test_small_set_is_not_worse(scheme: str, data: str) -> None:
    found = compare(scheme, data)
    assert not found.quality.too_bad, class_cell(found.quality)
    assert found.agreeing >= 0.95 * found.rows


@pytest.mark.oracle
@pytest.mark.parametrize("scheme", SCHEMES)
def test_scheme_meets_its_bar(scheme: str) -> None:
    pairs = [pair for pair in SMALL + shared_pairs() if pair[0] == scheme]
    assert len(pairs) == SETS[scheme]
    assert complaints(scheme, [compare(*pair) for pair in pairs]) == []


def test_a_difference_is_found_out() -> None:
    for ours in (93.9, 96.1):
        assert complaints("SMO", [Outcome(Quality("SMO", "iris", ours, 95.0, standard_error=2.0), 100, 98)])
