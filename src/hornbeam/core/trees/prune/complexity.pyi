import numpy as np
from numpy.typing import NDArray

def weakest_links(
    parent: NDArray[np.int32], n_children: NDArray[np.int32], cost: NDArray[np.float64]
) -> NDArray[np.float64]: ...
def complexity_walk(
    first_child: NDArray[np.int32],
    n_children: NDArray[np.int32],
    parent: NDArray[np.int32],
    cost: NDArray[np.float64],
    alpha: float,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]: ...
