from collections.abc import Mapping, Sequence
from typing import Any

from hornbeam.core.base.arrays import AnyArray, Floats, Ints32, Uints8

class Forester:
    def __init__(
        self,
        codes: Uints8,
        wide: dict[int, Ints32],
        n_bins: Ints32,
        nominal: Uints8,
        cuts: Sequence[Floats],
        values: dict[int, Floats],
        target: AnyArray,
        n_classes: int,
        weights: Floats | None,
        choices: Mapping[str, Any],
    ) -> None: ...
    def grow(self, tree: int, with_rows: bool = False) -> dict[str, AnyArray]: ...
