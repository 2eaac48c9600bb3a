from numpy.typing import ArrayLike

from hornbeam.core.base.arrays import Floats
from hornbeam.core.trees.split.cuts import Criterion

def combine(
    matrix: ArrayLike,
    target: ArrayLike,
    criterion: Criterion,
    weights: ArrayLike | None = None,
    min_branch: float = 0.0,
    loss: ArrayLike | None = None,
    least_share: float = 0.2,
) -> tuple[Floats, float, float]: ...
