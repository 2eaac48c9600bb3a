from typing import TypeAlias

from hornbeam.core.base.arrays import Floats, Ints32, Ints64

Rows: TypeAlias = Floats | tuple[Ints64, Ints32, Floats, int]

class Plane:
    def __init__(self, rows: Rows) -> None: ...
    def find(
        self,
        sign: Floats,
        limit: Floats,
        squared: bool,
        tol: float,
        most_passes: int,
        seed: int,
        alpha: Floats,
        plane: Floats,
    ) -> tuple[int, float]: ...
