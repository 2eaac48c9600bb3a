"""The reference program's model trees and rules: three sets in this folder, all others in the shared one."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from locate import has_shared, shared_root

from hornbeam.data.read import read

if TYPE_CHECKING:
    from hornbeam.data.table import Table

HERE = Path(__file__).resolve().parent
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


@cache
def _small() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE / "m5_small.json").read_text(encoding="utf-8"))
    return found


def small_pairs() -> list[tuple[str, str]]:
    """Every scheme with every set whose answer is part of the project; they are example sets of the package."""
    return [(scheme, data) for scheme in SCHEMES for data in sorted(_small())]


def shared_pairs() -> list[tuple[str, str]]:
    """Every scheme with every other set; none where the shared folder is absent."""
    if not has_shared("oracle"):
        return []
    found = [(s, path.stem) for s in SCHEMES for path in sorted((shared_root() / "oracle" / s).glob("*.json"))]
    return [pair for pair in found if pair[1] not in _small()]


def model_answer(scheme: str, data: str) -> ModelAnswer:
    """Read one answer."""
    if data in _small():
        stored, table = _small()[data][scheme], read(data)
    else:
        folder = shared_root()
        stored = json.loads((folder / "oracle" / scheme / f"{data}.json").read_text(encoding="utf-8"))
        table = read(folder / "data" / f"{data}.arff", target=-1)
    validated = stored.get("cv", {})
    return ModelAnswer(
        scheme,
        data,
        table,
        stored["model"],
        stored["model_cut"]["sha256"] if "model_cut" in stored else None,
        validated.get("correlation"),
        validated.get("rmse"),
        validated.get("pred"),
    )
