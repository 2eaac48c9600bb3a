"""G24: k-means never raises its error, EM never lowers its posterior; after an E step the bound is the likelihood."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mixture_tables import DISTRIBUTIONS, JOINT, of_every_kind
from sklearn.exceptions import ConvergenceWarning

from hornbeam.learn.clusters.em import Choices, Fit, Rows
from hornbeam.learn.clusters.kmeans import KMeans
from hornbeam.model.clusters.centers import Crew
from hornbeam.model.clusters.components import log_sum
from hornbeam.model.clusters.mixture_columns import Columns


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6))
def test_g24_k_means(seed: int, k: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(60, 3))
    errors = []
    for steps in range(1, 12):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            errors.append(KMeans(k, init=rows[:k], max_iter=steps, numeric="as-is").fit(rows).inertia_)
    assert (np.diff(errors) <= 1e-9 * np.array(errors[1:])).all()


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10_000), st.sampled_from(["spherical", "diagonal", "tied", "full", "fixed"]), st.integers(1, 4),
    st.sampled_from([0.0, 0.3]), st.booleans(), st.sampled_from([0.0, 1.0]),
)  # fmt: skip
def test_g24_em(seed: int, form: str, k: int, missing: float, conjugate: bool, pseudo_count: float) -> None:
    table = of_every_kind(50, seed, missing)
    columns = Columns.of(table.schema, DISTRIBUTIONS, JOINT)
    rows = Rows.of(columns.places(table), columns.sizes, np.ones(50), form)
    fit = Fit(rows, Choices(form, 1.0, False, 0.05, 0.0, pseudo_count, conjugate), Crew(1), k)
    components = fit.start(np.random.default_rng(seed).dirichlet(np.ones(k), size=50))
    before = -np.inf
    for _ in range(10):
        densities = components.log_densities(rows.places)
        shares = np.exp(densities - log_sum(densities)[:, np.newaxis])
        entropy = -(shares * np.log(np.maximum(shares, 1e-300))).sum()
        expected = (shares * np.where(shares > 0, densities, 0.0)).sum()
        following, likelihood = fit.step(components)
        assert likelihood == pytest.approx(expected + entropy + fit.beside, rel=1e-9)
        posterior = likelihood + fit.prior.logarithm(components)
        assert posterior >= before - 1e-9 * abs(posterior)
        before, components = posterior, following
