from collections.abc import Mapping
from typing import Any

from hornbeam.core.base.arrays import Floats, Ints32, Uints32

class Grower:
    def grow(
        self,
        values: Floats,
        n_codes: Ints32,
        orders: Uints32,
        list_of: Ints32,
        target: Floats,
        weights: Floats | None,
        inputs: Floats | None,
        choices: Mapping[str, float],
    ) -> dict[str, Any]: ...
