"""WEKA's M5P, an optional peer, measured as J48 is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.rivals import weka

if TYPE_CHECKING:
    from benchmarks.peer import Measurement

SOURCE = Path(__file__).with_name("M5PBuild.java")


def why_absent() -> str | None:
    """Why WEKA cannot take part, or None."""
    return weka.why_absent()


def measure(measurement: Measurement) -> dict[str, Any]:
    """Compile the class where needed, and run it."""
    return weka.measure(measurement, SOURCE)
