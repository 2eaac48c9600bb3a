import numpy as np
from numpy.typing import NDArray

class KeptTree:
    def __init__(self) -> None: ...

def keep(
    value: NDArray[np.float64],
    target: NDArray[np.int32],
    nominal: NDArray[np.int8],
    first: int,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    weight: NDArray[np.float64],
    evidence: NDArray[np.float64],
    learned: int,
    rate: float,
    records: bool,
    accept: float,
    reject: float,
    right: NDArray[np.int64],
    tried: NDArray[np.int64],
    class_count: NDArray[np.int64],
    n_seen: int,
    kept_tree: KeptTree | None,
) -> tuple[
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.bool_],
    NDArray[np.int8],
    int,
    KeptTree | None,
]: ...
