from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

INTERRUPT_FROM: int

class PartialTrees:
    def __init__(
        self,
        labels: NDArray[np.int32],
        n_classes: int,
        weights: NDArray[np.float64] | None,
        choices: Mapping[str, Any],
        n_columns: int,
    ) -> None: ...
    def add_sorted(self, values: NDArray[np.float64], order: NDArray[np.uint32], ours: bool = False) -> None: ...
    def add_codes(
        self, codes: NDArray[Any], values: NDArray[np.float64], n_codes: int, nominal: bool, many_valued: bool
    ) -> None: ...
    def learn(self, prune: bool, confidence: float, z: float) -> dict[str, NDArray[Any]]: ...
