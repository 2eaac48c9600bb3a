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
        ours: bool = False,
    ) -> None: ...
    def pessimistic(
        self, confidence: float, z: float, raising: bool, keep_steps: bool, n_threads: int = 1
    ) -> tuple[dict[str, NDArray[Any]], NDArray[Any]]: ...
    def reduced_error(self, keep_steps: bool) -> tuple[dict[str, NDArray[Any]], NDArray[Any]]: ...
    def cancel(self) -> None: ...

def order_nodes(first_child: NDArray[np.int32], n_children: NDArray[np.int32]) -> NDArray[np.int32]: ...
def sum_over_leaves(
    parent: NDArray[np.int32], n_children: NDArray[np.int32], leaf_values: NDArray[np.float64]
) -> NDArray[np.float64]: ...
