from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

BELOW: int
AT_LEAST: int
IN: int
MISSING: int
AT_MOST: int
NOT_IN: int
SHARE: int
GAIN: int
SMOOTHED_GAIN: int
SETS: int
LEAVE_OUT: int
OWN_MISSING: int
IDLE: int
STRICT: int
MOST_ROWS: int

Step: TypeAlias = tuple[int, int, float, tuple[int, ...], float, float]
GivenRows: TypeAlias = NDArray[np.int32]

class Cover:
    def __init__(
        self,
        columns: Sequence[NDArray[Any]],
        orders: Sequence[NDArray[np.uint32] | None],
        n_codes: Sequence[int],
        classes: NDArray[np.int32],
        weights: NDArray[np.float64] | None,
        n_classes: int,
        indexed: bool = True,
    ) -> None: ...
    def restore(self, rows: GivenRows | None = None) -> None: ...
    def class_weights(self) -> NDArray[np.float64]: ...
    def rows(self) -> NDArray[np.int64]: ...
    def remove(self, rows: NDArray[Any]) -> None: ...
    def grow(
        self,
        label: int,
        measure: int,
        choices: int,
        most: int = ...,
        least: float = 0.0,
        rows: GivenRows | None = None,
        start: Sequence[Step] = (),
    ) -> list[Step]: ...
    def candidates(
        self, rows: GivenRows, label: int, choices: int, start: Sequence[Step] = ()
    ) -> NDArray[Any] | None: ...
    def ranked(self, column: int, size: int) -> tuple[int, ...]: ...
    def covered(self, steps: Sequence[Step]) -> NDArray[np.int64]: ...
    def narrow(
        self, rows: GivenRows, label: int, steps: Sequence[Step]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], GivenRows]: ...

def middle(low: float, high: float) -> float: ...
