from typing import Any

import numpy as np
from numpy.typing import NDArray

class Columns:
    def __init__(
        self,
        kind: NDArray[np.int8],
        place: NDArray[np.int32],
        weight: NDArray[np.float64],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        expected: NDArray[np.float64],
        n_codes: NDArray[np.int32],
        tables: tuple[NDArray[np.int64], NDArray[np.float64]],
        missing: int,
        squared: bool,
        mean: bool,
    ) -> None: ...

def between(
    columns: Columns,
    a_numbers: NDArray[np.float64],
    a_codes: NDArray[np.int32],
    a_complete: NDArray[np.int8],
    b_numbers: NDArray[np.float64],
    b_codes: NDArray[np.int32],
    b_complete: NDArray[np.int8],
    first: int,
    last: int,
    out: NDArray[Any],
    rooted: bool = True,
) -> None: ...
def at_rows(
    columns: Columns,
    a_numbers: NDArray[np.float64],
    a_codes: NDArray[np.int32],
    a_complete: NDArray[np.int8],
    b_numbers: NDArray[np.float64],
    b_codes: NDArray[np.int32],
    b_complete: NDArray[np.int8],
    rows: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None: ...
def nearest(
    columns: Columns,
    a_numbers: NDArray[np.float64],
    a_codes: NDArray[np.int32],
    a_complete: NDArray[np.int8],
    b_numbers: NDArray[np.float64],
    b_codes: NDArray[np.int32],
    b_complete: NDArray[np.int8],
    skip: NDArray[np.int64],
    k: int,
    all_tied: bool,
    rooted: bool,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]: ...
