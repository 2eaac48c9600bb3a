from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

AT_MOST: int
AT_LEAST: int
EQUALS: int
DIFFERS: int
SMOOTHED_GAIN: int
GAIN: int
ACCURACY: int
MOST_ROWS: int

Rows: TypeAlias = NDArray[np.int32]
Numbers: TypeAlias = NDArray[np.float64]

class RowLists:
    def __init__(
        self,
        columns: Sequence[NDArray[Any]],
        orders: Sequence[NDArray[np.uint32] | None],
        n_codes: Sequence[int],
        classes: Rows,
        weights: Numbers | None,
    ) -> None: ...
    def keep(self, rows: Rows) -> None: ...
    def restart(self) -> None: ...
    def drop(self, rows: Rows) -> None: ...
    def narrow(
        self, rows: Rows, positive: int, columns: Rows, kinds: Rows, values: Numbers
    ) -> tuple[Numbers, Numbers, Rows]: ...
    def grow(
        self,
        rows: Rows,
        positive: int,
        columns: Rows,
        kinds: Rows,
        values: Numbers,
        measure: int,
        least: float,
        sets: bool = False,
    ) -> tuple[Rows, Rows, Numbers]: ...

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
