"""WEKA's KStar, an optional peer: a Java class lets it predict and measures that inside the warm Java machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.queries import FEW_QUERIES
from benchmarks.rivals import weka

if TYPE_CHECKING:
    from benchmarks.peer import Measurement

SOURCE = Path(__file__).with_name("WekaPredict.java")


def why_absent() -> str | None:
    """Why WEKA cannot take part, or None."""
    return weka.why_absent()


def measure(measurement: Measurement) -> dict[str, Any]:
    """Learn and predict held-out rows."""
    return weka.run(SOURCE, "weka.classifiers.lazy.KStar", measurement, str(FEW_QUERIES))
