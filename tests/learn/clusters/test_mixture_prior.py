"""Priors of mixtures: the posterior is greatest where it is said to be, evidence is that of rows one after another."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mixture_tables import DISTRIBUTIONS, JOINT, of_every_kind, quiet
from scipy import stats

import hornbeam
from hornbeam.data.schema import Nominal, Schema
from hornbeam.learn.clusters.em import Choices, Fit, Rows
from hornbeam.learn.clusters.mixture import MixtureModel
from hornbeam.learn.clusters.mixture_prior import completed_cells
from hornbeam.model.clusters.centers import Crew
from hornbeam.model.clusters.mixture_columns import Columns

FORMS = ("spherical", "diagonal", "tied", "full", "fixed")


def ready(form: str, *, conjugate: bool, k: int, table: hornbeam.Table, equal: bool = False) -> Fit:
    columns = Columns.of(table.schema, DISTRIBUTIONS, JOINT)
    rows = Rows.of(columns.places(table), columns.sizes, np.ones(table.n_rows), form)
    return Fit(rows, Choices(form, 1.5, equal, 1e-3, 0.0, 1.0, conjugate), Crew(1), k)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("conjugate", [False, True])
def test_no_figures_near_by_are_likelier(form: str, conjugate: bool) -> None:
    fit = ready(form, conjugate=conjugate, k=1, table=of_every_kind(40, 2))
    best = fit.start(np.ones((40, 1)))

    def posterior(components: Any) -> float:
        return fit.log_likelihood(components) + fit.prior.logarithm(components)

    top, random = posterior(best), np.random.default_rng(0)
    for size in (0.3, 0.03, 0.003):
        for _ in range(10):
            means = best.means + size * random.normal(size=best.means.shape)
            assert posterior(replace(best, means=means)) < top
            assert (
                posterior(replace(best, rates=best.rates * np.exp(size * random.normal(size=best.rates.shape)))) < top
            )
            shares = best.shares[0] * np.exp(size * random.normal(size=best.shares[0].shape))
            assert posterior(replace(best, shares=(shares / shares.sum(), best.shares[1]))) < top
            if form in ("tied", "full"):
                turn = np.eye(3) + size * random.normal(size=(3, 3))
                covariances = turn @ best.covariances @ turn.T
                assert posterior(replace(best, covariances=covariances)) < top
            elif form != "fixed":
                stretch = np.exp(size * random.normal(size=best.covariances.shape))
                assert posterior(replace(best, covariances=best.covariances * stretch)) < top


def test_weights_of_components_are_likeliest_too() -> None:
    fit = ready("diagonal", conjugate=True, k=3, table=of_every_kind(40, 2))
    shares = np.random.default_rng(0).dirichlet(np.ones(3), size=40)
    weights = fit.start(shares).weights
    held = shares.sum(axis=0)
    np.testing.assert_allclose(weights, (held + 1 / 3) / (40 + 1))


# ---- evidence: with one component it is exact ----


def student(rows: Any, *, freedom: float, scatter: Any) -> float:
    """The log-probability of rows one after another, each given those before: one normal column or several."""
    total, d = 0.0, rows.shape[1]
    mean, held = np.zeros(d), 0.01
    for x in rows:
        spread = np.atleast_2d(scatter) * (held + 1) / (held * (freedom - d + 1))
        total += stats.multivariate_t.logpdf(x, mean, spread, freedom - d + 1)
        scatter = scatter + np.outer(x - mean, x - mean) * held / (held + 1)
        mean, held, freedom = (held * mean + x) / (held + 1), held + 1, freedom + 1
    return total


@pytest.mark.parametrize("form", ["diagonal", "full", "tied"])
def test_evidence_is_that_of_rows_one_after_another(form: str) -> None:
    table = of_every_kind(25, 4).select([0, 2, 5])
    fitted = quiet(MixtureModel(1, covariance_type=form, prior="conjugate"), table)
    rows = np.column_stack(table.columns)
    placed = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    if form == "diagonal":
        expected = sum(student(placed[:, [j]], freedom=3, scatter=np.eye(1)) for j in range(3))
    else:
        expected = student(placed, freedom=5, scatter=np.eye(3))
    assert fitted.log_evidence_ == pytest.approx(expected - 25 * np.log(rows.std(axis=0)).sum(), rel=1e-9)


def test_evidence_of_one_variance_for_all_columns() -> None:
    rows = np.random.default_rng(0).normal(size=(12, 2)) * [1, 3]
    for form, variance in (("fixed", 2.0), ("spherical", None)):
        fitted = quiet(MixtureModel(1, covariance_type=form, variance=2.0, prior="conjugate"), rows)
        placed = rows - rows.mean(axis=0)
        if variance is not None:  # all rows of a column at once: normal, with the mean integrated out
            spread = variance * (np.eye(12) + 1 / 0.01)
            expected = sum(stats.multivariate_normal.logpdf(placed[:, j], np.zeros(12), spread) for j in range(2))
        else:  # all values at once: Student's, with mean and variance integrated out
            shape = np.kron(np.eye(2), np.eye(12) + 1 / 0.01)
            scale = rows.var(axis=0).mean()
            expected = stats.multivariate_t.logpdf(placed.T.ravel(), np.zeros(24), shape * scale / 3, 3)
        assert fitted.log_evidence_ == pytest.approx(expected, rel=1e-9)


def test_evidence_of_counts_and_categories() -> None:
    table = of_every_kind(25, 4).select([1, 3, 6])
    fitted = quiet(MixtureModel(1, prior="conjugate", distributions={"visits": "poisson"}, joint=JOINT), table)
    left, visits, right = table.columns
    shape, rate = 1 + visits.mean(), 1.0
    counts, expected = np.full((3, 2), 2.0), 0.0  # 1, and 1 more
    for a, b, n in zip(left, right, visits, strict=True):
        expected += stats.nbinom.logpmf(n, shape, rate / (rate + 1)) + np.log(counts[a, b] / counts.sum())
        shape, rate = shape + n, rate + 1
        counts[a, b] += 1
    assert fitted.log_evidence_ == pytest.approx(expected, rel=1e-9)


def test_evidence_is_a_bound_of_that_of_all_ways_to_share_rows_out() -> None:
    columns = (Nominal("a", ("0", "1")), Nominal("b", ("0", "1")))
    table = hornbeam.Table(Schema(columns), [np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 1, 0])])
    fitted = quiet(MixtureModel(2, prior="conjugate", n_init=10, random_state=0, tol=1e-12, max_iter=5000), table)
    fit = Fit(
        Rows.of(Columns.of(table.schema, None, None).places(table), ((2,), (2,)), np.ones(6), "diagonal"),
        Choices("diagonal", 1.0, False, 1e-6, 0.0, 1.0, True), Crew(1), 2,
    )  # fmt: skip
    ways = []
    for number in range(64):
        shares = np.eye(2)[[(number >> row) & 1 for row in range(6)]]
        moments = fit._around(shares, np.zeros((2, 0)), None)
        ways.append(fit.prior.log_evidence(fit._statistics(moments, None), equal=False, variance=1.0))
    whole = np.logaddexp.reduce(ways)
    assert 0 < whole - (fitted.log_evidence_ + np.log(2)) < 1  # every way is there with the components exchanged, too


# ---- the number of components ----


@pytest.mark.parametrize("form", ["diagonal", "full", "spherical", "tied"])
def test_the_number_that_rows_bear_out(form: str) -> None:
    random = np.random.default_rng(0)
    places = np.array([[0, 0], [8, 0], [0, 8]])
    rows = places[random.integers(0, 3, 150)] + random.normal(size=(150, 2))
    how: dict[str, Any] = {"choose": "bayesian", "prior": "conjugate", "max_components": 6, "random_state": 0}
    fitted = quiet(MixtureModel("auto", covariance_type=form, **how), rows)
    assert len(fitted.weights_) == 3
    assert len(fitted.validation_) == 6
    assert len(quiet(MixtureModel("auto", covariance_type=form, **how), random.normal(size=(150, 2))).weights_) == 1


def test_the_number_by_categories_alone() -> None:
    random = np.random.default_rng(0)
    member = random.integers(0, 2, 200)
    columns = tuple(Nominal(f"c{j}", ("0", "1", "2")) for j in range(8))
    arrays = [np.where(random.uniform(size=200) < 0.7, member, random.integers(0, 3, 200)) for _ in columns]
    table = hornbeam.Table(Schema(columns), arrays)
    how: dict[str, Any] = {"choose": "bayesian", "prior": "conjugate", "max_components": 3, "random_state": 0}
    fitted = quiet(MixtureModel("auto", **how), table)
    assert len(fitted.weights_) == 2
    shuffled = hornbeam.Table(table.schema, [random.permutation(array) for array in arrays])
    assert len(quiet(MixtureModel("auto", **how), shuffled).weights_) == 1


def test_a_prior_is_asked_for() -> None:
    for wrong in ({"prior": "laplace"}, {"prior": "conjugate", "pseudo_count": 0.0}):
        with pytest.raises(ValueError, match="expected 'conjugate'"):
            MixtureModel("auto", choose="bayesian", **wrong).fit(np.arange(10.0)[:, np.newaxis])
    with pytest.raises(ValueError, match="expected one of 'cross-validation', 'bayesian'"):
        MixtureModel("auto", choose="luck").fit(np.arange(10.0)[:, np.newaxis])


def test_a_prior_keeps_a_component_of_one_row_from_falling_in() -> None:
    rows = np.append(np.random.default_rng(0).normal(size=30), 100.0)[:, np.newaxis]
    sharp, smooth = (quiet(MixtureModel(2, prior=prior, random_state=0), rows) for prior in (None, "conjugate"))
    assert sharp.covariances_.min() < 1e-9
    assert smooth.covariances_.min() > 1e-3


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1000), st.lists(st.integers(1, 3), min_size=1, max_size=3))
def test_rows_known_in_part_are_shared_out_as_expected(seed: int, sizes: list[int]) -> None:
    random = np.random.default_rng(seed)
    wide = tuple(size + 1 for size in sizes)
    cells = random.uniform(size=(2, int(np.prod(wide))))
    shares = random.uniform(0.1, 1, size=(2, *sizes))
    found = completed_cells(cells, shares, tuple(sizes))
    expected = np.zeros((2, *sizes))
    for place, weight in np.ndenumerate(cells.reshape(2, *wide)):
        at = [slice(None) if code == size else code for code, size in zip(place[1:], sizes, strict=True)]
        if all(isinstance(code, slice) for code in at):
            continue
        part = shares[(place[0], *at)]
        expected[(place[0], *at)] += weight * part / part.sum()
    np.testing.assert_allclose(found, expected, rtol=1e-12)
