from hornbeam.core.base.arrays import AnyArray, Floats, Ints32, Ints64

def evaluate(
    nodes: Ints32,
    columns: list[AnyArray | None],
    start: Ints64,
    feature: Ints32,
    coefficient: Floats,
    fill: Floats,
    table: Ints64,
    tables: Floats,
    n_codes: Ints32,
    intercept: Floats,
    otherwise: Floats,
) -> Floats: ...
