"""Golden trees: G6 and G7."""

from __future__ import annotations

import numpy as np
import pytest

import hornbeam
from hornbeam.data.schema import Nominal, Schema
from hornbeam.data.table import Table


@pytest.fixture(scope="module")
def weather() -> Table:
    return hornbeam.read("weather")


@pytest.fixture(scope="module")
def fitted(weather: Table) -> hornbeam.ID3Classifier:
    return hornbeam.ID3Classifier().fit(weather)


def test_g6_the_id3_tree_of_the_weather_data(fitted: hornbeam.ID3Classifier) -> None:
    assert hornbeam.show.text(fitted, style="weka-id3") == (
        "outlook = sunny\n"
        "|  humidity = high: no\n"
        "|  humidity = normal: yes\n"
        "outlook = overcast: yes\n"
        "outlook = rainy\n"
        "|  windy = TRUE: no\n"
        "|  windy = FALSE: yes"
    )


def test_g7_today_and_tomorrow(weather: Table, fitted: hornbeam.ID3Classifier) -> None:
    days = [
        {"outlook": "sunny", "temperature": "cool", "humidity": "normal", "windy": "FALSE"},  # today
        {"outlook": "sunny", "temperature": "mild", "humidity": "normal", "windy": "FALSE"},  # tomorrow
    ]
    features = [weather.schema.columns[place] for place in weather.schema.features]
    codes = [
        np.array([column.categories.index(day[column.name]) for day in days])
        for column in features
        if isinstance(column, Nominal)
    ]
    assert fitted.predict(Table(Schema(tuple(features)), codes)).tolist() == ["yes", "yes"]
