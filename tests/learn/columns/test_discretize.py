"""Discretization: the methods' own promises, known cuts, the transformer, and scikit-learn's checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.learn.columns import discretize
from hornbeam.learn.columns.discretizer import Discretizer, interval_names

METHODS = discretize.METHODS


@st.composite
def columns(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values with ties and gaps, classes with some unknown, weights with some zero."""
    n_rows = draw(st.integers(0, 60))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = random.choice([-1e300, -2.0, -0.0, 0.0, 0.1, 0.5, 1.0, 3.0, 1e300, np.nan], n_rows)
    if draw(st.booleans()):
        values = np.where(random.random(n_rows) < 0.5, random.normal(size=n_rows), values)
    return values, random.integers(-1, 3, n_rows), random.choice([0.0, 0.5, 1.0, 3.0], n_rows)


def used(values: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """The interval of every value."""
    return np.searchsorted(cuts, values, side="left")


@given(columns(), st.sampled_from(METHODS), st.integers(1, 6))
def test_cuts_rise_and_lie_between_values(column: Any, method: discretize.Method, bins: int) -> None:
    values, classes, weights = column
    cuts = discretize.column_cuts(method, values, classes, weights, bins=bins, max_bins=bins, significance=0.3)
    counts = ~np.isnan(values) & (weights > 0)
    if method in discretize.BY_CLASS:
        counts &= classes >= 0
    assert (np.diff(cuts) > 0).all()
    if method != "mdl":
        assert len(cuts) < bins
    if not counts.any():
        assert len(cuts) == 0
    elif len(cuts):
        known = values[counts]
        assert known.min() <= cuts[0]
        assert cuts[-1] < known.max()
        if method != "equal-width":  # every interval holds something
            assert set(used(known, cuts)) == set(range(len(cuts) + 1))


@given(columns(), st.sampled_from(METHODS))
def test_whole_weights_are_repeated_rows(column: Any, method: discretize.Method) -> None:
    values, classes, weights = column
    times = (weights * 2).astype(int)
    once = discretize.column_cuts(method, values, classes, times, bins=4)
    often = discretize.column_cuts(method, np.repeat(values, times), np.repeat(classes, times), bins=4)
    assert once.tolist() == often.tolist()


@given(columns(), st.sampled_from(METHODS))
def test_order_of_rows_does_not_matter(column: Any, method: discretize.Method) -> None:
    values, classes, _ = column
    there = discretize.column_cuts(method, values, classes, bins=4)
    back = discretize.column_cuts(method, values[::-1], classes[::-1], bins=4)
    assert there.tolist() == back.tolist()


@given(st.integers(1, 100), st.integers(1, 12))
def test_frequencies_of_distinct_values_are_equal(n_rows: int, bins: int) -> None:
    values = np.arange(n_rows) * 1.0
    sizes = np.bincount(used(values, discretize.equal_frequency_cuts(values, bins=bins)))
    assert len(sizes) == min(bins, n_rows)
    assert sizes.max() - sizes.min() <= 1


def test_widths_are_equal() -> None:
    assert discretize.equal_width_cuts([3.0, np.nan, 13.0, 4.0], bins=5).tolist() == [5.0, 7.0, 9.0, 11.0]
    assert discretize.equal_width_cuts([3.0, 3.0], bins=5).tolist() == []
    assert discretize.equal_width_cuts([3.0, 9.0, 100.0], [1, 1, 0], bins=2).tolist() == [6.0]
    assert np.isfinite(discretize.equal_width_cuts([-1.7e308, 1.7e308], bins=4)).all()


def test_a_heavy_value_takes_an_interval_of_its_own() -> None:
    values = [1.0] * 10 + [2.0, 3.0, 4.0, 5.0]
    assert discretize.equal_frequency_cuts(values, bins=3).tolist() == [1.5, 3.5]
    assert discretize.equal_frequency_cuts([1.0, 2.0], [9.0, 1.0], bins=2).tolist() == [1.5]


def test_neighboring_numbers_are_told_apart() -> None:
    low, high = 1.0, np.nextafter(1.0, 2.0)
    cuts = discretize.mdl_cuts([low] * 20 + [high] * 20, [0] * 20 + [1] * 20)
    assert used(np.array([low, high]), cuts).tolist() == [0, 1]


# Cuts by the entropy method as the reference program (WEKA's supervised Discretize) makes them.
KNOWN: dict[str, dict[str, list[float]]] = {
    "iris": {
        "sepallength": [5.55, 6.15],
        "sepalwidth": [2.95, 3.35],
        "petallength": [2.45, 4.75],
        "petalwidth": [0.8, 1.75],
    },
    "glass": {
        "RI": [1.517335, 1.517985],
        "Na": [14.065],
        "Mg": [2.695],
        "Al": [1.39, 1.775],
        "Si": [],
        "K": [0.055, 0.615, 0.745],
        "Ca": [7.02, 8.315, 10.075],
        "Ba": [0.335],
        "Fe": [],
    },
    "credit-g": {"duration": [15.5], "credit_amount": [3913.5], "age": [], "existing_credits": []},
    "labor": {  # many values are missing
        "duration": [],
        "wage-increase-first-year": [2.65],
        "wage-increase-second-year": [3.25],
        "wage-increase-third-year": [3.25],
        "standby-pay": [6.0],
        "shift-differential": [3.5],
        "statutory-holidays": [10.5],
    },
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_cuts(name: str) -> None:
    table = hornbeam.read(name)
    for column, expected in KNOWN[name].items():
        found = discretize.mdl_cuts(table.column(column), table.target_values())
        assert found == pytest.approx(expected, rel=1e-9), column


def test_chi_merge_of_iris() -> None:
    iris = hornbeam.read("iris")
    length, classes = iris.column("petallength"), iris.target_values()
    three = discretize.chi_merge_cuts(length, classes, max_bins=3)
    assert three == pytest.approx([2.45, 4.75])
    strict = discretize.chi_merge_cuts(length, classes, significance=0.001)
    lax = discretize.chi_merge_cuts(length, classes, significance=0.5)
    assert set(strict) < set(lax)


def test_multiple_cuts_greedy_and_optimal() -> None:
    iris = hornbeam.read("iris")
    length, classes = iris.column("petallength"), iris.target_values()
    assert discretize.multiple_cuts(length, classes, max_cuts=2).tolist() == [2.45, 4.75]
    assert discretize.multiple_cuts(length, classes, max_cuts=2, cuts_by="greedy").tolist() == [2.45, 4.75]
    assert len(discretize.multiple_cuts(length, classes, max_cuts=50, criterion="gini")) < 50
    numbers = discretize.multiple_cuts([1, 2, 3, 4], [1e9, 1e9, 1e9 + 1, 1e9 + 1], criterion="variance")
    assert numbers.tolist() == [2.5]
    assert discretize.multiple_cuts([], np.zeros(0, int)).tolist() == []
    assert discretize.multiple_cuts([1, 2], [0, 1], max_cuts=0).tolist() == []


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: discretize.equal_width_cuts([1.0], bins=0), "bins is 0"),
        (lambda: discretize.equal_width_cuts([[1.0]]), "2 dimensions"),
        (lambda: discretize.equal_frequency_cuts([1.0, np.inf]), "row 2: found inf"),
        (lambda: discretize.equal_frequency_cuts([1.0], [-1.0]), "at least 0"),
        (lambda: discretize.mdl_cuts([1.0], [0.5]), "whole codes"),
        (lambda: discretize.mdl_cuts([1.0], [0, 1]), "expected 1 whole"),
        (lambda: discretize.chi_merge_cuts([1.0], [0], significance=1.0), "significance is 1.0"),
        (lambda: discretize.chi_merge_cuts([1.0], [0], max_bins=0), "max_bins is 0"),
        (lambda: discretize.column_cuts("mdl", [1.0]), "no classes were given"),
        (lambda: discretize.column_cuts("best", [1.0]), "method is 'best'"),  # type: ignore[arg-type]
        (lambda: discretize.multiple_cuts([1, 2], [0.0, np.nan], criterion="variance"), "row 2 has the target"),
        (lambda: Discretizer("mdl").fit(hornbeam.read("cpu")), "numeric, and the method 'mdl' cuts by class"),
        (lambda: Discretizer("mdl").fit(hornbeam.read("iris"), [1]), "carries its own target"),
    ],
)
def test_what_makes_no_sense_is_refused(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


# ---- the transformer ----


@parametrize_with_checks([Discretizer("mdl"), Discretizer("equal-frequency")])  # with classes and without
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)


