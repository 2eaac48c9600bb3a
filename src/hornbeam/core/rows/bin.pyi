import numpy as np
from numpy.typing import NDArray

from hornbeam.core.base.arrays import Floats, Uints8

def code_values(values: NDArray[np.floating], limit: int, codes: Uints8) -> tuple[Floats, bool] | None: ...
def bin_numbers(values: NDArray[np.floating], cuts: Floats, missing_code: int, codes: Uints8) -> None: ...
