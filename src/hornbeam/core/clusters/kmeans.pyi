from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int32]
Smalls: TypeAlias = NDArray[np.float32]

def assign_plainly(x: Floats, centers: Floats, found: Codes, first: int, last: int) -> None: ...

class Bounds:
    def __init__(
        self,
        x: Smalls,
        exact: Floats,
        squares: Floats,
        owner: Codes,
        slot: Codes,
        group: Codes,
        group_start: Codes,
        upper: Floats,
        lower: Smalls,
    ) -> None: ...
    def place(
        self,
        centers: Floats,
        tiles: Smalls,
        small: Smalls,
        half: Smalls,
        moved: Floats,
        move: Floats,
        reach: float,
        margin: float,
        fine: float,
    ) -> None: ...
    def assign(self, labels: Codes, found: Codes, first: int, last: int) -> int: ...

def extent(rows: Floats, out: Floats, first: int, last: int) -> None: ...
def lay_out(
    rows: Floats, middle: Floats, scale: float, side_by_side: int, out: Smalls, squares: Floats, first: int, last: int
) -> None: ...
def assign_few(
    blocks: Smalls,
    exact: Floats,
    squares: Floats,
    small: Smalls,
    half: Smalls,
    centers: Floats,
    reach: float,
    margin: float,
    fine: float,
    found: Codes,
    first: int,
    last: int,
) -> int: ...
def move_rows(
    numbers: Floats,
    codes: Codes,
    weights: Floats,
    code_weights: Floats,
    start: NDArray[np.int64],
    means: Floats,
    known: Floats,
    counts: Floats,
    top: Floats,
    labels: Codes,
    passes: int,
) -> int: ...
def add_up(
    x: Floats,
    weights: Floats,
    labels: Codes,
    found: Codes,
    sums: Floats,
    counts: Floats,
    first: int,
    last: int,
    anew: bool,
) -> int: ...
def add_mixed(
    numbers: Floats,
    codes: Codes,
    weights: Floats,
    start: NDArray[np.int64],
    labels: Codes,
    sums: Floats,
    known: Floats,
    counts: Floats,
) -> None: ...
def count_changes(labels: Codes, found: Codes) -> int: ...
def squares_to_own(x: Floats, centers: Floats, labels: Codes, out: Floats, first: int, last: int) -> None: ...
def nearer(columns: Floats, candidates: Floats, least: Floats, out: Floats, first: int, last: int) -> None: ...
def assign_mixed(
    numbers: Floats,
    codes: Codes,
    number_weights: Floats,
    code_weights: Floats,
    number_centers: Floats,
    code_centers: Codes,
    sums: Floats,
    found: Codes,
    costs: Floats,
    first: int,
    last: int,
) -> None: ...
