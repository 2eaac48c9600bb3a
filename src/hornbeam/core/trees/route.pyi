from collections.abc import Mapping, Sequence

from hornbeam.core.base.arrays import AnyArray, Floats, Ints32, Ints64

class Rows:
    n_rows: int
    def __init__(
        self, columns: Sequence[AnyArray | None] | None = None, matrix: AnyArray | None = None, n_rows: int = 0
    ) -> None: ...

class Router:
    def __init__(
        self,
        n_features: int,
        splits: Mapping[str, AnyArray],
        nodes: Mapping[str, AnyArray | None],
        only_single_cuts: bool = False,
        asks_codes: bool = False,
    ) -> None: ...
    def labels(self, rows: Rows) -> Ints32: ...
    def predictions(self, rows: Rows) -> Floats: ...
    def leaves(self, rows: Rows) -> Ints32: ...
    def paths(self, rows: Rows) -> tuple[Ints64, Ints32, Floats]: ...
