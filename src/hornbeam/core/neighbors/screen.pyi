import numpy as np
from numpy.typing import NDArray

LANES: int
TILE: int
ROWS: int

class Panels:
    def __init__(
        self,
        values: NDArray[np.float32],
        norms: NDArray[np.float32],
        far: NDArray[np.float32],
        n_rows: int,
        groups: tuple[int, int, int],
        ways: tuple[bool, bool, bool],
        tables: NDArray[np.float32],
        ranges: NDArray[np.float32],
    ) -> None: ...

class Queries:
    def __init__(
        self,
        values: NDArray[np.float32],
        twice: NDArray[np.float32],
        fill: NDArray[np.float32],
        weight: NDArray[np.float32],
        lack: NDArray[np.float32],
        table_row: NDArray[np.int64],
        n_rows: int,
    ) -> None: ...

def screen(
    panels: Panels,
    queries: Queries,
    slack: NDArray[np.float32],
    nearest: NDArray[np.int32],
    least: NDArray[np.float32],
    rows: NDArray[np.int32],
    scores: NDArray[np.float32],
    counts: NDArray[np.int32],
) -> None: ...
def nearest_chunks(queries: NDArray[np.float32], ranges: NDArray[np.float32], nearest: NDArray[np.int32]) -> None: ...
