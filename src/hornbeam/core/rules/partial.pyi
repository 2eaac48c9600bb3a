from collections.abc import Mapping
from typing import Any

from hornbeam.core.base.arrays import AnyArray, Floats, Ints32
from hornbeam.core.rows.lists import ColumnLists

INTERRUPT_FROM: int

class PartialTrees(ColumnLists):
    def __init__(
        self, labels: Ints32, n_classes: int, weights: Floats | None, choices: Mapping[str, Any], n_columns: int
    ) -> None: ...
    def learn(self, prune: bool, confidence: float, z: float) -> dict[str, AnyArray]: ...
