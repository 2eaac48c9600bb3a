"""G14: linear regression on the CPU data, with and without selection (the printed page mixes the two)."""

from __future__ import annotations

import pytest

import hornbeam
from hornbeam import LinearRegressor

SELECTED = {"intercept": -56.075, "MYCT": 0.0491, "MMIN": 0.0152, "MMAX": 0.0056, "CACH": 0.6298, "CHMAX": 1.4599}
FULL = {
    "intercept": -55.894, "MYCT": 0.0489, "MMIN": 0.0153, "MMAX": 0.0056, "CACH": 0.6414, "CHMIN": -0.2704,
    "CHMAX": 1.4825,
}  # fmt: skip


@pytest.mark.parametrize("compat", [None, "weka"])
@pytest.mark.parametrize(("selection", "expected"), [("m5", SELECTED), ("greedy", SELECTED), (None, FULL)])
def test_the_equation(selection: str | None, expected: dict[str, float], compat: str | None) -> None:
    model = LinearRegressor(selection=selection, compat=compat).fit(hornbeam.read("cpu")).model_
    found = {name: round(value, 3 if name == "intercept" else 4) for name, value in model.coefficients().items()}
    assert found == expected
