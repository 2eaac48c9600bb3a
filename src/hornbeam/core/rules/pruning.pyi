from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Rows: TypeAlias = NDArray[np.int32]
Numbers: TypeAlias = NDArray[np.float64]

def deal(rows: Rows, groups: Rows, n_groups: int, folds: int, state: NDArray[np.uint64]) -> Rows: ...
def errors_length(share: float, covered: float, uncovered: float, wrong: float, missed: float) -> float: ...
def rule_length(conditions: int, possible: float) -> float: ...
def shortest(
    share: float,
    totals: Numbers,
    rules: Numbers,
    conditions: NDArray[np.int64],
    possible: float,
    first: int,
    step: int,
    limit_errors: bool,
) -> tuple[float, list[int]]: ...
