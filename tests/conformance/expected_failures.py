"""Checks of scikit-learn that an estimator is not expected to pass, and scikit-learn's estimator that fails the same.

`sample_weight` is to give the model of repeated rows, whatever the order of the rows. That cannot be where rows are
drawn at random, held out in turn, or visited in a random order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hornbeam.learn.clusters.hierarchical import HierarchicalClustering
from hornbeam.learn.clusters.kmeans import KMeans
from hornbeam.learn.forests.random_forest import RandomForest
from hornbeam.learn.svm.classifier import SVMClassifier
from hornbeam.learn.trees.cart import CartRegressor

TEN = 10  # folds
WEIGHTS = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")


class Failure(NamedTuple):
    """Which checks, why, and which estimators of scikit-learn do not pass them either."""

    checks: tuple[str, ...]
    reason: str
    theirs: tuple[str, ...]


DRAWN = Failure(WEIGHTS, "bootstrap samples are drawn by row", ("RandomForestClassifier", "RandomForestRegressor"))
STARTS = Failure(WEIGHTS, "starts are drawn by the places of rows", ("KMeans",))
HELD_OUT = Failure(WEIGHTS, "probabilities come from held-out rows: a repeated row is drawn otherwise", ("SVC",))
ORDER = Failure(WEIGHTS, "the solver visits rows in a random order, and stops within a tolerance", ("LinearSVC",))
DIVIDED = Failure(WEIGHTS, "top-down, distances between rows decide, which have no weights", ("BisectingKMeans",))
# These two are about the same: the first fails with dense rows, the second with both.
FOLDS = Failure(
    WEIGHTS,
    "the tree is chosen by cross-validation: a repeated row is in several folds",
    ("TunedThresholdClassifierCV", "FixedThresholdClassifier"),
)
EVERY = (DRAWN, STARTS, HELD_OUT, ORDER, DIVIDED, FOLDS)


def failure_of(estimator: Any) -> Failure | None:
    """The failure that is expected of an estimator with these parameters."""
    expected = (
        (RandomForest, DRAWN, lambda: estimator.bootstrap),
        (KMeans, STARTS, lambda: True),
        (HierarchicalClustering, DIVIDED, lambda: estimator.direction == "top-down"),
        (CartRegressor, FOLDS, lambda: estimator.folds == TEN),  # with three the same tree is chosen
        (SVMClassifier, HELD_OUT, lambda: estimator.probability),
        (SVMClassifier, ORDER, lambda: estimator.solver == "planes"),
    )
    return next((failure for cls, failure, holds in expected if isinstance(estimator, cls) and holds()), None)


def expected_failures(estimator: Any) -> dict[str, str]:
    """The checks that an estimator is not expected to pass, as `parametrize_with_checks` takes them."""
    failure = failure_of(estimator)
    return {} if failure is None else dict.fromkeys(failure.checks, failure.reason)
