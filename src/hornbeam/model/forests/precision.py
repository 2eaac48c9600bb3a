"""Double-precision values in forests, whose nodes have single-precision values: each is stored as a sum of two."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.model.forests.forest import Forest

    Singles = NDArray[np.float32]


def two_singles(values: NDArray[np.float64]) -> tuple[Singles, Singles | None]:
    """Return values in single precision and the remainders; None if all remainders are zero."""
    with np.errstate(over="ignore", invalid="ignore"):  # infinite values are an error in a forest
        value = values.astype(np.float32)
        rest = (values - value).astype(np.float32)
    return np.ascontiguousarray(value), np.ascontiguousarray(rest) if rest.any() else None


def in_single_precision(forest: Forest) -> Forest:
    """Return a forest without `rest` that predicts the same: every tree occurs twice, the second with the remainders.

    This is for formats with single-precision values. If trees are averaged, values are doubled, since there are twice
    as many trees; they are then not class probabilities, and the forest would not pass `validate`.
    """
    if forest.rest is None:
        return forest
    value = np.concatenate([forest.value, forest.rest])
    leaf = forest.first_child < 0
    sets: dict[str, Any] = {}

    def twice(array: NDArray[Any]) -> NDArray[Any]:
        return np.concatenate([array, array])

    def shifted(array: NDArray[np.int64], by: int) -> NDArray[np.int64]:
        return np.concatenate([array, array[1:] + by])

    if forest.set_start is not None and forest.codes is not None:
        sets = {"set_start": shifted(forest.set_start, len(forest.codes)), "codes": twice(forest.codes)}
    return replace(
        forest,
        roots=shifted(forest.roots, forest.n_nodes),
        feature=twice(forest.feature),
        cut=twice(forest.cut),
        first_child=np.concatenate([forest.first_child, np.where(leaf, -1, forest.first_child + forest.n_nodes)]),
        missing=twice(forest.missing),
        weight=twice(forest.weight),
        value=value * np.float32(2) if forest.combine == "mean" else value,
        gain=twice(forest.gain),
        output=None if forest.output is None else twice(forest.output),
        target_start=None,
        targets=None,
        rest=None,
        **sets,
    )
