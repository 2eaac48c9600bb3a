from hornbeam.core.base.arrays import Floats, Floats32, Ints8, Ints32, Ints64
from hornbeam.core.trees.route import Rows

class ForestRouter:
    def __init__(
        self,
        n_categories: Ints32,
        roots: Ints64,
        asked: Ints32,
        cut: Floats,
        first_child: Ints32,
        missing: Ints8,
        value: Floats32,
        n_outputs: int,
        output: Ints32 | None = None,
        sets: tuple[Ints64 | None, Ints32 | None] = (None, None),
        ways: tuple[int, int] = (-1, -1),
    ) -> None: ...
    def add(self, rows: Rows, sums: Floats, first_row: int, stop_row: int, first_tree: int, stop_tree: int) -> None: ...
    def leaves(self, rows: Rows, nodes: Ints32, first_row: int, stop_row: int) -> None: ...
