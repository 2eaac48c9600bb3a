"""Equal numbers have exactly that number as their mean, and no deviation; and predictions stay finite."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hornbeam
from hornbeam.schemes import SCHEMES

pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(97, 3))
X[::7, 1] = np.nan
WEIGHTS = RANDOM.random(97)
EXACT: dict[str, Any] = {s.name: s.load() for s in SCHEMES if s.predicts == "number"}
EXACT |= {
    "tree with linear leaves": lambda: hornbeam.TreeRegressor(leaf="linear"),
    "tree of medians": lambda: hornbeam.TreeRegressor(leaf="median"),
    "tree with rows in parts": lambda: hornbeam.TreeRegressor(missing="fractional"),
    "committee of rules": lambda: hornbeam.M5RulesRegressor(committees=5),
    "linear machine": lambda: hornbeam.SVMRegressor(kernel="linear"),
    "least squares of all rows": lambda: hornbeam.LocallyWeightedRegressor(kernel="uniform", ridge=0.0),
    "forest without bootstrap": lambda: hornbeam.RandomForestRegressor(20, bootstrap=False, random_state=0),
    "bagged equations": lambda: hornbeam.BaggingRegressor("linear", random_state=0),
}


@pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3, -7.3e-5, 1e16 + 2])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", EXACT)
def test_a_constant_target_is_predicted_exactly(name: str, weighted: bool, value: float) -> None:
    weights = WEIGHTS if weighted else None
    assert (EXACT[name]().fit(X, np.full(97, value), sample_weight=weights).predict(X) == value).all()


@pytest.mark.parametrize("levels", [(0.0, 0.1), (1 / 3, 0.7), (0.0, 1e8 / 3)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("make", [hornbeam.CartRegressor, hornbeam.TreeRegressor])
def test_a_leaf_of_equal_numbers_is_exact(make: Any, weighted: bool, levels: tuple[float, float]) -> None:
    y = np.where(X[:, 0] > 0, *levels)
    model = make().fit(X, y, sample_weight=WEIGHTS if weighted else None)
    assert (model.predict(X) == y).all()
    assert not model.model_.value[model.model_.n_children == 0, 2].any()


@pytest.mark.parametrize("weighted", [False, True])
def test_leaves_of_several_branches_are_exact(weighted: bool) -> None:
    codes = RANDOM.integers(0, 5, 97)
    y = np.array([0.1, 0.0, 1 / 3, 0.7, 1e-9])[codes]
    model = hornbeam.TreeRegressor(nominal="multiway").fit(
        np.array(list("abcde"))[codes][:, None], y, sample_weight=WEIGHTS if weighted else None
    )
    assert (model.predict(np.array(list("abcde"))[codes][:, None]) == y).all()


@pytest.mark.parametrize("make", [hornbeam.M5Regressor, hornbeam.M5RulesRegressor])
@pytest.mark.parametrize("options", [{"compat": "weka"}, {"compat": "weka", "prune": None}, {}, {"neighbors": 2}])
@pytest.mark.parametrize(("base", "step"), [(1e16, 2.0), (1e16, 4.0), (1.0, 2.2e-16)])
def test_model_trees_where_no_number_lies_between_two_values(
    make: Any, options: dict[str, Any], base: float, step: float
) -> None:
    for seed in range(6):
        random = np.random.default_rng(seed)
        x = base + step * random.integers(0, 6, (25, 2))
        fitted = make(**options).fit(x, random.normal(size=25))
        assert np.isfinite(fitted.predict(x)).all()
        assert hornbeam.show.text(fitted)


@pytest.mark.parametrize("options", [{}, {"neighbors": 3}, {"committees": 3}, {"committees": 3, "neighbors": 3}])
@pytest.mark.parametrize("value", [1e300, 1e308, -1e308, 1.7e308])
def test_predictions_far_outside_are_finite(options: dict[str, Any], value: float) -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(60, 3))
    fitted = hornbeam.M5Regressor(**options).fit(x, x[:, 0] + np.where(x[:, 1] > 0, x[:, 2], 0.0))
    assert np.isfinite(fitted.predict(np.array([[value] * 3, [value, -value, value]]))).all()
