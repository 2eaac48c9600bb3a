import numpy as np
from numpy.typing import NDArray

def moments(
    values: NDArray[np.float64],
    member: NDArray[np.int32],
    weights: NDArray[np.float64],
    known: NDArray[np.float64],
    mean: NDArray[np.float64],
    deviation: NDArray[np.float64],
) -> None: ...
