import numpy as np
from numpy.typing import NDArray

def order_nodes(
    first_child: NDArray[np.int32], n_children: NDArray[np.int32]
) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.int32]]: ...
def cut_below(
    parent: NDArray[np.int32], n_children: NDArray[np.int32], leaf: NDArray[np.uint8]
) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.int32]]: ...
def take_splits(
    order: NDArray[np.intp],
    first_child: NDArray[np.int32],
    n_children: NDArray[np.int32],
    split: NDArray[np.int32],
    missing: NDArray[np.int32],
    no_split: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.intp]]: ...
def leaves_first(first_child: NDArray[np.int32], n_children: NDArray[np.int32]) -> NDArray[np.int32]: ...
def sum_over_leaves(
    first_child: NDArray[np.int32], n_children: NDArray[np.int32], leaf_values: NDArray[np.float64]
) -> NDArray[np.float64]: ...
def left_at(
    first_child: NDArray[np.int32], n_children: NDArray[np.int32], values: NDArray[np.float64]
) -> NDArray[np.float64]: ...
def sum_upwards(parent: NDArray[np.int32], values: NDArray[np.float64]) -> None: ...
def moments_at(
    node: NDArray[np.int32], weight: NDArray[np.float64], number: NDArray[np.float64], n_nodes: int
) -> NDArray[np.float64]: ...
def merge_upwards(parent: NDArray[np.int32], moments: NDArray[np.float64]) -> None: ...
def squared_errors(moments: NDArray[np.float64], answer: NDArray[np.float64]) -> NDArray[np.float64]: ...
def squared_errors_upwards(
    first_child: NDArray[np.int32],
    n_children: NDArray[np.int32],
    moments: NDArray[np.float64],
    answer: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]: ...
def greatest_below(
    first_child: NDArray[np.int32], n_children: NDArray[np.int32], values: NDArray[np.float64]
) -> NDArray[np.float64]: ...
def cheapest(
    first_child: NDArray[np.int32],
    n_children: NDArray[np.int32],
    leaf_cost: NDArray[np.float64],
    split_cost: NDArray[np.float64] | None,
    margin: float,
    relative: float,
    prune_ties: bool,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]: ...
def without_weak(
    parent: NDArray[np.int32],
    first_child: NDArray[np.int32],
    n_children: NDArray[np.int32],
    own: NDArray[np.float64],
    below: NDArray[np.float64],
    slack: float,
    prune_ties: bool,
) -> NDArray[np.intp]: ...
def first_above(parent: NDArray[np.int32], steps: NDArray[np.int64], never: int) -> NDArray[np.int64]: ...
def nodes_below(parent: NDArray[np.int32], chosen: NDArray[np.uint8]) -> NDArray[np.bool_]: ...
def stopping_places(parent: NDArray[np.int32], leaf: NDArray[np.uint8]) -> NDArray[np.int32]: ...
def depths(parent: NDArray[np.int32]) -> NDArray[np.int64]: ...
def tally_leaves(
    start: NDArray[np.int64], stop: NDArray[np.int64], figure: NDArray[np.float64], n_steps: int
) -> NDArray[np.float64]: ...
def tally_sizes(
    start: NDArray[np.int64], stop: NDArray[np.int64], n_steps: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def tally_inner(
    start: NDArray[np.int64], stop: NDArray[np.int64], figure: NDArray[np.float64], n_steps: int
) -> NDArray[np.float64]: ...
