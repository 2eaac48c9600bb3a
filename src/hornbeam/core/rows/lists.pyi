from typing import Any

import numpy as np
from numpy.typing import NDArray

class ColumnLists:
    def add_sorted(self, values: NDArray[np.float64], order: NDArray[np.uint32], ours: bool = False) -> None: ...
    def add_codes(
        self, codes: NDArray[Any], values: NDArray[np.float64], n_codes: int, nominal: bool, many_valued: bool
    ) -> None: ...
