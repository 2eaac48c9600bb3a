"""WEKA's rules for classes: what it printed and predicted, for every scheme that prints rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from oracle import evidence
from oracle.trees.answers import CODES
from oracle.trees.compare import folds_of, table_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from hornbeam.data.table import Table


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


def rule_answer(scheme: str, data: str) -> RuleAnswer:
    """Read one answer."""
    stored = evidence.answers(scheme, data)
    return RuleAnswer(scheme, data, evidence.arff(data), stored.get("model"), stored.get("cv", {}).get("pred"))
