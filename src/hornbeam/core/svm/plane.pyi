from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = Floats | tuple[NDArray[np.int64], NDArray[np.int32], Floats, int]

class Plane:
    def __init__(self, rows: Rows) -> None: ...
    def find(
        self,
        sign: Floats,
        limit: Floats,
        squared: bool,
        tol: float,
        most_passes: int,
        seed: int,
        alpha: Floats,
        plane: Floats,
    ) -> tuple[int, float]: ...
