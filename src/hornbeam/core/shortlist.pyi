import numpy as np
from numpy.typing import NDArray

def shortlist(
    products: NDArray[np.float32],
    half: NDArray[np.float32],
    first: int,
    least: NDArray[np.float32],
    slack: NDArray[np.float32],
    rows: NDArray[np.int32],
    scores: NDArray[np.float32],
    counts: NDArray[np.int32],
) -> None: ...
def within(
    least: NDArray[np.float32],
    slack: NDArray[np.float32],
    rows: NDArray[np.int32],
    scores: NDArray[np.float32],
    counts: NDArray[np.int32],
) -> None: ...
