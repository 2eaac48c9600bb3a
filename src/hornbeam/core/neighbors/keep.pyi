import numpy as np
from numpy.typing import NDArray

class KeptTree:
    def __init__(self) -> None: ...

class Policy:
    def __init__(self, learned: int, rate: float, records: bool, accept: float, reject: float) -> None: ...

class Seen:
    def __init__(
        self,
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        weight: NDArray[np.float64],
        evidence: NDArray[np.float64],
        class_count: NDArray[np.int64],
        n_seen: int,
    ) -> None: ...

def keep(
    value: NDArray[np.float64],
    target: NDArray[np.int32],
    nominal: NDArray[np.int8],
    first: int,
    seen: Seen,
    policy: Policy,
    right: NDArray[np.int64],
    tried: NDArray[np.int64],
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
