"""WEKA's linear equations: what it printed and predicted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oracle import evidence

from hornbeam.data.read import read

if TYPE_CHECKING:
    from hornbeam.data.table import Table

SCHEME = "LinearRegression"


@dataclass(frozen=True)
class LinearAnswer:
    """What the program printed and predicted for one set."""

    data: str
    table: Table
    text: str
    correlation: float  # of cross-validated predictions with the truth
    predictions: list[float | None]  # of every row in file order, when it was in the test fold


def small_sets() -> list[str]:
    """Small sets with a stored answer."""
    return [data for _, data in evidence.small_pairs([SCHEME])]


def large_sets() -> list[str]:
    """All other sets with a stored answer."""
    return [data for _, data in evidence.large_pairs([SCHEME])]


def linear_answer(data: str) -> LinearAnswer:
    """Read one answer."""
    stored, table = evidence.answers(SCHEME, data), read(evidence.arff(data), target=-1)
    return LinearAnswer(data, table, stored["model"].strip("\n"), stored["cv"]["correlation"], stored["cv"]["pred"])
