import numpy as np
from numpy.typing import NDArray

class Concepts:
    merges: int
    splits: int
    def __init__(
        self, n_numbers: int, start: NDArray[np.int64], acuity: float, cutoff: float, first_alone: bool
    ) -> None: ...
    def add_rows(
        self,
        values: NDArray[np.float64],
        codes: NDArray[np.int32],
        weights: NDArray[np.float64],
        order: NDArray[np.int64],
        first: int,
    ) -> None: ...
    def restore(
        self,
        parent: NDArray[np.int32],
        stats: NDArray[np.float64],
        weight: NDArray[np.float64],
        leaf: NDArray[np.int64],
    ) -> None: ...
    def tree(
        self, n_rows: int
    ) -> tuple[
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.int64],
    ]: ...
    def find(
        self,
        values: NDArray[np.float64],
        codes: NDArray[np.int32],
        first_child: NDArray[np.int32],
        n_children: NDArray[np.int32],
        stop: NDArray[np.int64],
    ) -> NDArray[np.int64]: ...