def test_a_table_gets_ordered_columns() -> None:
    weather = hornbeam.read("weather.numeric")
    made = Discretizer("equal-width", bins=2).fit_transform(weather)
    assert made.schema.roles == weather.schema.roles
    assert made.schema.columns[0] == weather.schema.columns[0]
    assert made.schema.columns[1] == Nominal("temperature", ("(-inf, 74.5]", "(74.5, inf)"), ordered=True)
    assert made.column("temperature").tolist() == (weather.column("temperature") > 74.5).astype(int).tolist()


def test_missing_values_stay_missing() -> None:
    labor = hornbeam.read("labor")
    made = Discretizer().fit_transform(labor)
    assert not any(isinstance(made.schema.columns[i], Numeric) for i in made.schema.features)
    for i in labor.schema.features:
        absent = np.isnan(labor.columns[i]) if isinstance(labor.schema.columns[i], Numeric) else labor.columns[i] < 0
        assert (made.columns[i] < 0).tolist() == absent.tolist()
    hornbeam.C45Classifier().fit(made)


def test_weights_of_a_table_count() -> None:
    schema = Schema((Numeric("x"), Numeric("w"), Nominal("y", ("a", "b"))), ("feature", "weight", "target"))
    table = Table(schema, [[1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 0.0, 0.0], [0, 0, 1, 1]])
    assert Discretizer("equal-frequency", bins=2).fit(table).cuts_[0].tolist() == [1.5]
    assert Discretizer("mdl").fit(table).cuts_[0].tolist() == []


