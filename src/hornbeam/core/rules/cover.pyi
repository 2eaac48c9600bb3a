from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

BELOW: int
AT_LEAST: int
IN: int
MISSING: int
SHARE: int
GAIN: int

Step: TypeAlias = tuple[int, int, float, tuple[int, ...], float, float]

class Cover:
    def __init__(
        self,
        numbers: Sequence[NDArray[np.float64] | None],
        orders: Sequence[NDArray[np.uint32] | None],
        codes: Sequence[NDArray[np.int32] | None],
        n_codes: Sequence[int],
        classes: NDArray[np.int32],
        weights: NDArray[np.float64] | None,
        n_classes: int,
    ) -> None: ...
    def restore(self) -> None: ...
    def class_weights(self) -> NDArray[np.float64]: ...
    def rows(self) -> NDArray[np.int64]: ...
    def remove(self, rows: NDArray[np.int64]) -> None: ...
    def grow(self, label: int, measure: int, sets: bool, own_missing: bool, idle: bool, most: int) -> list[Step]: ...
    def covered(self, steps: Sequence[Step]) -> NDArray[np.int64]: ...

def middle(low: float, high: float) -> float: ...
