"""WEKA's Cobweb, an optional peer, measured inside the warm Java machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.rivals import weka

if TYPE_CHECKING:
    from benchmarks.peer import Measurement

SOURCE = Path(__file__).with_name("WekaCluster.java")


def why_absent() -> str | None:
    """Why WEKA cannot take part, or None."""
    return weka.why_absent()


def measure(measurement: Measurement) -> dict[str, Any]:
    """Build it on the columns besides the target."""
    return weka.run(SOURCE, "weka.clusterers.Cobweb", measurement)
