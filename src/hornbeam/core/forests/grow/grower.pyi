from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

class Forester:
    def __init__(
        self,
        codes: NDArray[np.uint8],
        wide: dict[int, NDArray[np.int32]],
        n_bins: NDArray[np.int32],
        nominal: NDArray[np.uint8],
        cuts: Sequence[NDArray[np.float64]],
        values: dict[int, NDArray[np.float64]],
        target: NDArray[Any],
        n_classes: int,
        weights: NDArray[np.float64] | None,
        choices: Mapping[str, Any],
    ) -> None: ...
    def grow(self, tree: int, with_rows: bool = False) -> dict[str, NDArray[Any]]: ...
