from collections.abc import Mapping
from typing import Any

from hornbeam.core.base.arrays import AnyArray, Floats, Ints32, Ints64, Uints8

class Fitter:
    def fit(
        self,
        nodes: Mapping[str, AnyArray],
        values: Floats,
        target: Floats,
        weights: Floats | None,
        n_slots: int,
        choices: Mapping[str, Any],
    ) -> dict[str, Any]: ...

def solve_sums(
    weight: float, means: Floats, products: Floats, below: Uints8, above: Ints32, tolerance: float
) -> tuple[Ints32, Floats, float]: ...
def smooth(
    parent: Ints32,
    is_leaf: Uints8,
    weight: Floats,
    start: Ints64,
    end: Ints64,
    inputs: Ints32,
    coefficients: Floats,
    intercept: Floats,
    strength: float,
    n_inputs: int,
) -> tuple[Ints64, Ints32, Floats, Floats]: ...
def blocks(first_child: Ints32, leaves: Ints32) -> tuple[Ints64, Ints64, Ints64]: ...
