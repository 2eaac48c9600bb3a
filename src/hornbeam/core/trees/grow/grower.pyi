from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hornbeam.core.rows.lists import ColumnLists

SHARE_FROM: int

class Grower(ColumnLists):
    def __init__(
        self,
        target: NDArray[Any],
        n_classes: int,
        weights: NDArray[np.float64] | None,
        choices: Mapping[str, Any],
        n_columns: int,
    ) -> None: ...
    def put_in_order(self, order: NDArray[np.uint32]) -> None: ...
    def sum_in(self, order: NDArray[np.uint32]) -> None: ...
    def keep_lists(self) -> None: ...
    def share_lists(self, other: Grower, stays: NDArray[np.uint8]) -> None: ...
    def grow(self, n_threads: int = 1, keep_candidates: bool = False) -> dict[str, Any]: ...
