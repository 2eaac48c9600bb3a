"""WEKA's model trees and rules for numbers: what it printed and predicted."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oracle import evidence

from hornbeam.data.read import read

if TYPE_CHECKING:
    from hornbeam.data.table import Table

SCHEMES = ("M5P", "M5P-N", "M5P-R", "M5Rules")


@dataclass(frozen=True)
class ModelAnswer:
    """What the program printed and predicted for one scheme and set."""

    scheme: str
    data: str
    table: Table
    text: str
    sha256: str | None  # of the whole text, where only its beginning was kept
    correlation: float | None  # of cross-validated predictions with the truth
    error: float | None  # their root mean squared error
    predictions: list[float | None] | None  # of every row in file order, when it was in the test fold

    def same_text(self, body: str, leaves: int) -> bool:
        """Whether the program's text has this body; of a text cut short, by its checksum."""
        head, lead, theirs = self.text.partition("linear models)\n" if self.scheme != "M5Rules" else "Rule: 1\n")
        if self.scheme == "M5Rules":
            return body == (lead + theirs).rstrip("\n")
        if self.sha256 is None:
            return body == theirs.rpartition("\n\nNumber of Rules")[0].lstrip("\n")
        blank = "" if leaves == 1 else "\n"
        whole = f"{head}{lead}{blank}{body}\n\nNumber of Rules : {leaves}"
        return hashlib.sha256(whole.encode()).hexdigest() == self.sha256


def small_pairs() -> list[tuple[str, str]]:
    """Every scheme with every small set."""
    return evidence.small_pairs(SCHEMES)


def large_pairs() -> list[tuple[str, str]]:
    """Every scheme with every other set."""
    return evidence.large_pairs(SCHEMES)


def model_answer(scheme: str, data: str) -> ModelAnswer:
    """Read one answer."""
    stored = evidence.answers(scheme, data)
    validated = stored.get("cv", {})
    return ModelAnswer(
        scheme,
        data,
        read(evidence.arff(data), target=-1),
        stored["model"],
        stored["model_cut"]["sha256"] if "model_cut" in stored else None,
        validated.get("correlation"),
        validated.get("rmse"),
        validated.get("pred"),
    )
