from hornbeam.core.base.arrays import Floats, Floats32, Ints32, Ints64

def assign_plainly(x: Floats, centers: Floats, found: Ints32, first: int, last: int) -> None: ...

class Bounds:
    def __init__(
        self,
        x: Floats32,
        exact: Floats,
        squares: Floats,
        owner: Ints32,
        slot: Ints32,
        group: Ints32,
        group_start: Ints32,
        upper: Floats,
        lower: Floats32,
    ) -> None: ...
    def place(
        self,
        centers: Floats,
        tiles: Floats32,
        small: Floats32,
        half: Floats32,
        moved: Floats,
        move: Floats,
        reach: float,
        margin: float,
        fine: float,
    ) -> None: ...
    def assign(self, labels: Ints32, found: Ints32, first: int, last: int) -> int: ...

def extent(rows: Floats, out: Floats, first: int, last: int) -> None: ...
def lay_out(
    rows: Floats, middle: Floats, scale: float, side_by_side: int, out: Floats32, squares: Floats, first: int, last: int
) -> None: ...
def assign_few(
    blocks: Floats32,
    exact: Floats,
    squares: Floats,
    small: Floats32,
    half: Floats32,
    centers: Floats,
    reach: float,
    margin: float,
    fine: float,
    found: Ints32,
    first: int,
    last: int,
) -> int: ...
def move_rows(
    numbers: Floats,
    codes: Ints32,
    weights: Floats,
    code_weights: Floats,
    start: Ints64,
    means: Floats,
    known: Floats,
    counts: Floats,
    top: Floats,
    labels: Ints32,
    passes: int,
) -> int: ...
def add_up(
    x: Floats,
    weights: Floats,
    labels: Ints32,
    found: Ints32,
    sums: Floats,
    counts: Floats,
    first: int,
    last: int,
    anew: bool,
) -> int: ...
def add_mixed(
    numbers: Floats,
    codes: Ints32,
    weights: Floats,
    start: Ints64,
    labels: Ints32,
    sums: Floats,
    known: Floats,
    counts: Floats,
) -> None: ...
def count_changes(labels: Ints32, found: Ints32) -> int: ...
def squares_to_own(x: Floats, centers: Floats, labels: Ints32, out: Floats, first: int, last: int) -> None: ...
def nearer(columns: Floats, candidates: Floats, least: Floats, out: Floats, first: int, last: int) -> None: ...
def assign_mixed(
    numbers: Floats,
    codes: Ints32,
    number_weights: Floats,
    code_weights: Floats,
    number_centers: Floats,
    code_centers: Ints32,
    sums: Floats,
    found: Ints32,
    costs: Floats,
    first: int,
    last: int,
) -> None: ...
