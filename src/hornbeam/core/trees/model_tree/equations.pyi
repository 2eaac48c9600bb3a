from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

class Fitter:
    def fit(
        self,
        nodes: Mapping[str, NDArray[Any]],
        values: NDArray[np.float64],
        target: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
        n_slots: int,
        choices: Mapping[str, Any],
    ) -> dict[str, NDArray[Any]]: ...

def smooth(
    parent: NDArray[np.int32],
    is_leaf: NDArray[np.uint8],
    weight: NDArray[np.float64],
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    inputs: NDArray[np.int32],
    coefficients: NDArray[np.float64],
    intercept: NDArray[np.float64],
    strength: float,
    n_inputs: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]: ...
def blocks(
    first_child: NDArray[np.int32], leaves: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...
