from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

SHARE_FROM: int

class Grower:
    def __init__(
        self,
        target: NDArray[Any],
        n_classes: int,
        weights: NDArray[np.float64] | None,
        choices: Mapping[str, Any],
        n_columns: int,
    ) -> None: ...
    def add_sorted(self, values: NDArray[np.float64], order: NDArray[np.uint32], ours: bool = False) -> None: ...
    def add_codes(
        self, codes: NDArray[Any], values: NDArray[np.float64], n_codes: int, nominal: bool, many_valued: bool
    ) -> None: ...
    def put_in_order(self, order: NDArray[np.uint32]) -> None: ...
    def sum_in(self, order: NDArray[np.uint32]) -> None: ...
    def grow(self, n_threads: int = 1, keep_candidates: bool = False) -> dict[str, Any]: ...
    def cancel(self) -> None: ...
