"""Support vector machines pass scikit-learn's checks."""

from __future__ import annotations

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from hornbeam.learn.svm.classifier import SVMClassifier
from hornbeam.learn.svm.regressor import SVMRegressor
from tests.conformance.expected_failures import expected_failures

ESTIMATORS = [
    SVMClassifier(tol=1e-9),
    SVMClassifier(kernel="linear", scale="standardize", probability=True, random_state=0, n_jobs=2),
    SVMClassifier(kernel="linear", solver="planes", random_state=0),
    SVMRegressor(tol=1e-9),
    SVMRegressor(kernel="polynomial", degree=2, C=10.0, tol=1e-9),
]


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)
