from hornbeam.core.base.arrays import AnyArray, Floats, Ints8, Ints32, Ints64

class Columns:
    def __init__(
        self,
        kind: Ints8,
        place: Ints32,
        weight: Floats,
        low: Floats,
        high: Floats,
        expected: Floats,
        n_codes: Ints32,
        tables: tuple[Ints64, Floats],
        missing: int,
        squared: bool,
        mean: bool,
    ) -> None: ...

def between(
    columns: Columns,
    a_numbers: Floats,
    a_codes: Ints32,
    a_complete: Ints8,
    b_numbers: Floats,
    b_codes: Ints32,
    b_complete: Ints8,
    first: int,
    last: int,
    out: AnyArray,
    rooted: bool = True,
) -> None: ...
def at_rows(
    columns: Columns,
    a_numbers: Floats,
    a_codes: Ints32,
    a_complete: Ints8,
    b_numbers: Floats,
    b_codes: Ints32,
    b_complete: Ints8,
    rows: Ints64,
    out: Floats,
) -> None: ...
def nearest(
    columns: Columns,
    a_numbers: Floats,
    a_codes: Ints32,
    a_complete: Ints8,
    b_numbers: Floats,
    b_codes: Ints32,
    b_complete: Ints8,
    skip: Ints64,
    k: int,
    all_tied: bool,
    rooted: bool,
) -> tuple[Ints64, Ints64, Floats]: ...
