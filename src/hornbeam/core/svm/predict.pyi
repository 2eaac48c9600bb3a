from typing import TypeAlias

from hornbeam.core.base.arrays import Floats, Ints32, Ints64

Rows: TypeAlias = Floats | tuple[Ints64, Ints32, Floats, int]

class Vectors:
    def __init__(self, rows: Rows, kernel: tuple[int, int, float, float]) -> None: ...
    def weigh(
        self, asked: Rows, coefficients: Floats, runs: Ints64, intercepts: Floats, first: int, last: int, out: Floats
    ) -> None: ...
    def values(self, asked: Rows) -> Floats: ...
