"""Checks of scikit-learn that an estimator is not expected to pass, and scikit-learn's estimator that fails the same.

`sample_weight` is to give the model of repeated rows, whatever the order of the rows. That cannot be where rows are
drawn at random, held out in turn, or visited in a random order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hornbeam.learn.clusters.hierarchical import HierarchicalClustering
from hornbeam.learn.clusters.kmeans import KMeans
from hornbeam.learn.clusters.spectral import SpectralClustering
from hornbeam.learn.forests.random_forest import RandomForest
from hornbeam.learn.neighbors.local import LocallyWeightedClassifier
from hornbeam.learn.svm.classifier import SVMClassifier

WEIGHTS = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")


class Failure(NamedTuple):
    """Which checks, why, and which estimator of scikit-learn does not pass them either; None if none has them."""

    checks: tuple[str, ...]
    reason: str
    theirs: str | None


DRAWN = Failure(WEIGHTS, "bootstrap samples are drawn by row", "RandomForestClassifier")
STARTS = Failure(WEIGHTS, "starts are drawn by the places of rows", "KMeans")
HELD_OUT = Failure(WEIGHTS, "probabilities come from held-out rows: a repeated row is drawn otherwise", "SVC")
ORDER = Failure(WEIGHTS, "the solver visits rows in a random order, and stops within a tolerance", "LinearSVC")
# scikit-learn's own spectral and hierarchical clustering take no weights, so these checks are not run for them.
GRAPH = Failure(WEIGHTS, "it ends with k-means, whose starts are drawn by the places of rows", None)
NUMBERED = Failure(WEIGHTS, "the clusters are the same, but numbered by the first row of each", None)
UNWEIGHTED = Failure(WEIGHTS, "top-down, distances between rows decide, which have no weights", None)
# The check gives scikit-learn's trees `min_weight_fraction_leaf=0.01`; without it, DecisionTreeClassifier fails too.
ONE_SPLIT = Failure(("check_class_weight_classifiers",), "the tree of one split may have leaves of any weight", None)
EVERY = (DRAWN, STARTS, HELD_OUT, ORDER, GRAPH, NUMBERED, UNWEIGHTED, ONE_SPLIT)


def failure_of(estimator: Any) -> Failure | None:
    """The failure that is expected of an estimator with these parameters."""
    expected = (
        (RandomForest, DRAWN, lambda: estimator.bootstrap),
        (KMeans, STARTS, lambda: True),
        (SpectralClustering, GRAPH, lambda: True),
        (HierarchicalClustering, UNWEIGHTED, lambda: estimator.direction == "top-down"),
        (HierarchicalClustering, NUMBERED, lambda: True),
        (SVMClassifier, HELD_OUT, lambda: estimator.probability),
        (SVMClassifier, ORDER, lambda: estimator.solver == "planes"),
        (LocallyWeightedClassifier, ONE_SPLIT, lambda: estimator.estimator is None),
    )
    return next((failure for cls, failure, holds in expected if isinstance(estimator, cls) and holds()), None)


def expected_failures(estimator: Any) -> dict[str, str]:
    """The checks that an estimator is not expected to pass, as `parametrize_with_checks` takes them."""
    failure = failure_of(estimator)
    return {} if failure is None else dict.fromkeys(failure.checks, failure.reason)
