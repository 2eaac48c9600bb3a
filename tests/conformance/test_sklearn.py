"""Every estimator passes scikit-learn's own checks, all of them, with its defaults and in other settings."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils._test_common.instance_generator import PER_ESTIMATOR_XFAIL_CHECKS
from sklearn.utils.estimator_checks import parametrize_with_checks

import hornbeam
from hornbeam.learn.linear.discretized import DiscretizedRegressor
from hornbeam.learn.linear.linear import LinearRegressor
from hornbeam.learn.linear.polynomial import PolynomialRegressor
from hornbeam.learn.trees.c45 import C45Classifier
from hornbeam.learn.trees.cart import CartClassifier, CartRegressor
from hornbeam.learn.trees.id3 import ID3Classifier
from hornbeam.learn.trees.tree_classifier import TreeClassifier
from hornbeam.learn.trees.tree_regressor import TreeRegressor
from tests.conformance.expected_failures import EVERY, Failure, expected_failures

ESTIMATORS = [
    C45Classifier(),
    C45Classifier(prune=None, nominal="one-vs-rest"),
    ID3Classifier(),
    CartClassifier(folds=3, random_state=0),
    CartRegressor(folds=3, random_state=0),
    TreeClassifier(),
    TreeClassifier(criterion="information-gain", missing="fractional", prune="pessimistic"),
    TreeRegressor(),
    TreeRegressor(criterion="absolute-error", missing="majority", min_samples_leaf=2),
    LinearRegressor(),
    LinearRegressor("greedy"),
    LinearRegressor(None),
    PolynomialRegressor(),
    PolynomialRegressor(1, ridge=1.0),
    DiscretizedRegressor(),
]

# The checks scale columns to a deviation of one, which is Cobweb's acuity: no two rows would differ. scikit-learn sets
# such parameters for the checks of its own estimators too (`INIT_PARAMS` in its `instance_generator`).
SETTINGS: dict[str, dict[str, Any]] = {"Cobweb": {"acuity": 0.5}}
PUBLIC = [
    one(**SETTINGS.get(name, {}))
    for name in hornbeam.__all__
    if inspect.isclass(one := getattr(hornbeam, name)) and issubclass(one, BaseEstimator)
]

pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")


@pytest.mark.parametrize("failure", EVERY)
def test_scikit_learn_fails_the_same(failure: Failure) -> None:
    theirs = {cls.__name__: checks for cls, checks in PER_ESTIMATOR_XFAIL_CHECKS.items()}
    assert set(failure.checks) <= {check for name in failure.theirs for check in theirs[name]}


def test_every_public_estimator_is_checked() -> None:
    assert len(PUBLIC) >= 43


@parametrize_with_checks([*PUBLIC, *ESTIMATORS], expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)
