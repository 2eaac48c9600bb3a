import numpy as np
from numpy.typing import ArrayLike, NDArray

from hornbeam.core.trees.split.cuts import Criterion

def combine(
    matrix: ArrayLike,
    target: ArrayLike,
    criterion: Criterion,
    weights: ArrayLike | None = None,
    min_branch: float = 0.0,
    loss: ArrayLike | None = None,
    least_share: float = 0.2,
) -> tuple[NDArray[np.float64], float, float]: ...
