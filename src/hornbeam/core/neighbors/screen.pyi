import numpy as np
from numpy.typing import NDArray

LANES: int
TILE: int
ROWS: int

def screen(
    values: NDArray[np.float32],
    norms: NDArray[np.float32],
    far: NDArray[np.float32],
    n_rows: int,
    groups: tuple[int, int, int],
    ways: tuple[bool, bool, bool],
    asking: NDArray[np.float32],
    twice: NDArray[np.float32],
    fill: NDArray[np.float32],
    weight: NDArray[np.float32],
    lack: NDArray[np.float32],
    tables: NDArray[np.float32],
    table_row: NDArray[np.int64],
    slack: NDArray[np.float32],
    ranges: NDArray[np.float32],
    nearest: NDArray[np.int32],
    n_asking: int,
    least: NDArray[np.float32],
    rows: NDArray[np.int32],
    scores: NDArray[np.float32],
    counts: NDArray[np.int32],
) -> None: ...
def nearest_chunks(asking: NDArray[np.float32], ranges: NDArray[np.float32], nearest: NDArray[np.int32]) -> None: ...
