"""The reference program's stored answers: for a few small sets in this folder, for all others in the shared one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from locate import has_shared, shared_root

HERE = Path(__file__).resolve().parent
SCHEMES = (
    "J48",
    "J48-U",
    "J48-R",
    "J48-B",
    "J48-S",
    "J48-M5-C0.1",
    "w39-J48-noMDL",
    "w39-J48-U-O-noMDL",
    "Id3",
)
CODES = "0123456789abcdefghijklmnopqrstuvwxyz"  # one character a class, in header order; "?" where there is no answer
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
    fold_of_row: str  # one digit a row
    order: list[int] | None  # rows fold by fold; only of sets up to 1000 rows
    first_train_order: list[int] | None


def body_of(scheme: str, model: str) -> str:
    """Cut header and footer off a printed model: what is left runs from the tree's first line to its last."""
    if scheme == "Id3":
        return model.removeprefix("Id3\n\n").lstrip("\n").rstrip("\n")
    return model.partition(HEADER_END)[2].rpartition(FOOTER_START)[0].lstrip("\n")


@cache
def _small(data: str) -> dict[str, Any]:
    answers: dict[str, Any] = json.loads((HERE / "answers" / f"{data}.json").read_text(encoding="utf-8"))
    return answers


@cache
def small_sets() -> tuple[str, ...]:
    """Names of the sets whose answers are part of the project."""
    return tuple(sorted(path.stem for path in (HERE / "answers").glob("*.json")))


def small_pairs() -> list[tuple[str, str]]:
    """Every scheme with every set whose answer is part of the project."""
    return [(scheme, data) for scheme in SCHEMES for data in small_sets() if scheme in _small(data)["schemes"]]


def shared_pairs() -> list[tuple[str, str]]:
    """Every scheme with every other set; none where the shared folder is absent."""
    if not has_shared("oracle"):
        return []
    folders = [(scheme, shared_root() / "oracle" / scheme) for scheme in SCHEMES]
    found = [(scheme, path.stem) for scheme, folder in folders for path in sorted(folder.glob("*.json"))]
    return [pair for pair in found if pair[1] not in small_sets()]


def answer(scheme: str, data: str) -> Answer:
    """Read one answer."""
    if data in small_sets():
        stored = _small(data)["schemes"][scheme]
        return Answer(scheme, data, _arff(data), body_of(scheme, stored["model"]), stored["pred"])
    path = shared_root() / "oracle" / scheme / f"{data}.json"
    stored = json.loads(path.read_text(encoding="utf-8"))
    if stored["status"] != "ok" or "model_cut" in stored:
        msg = f"{path}: expected a whole answer; found status {stored['status']!r}, or a text that was cut short"
        raise ValueError(msg)
    return Answer(scheme, data, _arff(data), body_of(scheme, stored["model"]), stored["cv"]["pred"])


def folds(data: str) -> Folds:
    """Read the folds of one set."""
    if data in small_sets():
        stored = _small(data)["folds"]
    else:
        path = shared_root() / "oracle" / "folds" / f"{data}.json"
        stored = json.loads(path.read_text(encoding="utf-8"))
    return Folds(_arff(data), stored["fold_of_row"], stored.get("order"), stored.get("train_order_fold0"))


def _arff(data: str) -> Path:
    folder = HERE / "data" if data in small_sets() else shared_root() / "data"
    return folder / f"{data}.arff"
