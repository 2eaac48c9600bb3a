from collections.abc import Mapping

from hornbeam.core.base.arrays import AnyArray, Floats, Ints32, Ints64

KINDS: dict[str, int]
TABLE: int
NO_NUMBER: int

class Matcher:
    def __init__(self, given: Mapping[str, AnyArray], fires: float) -> None: ...
    def deciding(self, numbers: Floats, codes: Ints32, n_rows: int) -> Ints32: ...
    def holding(self, numbers: Floats, codes: Ints32, n_rows: int, least: float) -> tuple[Ints64, Ints32, Floats]: ...

def add_up(start: Ints64, weights: Floats, places: Ints64, shares: Floats) -> tuple[Floats, Floats, Ints64]: ...
