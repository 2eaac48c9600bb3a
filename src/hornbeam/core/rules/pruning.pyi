from typing import TypeAlias

from hornbeam.core.base.arrays import Floats, Ints32, Ints64, Uints64

Rows: TypeAlias = Ints32
Numbers: TypeAlias = Floats

def deal(rows: Rows, groups: Rows, n_groups: int, folds: int, state: Uints64) -> Rows: ...
def errors_length(share: float, covered: float, uncovered: float, wrong: float, missed: float) -> float: ...
def rule_length(conditions: int, possible: float) -> float: ...
def shortest(
    share: float,
    totals: Numbers,
    rules: Numbers,
    conditions: Ints64,
    possible: float,
    first: int,
    step: int,
    limit_errors: bool,
) -> tuple[float, list[int]]: ...
