from hornbeam.core.base.arrays import Floats, Ints32

def rates(
    asked: Floats,
    values: Floats,
    weights: Floats,
    blend: float,
    least_rate: float,
    within: float,
    missing: int,
    found: Floats,
    without: Floats,
) -> None: ...
def costs(
    numbers: Floats,
    codes: Ints32,
    asked_numbers: Floats,
    asked_rates: Floats,
    number_without: Floats,
    asked_codes: Ints32,
    code_costs: Floats,
    first: int,
    last: int,
    out: Floats,
) -> None: ...
def likelihoods(cost: Floats, weights: Floats, first: int, last: int) -> None: ...
