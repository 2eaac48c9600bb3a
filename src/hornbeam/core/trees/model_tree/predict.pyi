from typing import Any

import numpy as np
from numpy.typing import NDArray

def evaluate(
    nodes: NDArray[np.int32],
    columns: list[NDArray[Any] | None],
    start: NDArray[np.int64],
    feature: NDArray[np.int32],
    coefficient: NDArray[np.float64],
    fill: NDArray[np.float64],
    table: NDArray[np.int64],
    tables: NDArray[np.float64],
    n_codes: NDArray[np.int32],
    intercept: NDArray[np.float64],
    otherwise: NDArray[np.float64],
) -> NDArray[np.float64]: ...
