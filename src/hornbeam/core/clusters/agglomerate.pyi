from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Joinings: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]

def by_vectors(columns: NDArray[np.float64], sizes: NDArray[np.float64]) -> Joinings: ...
def by_matrix(apart: NDArray[np.float64], sizes: NDArray[np.float64], method: int) -> Joinings: ...
def in_order(
    first: NDArray[np.int64], second: NDArray[np.int64], height: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]: ...
