import numpy as np
from numpy.typing import NDArray

def rates(
    asked: NDArray[np.float64],
    values: NDArray[np.float64],
    weights: NDArray[np.float64],
    blend: float,
    least_rate: float,
    missing: int,
    found: NDArray[np.float64],
    without: NDArray[np.float64],
) -> None: ...
def costs(
    numbers: NDArray[np.float64],
    codes: NDArray[np.int32],
    asked_numbers: NDArray[np.float64],
    asked_rates: NDArray[np.float64],
    number_without: NDArray[np.float64],
    asked_codes: NDArray[np.int32],
    code_costs: NDArray[np.float64],
    first: int,
    last: int,
    out: NDArray[np.float64],
) -> None: ...
def likelihoods(cost: NDArray[np.float64], weights: NDArray[np.float64], first: int, last: int) -> None: ...
