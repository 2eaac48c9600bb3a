from collections.abc import Mapping, Sequence
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
        splits: Mapping[str, NDArray[Any]],
        nodes: Mapping[str, NDArray[Any] | None],
        only_single_cuts: bool = False,
        asks_codes: bool = False,
    ) -> None: ...
    def labels(self, rows: Rows) -> NDArray[np.int32]: ...
    def predictions(self, rows: Rows) -> NDArray[np.float64]: ...
    def leaves(self, rows: Rows) -> NDArray[np.int32]: ...
    def paths(self, rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]: ...
