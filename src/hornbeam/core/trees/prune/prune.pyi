from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

class Pruner:
    def __init__(
        self,
        tree: Mapping[str, NDArray[Any]],
        splits: Mapping[str, NDArray[Any]],
        columns: list[NDArray[Any] | None],
        labels: NDArray[np.int32],
        weights: NDArray[np.float64] | None,
        loss: NDArray[np.float64] | None = None,
        ours: bool = False,
    ) -> None: ...
    def pessimistic(
        self, confidence: float, z: float, raising: bool, keep_steps: bool, n_threads: int = 1
    ) -> tuple[dict[str, NDArray[Any]], NDArray[Any]]: ...

def errors_to_expect(
    weight: NDArray[np.float64], errors: NDArray[np.float64], confidence: float, z: float
) -> NDArray[np.float64]: ...
def factored_errors(
    parent: NDArray[np.int32],
    rows: NDArray[np.int64],
    weight: NDArray[np.float64],
    error: NDArray[np.float64],
    parameters: float,
) -> NDArray[np.float64]: ...
