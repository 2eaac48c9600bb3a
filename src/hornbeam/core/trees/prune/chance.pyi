import numpy as np
from numpy.typing import NDArray

def split_chances(
    first_child: NDArray[np.int32], n_children: NDArray[np.int32], value: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]: ...
