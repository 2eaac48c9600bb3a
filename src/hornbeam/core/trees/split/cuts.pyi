from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Criterion: TypeAlias = Literal["entropy", "gini", "misclassification", "chi-square", "variance", "deviation"]
CRITERIA: dict[Criterion, int]

def impurities(stats: ArrayLike, criterion: Criterion, loss: ArrayLike | None = None) -> NDArray[np.float64]: ...
def greedy(
    stats: ArrayLike, criterion: Criterion, max_cuts: int, min_branch: float = 0.0, loss: ArrayLike | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
def optimal(
    stats: ArrayLike,
    criterion: Criterion,
    max_cuts: int,
    min_branch: float = 0.0,
    loss: ArrayLike | None = None,
    limit: int = 1024,
    join: bool = False,
) -> tuple[list[NDArray[np.int64]], NDArray[np.float64]]: ...
def join(stats: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
def divide(stats: ArrayLike) -> NDArray[np.int64]: ...
def merge(stats: ArrayLike, significance: float, max_bins: int) -> NDArray[np.int64]: ...
def log_tail(statistic: float, df: float) -> float: ...
