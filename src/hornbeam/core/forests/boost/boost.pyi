from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

LOSSES: tuple[str, ...]

def sample_rows(
    held_out: NDArray[np.uint8], share: float, seed: int, turn: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]: ...

class Booster:
    def __init__(
        self,
        codes: NDArray[np.uint8],
        wide: Mapping[int, NDArray[np.int32]],
        n_codes: NDArray[np.int32],
        has_missing: NDArray[np.bool_],
        nominal: NDArray[np.bool_],
        monotone: Sequence[int],
        target: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
        loss: int,
        n_outputs: int,
        choices: Mapping[str, float],  # also the seed and the number of threads
    ) -> None: ...
    @property
    def score(self) -> NDArray[np.float64]: ...
    def use(self, used: NDArray[np.uint32] | None, others: NDArray[np.uint32]) -> None: ...
    def choose_columns(self, active: NDArray[np.uint8]) -> None: ...
    def take_probabilities(self) -> None: ...
    def slopes(self, output: int, parameter: float, turn: int) -> None: ...
    def gradients(
        self,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], float, float, NDArray[np.int64], NDArray[np.int64]]: ...
    def grow(self, output: int, quantile: float) -> dict[str, NDArray[Any]]: ...
