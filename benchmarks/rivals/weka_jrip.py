"""WEKA's JRip, an optional peer, measured as J48 is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.rivals import weka

if TYPE_CHECKING:
    from benchmarks.peer import Measurement

JRIP = ("weka.classifiers.rules.JRip", {"rules": "measureNumRules"})


def why_absent() -> str | None:
    """Why WEKA cannot take part, or None."""
    return weka.why_absent()


def measure(measurement: Measurement) -> dict[str, Any]:
    """Build it as J48 is built."""
    return weka.measure(measurement, JRIP)
