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
        min_node: float,
        min_branch: float,
        min_deviation: float,
        rows_a_parameter: float,
        tolerance: float,
        most_judged: int,
    ) -> dict[str, Any]: ...
