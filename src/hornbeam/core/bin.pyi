import numpy as np
from numpy.typing import NDArray

def distinct_values(values: NDArray[np.floating], limit: int) -> tuple[NDArray[np.float64], bool] | None: ...
def bin_numbers(
    values: NDArray[np.floating], cuts: NDArray[np.float64], missing_code: int, codes: NDArray[np.uint8]
) -> None: ...
