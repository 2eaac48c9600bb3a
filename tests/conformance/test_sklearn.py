"""Every estimator passes scikit-learn's own checks."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils._test_common.instance_generator import PER_ESTIMATOR_XFAIL_CHECKS
from sklearn.utils.estimator_checks import parametrize_with_checks

from hornbeam.learn.linear.discretized import DiscretizedRegressor
from hornbeam.learn.linear.linear import LinearRegressor
from hornbeam.learn.linear.polynomial import PolynomialRegressor
from hornbeam.learn.trees.c45 import C45Classifier
from hornbeam.learn.trees.cart import CartClassifier, CartRegressor
from hornbeam.learn.trees.id3 import ID3Classifier
from hornbeam.learn.trees.tree_classifier import TreeClassifier
from hornbeam.learn.trees.tree_regressor import TreeRegressor
from tests.conformance.expected_failures import EVERY, Failure

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

pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")


@pytest.mark.parametrize("failure", [failure for failure in EVERY if failure.theirs is not None])
def test_scikit_learn_fails_the_same(failure: Failure) -> None:
    theirs = {cls.__name__: checks for cls, checks in PER_ESTIMATOR_XFAIL_CHECKS.items()}
    assert failure.theirs is not None
    assert set(failure.checks) <= set(theirs[failure.theirs])


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)
