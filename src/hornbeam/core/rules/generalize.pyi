import numpy as np
from numpy.typing import NDArray

class Generalizer:
    def __init__(
        self,
        labels: NDArray[np.int32],
        n_classes: int,
        weights: NDArray[np.float64] | None,
        confidence: float,
        z: float,
    ) -> None: ...
    def drop(
        self,
        bits: NDArray[np.uint64],
        start: NDArray[np.int64],
        condition: NDArray[np.int32],
        label: NDArray[np.int32],
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]: ...
    def covered(
        self, bits: NDArray[np.uint64], start: NDArray[np.int64], condition: NDArray[np.int32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...

def pack(passes: NDArray[np.bool_]) -> NDArray[np.uint64]: ...
