from collections.abc import Mapping

from hornbeam.core.base.arrays import AnyArray, Floats, Ints32, Ints64

class Pruner:
    def __init__(
        self,
        tree: Mapping[str, AnyArray],
        splits: Mapping[str, AnyArray],
        columns: list[AnyArray | None],
        labels: Ints32,
        weights: Floats | None,
        loss: Floats | None = None,
        ours: bool = False,
    ) -> None: ...
    def pessimistic(
        self, confidence: float, z: float, raising: bool, keep_steps: bool, n_threads: int = 1
    ) -> tuple[dict[str, AnyArray], AnyArray]: ...

def errors_to_expect(weight: Floats, errors: Floats, confidence: float, z: float) -> Floats: ...
def factored_errors(parent: Ints32, rows: Ints64, weight: Floats, error: Floats, parameters: float) -> Floats: ...
