from hornbeam.core.base.arrays import Floats32, Ints32, Ints64

LANES: int
TILE: int
ROWS: int

class Panels:
    def __init__(
        self,
        values: Floats32,
        norms: Floats32,
        far: Floats32,
        n_rows: int,
        groups: tuple[int, int, int],
        ways: tuple[bool, bool, bool],
        tables: Floats32,
        ranges: Floats32,
    ) -> None: ...

class Queries:
    def __init__(
        self,
        values: Floats32,
        twice: Floats32,
        fill: Floats32,
        weight: Floats32,
        lack: Floats32,
        table_row: Ints64,
        n_rows: int,
    ) -> None: ...

def screen(
    panels: Panels,
    queries: Queries,
    slack: Floats32,
    nearest: Ints32,
    least: Floats32,
    rows: Ints32,
    scores: Floats32,
    counts: Ints32,
) -> None: ...
def nearest_chunks(queries: Floats32, ranges: Floats32, nearest: Ints32) -> None: ...
