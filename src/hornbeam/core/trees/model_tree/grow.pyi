from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

class Grower:
    def grow(
        self,
        values: NDArray[np.float64],
        n_codes: NDArray[np.int32],
        orders: NDArray[np.uint32],
        list_of: NDArray[np.int32],
        target: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
        inputs: NDArray[np.float64] | None,
        choices: Mapping[str, float],
    ) -> dict[str, Any]: ...
