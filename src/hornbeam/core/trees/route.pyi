from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

class Rows:
    n_rows: int
    def __init__(
        self,
        columns: Sequence[NDArray[Any] | None] | None = None,
        matrix: NDArray[Any] | None = None,
        n_rows: int = 0,
    ) -> None: ...

class Router:
    def __init__(
        self,
        n_features: int,
        feature: NDArray[np.int32],
        kind: NDArray[np.int8],
        sides: NDArray[np.int8],
        cut_start: NDArray[np.int64],
        cuts: NDArray[np.float64],
        code_start: NDArray[np.int64],
        codes: NDArray[np.int32],
        code_branch: NDArray[np.int32],
        other: NDArray[np.int32],
        first_child: NDArray[np.int32],
        n_children: NDArray[np.int32],
        split: NDArray[np.int32],
        missing: NDArray[np.int32],
        share: NDArray[np.float64],
        value: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
        answering: NDArray[np.int32] | None,
        label: NDArray[np.int32],
        pseudo: NDArray[np.float64],
        surrogate_start: NDArray[np.int64] | None = None,
        surrogates: NDArray[np.int32] | None = None,
        only_single_cuts: bool = False,
        asks_codes: bool = False,
        term_start: NDArray[np.int64] | None = None,
        term_feature: NDArray[np.int32] | None = None,
        term_coefficient: NDArray[np.float64] | None = None,
    ) -> None: ...
    def labels(self, rows: Rows) -> NDArray[np.int32]: ...
    def answers(self, rows: Rows) -> NDArray[np.float64]: ...
    def leaves(self, rows: Rows) -> NDArray[np.int32]: ...
    def paths(self, rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]: ...
