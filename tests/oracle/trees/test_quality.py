"""Open recipes that play other tree learners of the reference program are as accurate as these."""

from __future__ import annotations

import numpy as np
import pytest
from oracle.trees.answers import folds
from oracle.trees.compare import table_of
from oracle.trees.quality import (
    Quality,
    average,
    by_draw,
    class_cell,
    compare,
    complaints,
    of_classes,
    of_numbers,
    small_pairs,
    their_classes,
)

SMALL = small_pairs()


@pytest.mark.parametrize(("scheme", "data"), SMALL)
def test_small_set_is_not_worse(scheme: str, data: str) -> None:
    quality = compare(scheme, data, draws=1)
    assert not quality.too_bad, class_cell(quality)


@pytest.mark.parametrize("data", sorted({data for _, data in SMALL} - {"labor", "hepatitis"}))  # these lack values
def test_stumps_predict_the_same(data: str) -> None:
    quality = compare("DecisionStump", data)
    assert quality.difference == pytest.approx(0.0, abs=1e-9)
    assert quality.standard_error == pytest.approx(0.0, abs=1e-9)


def test_a_bad_learner_is_found_out() -> None:
    truth = table_of(folds("iris").arff).target_values().astype(np.float64)
    theirs = their_classes("REPTree", "iris")
    always_first = np.zeros((1, len(truth)))
    quality = Quality("REPTree", "iris", **of_classes(truth, always_first, theirs))
    assert quality.ours == pytest.approx(100 / 3)
    assert quality.theirs == pytest.approx(94.0)
    assert quality.too_bad
    assert len(complaints([quality])) == 3  # the set, and both averages
    assert not Quality("REPTree", "iris", **of_classes(truth, theirs[None, :], theirs)).too_bad


def test_a_small_loss_on_every_set_is_found_out() -> None:
    found = [Quality("REPTree", data, 80.0, 81.1, standard_error=2.0) for data in ("iris", "vote", "zoo")]
    assert not any(each.too_bad for each in found)
    assert average(found) == pytest.approx(-1.1)
    assert len(complaints(found)) == 2


def test_a_gain_where_the_other_gives_up_hides_nothing() -> None:
    found = [Quality("REPTree", "iris", 80.0, 82.0, standard_error=2.0), Quality("REPTree", "zoo", 90.0, 40.0, 5.0)]
    assert average(found) > 0
    assert complaints(found) == ["REPTree: -2.00 points on average, without zoo"]


def test_draws_are_averaged() -> None:
    truth = np.array([0.0, 1.0])
    figures = of_classes(truth, np.array([[0.0, 0.0], [0.0, 1.0]]), np.array([0.0, -1.0]))
    assert figures == {
        "ours": 75.0,
        "theirs": 50.0,
        "standard_error": pytest.approx(25.0),
        "by_draw": (50.0, 100.0),
    }
    assert by_draw([Quality("REPTree", "iris", **figures), Quality("REPTree", "zoo", 90.0, 40.0)]) == [0.0, 50.0]
    numbers = of_numbers(np.append(truth, np.nan), np.array([[0.0, 1.0, 5.0], [1.0, 2.0, 5.0]]))
    assert numbers == pytest.approx({"ours": 1.0, "our_error": 0.5})
