"""Linear, polynomial and discretized regression: what they do with categories, missing values and bad input."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import hornbeam
from hornbeam import (
    C45Classifier,
    CartClassifier,
    DiscretizedRegressor,
    LinearRegressor,
    Nominal,
    Numeric,
    PolynomialRegressor,
    Schema,
    Table,
)
from hornbeam.learn.linear.few_rows import FewRowsWarning
from hornbeam.learn.linear.terms import factors_of, products
from hornbeam.model.linear.linear import Factor

pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")


def mixed(rows: int = 90, seed: int = 0) -> Table:
    random = np.random.default_rng(seed)
    maker = random.integers(0, 3, rows).astype(np.int32)
    x = random.normal(size=rows)
    y = np.array([5.0, 1.0, 3.0])[maker] + 2 * x + 0.1 * random.normal(size=rows)
    schema = Schema(
        (Nominal("maker", ("us", "asia", "europe")), Numeric("x"), Numeric("y")), ("feature",) * 2 + ("target",)
    )
    return Table(schema, [maker, x, y])


# ---- categories and missing values ----


def test_categories_become_indicators_in_the_order_of_their_means() -> None:
    table = mixed()
    found = factors_of(table, 0)
    assert [factor.codes for factor in found] == [(2, 0), (0,)]
    assert found[0].fill == pytest.approx(np.isin(table.columns[0], [0, 2]).mean())
    told = LinearRegressor().fit(table).model_.coefficients()
    assert list(told) == ["intercept", "maker in {europe, us}", "maker = us", "x"]
    assert list(told.values()) == pytest.approx([1, 2, 2, 2], abs=0.1)


def test_a_missing_category_counts_as_all_by_their_share() -> None:
    table = mixed()
    model = LinearRegressor().fit(table)
    unknown = Table(table.schema, [np.full(1, -1), np.zeros(1), np.zeros(1)])
    by_maker = Table(table.schema, [np.arange(3), np.zeros(3), np.zeros(3)])
    share = np.bincount(table.columns[0]) / table.n_rows
    assert model.predict(unknown) == pytest.approx(model.predict(by_maker) @ share)


def test_a_category_without_rows_answers_as_one_about_the_mean() -> None:
    table = mixed()
    column = Nominal("maker", ("us", "asia", "europe", "africa"))
    wider = Table(replace(table.schema, columns=(column, *table.schema.columns[1:])), table.columns)
    factors = factors_of(wider, 0)
    assert len(factors) == 2  # africa makes no indicator of its own
    assert len(factors_of(wider, 0, keep_alike=True)) == 3
    model = LinearRegressor().fit(wider)
    assert model.predict(wider) == pytest.approx(LinearRegressor().fit(table).predict(table))
    answer = model.predict(Table(wider.schema, [np.array([3]), np.zeros(1), np.zeros(1)]))
    assert 1 <= answer[0] <= 5


def test_missing_numbers_are_the_mean() -> None:
    table = mixed()
    gaps = table.columns[1].copy()
    gaps[::7] = np.nan
    table = Table(table.schema, [table.columns[0], gaps, table.columns[2]])
    model = LinearRegressor().fit(table)
    filled = np.where(np.isnan(gaps), np.nanmean(gaps), gaps)
    other = LinearRegressor().fit(Table(table.schema, [table.columns[0], filled, table.columns[2]]))
    assert model.predict(table) == pytest.approx(other.predict(table))


@given(st.integers(0, 1000))
def test_the_order_of_means_leaves_no_better_fit(seed: int) -> None:
    """Ordered indicators span what one indicator a category does: the fit without selection is the same."""
    table = mixed(40, seed)
    dummies = np.column_stack([np.eye(3)[table.columns[0]], table.columns[1]])
    expected = dummies @ np.linalg.lstsq(dummies, table.columns[2], rcond=None)[0]
    assert LinearRegressor(selection=None).fit(table).predict(table) == pytest.approx(expected, abs=1e-6)


def test_standardized_coefficients_are_those_of_standardized_columns() -> None:
    table = hornbeam.read("cpu")
    model = LinearRegressor(selection=None).fit(table)
    told = model.standardized_coefficients_
    assert list(told) == list(table.schema.names[:-1])
    for name, figure in told.items():
        raw = model.model_.coefficients()[name]
        assert figure == pytest.approx(raw * table.column(name).std() / table.target_values().std())
    scaled = [(c - c.mean()) / c.std() for c in table.columns]
    again = LinearRegressor(selection=None).fit(Table(table.schema, scaled))
    assert list(again.model_.coefficients().values())[1:] == pytest.approx(list(told.values()))


def test_more_ridge_draws_coefficients_to_zero() -> None:
    table = hornbeam.read("cpu")
    sizes = [
        np.abs(list(LinearRegressor(selection=None, ridge=r).fit(table).standardized_coefficients_.values())).sum()
        for r in (0.0, 10.0, 1000.0, 1e9)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 1e-3


# ---- the rule of thumb ----


def test_fewer_than_ten_rows_a_parameter_is_told() -> None:
    random = np.random.default_rng(0)
    x, y = random.normal(size=(39, 3)), random.normal(size=39)
    with pytest.warns(FewRowsWarning, match="4 parameters from 39 rows, fewer than 10 rows per parameter"):
        LinearRegressor(selection=None).fit(x, y)
    with pytest.warns(FewRowsWarning, match="smaller degree"):
        PolynomialRegressor(degree=3, products=False).fit(x, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LinearRegressor(selection=None).fit(np.vstack([x, x]), np.concatenate([y, y]))


# ---- polynomials ----


@given(st.integers(0, 1000), st.integers(0, 6))
def test_one_column_is_what_numpy_fits(seed: int, degree: int) -> None:
    random = np.random.default_rng(seed)
    x, y = random.uniform(-1, 1, 30), random.normal(size=30)
    curve = PolynomialRegressor(degree).fit(x[:, None], y)
    expected = np.polynomial.Polynomial.fit(x, y, degree)(x)
    assert curve.predict(x[:, None]) == pytest.approx(expected, abs=1e-8)
    assert len(curve.model_.terms) == degree


def test_ten_points_are_met_by_a_polynomial_of_degree_nine() -> None:
    x = np.linspace(0, 1, 10)
    y = np.sin(2 * np.pi * x) + 0.3 * np.random.default_rng(0).normal(size=10)
    curve = PolynomialRegressor(9).fit(x[:, None], y)
    assert curve.predict(x[:, None]) == pytest.approx(y, abs=1e-6)
    assert max(map(abs, curve.coefficients_.values())) > 1000
    tamed = PolynomialRegressor(9, ridge=math.exp(-18)).fit(x[:, None], y)
    assert max(map(abs, tamed.coefficients_.values())) < 1000


@pytest.mark.parametrize("penalize", [True, False])
def test_the_penalty_is_the_textbook_s(penalize: bool) -> None:
    x = np.linspace(0, 1, 10)
    y = np.sin(2 * np.pi * x) + 3
    curve = PolynomialRegressor(3, ridge=0.5, penalize_intercept=penalize).fit(x[:, None], y)
    design = x[:, None] ** np.arange(4)
    penalty = 0.5 * np.diag([float(penalize), 1, 1, 1])
    expected = np.linalg.solve(design.T @ design + penalty, design.T @ y)
    assert list(curve.coefficients_.values()) == pytest.approx(expected)


def test_pseudo_attributes_are_counted_as_combinations() -> None:
    ten = products([Factor(column) for column in range(10)], 5)
    assert len(ten) == math.comb(15, 5) - 1
    assert sum(sum(f.power for f in product) == 5 for product in ten) == math.comb(14, 5) == 2002
    assert len(set(ten)) == len(ten)
    two = products([Factor(0), Factor(1)], 3)
    assert sum(sum(f.power for f in product) == 3 for product in two) == 4


def test_products_of_columns_are_fitted() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(100, 2))
    y = 1 + 2 * x[:, 0] * x[:, 1] - 3 * x[:, 1] ** 2
    told = PolynomialRegressor(2).fit(x, y).coefficients_
    assert {name: round(value, 6) + 0 for name, value in told.items()} == {
        "intercept": 1, "x0": 0, "x1": 0, "x0^2": 0, "x0 * x1": 2, "x1^2": -3,
    }  # fmt: skip
    apart = PolynomialRegressor(2, products=False).fit(x, y)
    assert list(apart.coefficients_) == ["intercept", "x0", "x0^2", "x1", "x1^2"]


def test_categories_are_not_multiplied() -> None:
    told = PolynomialRegressor(2).fit(mixed()).coefficients_
    assert list(told) == ["intercept", "x", "x^2", "maker in {europe, us}", "maker = us"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"degree": -1}, "degree is -1"),
        ({"degree": 1.5}, "degree is 1.5"),
        ({"degree": 5000}, "degree is 5000; expected at most 1000"),
        ({"ridge": -1}, "ridge is -1"),
        ({"degree": 30}, "has .* terms; expected 10000 at most"),
    ],
)
def test_a_bad_polynomial_is_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PolynomialRegressor(**parameters).fit(np.random.default_rng(0).normal(size=(20, 6)), np.arange(20.0))


def test_powers_too_large_are_refused_by_column_and_row() -> None:
    with pytest.raises(ValueError, match=r"column 'x0', row 2: 1e\+100 to the power 3"):
        PolynomialRegressor(3).fit([[1.0], [1e100], [2.0]], [1, 2, 3])


# ---- numbers by way of classes ----


def test_midpoints_are_averaged_by_probability() -> None:
    table = hornbeam.read("cpu")
    model = DiscretizedRegressor(C45Classifier(), bins=4).fit(table)
    edges = np.linspace(6, 1150, 5)
    middle = (edges[1:] + edges[:-1]) / 2
    assert model.model_.values == pytest.approx(middle)
    shares = model.model_.classifier.predict_proba(table)
    assert model.predict(table) == pytest.approx(shares @ middle)
    assert isinstance(model.estimator_, C45Classifier)
    classes = table.schema.target_column.name
    assert model.model_.classifier.schema.target_column.name == classes


def test_an_interval_may_stand_for_the_mean_of_its_rows() -> None:
    table = hornbeam.read("cpu")
    target = table.target_values()
    model = DiscretizedRegressor(bins=4, method="equal-frequency", value="mean").fit(table).model_
    bounds = [
        -np.inf,
        *(float(name.partition(", ")[0][1:]) for name in model.classifier.schema.target_column.categories[1:]),
    ]
    bounds.append(np.inf)
    means = [target[(target > low) & (target <= high)].mean() for low, high in pairwise(bounds)]
    assert model.values == pytest.approx(means)


def test_intervals_without_rows_are_no_classes() -> None:
    y = np.array([0.0, 1.0, 2.0, 100.0])
    model = DiscretizedRegressor(CartClassifier(min_samples_split=2, min_samples_leaf=1, folds=0), bins=10)
    model.fit(y[:, None], y)
    assert model.model_.values.tolist() == [5.0, 95.0]
    assert model.predict([[0.0], [100.0]]).tolist() == [5.0, 95.0]


@pytest.mark.parametrize("name", ["c45", "id3", "cart", "tree"])
def test_a_classifier_may_be_named(name: str) -> None:
    table = hornbeam.read("cpu")
    assert DiscretizedRegressor(name).fit(table).score(table) > 0.3


def test_a_foreign_classifier_predicts_and_is_not_saved(tmp_path: Any) -> None:
    table = hornbeam.read("cpu")
    model = DiscretizedRegressor(LogisticRegression(max_iter=5000, C=1e-6), bins=3).fit(table)
    assert np.isfinite(model.predict(table)).all()
    with pytest.raises(TypeError, match="LogisticRegression is not a classifier of hornbeam"):
        model.save(tmp_path / "no.hornbeam")
    with pytest.raises(TypeError, match="has no class probabilities"):
        DiscretizedRegressor(LinearSVC(), bins=3).fit(table)
    with pytest.raises(TypeError, match="'maker' is nominal"):
        DiscretizedRegressor(LogisticRegression()).fit(mixed())
    with pytest.raises(TypeError, match="expected a classifier"):
        DiscretizedRegressor(3.0).fit(table)
    with pytest.raises(ValueError, match="no scheme is called"):
        DiscretizedRegressor("woods").fit(table)


# ---- sums in row order ----


def fills(table: Table) -> list[float]:
    model = LinearRegressor(None, compat="weka").fit(table).model_
    return [factor.fill for term in model.terms for factor in term.factors]


def with_missing(weights: list[float] | None = None) -> Table:
    """One number and one category for nine rows, and two rows of which both are missing."""
    x = np.array([8.4, 2.74, np.nan, 5.32, 6.68, 5.46, 6.2, 1.38, np.nan, 7.38, 3.02])
    codes = np.where(np.isnan(x), -1, x > 5).astype(np.int32)
    y = np.where(np.isnan(x), 4.0, x)
    columns = (Numeric("x"), Nominal("side", ("low", "high")), Numeric("y"))
    if weights is None:
        return Table(Schema(columns, ("feature", "feature", "target")), [x, codes, y])
    schema = Schema((*columns, Numeric("w")), ("feature", "feature", "target", "weight"))
    return Table(schema, [x, codes, y, np.array(weights)])


def test_with_compat_the_mean_of_a_missing_number_is_summed_in_row_order() -> None:
    table = with_missing()
    known = table.columns[0][~np.isnan(table.columns[0])].tolist()
    total = 0.0
    for value in known:
        total += value
    assert total / 9 != np.mean(known)  # the order of the sum decides the last digit
    assert fills(table) == [total / 9, 6 / 9]


def test_with_compat_weighted_means_are_summed_in_row_order() -> None:
    weights = [0.4, 0.4, 1.0, 0.2, 0.8, 0.9, 0.3, 0.2, 0.4, 0.8, 0.7]
    table = with_missing(weights)
    rows = list(zip(table.columns[0].tolist(), table.columns[1].tolist(), weights, strict=True))
    whole = number = high = 0.0
    for _, _, w in rows:
        whole += w
    for x, code, w in rows:
        if code < 0:
            whole -= w
        else:
            number, high = number + w * x, high + w * code
    own = np.cumsum([w for _, code, w in rows if code >= 0])[-1]
    assert whole != own  # the order of the sum decides the last digit
    assert fills(table) == [number / whole, high / whole]


def test_with_compat_a_heavy_row_without_a_value_leaves_the_mean_of_the_others() -> None:
    weights = [0.3] * 11
    weights[2] = 1e14
    assert fills(with_missing(weights)) == pytest.approx(fills(with_missing()), rel=1e-14)


def test_with_compat_rounding_selects_the_terms_that_weka_selects() -> None:
    # Fewer rows than terms: the equation of all terms fits every row, and two terms are the same column.
    nan = math.nan
    numbers = [
        [7, 8, 15, 474, 423, 686, 1, 524, 3, 26, 1936],
        [2.92, 8.65, 5.28, 2.77, 5.99, -0.68, 5.04, 8.11, 7.81, 6.57, 6.26],
        [0, 2, 0, 1, 2, 1, 3, 0, 3, 2, 2],
        [8.4, 2.74, nan, nan, 5.32, 6.68, 5.46, 6.2, 1.38, 7.38, 3.02],
        [2.44, -4.58, 1.56, 4.28, 7.12, 0, 1.16, 2.21, 0.55, 1.44, -0.34],
    ]
    codes = [["abcdefgh".find(c) for c in "??e?da?f?e?"], ["abcde".find(c) for c in "bccebcaddca"]]
    x0, x1, x4, x5, y = (np.array(column, float) for column in numbers)
    x2, x3 = (np.array(column, np.int32) for column in codes)
    kinds = (Numeric("x0"), Numeric("x1"), Nominal("x2", tuple("abcdefgh")), Nominal("x3", tuple("abcde")))
    schema = Schema((*kinds, Numeric("x4"), Numeric("x5"), Numeric("y")), ("feature",) * 6 + ("target",))
    found = LinearRegressor(compat="weka").fit(Table(schema, [x0, x1, x2, x3, x4, x5, y])).model_.coefficients()
    assert [round(value, 4) for value in found.values()] == [
        *(-5.6812, -8.4299, 5.2247, 5.2247, 5.2247, 5.2247, 3.7464, 4.6098, -4.2685, -7.4852, -1.5547, 1.2792)
    ]  # as WEKA prints them


# ---- bad input ----

LEARNERS = {
    "linear": LinearRegressor(),
    "linear greedy": LinearRegressor("greedy"),
    "linear full": LinearRegressor(None),
    "linear no ridge": LinearRegressor(None, ridge=0),
    "linear degree 2": LinearRegressor(degree=2),
    "linear compat": LinearRegressor(compat="weka"),
    "polynomial": PolynomialRegressor(1),
    "discretized": DiscretizedRegressor(),
}


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([[1, 2, 3], [2, 4, 6], [3, 6, 9], [4, 8, 12]], [1, 2, 3, 5]),  # collinear
        ([[1, 5], [2, 5], [3, 5]], [1, 2, 4]),  # a constant column
        ([[5, 5], [5, 5], [5, 5]], [1, 2, 4]),  # nothing varies
        ([[1, 2], [2, 1], [3, 3]], [7, 7, 7]),  # a constant target
        (np.eye(3, 9).tolist(), [1, 2, 4]),  # fewer rows than columns
        ([[1e300, 1], [-1e300, 2], [3e299, 3], [1e299, 5]], [1, 2, 3, 4]),
        ([[1, 1], [2, 2], [3, 3], [4, 5]], [1e300, -1e300, 2e299, 1e299]),
        ([[1e-300], [2e-300], [4e-300]], [1, 2, 3]),
        ([[1.0]], [2.0]),  # one row
        ([[np.nan], [np.nan]], [2.0, 4.0]),  # nothing known
    ],
)
def test_bad_input_gives_finite_answers_or_a_clear_error(name: str, x: Any, y: Any) -> None:
    learner = LEARNERS[name]
    try:
        answers = learner.fit(np.array(x, float), np.array(y, float)).predict(np.array(x, float))
    except ValueError as error:
        assert "too large" in str(error)  # noqa: PT017 - either is right
        return
    assert np.isfinite(answers).all()
    learner.model_.validate()


@pytest.mark.parametrize("name", LEARNERS)
def test_a_weight_of_zero_is_no_row(name: str) -> None:
    random = np.random.default_rng(0)
    x, y = random.normal(size=(40, 3)), random.normal(size=40)
    weights = np.repeat([1.0, 0.0], 20)
    wild = x.copy()
    wild[20:] = 1e9
    one, other = LEARNERS[name].fit(wild, y, weights).predict(x), LEARNERS[name].fit(x[:20], y[:20]).predict(x)
    assert one == pytest.approx(other)
    with pytest.raises(ValueError, match="weight"):
        LEARNERS[name].fit(x, y, np.zeros(40))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"selection": "best"}, "selection is 'best'"),
        ({"ridge": -1}, "ridge is -1"),
        ({"compat": "r"}, "compat is 'r'"),
    ],
)
def test_a_bad_parameter_is_named(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LinearRegressor(**parameters).fit(mixed())
