import numpy as np
from numpy.typing import NDArray

def code_values(
    values: NDArray[np.floating], limit: int, codes: NDArray[np.uint8]
) -> tuple[NDArray[np.float64], bool] | None: ...
def bin_numbers(
    values: NDArray[np.floating], cuts: NDArray[np.float64], missing_code: int, codes: NDArray[np.uint8]
) -> None: ...
