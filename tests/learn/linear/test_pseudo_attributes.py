"""Pseudo-attributes in linear regression: powers and products, selected like columns of the same values."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hornbeam
from hornbeam import LinearRegressor

pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")


def two_columns(rows: int, seed: int) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    x = random.normal(size=(rows, 3))
    return x, 1 + x[:, 0] - 2 * x[:, 0] * x[:, 1] + 0.7 * x[:, 2] ** 2 + random.normal(size=rows)


def explicit(x: Any, degree: int, multiply: bool) -> tuple[Any, list[str]]:
    """The table that a person would make by hand: a column for every column, power and product."""
    names, columns = [f"x{i}" for i in range(3)], [x[:, i] for i in range(3)]
    for size in range(2, degree + 1):
        for chosen in itertools.combinations_with_replacement(range(3), size):
            if multiply or len(set(chosen)) == 1:
                powers = {i: chosen.count(i) for i in sorted(set(chosen))}
                names.append(" * ".join(f"x{i}" if p == 1 else f"x{i}^{p}" for i, p in powers.items()))
                columns.append(np.prod([x[:, i] ** p for i, p in powers.items()], axis=0))
    return np.column_stack(columns), names


@pytest.mark.parametrize("multiply", [True, False])
@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("selection", ["m5", "greedy", None])
@pytest.mark.parametrize("compat", [None, "weka"])
def test_pseudo_attributes_are_selected_like_columns_of_the_same_values(
    selection: str | None, degree: int, multiply: bool, compat: str | None
) -> None:
    for seed in range(5):
        x, y = two_columns(80, seed)
        table, names = explicit(x, degree, multiply)
        found = LinearRegressor(selection, degree=degree, products=multiply, compat=compat).fit(x, y)
        by_hand = LinearRegressor(selection, compat=compat).fit(pd.DataFrame(table, columns=names), y)
        ours, theirs = found.model_.coefficients(), by_hand.model_.coefficients()
        assert {name: ours[name] for name in sorted(ours)} == pytest.approx(theirs, rel=1e-9)
        assert found.predict(x) == pytest.approx(by_hand.predict(pd.DataFrame(table, columns=names)), rel=1e-9)


@given(st.integers(0, 1000))
def test_greedy_selection_finds_what_all_subsets_find_where_the_terms_are_clear(seed: int) -> None:
    """The criterion of every subset of x, z, x^2, x * z, z^2, by NumPy."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(400, 2))
    y = 3 * x[:, 0] + 4 * x[:, 0] * x[:, 1] + random.normal(size=400)
    terms = {"x0": x[:, 0], "x1": x[:, 1], "x0^2": x[:, 0] ** 2, "x0 * x1": x[:, 0] * x[:, 1], "x1^2": x[:, 1] ** 2}

    def error(names: tuple[str, ...]) -> float:
        design = np.column_stack([np.ones(400), *(terms[name] for name in names)])
        return float(((y - design @ np.linalg.lstsq(design, y, rcond=None)[0]) ** 2).sum())

    full = error(tuple(terms))
    subsets = [names for size in range(6) for names in itertools.combinations(terms, size)]
    best = min(subsets, key=lambda names: error(names) / full * (400 - 6) + 2 * (len(names) + 1))
    told = LinearRegressor("greedy", degree=2, ridge=0).fit(x, y).model_.coefficients()
    assert set(told) == {"intercept", *best}


def test_indicators_stay_alone_and_stand_in_the_order_of_the_columns() -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"maker": random.choice(["us", "asia", "europe"], 90), "x": random.normal(size=90)})
    y = frame["maker"].map({"us": 5.0, "asia": 1.0, "europe": 3.0}) + 2 * frame["x"] + random.normal(size=90)
    told = LinearRegressor(None, degree=2).fit(frame, y).model_.coefficients()
    assert list(told) == ["intercept", "maker in {europe, us}", "maker = us", "x", "x^2"]


def test_a_missing_value_is_filled_before_it_is_multiplied() -> None:
    x, y = two_columns(60, 0)
    gaps = x.copy()
    gaps[::6, 0] = np.nan
    model = LinearRegressor(None, degree=2).fit(gaps, y)
    filled = np.where(np.isnan(gaps), np.nanmean(gaps, axis=0), gaps)
    assert model.predict(gaps) == pytest.approx(LinearRegressor(None, degree=2).fit(filled, y).predict(filled))


def test_an_equation_with_pseudo_attributes_is_read_saved_and_weighted(tmp_path: Any) -> None:
    x, y = two_columns(200, 1)
    frame = pd.DataFrame(x, columns=["a", "b", "c"])
    model = LinearRegressor(degree=2).fit(frame, y)
    text = hornbeam.show.text(model)
    assert "a * b" in text
    assert "c^2" in text
    assert " * a*b +" in hornbeam.show.text(model, style="weka")
    model.save(tmp_path / "m.hornbeam")
    assert hornbeam.load(tmp_path / "m.hornbeam").predict_codes(x).tolist() == model.predict(frame).tolist()
    twice = LinearRegressor(degree=2).fit(pd.concat([frame, frame.iloc[:50]]), np.concatenate([y, y[:50]]))
    weighted = LinearRegressor(degree=2).fit(frame, y, np.repeat([2.0, 1.0], [50, 150]))
    assert weighted.predict(frame) == pytest.approx(twice.predict(frame))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"degree": 0}, "degree is 0; expected a whole number of at least 1"),
        ({"degree": 2.5}, "degree is 2.5"),
        ({"degree": 30}, "has .* terms; expected 5000 at most"),
    ],
)
def test_a_bad_degree_is_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LinearRegressor(**parameters).fit(np.random.default_rng(0).normal(size=(20, 6)), np.arange(20.0))
