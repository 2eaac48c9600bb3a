"""Requests made from the server's own description: no internal error, and every response is as described."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table

pytest.importorskip("starlette")
schemathesis = pytest.importorskip("schemathesis")
from hornbeam.web.app import application  # noqa: E402 - after the skips

HOST = {"host": "localhost"}
NAMES = ('a"b', "</script>", "x\ny", "", "rows")


def hostile() -> Any:
    """A model of numbers with strange names."""
    values = [[float(i * k % 7) for i in range(30)] for k in range(1, 6)]
    columns = (*map(Numeric, NAMES), Nominal("y", ("<b>", '"')))
    table = Table(Schema(columns, name="rows"), [*values, [int(value > 3) for value in values[0]]])
    return hornbeam.C45Classifier().fit(table.with_target("y")).model_


def described(model: Any) -> Any:
    return schemathesis.openapi.from_asgi("/openapi.json", application(model), headers=HOST)


def refused() -> list[Any]:
    """A check that is left out: that a description of types says which bodies are accepted.

    It cannot say which texts are CSV with the model's columns, nor that some row has each column.
    """
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    return [positive_data_acceptance]


play = described(hornbeam.C45Classifier().fit(hornbeam.read("weather.numeric")).model_)
cars = described(hornbeam.M5Regressor(min_samples_leaf=40).fit(hornbeam.read("auto-mpg")).model_)
strange = described(hostile())
few = settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@play.parametrize()
@few
def test_classes(case: Any) -> None:
    case.call_and_validate(headers=HOST, excluded_checks=refused())


@cars.parametrize()
@few
def test_numbers(case: Any) -> None:
    case.call_and_validate(headers=HOST, excluded_checks=refused())


@strange.parametrize()
@few
def test_strange_names(case: Any) -> None:
    case.call_and_validate(headers=HOST, excluded_checks=refused())
