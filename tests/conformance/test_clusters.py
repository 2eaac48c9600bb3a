"""Learners of clusters pass scikit-learn's checks."""

from __future__ import annotations

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from hornbeam.learn.clusters.cobweb import Cobweb
from hornbeam.learn.clusters.hierarchical import HierarchicalClustering
from hornbeam.learn.clusters.kmeans import KMeans
from hornbeam.learn.clusters.mixture import MixtureModel
from hornbeam.learn.clusters.spectral import SpectralClustering
from tests.conformance.expected_failures import expected_failures

ESTIMATORS = [
    KMeans(3, random_state=0),
    KMeans(3, algorithm="bisecting", numeric="as-is", n_init=2, random_state=0),
    MixtureModel(2, random_state=0),
    MixtureModel(2, prior="conjugate", random_state=0),
    MixtureModel(2, covariance_type="full", min_deviation=0.1, random_state=0),
    Cobweb(0.5),  # half as wide as a column: the checks scale columns
    HierarchicalClustering(3),
    HierarchicalClustering(3, linkage="average"),
    HierarchicalClustering(3, direction="top-down"),
    SpectralClustering(3, random_state=0),
    SpectralClustering(3, graph="rbf", random_state=0),
]


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)
