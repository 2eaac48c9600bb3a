"""WEKA's SMO with the RBF kernel, an optional peer, measured as J48 is; columns as they are, like the others'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks import margins
from benchmarks.rivals import weka

if TYPE_CHECKING:
    from benchmarks.peer import Measurement

KERNEL = f"weka.classifiers.functions.supportVector.RBFKernel -G {margins.GAMMA}"
SMO = f'weka.classifiers.functions.SMO -N 2 -C {margins.C} -L {margins.TOLERANCE} -K "{KERNEL}"'


def why_absent() -> str | None:
    """Why WEKA cannot take part, or None."""
    return weka.why_absent()


def measure(measurement: Measurement) -> dict[str, Any]:
    """Build it as J48 is built."""
    return weka.measure(measurement, (SMO, {}))
