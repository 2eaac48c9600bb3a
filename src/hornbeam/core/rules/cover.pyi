from collections.abc import Sequence
from typing import TypeAlias

from hornbeam.core.base.arrays import AnyArray, Floats, Ints32, Ints64, Uints32

BELOW: int
AT_LEAST: int
IN: int
MISSING: int
AT_MOST: int
NOT_IN: int
SHARE: int
GAIN: int
SMOOTHED_GAIN: int
SETS: int
LEAVE_OUT: int
OWN_MISSING: int
IDLE: int
STRICT: int
MOST_ROWS: int

Step: TypeAlias = tuple[int, int, float, tuple[int, ...], float, float]
GivenRows: TypeAlias = Ints32

class Cover:
    def __init__(
        self,
        columns: Sequence[AnyArray],
        orders: Sequence[Uints32 | None],
        n_codes: Sequence[int],
        classes: Ints32,
        weights: Floats | None,
        n_classes: int,
        indexed: bool = True,
    ) -> None: ...
    def restore(self, rows: GivenRows | None = None) -> None: ...
    def class_weights(self) -> Floats: ...
    def rows(self) -> Ints64: ...
    def remove(self, rows: AnyArray) -> None: ...
    def grow(
        self,
        label: int,
        measure: int,
        choices: int,
        most: int = ...,
        least: float = 0.0,
        rows: GivenRows | None = None,
        start: Sequence[Step] = (),
    ) -> list[Step]: ...
    def candidates(self, rows: GivenRows, label: int, choices: int, start: Sequence[Step] = ()) -> AnyArray | None: ...
    def ranked(self, column: int, size: int) -> tuple[int, ...]: ...
    def covered(self, steps: Sequence[Step]) -> Ints64: ...
    def narrow(self, rows: GivenRows, label: int, steps: Sequence[Step]) -> tuple[Floats, Floats, GivenRows]: ...

def middle(low: float, high: float) -> float: ...
