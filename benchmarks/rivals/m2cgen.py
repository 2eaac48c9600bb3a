"""m2cgen, an optional peer (``pip install m2cgen lightgbm``): LightGBM's trees as C, compiled by gcc."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING, Any

from benchmarks.exported import compiled
from benchmarks.rivals.tl2cgen import booster

if TYPE_CHECKING:
    from benchmarks.peer import Measurement

CALLS = """
static void predict_all(double *rows, size_t n, size_t columns, double *found) {
    for (size_t row = 0; row < n; row++) {
        double output[2];
        score(rows + row * columns, output);
        found[row] = output[1];
    }
}
"""


def why_absent() -> str | None:
    """Why m2cgen cannot take part, or None."""
    missing = [name for name in ("m2cgen", "lightgbm") if not importlib.util.find_spec(name)]
    return f"{missing[0]} is not installed (pip install m2cgen lightgbm)" if missing else None


def measure(measurement: Measurement) -> dict[str, Any]:
    """Predict row by row with the function that it writes."""
    import m2cgen  # noqa: PLC0415 - optional

    sys.setrecursionlimit(100_000)  # it adds the trees one inside the other
    return compiled(measurement, lambda rows: m2cgen.export_to_c(booster(measurement.task, rows)) + CALLS)
