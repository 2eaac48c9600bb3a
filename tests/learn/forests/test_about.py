"""Forests and boosting of numbers far from zero, very large or very small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import hornbeam
from hornbeam.learn.forests.about import About, unit_of

if TYPE_CHECKING:
    from pathlib import Path

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(300, 3))
Y = 20 * X[:, 0] + 10 * X[:, 1]
LEARNERS = {
    "forest": hornbeam.RandomForestRegressor(20, random_state=0),
    "forest out of bag": hornbeam.RandomForestRegressor(20, oob_score=True, keep_targets=True, random_state=0),
    "squared": hornbeam.GradientBoostingRegressor(60, l1_regularization=0.0),
    "absolute": hornbeam.GradientBoostingRegressor(60, loss="absolute"),
    "huber": hornbeam.GradientBoostingRegressor(60, loss="huber"),
    "quantile": hornbeam.GradientBoostingRegressor(60, loss="quantile"),
    "early stopping": hornbeam.GradientBoostingRegressor(60, early_stopping=True),
}


def far(level: float, factor: float) -> Any:
    return level + factor * Y


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize(
    ("level", "factor"),
    [(0.0, 1.0), (1.7e9, 1.0), (1e12, 1.0), (0.0, 1e40), (0.0, 1e100), (0.0, 1e-46), (0.0, 1e-100), (1e120, 1e115)],
)
def test_predictions_follow_level_and_scale(name: str, level: float, factor: float) -> None:
    ordinary = LEARNERS[name].fit(X, Y).predict(X)
    found = (LEARNERS[name].fit(X, far(level, factor)).predict(X) - level) / factor
    spread = np.std(Y)
    assert np.abs(ordinary - Y).mean() < 0.35 * spread  # it has learned something
    digits = 1e-6 + 1e-12 * abs(level) / (factor * spread)  # the level takes digits from the target itself
    assert np.abs(found - ordinary).mean() < digits * spread + 0.02 * spread * (name != "squared")


def test_a_forest_is_right_where_the_level_is_that_of_dates() -> None:
    forest = hornbeam.RandomForestRegressor(40, random_state=0).fit(X, far(1.7e9, 1.0))
    assert forest.score(X, far(1.7e9, 1.0)) > 0.95


def test_out_of_bag_predictions_and_quantiles_are_of_the_target() -> None:
    y = far(1e12, 1.0)
    forest = LEARNERS["forest out of bag"].fit(X, y)
    assert forest.oob_score_ > 0.8
    low, middle, high = forest.predict_quantiles(X, [0.1, 0.5, 0.9]).T
    assert (low <= middle).all()
    assert (middle <= high).all()
    assert np.abs(middle - y).mean() < 0.35 * Y.std()


def test_what_a_forest_says_elsewhere_is_of_the_target_too() -> None:
    y = far(1e12, 1.0)
    forest = hornbeam.RandomForestRegressor(5, random_state=0).fit(X, y)
    table = forest._features(X[:40], reset=False)
    predicted = forest.predict(X[:40])
    trees = [forest.model_.tree(number).predict(table) for number in range(5)]
    np.testing.assert_allclose(np.mean(trees, axis=0), predicted, rtol=0, atol=1e-2)
    told = hornbeam.contributions(forest, table)
    np.testing.assert_allclose(told.prediction[:, 0], predicted, rtol=0, atol=1e-2)
    assert abs(told.bias[0] - 1e12) < 50


@pytest.mark.parametrize("name", ["forest", "squared"])
@pytest.mark.parametrize("factor", [1.0, 1e100])
def test_a_saved_model_predicts_the_same(name: str, factor: float, tmp_path: Path) -> None:
    fitted = LEARNERS[name].fit(X, far(3 * factor, factor))
    fitted.save(tmp_path / "model.hornbeam")
    loaded = hornbeam.load(tmp_path / "model.hornbeam")
    assert np.array_equal(loaded.predict_codes(X), fitted.predict(X))


def test_class_probabilities_add_up_to_one() -> None:
    forest = hornbeam.RandomForestClassifier(50, random_state=0).fit(X, np.digitize(Y, [-20, 0, 20]))
    assert np.abs(forest.predict_proba(X).sum(axis=1) - 1).max() < 1e-12


def test_the_unit_is_a_power_of_two_and_one_for_ordinary_numbers() -> None:
    assert unit_of(np.zeros(3)) == 1.0
    assert unit_of(np.array([1e-15, -1e15])) == 1.0
    about = About.of(np.array([1e100, 3e100]), None)
    assert about.base == 2e100
    assert np.log2(about.unit) % 1 == 0
    assert 0.25 <= np.abs(about.distances(np.array([1e100, 3e100]))).max() <= 1
