from collections.abc import Mapping, Sequence

from hornbeam.core.base.arrays import AnyArray, Bools, Floats, Floats32, Ints32, Ints64, Uints8, Uints32

LOSSES: tuple[str, ...]

def sample_rows(held_out: Uints8, share: float, seed: int, turn: int) -> tuple[Uints32, Uints32]: ...

class Booster:
    def __init__(
        self,
        codes: Uints8,
        wide: Mapping[int, Ints32],
        n_codes: Ints32,
        has_missing: Bools,
        nominal: Bools,
        monotone: Sequence[int],
        target: Floats,
        weights: Floats | None,
        loss: int,
        n_outputs: int,
        choices: Mapping[str, float],  # also the seed and the number of threads
    ) -> None: ...
    @property
    def score(self) -> Floats: ...
    def use(self, used: Uints32 | None, others: Uints32) -> None: ...
    def choose_columns(self, active: Uints8) -> None: ...
    def take_probabilities(self) -> None: ...
    def slopes(self, output: int, parameter: float, turn: int) -> None: ...
    def gradients(self) -> tuple[Floats32, Floats32, float, float, Ints64, Ints64]: ...
    def grow(self, output: int, quantile: float) -> dict[str, AnyArray]: ...
