from typing import Literal, TypeAlias

from numpy.typing import ArrayLike

from hornbeam.core.base.arrays import Floats, Ints64

Criterion: TypeAlias = Literal["entropy", "gini", "misclassification", "chi-square", "variance", "deviation"]
CRITERIA: dict[Criterion, int]

def impurities(stats: ArrayLike, criterion: Criterion, loss: ArrayLike | None = None) -> Floats: ...
def greedy(
    stats: ArrayLike, criterion: Criterion, max_cuts: int, min_branch: float = 0.0, loss: ArrayLike | None = None
) -> tuple[Ints64, Floats]: ...
def optimal(
    stats: ArrayLike,
    criterion: Criterion,
    max_cuts: int,
    min_branch: float = 0.0,
    loss: ArrayLike | None = None,
    limit: int = 1024,
    join: bool = False,
) -> tuple[list[Ints64], Floats]: ...
def join(stats: ArrayLike) -> tuple[Floats, Ints64]: ...
def divide(stats: ArrayLike) -> Ints64: ...
def merge(stats: ArrayLike, significance: float, max_bins: int) -> Ints64: ...
def log_tail(statistic: float, df: float) -> float: ...
