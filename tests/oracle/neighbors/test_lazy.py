"""K* predicts as the reference program's does; locally weighted learning and exemplars are as accurate as its own."""

from __future__ import annotations

import pytest
from oracle.neighbors.lazy import Outcome, compare, complaints, findings, small_pairs
from oracle.trees.quality import Quality, class_cell

SMALL = small_pairs()


@pytest.mark.parametrize(("scheme", "data"), SMALL)
def test_small_set_is_not_worse(scheme: str, data: str) -> None:
    found = compare(scheme, data)
    assert not found.quality.too_bad, class_cell(found.quality)


@pytest.mark.parametrize("data", sorted(data for scheme, data in SMALL if scheme == "KStar"))
def test_the_entropic_distance_gives_the_same_answers(data: str) -> None:
    found = compare("KStar", data)
    assert found.agreeing == found.rows


def test_a_disagreement_is_found_out() -> None:
    found = [Outcome(Quality("KStar", "iris", 95.0, 95.0, standard_error=2.0), 100, 98)]
    assert [each.difference for each in findings(found)] == ["2 of 100 predictions differ"]
    assert complaints([Outcome(Quality("NNge", "iris", 93.9, 95.0, standard_error=2.0), 100, 98)])
    assert not complaints([Outcome(Quality("NNge", "iris", 94.1, 95.0, standard_error=2.0), 100, 98)])
