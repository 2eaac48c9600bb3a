from hornbeam.core.base.arrays import Floats, Indices, Ints32, Uints8

class Boxes:
    def __init__(
        self,
        low: Floats,
        high: Floats,
        gap: Uints8,
        place: Uints8,
        label: Ints32,
        start: Indices,
        width: Floats,
        number_weight: Floats,
        code_weight: Floats,
    ) -> None: ...
    def holding(self, number: Floats, code: Indices, but: int) -> list[int]: ...
    def same(self, number: Floats, code: Indices, label: int, extent: Floats) -> int: ...
    def nearest(self, number: Floats, code: Indices, label: int, most: int) -> list[int]: ...
    def deciding(self, number: Floats, code: Indices, extent: Floats) -> int: ...
    def decide(
        self,
        numbers: Floats,
        codes: Indices,
        rank: Floats,
        factors: Floats,
        first: int,
        last: int,
        found: Indices,
    ) -> None: ...
    def enlarge(self, box: int, number: Floats, code: Indices, overlap: bool, nested: bool) -> bool: ...
    def join(self, box: int, other: int) -> bool: ...
