import numpy as np
from numpy.typing import NDArray

from hornbeam.core.trees.route import Rows

class ForestRouter:
    def __init__(
        self,
        n_categories: NDArray[np.int32],
        roots: NDArray[np.int64],
        asked: NDArray[np.int32],
        cut: NDArray[np.float64],
        first_child: NDArray[np.int32],
        missing: NDArray[np.int8],
        value: NDArray[np.float32],
        n_outputs: int,
        output: NDArray[np.int32] | None = None,
        sets: tuple[NDArray[np.int64] | None, NDArray[np.int32] | None] = (None, None),
        ways: tuple[int, int] = (-1, -1),
    ) -> None: ...
    def add(
        self,
        rows: Rows,
        sums: NDArray[np.float64],
        first_row: int,
        stop_row: int,
        first_tree: int,
        stop_tree: int,
    ) -> None: ...
    def leaves(self, rows: Rows, nodes: NDArray[np.int32], first_row: int, stop_row: int) -> None: ...
