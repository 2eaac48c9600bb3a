import numpy as np
from numpy.typing import NDArray

class Boxes:
    def __init__(
        self,
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        gap: NDArray[np.uint8],
        place: NDArray[np.uint8],
        label: NDArray[np.int32],
        start: NDArray[np.intp],
        width: NDArray[np.float64],
        number_weight: NDArray[np.float64],
        code_weight: NDArray[np.float64],
    ) -> None: ...
    def holding(self, number: NDArray[np.float64], code: NDArray[np.intp], but: int) -> list[int]: ...
    def same(
        self, number: NDArray[np.float64], code: NDArray[np.intp], label: int, extent: NDArray[np.float64]
    ) -> int: ...
    def nearest(self, number: NDArray[np.float64], code: NDArray[np.intp], label: int, most: int) -> list[int]: ...
    def deciding(self, number: NDArray[np.float64], code: NDArray[np.intp], extent: NDArray[np.float64]) -> int: ...
    def decide(
        self,
        numbers: NDArray[np.float64],
        codes: NDArray[np.intp],
        rank: NDArray[np.float64],
        first: int,
        last: int,
        found: NDArray[np.intp],
    ) -> None: ...
    def enlarge(
        self, box: int, number: NDArray[np.float64], code: NDArray[np.intp], overlap: bool, nested: bool
    ) -> bool: ...
    def join(self, box: int, other: int) -> bool: ...
