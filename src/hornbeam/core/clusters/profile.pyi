from hornbeam.core.base.arrays import Floats, Ints32

def moments(
    values: Floats, member: Ints32, weights: Floats, known: Floats, mean: Floats, deviation: Floats
) -> None: ...
