from hornbeam.core.base.arrays import Floats

def weights(
    away: Floats, own: Floats, kernel: int, reach: float, k: float, squared: bool, first: int, last: int
) -> None: ...
def regressions(
    x: Floats,
    y: Floats,
    weight: Floats,
    queries: Floats,
    ridge: float,
    by_weight: bool,
    first: int,
    last: int,
    out: Floats,
) -> None: ...
