"""Ensembles are as accurate as those of the reference program."""

from __future__ import annotations

import pytest
from oracle.forests.ensembles import (
    SCHEMES,
    compare,
    complaints,
    page,
    small_pairs,
)
from oracle.trees.quality import Quality, class_cell


@pytest.mark.parametrize(("scheme", "data"), small_pairs())
def test_small_set_is_not_worse(scheme: str, data: str) -> None:
    quality = compare(scheme, data, draws=1)
    assert not quality.too_bad, class_cell(quality)


def test_a_small_loss_on_every_set_is_found_out() -> None:
    name = SCHEMES[0]
    found = [Quality(name, data, 80.0, 80.4, standard_error=2.0) for data in ("iris", "vote", "zoo")]
    assert not any(each.too_bad for each in found)
    assert len(complaints(found)) == 2
    better = [Quality(name, data, 80.0, 80.2, standard_error=2.0) for data in ("iris", "vote", "zoo")]
    assert complaints(better) == []


def test_a_gain_where_the_other_gives_up_hides_nothing() -> None:
    name = SCHEMES[0]
    found = [Quality(name, "iris", 80.0, 81.0, standard_error=2.0), Quality(name, "zoo", 90.0, 40.0, 5.0)]
    assert complaints(found) == [f"{name}: -1.00 points on average, without zoo"]


def test_numbers_have_bars_too() -> None:
    name = SCHEMES[0]
    classes = Quality(name, "iris", 95.0, 95.0, standard_error=2.0)
    worse = Quality(name, "cpu", 0.90, 0.91, our_error=11.0, their_error=10.0)
    assert len(complaints([classes, worse])) == 2
    same = Quality(name, "cpu", 0.91, 0.91, our_error=10.0, their_error=10.0)
    assert complaints([classes, same]) == []
    assert "| cpu | 0.910 / 0.910; 10 / 10 |" in page([classes, same])
