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
