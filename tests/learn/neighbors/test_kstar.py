"""K*: against a naive program, whatever the weights and threads; bad input; distances to rows and to sets."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.neighbors.kstar import KStarClassifier, KStarRegressor, kstar_distance

COLORS = ("red", "green", "blue")


def effective(likelihood: Any, weights: Any) -> float:
    return float((weights * likelihood).sum() ** 2 / (weights * likelihood**2).sum())


def naive_likelihood(column: Any, asked: float, weights: Any, blend: float, *, nominal: bool) -> Any:
    """Bisection for the reach, one column; missing values as likely as others on average."""
    known = column >= 0 if nominal else ~np.isnan(column)
    if (asked < 0 if nominal else math.isnan(asked)) or not known.any():
        return np.ones(len(column))
    away = (column[known] != asked).astype(float) if nominal else np.abs(column[known] - asked)
    if nominal and away.all():
        return np.ones(len(column))
    away -= away.min()
    near = weights[known][away == 0].sum()
    aim = near + blend * (weights[known].sum() - near)
    low, high = 1e-9, 1e9
    for _ in range(400):
        rate = math.sqrt(low * high)
        low, high = (rate, high) if effective(np.exp(-rate * away), weights[known]) > aim else (low, rate)
    found = np.empty(len(column))
    found[known] = np.exp(-rate * away)
    if not away.any():
        found[known] = 1.0
    found[~known] = np.average(found[known], weights=weights[known])
    return found


@st.composite
def drawn(draw: Any) -> Table:
    n = draw(st.integers(2, 12))
    number = st.one_of(st.integers(-5, 5).map(float), st.just(math.nan))
    rows = {
        "x": draw(st.lists(number, min_size=n, max_size=n)),
        "y": draw(st.lists(st.floats(-100, 100).map(lambda v: round(v, 2)), min_size=n, max_size=n)),
        "color": draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n)),
        "class": draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)),
        "weight": draw(st.lists(st.integers(1, 3).map(float), min_size=n, max_size=n)),
    }
    columns = (
        Numeric("x"),
        Numeric("y"),
        Nominal("color", COLORS),
        Nominal("class", ("no", "yes")),
        Numeric("weight"),
    )
    return Table(Schema(columns, ("feature", "feature", "feature", "target", "weight")), list(rows.values()))


@given(drawn(), st.sampled_from([0.05, 0.2, 0.7]))
def test_shares_are_those_of_a_naive_program(table: Table, blend: float) -> None:
    shares = KStarClassifier(blend=blend).fit(table).predict_proba(table)
    weights = table.column("weight")
    for row in range(table.n_rows):
        likelihood = weights.copy()
        for name in ("x", "y", "color"):
            column = table.column(name)
            likelihood *= naive_likelihood(column, column[row], weights, blend, nominal=name == "color")
        wanted = np.bincount(table.column("class"), likelihood, minlength=2)
        np.testing.assert_allclose(shares[row], wanted / wanted.sum(), atol=1e-6)


def test_the_rate_of_one_number_does_not_mislead_the_search_for_the_next() -> None:
    # Around 0 the rate is very high; from there, the sums around 45.79 are flat.
    values = np.array([0.0, 0.0, 0.0, 99.0, 45.79, 0.05, 0.0, -32.89])
    schema = Schema((Numeric("y"), Nominal("class", ("a", "b"))), ("feature", "target"))
    table = Table(schema, [values, np.array([0, 0, 1, 0, 1, 1, 0, 0])])
    probabilities = KStarClassifier(blend=0.2).fit(table).predict_proba(table)
    likelihood = naive_likelihood(values, 45.79, np.ones(8), 0.2, nominal=False)
    wanted = np.bincount(table.column("class"), likelihood, minlength=2)
    np.testing.assert_allclose(probabilities[4], wanted / wanted.sum(), atol=1e-6)


@given(drawn())
def test_a_weight_is_a_repeated_row(table: Table) -> None:
    repeated = table.take(np.repeat(np.arange(table.n_rows), table.column("weight").astype(int)))
    once = repeated.assign({"weight": "ignored"})
    np.testing.assert_allclose(
        KStarClassifier().fit(table).predict_proba(table), KStarClassifier().fit(once).predict_proba(table), atol=1e-9
    )


def test_threads_do_not_matter() -> None:
    table = hornbeam.read("credit-g")
    table = table.take(np.tile(np.arange(table.n_rows), 2))
    one = KStarClassifier().fit(table).predict_proba(table)
    assert np.array_equal(one, KStarClassifier(n_jobs=3).fit(table).predict_proba(table))


@pytest.mark.parametrize("missing", ["average", "farthest", "exclude", "equal"])
def test_every_way_with_missing_values_answers(missing: str) -> None:
    table = hornbeam.read("labor")
    shares = KStarClassifier(missing=missing).fit(table).predict_proba(table)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_a_row_without_any_value_gets_the_shares_of_all() -> None:
    table = hornbeam.read("iris")
    shares = KStarClassifier().fit(table).predict_proba(_nothing())
    np.testing.assert_allclose(shares, 1 / 3)


def _nothing() -> Table:
    columns = tuple(Numeric(name) for name in ("sepallength", "sepalwidth", "petallength", "petalwidth"))
    return Table(Schema(columns), [np.array([math.nan])] * 4)


def test_a_constant_column_changes_nothing() -> None:
    random = np.random.default_rng(1)
    x, y = random.normal(size=(40, 2)), random.normal(size=40)
    wider = np.column_stack([x, np.full(40, 7.0)])
    np.testing.assert_allclose(KStarRegressor().fit(wider, y).predict(wider), KStarRegressor().fit(x, y).predict(x))


def test_a_blend_of_one_is_the_mean() -> None:
    x, y = np.arange(10.0)[:, np.newaxis], np.arange(10.0) ** 2
    np.testing.assert_allclose(KStarRegressor(blend=1.0).fit(x, y).predict(x), y.mean())


@pytest.mark.parametrize("blend", [0, -0.1, 1.1, "much", True])
def test_a_wrong_blend_is_refused(blend: Any) -> None:
    with pytest.raises(ValueError, match=r"blend is .*; expected a number above 0 and at most 1"):
        KStarClassifier(blend=blend).fit([[1.0], [2.0]], [0, 1])


def test_a_distance_to_a_set_is_that_to_any_of_its_rows() -> None:
    table = hornbeam.read("weather.numeric")
    rows = kstar_distance(table, table)
    sets = kstar_distance(table, table, sets=table.target_values())
    for number in range(2):
        likelihood = np.exp2(-rows[:, table.target_values() == number]).sum(axis=1)
        np.testing.assert_allclose(sets[:, number], -np.log2(likelihood))
    with pytest.raises(ValueError, match="expected a whole number of at least 0 for each of the 14 rows"):
        kstar_distance(table, table, sets=[0, 1])


def test_bits_of_categories_are_those_of_a_distribution() -> None:
    table = hornbeam.read("weather.nominal").select(["outlook"])
    every = Table(table.schema, [np.arange(3)])
    np.testing.assert_allclose(np.exp2(-kstar_distance(table, every, within=table)).sum(axis=1), 1.0)


def test_a_model_comes_back_from_its_file(tmp_path: Any) -> None:
    table = hornbeam.read("labor")
    learner = KStarClassifier().fit(table)
    learner.save(tmp_path / "model")
    model = hornbeam.load(tmp_path / "model")
    assert model.same_as(learner.model_)
    assert np.array_equal(model.predict_proba(table), learner.predict_proba(table))


def _lacking(values: list[float]) -> Table:
    """One row of four categories, -1: missing."""
    return Table(FOUR, [np.array([int(value)], np.int32) for value in values] + [np.zeros(1, np.int32)])


FOUR = Schema(
    (*(Nominal(name, COLORS) for name in "abcd"), Nominal("class", tuple("uvwxyz"))), (*["feature"] * 4, "target")
)


@pytest.mark.parametrize("asked", [[0, 1, 2, 0], [-1, 1, 2, 0], [0, -1, 2, -1], [-1, 1, -1, 2], [0, 1, 2, -1]])
def test_missing_values_asked_about_raise_what_is_known(asked: list[float]) -> None:
    random = np.random.default_rng(3)
    rows = [random.integers(0, 3, 6).astype(np.int32) for _ in range(4)]
    table = Table(FOUR, [*rows, np.arange(6, dtype=np.int32)])
    model = KStarClassifier(compat="weka").fit(table).model_
    likelihood, lacking = np.ones(6), 0
    for column, value in enumerate(asked):
        if value < 0:
            lacking += 1
            continue
        costs = model.code_costs[3 * column + int(value)]
        likelihood = (likelihood * np.exp(-np.where(rows[column] == value, costs[0], costs[1]))) ** (5 / (5 - lacking))
    shares = model.predict_proba(_lacking(asked))[0]
    np.testing.assert_allclose(shares, likelihood / likelihood.sum(), rtol=1e-9)


def test_likelihoods_raised_beyond_the_range_of_numbers_leave_classes_even() -> None:
    random = np.random.default_rng(4)
    n = 60
    schema = Schema(
        (*(Nominal(f"a{i}", COLORS) for i in range(n)), Nominal("class", ("no", "yes"))), (*["feature"] * n, "target")
    )
    codes = random.integers(0, 3, (n + 1, 9)).astype(np.int32)
    table = Table(schema, [*codes[:n], np.array([0, 1, 1, 1, 1, 1, 1, 1, 1], np.int32)])
    asked = codes[:, :1].copy()
    asked[:15] = -1
    asked[15::2] = (asked[15::2] + 1) % 3
    row = Table(schema, [*asked[:n], np.zeros(1, np.int32)])
    assert KStarClassifier(compat="weka").fit(table).predict_proba(row).tolist() == [[0.5, 0.5]]
    assert KStarClassifier().fit(table).predict_proba(row)[0, 0] != 0.5


def test_a_model_with_raised_likelihoods_comes_back_from_its_file(tmp_path: Any) -> None:
    table = hornbeam.read("labor")
    learner = KStarClassifier(compat="weka").fit(table)
    learner.save(tmp_path / "model")
    model = hornbeam.load(tmp_path / "model")
    assert model.raised == 17
    assert model.same_as(learner.model_)
    assert not model.same_as(KStarClassifier().fit(table).model_)
