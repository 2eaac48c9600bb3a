"""G13: two normal components on the deck's 51 values; G23: with a small fixed variance EM is Lloyd's iteration."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from hornbeam.learn.clusters.kmeans import KMeans
from hornbeam.learn.clusters.mixture import MixtureModel
from hornbeam.model.clusters.components import Components, Places, log_sum

FIRST = [51, 62, 64, 48, 39, 51, 43, 47, 51, 64, 62, 48, 62, 52, 52, 51, 64, 64, 64, 64, 62, 63, 52, 42, 45, 51]
LAST = [49, 43, 63, 48, 42, 65, 48, 65, 64, 41, 46, 48, 62, 66, 48, 45, 49, 43, 65, 64, 45, 46, 40, 46, 48]
VALUES = np.array([*FIRST, *LAST], np.float64)[:, np.newaxis]


def test_g13_two_components() -> None:
    fitted = MixtureModel(2, random_state=0, tol=1e-12, max_iter=1000).fit(VALUES)
    order = np.argsort(fitted.means_[:, 0])
    np.testing.assert_allclose(fitted.means_[order, 0], [46.813, 63.632], atol=1e-3)
    np.testing.assert_allclose(np.sqrt(fitted.covariances_[order, 0]), [3.671, 1.179], atol=1e-3)
    assert fitted.weights_[order[0]] == pytest.approx(0.6275, abs=1e-4)
    assert fitted.log_likelihoods_[-1] == pytest.approx(-150.773, abs=1e-3)


def test_g13_the_model_that_made_them() -> None:
    made = Components("diagonal", np.array([0.6, 0.4]), np.array([[50.0], [65.0]]), np.array([[25.0], [4.0]]))
    places = Places(VALUES, np.empty((51, 0), np.int32), np.empty((51, 0)), np.zeros(51))
    total = log_sum(made.log_densities(places)).sum()
    assert total == pytest.approx(-167.473, abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_g23_soft_becomes_hard(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(60, 2))
    start = random.integers(0, 3, 60)
    soft = MixtureModel(3, covariance_type="fixed", variance=1e-8, weights="equal", init=start, tol=0, max_iter=300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        soft.fit(rows)
    centers = np.array([rows[start == k].mean(axis=0) for k in range(3)])
    hard = KMeans(3, init=centers, numeric="as-is").fit(rows)
    np.testing.assert_allclose(soft.predict_proba(rows), np.eye(3)[hard.labels_], atol=1e-6)
    np.testing.assert_allclose(soft.means_, hard.cluster_centers_, atol=1e-6)
