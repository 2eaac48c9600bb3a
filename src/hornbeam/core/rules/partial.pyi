from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hornbeam.core.rows.lists import ColumnLists

INTERRUPT_FROM: int

class PartialTrees(ColumnLists):
    def __init__(
        self,
        labels: NDArray[np.int32],
        n_classes: int,
        weights: NDArray[np.float64] | None,
        choices: Mapping[str, Any],
        n_columns: int,
    ) -> None: ...
    def learn(self, prune: bool, confidence: float, z: float) -> dict[str, NDArray[Any]]: ...
