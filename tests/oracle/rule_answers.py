"""The reference program's rules of classes: eleven small sets in this folder, all others in the shared one.

For every scheme that prints rules: a test says which schemes it asks for.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from locate import has_shared, shared_root
from oracle.answers import CODES
from oracle.compare import folds_of, table_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from hornbeam.data.table import Table

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class RuleAnswer:
    """What the program printed and predicted for one scheme and set."""

    scheme: str
    data: str
    arff: Path
    text: str | None  # None: stopped before it had learned from all rows
    predictions: str | None  # of every row, one character each, when it was in the test fold; None: stopped before

    @property
    def table(self) -> Table:
        """The set itself."""
        return table_of(self.arff)

    @property
    def codes(self) -> NDArray[np.int64]:
        """Predictions as class codes, -1 for none."""
        assert self.predictions is not None
        return np.array([CODES.find(character) for character in self.predictions])

    def cross_validated(self, make: Callable[[], Any]) -> NDArray[np.int64]:
        """Our predictions of every row, by the model of the fold in which it is tested; -1 for none."""
        table = self.table
        codes = np.empty(table.n_rows, np.int64)
        for train, test in folds_of(self.arff):
            codes[test] = make().fit(table.take(train)).model_.predict(table.take(test))
        return codes


@cache
def _small() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE / "rules_small.json").read_text(encoding="utf-8"))
    return found


def small_pairs(schemes: Sequence[str]) -> list[tuple[str, str]]:
    """Every scheme with every set whose answer is part of the project."""
    return [(scheme, data) for scheme in schemes for data in sorted(_small()) if scheme in _small()[data]]


def shared_pairs(schemes: Sequence[str]) -> list[tuple[str, str]]:
    """Every scheme with every other set; none where the shared folder is absent."""
    if not has_shared("oracle"):
        return []
    found = [(s, path.stem) for s in schemes for path in sorted((shared_root() / "oracle" / s).glob("*.json"))]
    return [pair for pair in found if pair[1] not in _small()]


def rule_answer(scheme: str, data: str) -> RuleAnswer:
    """Read one answer."""
    if data in _small():
        stored, arff = _small()[data][scheme], HERE / "data" / f"{data}.arff"
    else:
        folder = shared_root()
        stored = json.loads((folder / "oracle" / scheme / f"{data}.json").read_text(encoding="utf-8"))
        arff = folder / "data" / f"{data}.arff"
    return RuleAnswer(scheme, data, arff, stored.get("model"), stored.get("cv", {}).get("pred"))
