"""Golden figures of the textbook arithmetic: G1 to G5, G8, G9 and G11."""

from __future__ import annotations

import numpy as np
import pytest

import hornbeam
from hornbeam.data.schema import Nominal, Schema
from hornbeam.data.table import Table
from hornbeam.learn.trees.criteria import (
    contingency,
    entropy,
    gain_ratio,
    information,
    information_gain,
    split_information,
)
from hornbeam.learn.trees.prune.estimates import upper_limit


def near(value: float) -> object:
    return pytest.approx(value, abs=1e-5)


@pytest.fixture(scope="module")
def weather() -> Table:
    return hornbeam.read("weather")


@pytest.fixture(scope="module")
def dated(weather: Table) -> Table:
    """The weather data with a Day column that differs in every row."""
    day = Nominal("day", tuple(f"D{number}" for number in range(1, len(weather) + 1)))
    schema = Schema((day, *weather.schema.columns), ("feature", *weather.schema.roles), weather.schema.name)
    return Table(schema, [np.arange(len(weather)), *weather.columns])


def classes(table: Table) -> list[int]:
    """How often each class occurs."""
    return np.bincount(table.target_values()).tolist()


def test_g1_entropy_of_the_weather_data(weather: Table) -> None:
    assert sorted(classes(weather)) == [5, 9]
    assert entropy(classes(weather)) == near(0.94029)


def test_g2_entropies_of_outlook(weather: Table) -> None:
    outlook = contingency(weather, "outlook")
    column = weather.schema.columns[weather.schema.position("outlook")]
    assert isinstance(column, Nominal)
    assert column.categories == ("sunny", "overcast", "rainy")
    yes = weather.schema.target_column.categories.index("yes")  # type: ignore[union-attr]
    assert outlook[:, yes].tolist() == [2, 4, 3]
    assert outlook[:, 1 - yes].tolist() == [3, 0, 2]
    assert [entropy(row) for row in outlook] == near([0.97095, 0.0, 0.97095])
    assert information(outlook) == near(0.69354)


@pytest.mark.parametrize(
    ("column", "gain", "ratio"),
    [
        ("outlook", 0.24675, 0.15643),
        ("humidity", 0.15184, 0.15184),
        ("windy", 0.04813, 0.04885),
        ("temperature", 0.02922, 0.01877),
    ],
)
def test_g3_g5_gains_and_gain_ratios(weather: Table, column: str, gain: float, ratio: float) -> None:
    table = contingency(weather, column)
    assert information_gain(table) == near(gain)
    assert gain_ratio(table) == near(ratio)


def test_g4_the_day_column(dated: Table) -> None:
    day = contingency(dated, "day")
    assert information(day) == 0.0
    assert information_gain(day) == near(0.94029)
    assert split_information(day) == near(3.80735)
    assert gain_ratio(day) == near(0.24697)
    # Though it is charged for its many branches, it still beats every other column.
    others = [gain_ratio(contingency(dated, name)) for name in ("outlook", "temperature", "humidity", "windy")]
    assert gain_ratio(day) > max(others)


def test_g8_temperature_cut_at_71_5() -> None:
    numeric = hornbeam.read("weather.numeric")
    sides = contingency(numeric, "temperature", cut=71.5)
    yes = numeric.schema.target_column.categories.index("yes")  # type: ignore[union-attr]
    assert sides[:, [yes, 1 - yes]].tolist() == [[4, 2], [5, 3]]
    assert information(sides) == near(0.93895)


def test_g9_error_estimates_and_the_decision() -> None:
    leaves = [(2, 6), (1, 2), (2, 6)]
    limits = [upper_limit(errors / rows, rows, z=0.69) for errors, rows in leaves]
    assert limits == near([0.47399, 0.71925, 0.47399])
    combined = sum(rows * limit for (_, rows), limit in zip(leaves, limits, strict=True)) / 14
    assert combined == near(0.50903)
    parent = upper_limit(5 / 14, 14, z=0.69)
    assert parent == near(0.44886)
    assert parent < combined  # so the node is pruned


def test_g11_casablanca() -> None:
    films = hornbeam.read("casablanca")
    assert len(films) == 8
    target = films.schema.target
    (major,) = (place for place in films.schema.features if place != target)
    column = films.schema.columns[major]
    assert isinstance(column, Nominal)
    table = contingency(films, major)
    assert split_information(table) == 1.5  # H(X)
    assert entropy(classes(films)) == 1.0  # H(Y)
    given = {name: entropy(row) for name, row in zip(column.categories, table, strict=True)}
    assert given == {"Math": 1.0, "History": 0.0, "CS": 0.0}
    assert information(table) == 0.5  # H(Y given X)
    assert information_gain(table) == 0.5
