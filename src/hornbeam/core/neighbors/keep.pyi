from hornbeam.core.base.arrays import Bools, Floats, Ints8, Ints32, Ints64

class KeptTree:
    def __init__(self) -> None: ...

class Policy:
    def __init__(self, learned: int, rate: float, records: bool, accept: float, reject: float) -> None: ...

class Seen:
    def __init__(
        self, low: Floats, high: Floats, weight: Floats, evidence: Floats, class_count: Ints64, n_seen: int
    ) -> None: ...

def keep(
    value: Floats,
    target: Ints32,
    nominal: Ints8,
    first: int,
    seen: Seen,
    policy: Policy,
    right: Ints64,
    tried: Ints64,
    kept_tree: KeptTree | None,
) -> tuple[
    Ints64,
    Ints64,
    Ints64,
    Bools,
    Ints8,
    int,
    KeptTree | None,
]: ...
