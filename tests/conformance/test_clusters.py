"""Learners of clusters pass scikit-learn's checks."""

from __future__ import annotations

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from hornbeam.learn.clusters.cobweb import Cobweb
from hornbeam.learn.clusters.hierarchical import HierarchicalClustering
from hornbeam.learn.clusters.kmeans import KMeans
from hornbeam.learn.clusters.mixture import MixtureModel
from hornbeam.learn.clusters.spectral import SpectralClustering

ESTIMATORS = [
    KMeans(3, random_state=0),
    KMeans(3, algorithm="bisecting", numeric="as-is", n_init=2, random_state=0),
    MixtureModel(2, random_state=0),
    MixtureModel(2, prior="conjugate", random_state=0),
    MixtureModel(2, "full", min_deviation=0.1, random_state=0),
    Cobweb(0.5),  # half as wide as a column: the checks scale columns
    HierarchicalClustering(3),
    HierarchicalClustering(3, linkage="average"),
    HierarchicalClustering(3, direction="top-down"),
    SpectralClustering(3, random_state=0),
    SpectralClustering(3, "rbf", random_state=0),
]

CHECKS = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")
DRAWN = "starts are drawn by the places of rows, and the check has rows of weights in another order than repeated ones"
NUMBERED = "the clusters are the same, but numbered by the first row of each, and the check has rows in another order"
UNWEIGHTED = "parting goes by distances of rows, which have no weights"


def why_not(estimator: Any) -> dict[str, str]:
    if isinstance(estimator, KMeans | SpectralClustering):  # the latter ends with k-means
        return dict.fromkeys(CHECKS, DRAWN)
    if isinstance(estimator, HierarchicalClustering):
        return dict.fromkeys(CHECKS, UNWEIGHTED if estimator.direction == "top-down" else NUMBERED)
    return {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=why_not)
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)
