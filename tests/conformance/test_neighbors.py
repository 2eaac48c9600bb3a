"""Learners from neighbors pass scikit-learn's checks."""

from __future__ import annotations

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from hornbeam.learn.neighbors.ib import IB2Classifier, IB3Classifier, IB5Classifier
from hornbeam.learn.neighbors.nearest import NeighborsClassifier, NeighborsRegressor

ESTIMATORS = [
    NeighborsClassifier(),
    NeighborsClassifier(
        n_neighbors=3, weights="inverse", numeric="deviation", missing="average", nominal="value-difference"
    ),
    NeighborsRegressor(),
    NeighborsRegressor(n_neighbors=9, choose_k=True, metric="manhattan", numeric="rank"),
    IB2Classifier(),
    IB3Classifier(),
    IB5Classifier(),
    IB5Classifier(by_class=True, noise=False),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)
