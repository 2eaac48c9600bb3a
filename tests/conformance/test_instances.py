"""K*, locally weighted learners and exemplars pass scikit-learn's checks."""

from __future__ import annotations

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from hornbeam.learn.neighbors.exemplars import ExemplarsClassifier
from hornbeam.learn.neighbors.kstar import KStarClassifier, KStarRegressor
from hornbeam.learn.neighbors.local import LocallyWeightedClassifier, LocallyWeightedRegressor
from tests.conformance.expected_failures import expected_failures

ESTIMATORS = [
    KStarClassifier(),
    KStarClassifier(blend=0.5, missing="farthest", n_jobs=2),
    KStarRegressor(),
    LocallyWeightedRegressor(),
    LocallyWeightedRegressor(kernel="gaussian", n_neighbors=20, ridge=0.001, scale="deviation"),
    LocallyWeightedClassifier(),
    ExemplarsClassifier(),
    ExemplarsClassifier(form="offline", nested=True, column_weights="none"),
]


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)
