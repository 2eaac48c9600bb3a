from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = Floats | tuple[NDArray[np.int64], NDArray[np.int32], Floats, int]

class Vectors:
    def __init__(self, rows: Rows, kernel: tuple[int, int, float, float]) -> None: ...
    def weigh(
        self,
        asked: Rows,
        coefficients: Floats,
        runs: NDArray[np.int64],
        intercepts: Floats,
        first: int,
        last: int,
        out: Floats,
    ) -> None: ...
    def values(self, asked: Rows) -> Floats: ...
