"""WEKA's trees: what it printed and predicted for every scheme and set."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from oracle import evidence

if TYPE_CHECKING:
    from pathlib import Path

SCHEMES = (
    "J48",
    "J48-U",
    "J48-R",
    "J48-B",
    "J48-S",
    "J48-M5-C0.1",
    "w39-J48",
    "w39-J48-noMDL",
    "w39-J48-U-O-noMDL",
    "Id3",
)
CODES = "0123456789abcdefghijklmnopqrstuvwxyz"  # one character per class, in header order; "?" for no prediction
HEADER_END = "------------------\n"
FOOTER_START = "\n\nNumber of Leaves"


@dataclass(frozen=True)
class Answer:
    """What the reference program printed and predicted for one scheme on one set."""

    scheme: str
    data: str
    arff: Path
    body: str
    predictions: str  # of every row in file order, when it was in the test fold

    @property
    def newer(self) -> bool:
        """Whether it comes from the program's newer version, which rounds cuts and printed numbers in another way."""
        return self.scheme.startswith("w39-")


@dataclass(frozen=True)
class Folds:
    """The reference program's ten folds of one set."""

    arff: Path
    fold_of_row: str  # one digit per row
    order: list[int] | None  # rows fold by fold; only of sets up to 1000 rows
    first_train_order: list[int] | None


def body_of(scheme: str, model: str) -> str:
    """Cut header and footer off a printed model: what is left runs from the tree's first line to its last."""
    if scheme == "Id3":
        return model.removeprefix("Id3\n\n").lstrip("\n").rstrip("\n")
    return model.partition(HEADER_END)[2].rpartition(FOOTER_START)[0].lstrip("\n")


@cache
def small_sets() -> tuple[str, ...]:
    """Names of the small sets with classes."""
    return tuple(data for data in evidence.answered("J48") if data in evidence.SMALL)


def small_pairs() -> list[tuple[str, str]]:
    """Every scheme with every small set."""
    return evidence.small_pairs(SCHEMES)


def large_pairs() -> list[tuple[str, str]]:
    """Every scheme with every other set."""
    return evidence.large_pairs(SCHEMES)


def answer(scheme: str, data: str) -> Answer:
    """Read one answer."""
    stored = evidence.answers(scheme, data)
    if stored["status"] != "ok" or "model_cut" in stored:
        msg = f"{scheme} on {data}: expected a whole answer; found status {stored['status']!r}, or a text cut short"
        raise ValueError(msg)
    return Answer(scheme, data, evidence.arff(data), body_of(scheme, stored["model"]), stored["cv"]["pred"])


def folds(data: str) -> Folds:
    """Read the folds of one set."""
    stored = evidence.folds(data)
    return Folds(evidence.arff(data), stored["fold_of_row"], stored.get("order"), stored.get("train_order_fold0"))
