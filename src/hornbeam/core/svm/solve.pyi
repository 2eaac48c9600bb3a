from typing import TypeAlias

from hornbeam.core.base.arrays import AnyArray, Floats, Ints32, Ints64

Rows: TypeAlias = Floats | tuple[Ints64, Ints32, Floats, int]

class Margin:
    def __init__(
        self,
        rows: Rows | None,
        gram: Floats | None,
        kernel: tuple[int, int, float, float],
        target: Floats,
        bounds: tuple[Floats, Floats],
        epsilon: float,
        tol: float,
        cache_bytes: int,
        shrinking: bool,
        n_threads: int,
        start: Floats | None,
    ) -> None: ...
    def run(self, most_steps: int) -> int: ...
    @property
    def steps(self) -> int: ...
    @property
    def active(self) -> int: ...
    def diagonal(self) -> AnyArray: ...
    def found(self) -> tuple[Floats, Floats, float, float]: ...
