import numpy as np
from numpy.typing import NDArray

def weights(
    away: NDArray[np.float64],
    own: NDArray[np.float64],
    kernel: int,
    reach: float,
    k: float,
    squared: bool,
    first: int,
    last: int,
) -> None: ...
def regressions(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    weight: NDArray[np.float64],
    queries: NDArray[np.float64],
    ridge: float,
    first: int,
    last: int,
    out: NDArray[np.float64],
) -> None: ...
