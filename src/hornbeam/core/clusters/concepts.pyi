from hornbeam.core.base.arrays import Floats, Ints32, Ints64

class Concepts:
    merges: int
    splits: int
    def __init__(self, n_numbers: int, start: Ints64, acuity: float, cutoff: float, first_alone: bool) -> None: ...
    def add_rows(self, values: Floats, codes: Ints32, weights: Floats, order: Ints64, first: int) -> None: ...
    def restore(self, parent: Ints32, stats: Floats, weight: Floats, leaf: Ints64) -> None: ...
    def tree(
        self, n_rows: int
    ) -> tuple[
        Ints32,
        Ints32,
        Ints32,
        Floats,
        Floats,
        Floats,
        Ints64,
    ]: ...
    def find(self, values: Floats, codes: Ints32, first_child: Ints32, n_children: Ints32, stop: Ints64) -> Ints64: ...
