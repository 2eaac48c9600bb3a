from hornbeam.core.base.arrays import Floats, Ints32

def greatest_error(
    ends: Ints32,
    parent: Ints32,
    levels: Ints32,
    prediction: Floats,
    truth: Floats,
    costs: Floats | None,
    n_classes: int,
) -> float: ...
def sum_errors(
    ends: Ints32,
    parent: Ints32,
    levels: Ints32,
    prediction: Floats,
    truth: Floats,
    costs: Floats | None,
    n_classes: int,
    weights: Floats | None,
    unit: float,
    n_levels: int,
) -> tuple[Floats, Floats]: ...
