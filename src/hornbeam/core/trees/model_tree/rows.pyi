import numpy as np
from numpy.typing import NDArray

def sort_rows(rows: NDArray[np.int64], values: NDArray[np.float64]) -> None: ...
def deviation(rows: NDArray[np.int64], target: NDArray[np.float64]) -> float: ...
def best_split(
    rows: NDArray[np.int64],
    columns: NDArray[np.float64],
    target: NDArray[np.float64],
    root: float,
    slack: float,
    margin_share: int,
) -> tuple[int, float, float]: ...

class Regression:
    target_mean: float
    target_deviation: float
    def __init__(
        self,
        rows: NDArray[np.int64],
        columns: NDArray[np.float64],
        target: NDArray[np.float64],
        features: NDArray[np.int64],
        weights: NDArray[np.float64] | None = None,
    ) -> None: ...
    @property
    def column_deviations(self) -> NDArray[np.float64]: ...
    def solve(self, chosen: NDArray[np.uint8], ridge: float) -> NDArray[np.float64]: ...
    def squared_error(self, coefficients: NDArray[np.float64]) -> float: ...
