"""EM: never down, the same as scikit-learn's from the same start, missing values left out, and what may go wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mixture_tables import quiet
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.learn.clusters.kmeans import KMeans
from hornbeam.learn.clusters.mixture import MixtureModel
from hornbeam.model.files.storage import from_bytes, to_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMS = {"spherical": "spherical", "diagonal": "diag", "tied": "tied", "full": "full"}


def blobs(n: int = 300, d: int = 4, k: int = 3, seed: int = 0) -> NDArray[Any]:
    random = np.random.default_rng(seed)
    return random.normal(size=(k, d))[random.integers(0, k, n)] * 3 + random.normal(size=(n, d)) @ random.normal(
        size=(d, d)
    )


def mixed(n: int = 150, seed: int = 0, missing: float = 0.2) -> hornbeam.Table:
    random = np.random.default_rng(seed)
    side = random.integers(0, 2, n)
    numbers = [4.0 * side + random.normal(size=n) for _ in range(3)]
    code = np.where(random.uniform(size=n) < 0.2, 1 - side, side)
    numbers = [np.where(random.uniform(size=n) < missing, np.nan, x) for x in numbers]
    code = np.where(random.uniform(size=n) < missing, -1, code)
    columns = (
        Numeric("a"),
        Numeric("b"),
        Numeric("c"),
        Nominal("code", ("x", "y", "never")),
        Nominal("side", ("0", "1")),
    )
    return hornbeam.Table(Schema(columns, (*("feature",) * 4, "target")), [*numbers, code, side])


@pytest.mark.parametrize("form", FORMS)
def test_the_likelihood_is_that_of_scikit_learn(form: str) -> None:
    rows = blobs()
    labels = KMeans(3, random_state=0).fit(rows).labels_
    weights = np.bincount(labels) / len(rows)
    means = np.array([rows[labels == k].mean(axis=0) for k in range(3)])
    spread = [np.cov(rows[labels == k].T, bias=True) + 1e-4 * np.eye(4) for k in range(3)]
    together = sum(w * one for w, one in zip(weights, spread, strict=True))
    precisions = {
        "full": np.linalg.inv(np.array(spread)),
        "tied": np.linalg.inv(np.asarray(together)),
        "diagonal": np.array([1 / np.diag(one) for one in spread]),
        "spherical": np.array([1 / np.diag(one).mean() for one in spread]),
    }[form]
    other = GaussianMixture(
        3, covariance_type=FORMS[form], reg_covar=1e-4, tol=1e-12, max_iter=2000,
        weights_init=weights, means_init=means, precisions_init=precisions,
    ).fit(rows)  # fmt: skip
    ours = quiet(MixtureModel(3, covariance_type=form, init=labels, reg_covar=1e-4, tol=1e-12, max_iter=2000), rows)
    assert ours.lower_bound_ == pytest.approx(other.score(rows), abs=1e-6)
    assert ours.score(rows) == pytest.approx(other.score(rows), abs=1e-6)
    np.testing.assert_allclose(ours.means_, other.means_, atol=1e-3)
    np.testing.assert_allclose(ours.predict_proba(rows), other.predict_proba(rows), atol=1e-3)
    assert ours.n_parameters_ == other._n_parameters()
    assert ours.bic(rows) == pytest.approx(other.bic(rows), abs=1e-3)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 1000), st.sampled_from(sorted(FORMS)), st.integers(1, 4), st.sampled_from([0.0, 0.3]), st.booleans()
)
def test_a_step_never_goes_down(seed: int, form: str, k: int, missing: float, weighted: bool) -> None:
    table = mixed(60, seed, missing)
    weights = np.random.default_rng(seed).uniform(0.1, 3, 60) if weighted else None
    fitted = quiet(
        MixtureModel(k, covariance_type=form, init="random", random_state=seed, tol=0, max_iter=15, min_deviation=0.1),
        table,
        sample_weight=weights,
    )
    steps = np.diff(fitted.log_posteriors_)
    assert (steps >= -1e-9 * np.abs(fitted.log_posteriors_[1:])).all()


def test_the_bound_meets_the_likelihood_after_an_e_step() -> None:
    table = mixed(80, 3)
    model = quiet(MixtureModel(2, covariance_type="full", random_state=0), table).model_
    densities, shares = model.log_densities(table), model.predict_proba(table)  # type: ignore[attr-defined]
    entropy = -(shares * np.log(np.maximum(shares, 1e-300))).sum(axis=1)
    bound = (shares * densities).sum(axis=1) + entropy
    np.testing.assert_allclose(bound, model.score_samples(table), rtol=1e-9)  # type: ignore[attr-defined]


@pytest.mark.parametrize("form", FORMS)
def test_two_ways_of_summing_agree(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = mixed(200, 5, 0.0)
    labels = np.random.default_rng(0).integers(0, 3, 200)
    fast = quiet(MixtureModel(3, covariance_type=form, init=labels, max_iter=20, tol=0), table)
    threaded = quiet(MixtureModel(3, covariance_type=form, init=labels, max_iter=20, tol=0, n_jobs=2), table)
    assert np.array_equal(fast.log_likelihoods_, threaded.log_likelihoods_)
    monkeypatch.setattr("hornbeam.learn.clusters.em.Fit._may_be_fast", lambda *_: False)
    slow = quiet(MixtureModel(3, covariance_type=form, init=labels, max_iter=20, tol=0), table)
    np.testing.assert_allclose(fast.log_likelihoods_, slow.log_likelihoods_, rtol=1e-9)


def test_missing_values_are_left_out_not_put_in() -> None:
    random = np.random.default_rng(1)
    whole = random.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], size=4000)
    holes = whole.copy()
    holes[whole[:, 0] > 0, 1] = np.nan  # missing because of the other column: means of known values are wrong
    fitted = quiet(MixtureModel(1, covariance_type="full", tol=1e-10, max_iter=2000), holes)
    np.testing.assert_allclose(fitted.means_[0], [0, 0], atol=0.1)
    np.testing.assert_allclose(fitted.covariances_[0], [[1, 0.9], [0.9, 1]], atol=0.12)
    assert np.nanmean(holes[:, 1]) < -0.5
    filled = fitted.fill(holes)
    errors = filled.columns[1] - whole[:, 1]
    assert np.sqrt((errors[np.isnan(holes[:, 1])] ** 2).mean()) < 0.55
    assert np.array_equal(filled.columns[0], whole[:, 0])


def test_a_weight_is_a_repeated_row() -> None:
    rows = blobs(60, 2, 2, 4)
    weights = np.random.default_rng(0).integers(0, 4, 60)
    labels = (rows[:, 0] > 0).astype(int)
    used = weights > 0
    one = quiet(MixtureModel(2, covariance_type="full", init=labels[used]), rows, sample_weight=weights)
    other = quiet(
        MixtureModel(2, covariance_type="full", init=np.repeat(labels, weights)), np.repeat(rows, weights, axis=0)
    )
    np.testing.assert_allclose(one.means_, other.means_, rtol=1e-8)
    assert one.lower_bound_ == pytest.approx(other.lower_bound_)


def test_mixed_rows_sampled_and_found_again() -> None:
    table = mixed(400, 7)
    fitted = quiet(MixtureModel(2, random_state=0), table)
    assert fitted.classes_to_clusters(table).wrong < 0.05
    drawn, member = fitted.sample(500)
    assert drawn.n_rows == 500
    assert (fitted.predict(drawn) == member).mean() > 0.95
    odd = fitted.score_samples(drawn)
    far = hornbeam.Table(drawn.schema, [drawn.columns[0] + 100, *drawn.columns[1:]])
    assert fitted.score_samples(far).max() < odd.min()
    assert not any((np.asarray(column) < 0).any() for column in fitted.fill(table).columns[3:])


def test_the_number_of_components_by_rows_left_out() -> None:
    random = np.random.default_rng(0)
    rows = np.repeat([[0.0], [10.0], [20.0]], 40, axis=0) + random.normal(size=(120, 1))
    fitted = quiet(MixtureModel("auto", random_state=0, max_components=5, folds=5), rows)
    assert len(fitted.weights_) == 3
    assert len(fitted.validation_) == 4


def test_model_files() -> None:
    table = mixed()
    for form in (*FORMS, "fixed"):
        fitted = quiet(MixtureModel(2, covariance_type=form, random_state=0), table)
        model = from_bytes(to_bytes(fitted.model_))
        assert model.same_as(fitted.model_)
        assert np.array_equal(model.predict(table), fitted.labels_)
        assert np.array_equal(MixtureModel.from_model(model).predict_proba(table), fitted.predict_proba(table))
    assert "log-likelihood" in hornbeam.show.text(model)


def test_odd_tables() -> None:
    assert quiet(MixtureModel(1), [[1.0, 2.0]]).labels_.tolist() == [0]
    with pytest.raises(ValueError, match="n_samples=1"):
        MixtureModel(2).fit([[1.0, 2.0]])
    constant = np.column_stack([np.ones(20), np.arange(20.0)])
    for form in FORMS:
        fitted = quiet(MixtureModel(2, covariance_type=form, random_state=0, min_deviation=0.01), constant)
        assert np.isfinite(fitted.log_likelihoods_).all()
    missing = np.vstack([np.full((1, 2), np.nan), blobs(30, 2)])
    for form in FORMS:
        fitted = quiet(MixtureModel(2, covariance_type=form, random_state=0), missing)
        np.testing.assert_allclose(fitted.predict_proba(missing[:1])[0], fitted.weights_)
    for wrong in ({"init": "nowhere"}, {"covariance_type": "round"}, {"tol": -1}, {"init": np.zeros((3, 3))}):
        with pytest.raises(ValueError, match="expected"):
            MixtureModel(2, **wrong).fit(constant)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        MixtureModel(3, covariance_type="full", max_iter=2, random_state=0).fit(blobs())
