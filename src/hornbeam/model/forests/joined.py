"""Forests whose trees add to a score, joined one after another, and cut off after some trees."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from hornbeam.model.forests.forest import Forest

NODES = ("feature", "cut", "first_child", "missing", "weight", "value", "gain", "rest")


def joined(first: Forest, second: Forest) -> Forest:
    """Return one forest with the trees of both: the base, the unit and the recipe are those of the second.

    Both add to a score, have the same outputs, and no targets in their leaves.
    """
    children = np.where(second.first_child < 0, -1, second.first_child + first.n_nodes).astype(np.int32)
    arrays: dict[str, Any] = {}
    for name in ("feature", "cut", "missing", "weight", "value", "gain"):
        arrays[name] = np.concatenate([getattr(first, name), getattr(second, name)])
    arrays["first_child"] = np.concatenate([first.first_child, children])
    arrays["roots"] = np.concatenate([first.roots, second.roots[1:] + first.n_nodes])
    if first.output is not None and second.output is not None:
        arrays["output"] = np.concatenate([first.output, second.output])
    if first.rest is not None or second.rest is not None:
        rests = [np.zeros_like(one.value) if one.rest is None else one.rest for one in (first, second)]
        arrays["rest"] = np.concatenate(rests)
    if first.set_start is not None or second.set_start is not None:
        starts, codes = zip(*map(_sets, (first, second)), strict=True)
        arrays["set_start"] = np.concatenate([starts[0], starts[1][1:] + starts[0][-1]])
        arrays["codes"] = np.concatenate(codes)
    return replace(second, **arrays)


def first_trees(forest: Forest, n_trees: int) -> Forest:
    """Return a forest of the first trees alone."""
    n_nodes = int(forest.roots[n_trees])
    arrays: dict[str, Any] = {name: getattr(forest, name) for name in NODES}
    arrays = {name: array[:n_nodes] for name, array in arrays.items() if array is not None}
    arrays["roots"] = forest.roots[: n_trees + 1]
    if forest.output is not None:
        arrays["output"] = forest.output[:n_trees]
    if forest.set_start is not None and forest.codes is not None:
        arrays["set_start"] = forest.set_start[: n_nodes + 1]
        arrays["codes"] = forest.codes[: int(forest.set_start[n_nodes])]
        if not len(arrays["codes"]):
            arrays["set_start"] = arrays["codes"] = None
    return replace(forest, **arrays)


def _sets(forest: Forest) -> tuple[Any, Any]:
    if forest.set_start is None or forest.codes is None:
        return np.zeros(forest.n_nodes + 1, np.int64), np.empty(0, np.int32)
    return forest.set_start, forest.codes
