"""The reference program's linear equations: three sets in this folder, all others in the shared one."""

from __future__ import annotations

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
SCHEME = "LinearRegression"


@dataclass(frozen=True)
class LinearAnswer:
    """What the program printed and predicted for one set."""

    data: str
    table: Table
    text: str
    correlation: float  # of cross-validated predictions with the truth
    predictions: list[float | None]  # of every row in file order, when it was in the test fold


@cache
def _small() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE / "linear_small.json").read_text(encoding="utf-8"))
    return found


def small_sets() -> list[str]:
    """Sets whose answer is part of the project; they are example sets of the package."""
    return sorted(_small())


def shared_sets() -> list[str]:
    """All other sets; none where the shared folder is absent."""
    if not has_shared("oracle"):
        return []
    folder = shared_root() / "oracle" / SCHEME
    return [path.stem for path in sorted(folder.glob("*.json")) if path.stem not in _small()]


def linear_answer(data: str) -> LinearAnswer:
    """Read one answer."""
    if data in _small():
        stored, table = _small()[data], read(data)
    else:
        folder = shared_root()
        stored = json.loads((folder / "oracle" / SCHEME / f"{data}.json").read_text(encoding="utf-8"))
        table = read(folder / "data" / f"{data}.arff", target=-1)
    return LinearAnswer(data, table, stored["model"].strip("\n"), stored["cv"]["correlation"], stored["cv"]["pred"])