def test_frames_in_and_frames_out() -> None:
    frame = pd.DataFrame({"length": [1.0, 2.0, np.nan, 8.0, 9.0], "width": [3] * 5})
    numbers = Discretizer("equal-frequency", bins=2).set_output(transform="pandas").fit_transform(frame)
    assert numbers.columns.tolist() == ["length", "width"]
    assert numbers["length"].fillna(-1).tolist() == [0.0, 0.0, -1.0, 1.0, 1.0]
    assert numbers["width"].tolist() == [0.0] * 5
    named = Discretizer("equal-width", bins=2, names=True).fit_transform(frame)
    assert named[:, 0].tolist() == ["(-inf, 5]", "(-inf, 5]", None, "(5, inf)", "(5, inf)"]
    assert named[:, 1].tolist() == ["(-inf, inf)"] * 5


def test_a_frame_fitted_transforms_a_table_and_the_other_way_round() -> None:
    iris = hornbeam.read("iris")
    frame = iris.to_pandas()
    by_frame = Discretizer().fit(frame.drop(columns="class"), frame["class"])
    by_table = Discretizer().fit(iris)
    assert by_frame.transform(iris).column(2).tolist() == by_table.transform(iris).column(2).tolist()
    assert by_table.transform(frame.drop(columns="class"))[:, 2].tolist() == by_table.transform(iris).column(2).tolist()


def test_other_kinds_than_those_fitted_are_refused() -> None:
    weather = hornbeam.read("weather.numeric")
    fitted = Discretizer("equal-width").fit(weather)
    with pytest.raises(SchemaError, match="is nominal; it was numeric"):
        fitted.transform(fitted.transform(weather))
    with pytest.raises(SchemaError, match="expected a Table"):
        fitted.transform(pd.DataFrame(np.zeros((2, 4)), columns=fitted.feature_names_in_))


def test_it_works_in_a_pipeline() -> None:
    iris = hornbeam.read("iris")
    matrix = np.column_stack(iris.columns[:4])
    model = make_pipeline(Discretizer(), DecisionTreeClassifier()).fit(matrix, iris.target_values())
    assert model.score(matrix, iris.target_values()) > 0.93


def test_dates_are_named_as_dates() -> None:
    day = Numeric("day", "%Y-%m-%d")
    assert interval_names([86400.0], day) == ("(-inf, 1970-01-02]", "(1970-01-02, inf)")
    assert interval_names([10.0, 20.0], day) == ("(-inf, 10]", "(10, 20]", "(20, inf)")
