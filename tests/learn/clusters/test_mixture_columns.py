"""Mixtures of columns of every distribution: densities as by definition, categories together, principal axes."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mixture_tables import DISTRIBUTIONS, JOINT, of_every_kind, quiet
from scipy import stats

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.learn.clusters.mixture import MixtureModel
from hornbeam.model.base.plain import ModelError
from hornbeam.model.files.storage import from_bytes, to_bytes

FORMS = ("spherical", "diagonal", "tied", "full", "fixed")
WAYS = st.fixed_dictionaries(
    {
        "covariance_type": st.sampled_from(FORMS),
        "prior": st.sampled_from(["laplace", "conjugate", None]),
        "distributions": st.sampled_from([None, DISTRIBUTIONS]),
        "joint": st.sampled_from([None, JOINT]),
        "weights": st.sampled_from(["free", "equal"]),
        "pca": st.sampled_from([None, 1, 0.9]),
    }
)


def made(k: int, **named: Any) -> MixtureModel:
    return MixtureModel(k, **({"min_deviation": 0.05} | named))


@settings(max_examples=60, deadline=None)
@given(WAYS, st.integers(0, 1000), st.integers(1, 4), st.sampled_from([0.0, 0.3]), st.booleans())
def test_a_step_never_goes_down(way: dict[str, Any], seed: int, k: int, missing: float, weighted: bool) -> None:
    table = of_every_kind(60, seed, missing)
    way = way if missing == 0 else way | {"pca": None}
    weights = np.random.default_rng(seed).uniform(0.1, 3, 60) if weighted else None
    fitted = quiet(made(k, init="random", random_state=seed, tol=0, max_iter=12, **way), table, sample_weight=weights)
    steps = np.diff(fitted.log_posteriors_)
    assert (steps >= -1e-9 * np.abs(fitted.log_posteriors_[1:])).all()
    each = np.ones(60) if weights is None else weights
    assert each @ fitted.score_samples(table) == pytest.approx(fitted.log_likelihoods_[-1], rel=1e-9)


@settings(max_examples=30, deadline=None)
@given(WAYS, st.integers(0, 1000), st.sampled_from([0.0, 0.3]))
def test_weights_are_repetition_and_order_is_nothing(way: dict[str, Any], seed: int, missing: float) -> None:
    table = of_every_kind(50, seed, missing)
    way = way if missing == 0 else way | {"pca": None}
    random = np.random.default_rng(seed)
    counts, start = random.integers(1, 4, 50), random.integers(0, 2, 50)
    again = random.permutation(np.repeat(np.arange(50), counts))
    one = quiet(made(2, init=start, tol=0, max_iter=8, **way), table, sample_weight=counts)
    other = quiet(made(2, init=start[again], tol=0, max_iter=8, **way), table.take(again))
    both = min(one.n_iter_, other.n_iter_) + 1  # rounding decides when a run that no longer rises has ended
    np.testing.assert_allclose(one.log_posteriors_[:both], other.log_posteriors_[:both], rtol=1e-8)
    for run in (one, other):
        np.testing.assert_allclose(run.log_posteriors_[both:], run.log_posteriors_[both - 1], rtol=1e-12)
    np.testing.assert_allclose(one.score_samples(table), other.score_samples(table), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(one.anomaly_score(table), other.anomaly_score(table), atol=0.05)


def test_a_run_that_no_longer_rises_has_ended() -> None:
    rows = np.array([0.0, 1.0, 2.0, 50.0, 51.0, 52.0])[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = made(2, init=[0, 0, 0, 1, 1, 1], tol=0, max_iter=50).fit(rows)
    assert fitted.converged_
    assert fitted.n_iter_ < 5


def test_densities_are_those_of_the_distributions() -> None:
    table = of_every_kind(200)
    fitted = quiet(made(1, prior=None, distributions=DISTRIBUTIONS, joint=JOINT), table)
    height, left, income, visits, alone, part, right = table.columns
    expected = stats.norm.logpdf(height, height.mean(), height.std())
    logs = np.log(income + 1)
    expected = expected + stats.lognorm.logpdf(income, logs.std(), -1, np.exp(logs.mean()))
    expected += stats.poisson.logpmf(visits, visits.mean())
    odds = np.log(part / (2 - part))
    expected += stats.norm.logpdf(odds, odds.mean(), odds.std()) + np.log(2 / (part * (2 - part)))
    pairs = np.histogram2d(left, right, bins=(3, 2))[0] / 200
    expected += np.log(pairs[left, right]) + np.log((np.bincount(alone) / 200)[alone])
    np.testing.assert_allclose(fitted.score_samples(table), expected, rtol=1e-9)
    assert fitted.n_parameters_ == 2 * 3 + 1 + 5 + 1


def test_one_of_two_columns_together_is_enough() -> None:
    table = of_every_kind(300, 3, 0.3)
    fitted = quiet(made(2, joint=JOINT, random_state=0), table)
    model: Any = fitted.model_
    shares = model.components.shares[0]
    nothing = [np.full(4, -1) if isinstance(column, Nominal) else np.full(4, np.nan) for column in table.schema.columns]
    nothing[1], nothing[6] = np.array([0, -1, 2, -1]), np.array([-1, 1, 1, -1])
    found = np.exp(fitted.score_samples(hornbeam.Table(table.schema, nothing)))
    weights = fitted.weights_
    expected = [weights @ shares[:, 0].sum(axis=1), weights @ shares[:, :, 1].sum(axis=1), weights @ shares[:, 2, 1], 1]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    filled = fitted.fill(hornbeam.Table(table.schema, nothing))
    both = (weights[:, np.newaxis, np.newaxis] * shares).sum(axis=0)
    assert [filled.column("left")[1], filled.column("right")[0]] == [both[:, 1].argmax(), both[0].argmax()]


def test_columns_together_tell_what_they_do_not_alone() -> None:
    random = np.random.default_rng(0)
    member, a = random.integers(0, 2, 400), random.integers(0, 2, 400)
    columns = (Nominal("a", ("0", "1")), Nominal("b", ("0", "1")), Numeric("x"))
    b = np.where(member, a, 1 - a)
    table = hornbeam.Table(Schema(columns), [a, b, 2 * member + random.normal(size=400)])
    alone, together = (quiet(MixtureModel(2, joint=j, n_init=5, random_state=0), table) for j in (None, [("a", "b")]))
    accuracy = [max(np.mean(one.labels_ == member), np.mean(one.labels_ != member)) for one in (alone, together)]
    assert accuracy[0] < 0.9
    assert accuracy[1] > 0.95
    (told,) = [trait for trait in together.describe()[0].traits if trait.column == "a & b"]
    assert told.spread > 0.4
    assert told.rest < 0.05
    assert abs(told.distinctive_share - told.distinctive_rest) > 0.4
    assert "a & b" in hornbeam.show.text(together)
    assert "all rows" in hornbeam.show.text(together, "table")
    pairs = np.array([f"{one} & {two}" for one, two in zip(a, b, strict=True)])
    inside = together.labels_ == 0
    for name, share, rest in (
        (told.typical, told.spread, told.rest),
        (told.distinctive, told.distinctive_share, told.distinctive_rest),
    ):
        assert share == pytest.approx(np.mean(pairs[inside] == name), abs=0.05)
        assert rest == pytest.approx(np.mean(pairs[~inside] == name), abs=0.05)
    assert abs(told.apart) > 0.8


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ({}, 1 + 2 * 3 + 6 + 2 * 1 + 2 * 5 + 2 * 1),
        ({"weights": "equal"}, 2 * 3 + 6 + 2 * 1 + 2 * 5 + 2 * 1),
        ({"covariance_type": "spherical"}, 1 + 2 * 3 + 2 + 2 * 1 + 2 * 5 + 2 * 1),
        ({"covariance_type": "tied"}, 1 + 2 * 3 + 6 + 2 * 1 + 2 * 5 + 2 * 1),
        ({"covariance_type": "full"}, 1 + 2 * 3 + 12 + 2 * 1 + 2 * 5 + 2 * 1),
        ({"covariance_type": "fixed"}, 1 + 2 * 3 + 0 + 2 * 1 + 2 * 5 + 2 * 1),
        ({"joint": None}, 1 + 2 * 3 + 6 + 2 * 1 + 2 * (2 + 1) + 2 * 1),
        ({"pca": 1}, 1 + 2 * 1 + 2 + (3 + 2 * 2) + 2 * 1 + 2 * 5 + 2 * 1),
    ],
)
def test_free_figures(named: dict[str, Any], expected: int) -> None:
    how = {"distributions": DISTRIBUTIONS, "joint": JOINT, "random_state": 0} | named
    assert quiet(made(2, **how), of_every_kind(60)).n_parameters_ == expected


# ---- axes ----


@pytest.mark.parametrize("pca", [1, 2, 4, 0.5, 1.0])
def test_one_component_on_axes_is_one_with_a_whole_matrix(pca: float) -> None:
    random = np.random.default_rng(1)
    rows = random.normal(size=(200, 4)) @ random.normal(size=(4, 4)) * [1, 10, 0.1, 3] + 5
    turned, full = quiet(MixtureModel(1, pca=pca), rows), quiet(MixtureModel(1, covariance_type="full"), rows)
    np.testing.assert_allclose(turned.score_samples(rows), full.score_samples(rows), rtol=1e-8)
    np.testing.assert_allclose(turned.covariances_, full.covariances_, rtol=1e-8)
    np.testing.assert_allclose(turned.means_, full.means_, rtol=1e-8)
    assert turned.n_parameters_ == full.n_parameters_
    holes = np.where(random.uniform(size=rows.shape) < 0.3, np.nan, rows)
    np.testing.assert_allclose(turned.score_samples(holes), full.score_samples(holes), rtol=1e-8)
    np.testing.assert_allclose(turned.fill(holes).columns, full.fill(holes).columns, rtol=1e-6)
    drawn, _ = turned.set_params(random_state=0).sample(20000)
    np.testing.assert_allclose(np.cov(drawn.columns), full.covariances_[0], rtol=0.1, atol=0.1)


def test_axes_set_apart_what_correlation_hides() -> None:
    random = np.random.default_rng(2)
    member = random.integers(0, 2, 300)
    long, across = 10 * random.normal(size=300), np.where(member, 2, -2) + 0.3 * random.normal(size=300)
    rows = np.column_stack([long + across, long - across])
    plain, turned = (quiet(MixtureModel(2, pca=pca, n_init=5, random_state=0), rows) for pca in (None, 2))
    assert turned.score(rows) > plain.score(rows) + 1
    assert max(np.mean(turned.labels_ == member), np.mean(turned.labels_ != member)) > 0.99
    assert "principal axes" in hornbeam.show.text(turned)


# ---- rows made ----


def test_rows_drawn_are_like_those_learned_from() -> None:
    table = of_every_kind(600, 5)
    how: dict[str, Any] = {"distributions": DISTRIBUTIONS, "joint": JOINT, "random_state": 0}
    fitted = quiet(made(2, **how), table)
    drawn, member = fitted.sample(4000)
    assert drawn.schema.names == table.schema.names
    assert (fitted.predict(drawn) == member).mean() > 0.95
    for name in ("height", "income", "visits", "part"):
        assert stats.ks_2samp(drawn.column(name), table.column(name)).statistic < 0.08
    again = quiet(made(2, **how), drawn)
    assert again.score(table) == pytest.approx(fitted.score(table), abs=0.05)
    pairs = [np.histogram2d(t.column("left"), t.column("right"), bins=(3, 2))[0] / t.n_rows for t in (drawn, table)]
    np.testing.assert_allclose(*pairs, atol=0.04)


def test_values_put_in_are_expected_ones() -> None:
    table = of_every_kind(300, 6)
    fitted = quiet(made(2, covariance_type="full", distributions=DISTRIBUTIONS, joint=JOINT, random_state=0), table)
    holes = of_every_kind(300, 6, 0.3)
    filled = fitted.fill(holes)
    for before, after in zip(holes.columns, filled.columns, strict=True):
        known = before >= 0 if before.dtype.kind == "i" else ~np.isnan(before)
        assert np.array_equal(before[known], after[known])
        assert not (after < 0 if after.dtype.kind == "i" else np.isnan(after)).any()
    quiet(made(2, distributions=DISTRIBUTIONS, joint=JOINT), filled)  # what is put in is possible
    nothing = [np.full(1, -1) if isinstance(column, Nominal) else np.full(1, np.nan) for column in table.schema.columns]
    told = fitted.fill(hornbeam.Table(table.schema, nothing))
    drawn, _ = fitted.sample(200000)
    for name in ("height", "income", "part"):
        assert told.column(name)[0] == pytest.approx(drawn.column(name).mean(), rel=0.02)
    assert told.column("visits")[0] == round(drawn.column("visits").mean())


def test_odd_rows_are_odd_and_it_is_told_why() -> None:
    table = of_every_kind(300, 7)
    fitted = quiet(made(2, distributions=DISTRIBUTIONS, random_state=0), table)
    scores = fitted.anomaly_score(table)
    assert scores.min() >= 0
    assert np.median(scores) == pytest.approx(0.5, abs=0.02)
    odd = [column[:2].copy() for column in table.columns]
    odd[3][0], odd[2][1] = 80.0, -5.0  # far too many visits; an income that cannot be
    rows = hornbeam.Table(table.schema, odd)
    assert fitted.anomaly_score(rows).tolist() == [1.0, 1.0]
    assert fitted.score_samples(rows)[1] == -np.inf
    surprises = fitted.surprises(rows)
    assert surprises.argmax(axis=1).tolist() == [3, 2]
    assert np.isfinite(fitted.predict_proba(rows)).all()
    one = quiet(made(1, distributions=DISTRIBUTIONS), table)
    np.testing.assert_allclose(one.surprises(table).sum(axis=1), -one.score_samples(table), rtol=1e-9)
    assert (fitted.surprises(of_every_kind(50, 1, 0.4))[np.isnan(of_every_kind(50, 1, 0.4).columns[0]), 0] == 0).all()


# ---- what may go wrong, and files ----


def test_values_that_cannot_be_are_named() -> None:
    table = of_every_kind(20)
    for name, bad, match in (
        ("visits", 2.5, r"column 'visits', row 3: found 2.5; expected whole numbers of at least 0.*poisson"),
        ("visits", -1.0, "row 3: found -1; expected whole numbers"),
        ("income", -1.0, r"column 'income', row 3: found -1; expected numbers above -1, as .* log-normal"),
        ("part", 2.0, r"column 'part', row 3: found 2; expected numbers above 0 and below 2.*log-odds"),
    ):
        place = table.schema.position(name)
        arrays = [column.copy() for column in table.columns]
        arrays[place][2] = bad
        with pytest.raises(SchemaError, match=match):
            MixtureModel(2, distributions=DISTRIBUTIONS).fit(hornbeam.Table(table.schema, arrays))
        weights = np.ones(20)
        weights[[0, 2]] = 0
        quiet(MixtureModel(2, distributions=DISTRIBUTIONS), hornbeam.Table(table.schema, arrays), sample_weight=weights)
        arrays[place][4] = bad
        with pytest.raises(SchemaError, match="row 5"):
            MixtureModel(2, distributions=DISTRIBUTIONS).fit(
                hornbeam.Table(table.schema, arrays), sample_weight=weights
            )


@pytest.mark.parametrize(
    ("named", "match"),
    [
        ({"distributions": {"nothing": "poisson"}}, "no column is called 'nothing'"),
        ({"distributions": {"left": "poisson"}}, "'left', which is nominal"),
        ({"distributions": {"visits": "gamma"}}, "'gamma'; expected one of normal, poisson, log-normal, log-odds"),
        ({"distributions": {"visits": ("poisson", 3)}}, "expected no bounds"),
        ({"distributions": {"visits": ("log-normal", "low")}}, "expected a minimum"),
        ({"distributions": {"visits": ("log-odds", 1, 0)}}, "expected two rising bounds"),
        ({"joint": [("left", "income")]}, "'income', which is a column of numbers"),
        ({"joint": [("left",)]}, "two or more columns"),
        ({"joint": [("left", "left")]}, "two or more columns"),
        ({"joint": [("left", "right"), ("right", "alone")]}, "each in one group only"),
        ({"pca": 9}, "at most .* axes"),
        ({"pca": 0.0}, "fraction of the variance"),
        ({"pca": 0}, "at least 1"),
        ({"prior": "strong"}, "prior is 'strong'; expected one of 'laplace', 'conjugate', None"),
    ],
)
def test_wrong_words(named: dict[str, Any], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        MixtureModel(2, **named).fit(of_every_kind(20))


def test_axes_need_two_columns_without_missing_values() -> None:
    rows = np.random.default_rng(0).normal(size=(50, 3))
    rows[0, 0] = np.nan
    fitted = quiet(MixtureModel(2, pca=2, random_state=0), rows)
    assert fitted.model_.columns.axes.columns.tolist() == [1, 2]  # type: ignore[attr-defined]
    rows[0, 1] = np.nan
    with pytest.raises(ValueError, match="needs two or more normal columns without missing values; there are 1"):
        MixtureModel(2, pca=2).fit(rows)


@pytest.mark.parametrize("form", FORMS)
def test_model_files(form: str) -> None:
    table = of_every_kind(80, 2)
    how: dict[str, Any] = {"distributions": DISTRIBUTIONS, "joint": JOINT, "pca": 2, "prior": "conjugate"}
    fitted = quiet(made(2, covariance_type=form, random_state=0, **how), table)
    model = from_bytes(to_bytes(fitted.model_))
    assert model.same_as(fitted.model_)
    holes = of_every_kind(80, 3, 0.3)
    loaded = MixtureModel.from_model(model, random_state=0)
    for name in ("predict", "score_samples", "anomaly_score", "surprises"):
        assert np.array_equal(getattr(loaded, name)(holes), getattr(fitted, name)(holes))
    assert np.array_equal(loaded.sample(5)[0].columns[0], fitted.sample(5)[0].columns[0])
    text = hornbeam.show.text(loaded)
    for words in ("visits: Poisson,", "income: log-normal above -1,", "part: log-odds between 0 and 2,", "2 of 3"):
        assert words in text


@pytest.mark.parametrize("change", ["rates", "scores", "shares", "distributions", "groups", "axes"])
def test_strange_models_are_refused(change: str) -> None:
    fitted = quiet(made(2, distributions=DISTRIBUTIONS, joint=JOINT, pca=1, random_state=0), of_every_kind(60))
    model: Any = fitted.model_
    own, columns = model.components, model.columns
    broken = {
        "rates": {"components": replace(own, rates=-own.rates)},
        "scores": {"scores": model.scores[::-1]},
        "shares": {"components": replace(own, shares=own.shares[::-1])},
        "distributions": {"columns": replace(columns, distributions=columns.distributions[:1])},
        "groups": {"columns": replace(columns, groups=((0,), (1,)))},
        "axes": {"columns": replace(columns, axes=replace(columns.axes, directions=2 * columns.axes.directions))},
    }[change]
    model.validate()
    with pytest.raises(ModelError):
        replace(model, **broken).validate()
