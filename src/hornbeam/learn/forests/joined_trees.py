"""The trees of a forest, joined as they come: memory is taken once, and a tree's own is free for the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.indices import offsets

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_NODES = 2**31 - 1
SPARE = (
    1.05  # trees are of about one size: room for all by those there are, and some more, which costs nothing untouched
)


class JoinedTrees:
    """Arrays of nodes, tree after tree, as `hornbeam.model.forests.forest.Forest` has them.

    Parameters
    ----------
    n_trees : int
        How many are to come.
    nominal : array of bool
        Features whose splits name categories.
    n_answers : int
        Values of a node.
    """

    def __init__(self, n_trees: int, nominal: NDArray[np.bool_], n_answers: int) -> None:
        self.n_trees, self.nominal, self.n_answers = n_trees, nominal, n_answers
        self.roots = [0]
        self._arrays: dict[str, NDArray[Any]] = {}
        self._set_sizes: list[NDArray[np.int64]] = []
        self._codes: list[NDArray[np.int32]] = []

    def add(self, tree: dict[str, NDArray[Any]]) -> None:
        """Take over the next tree, as the kernel gives it."""
        start, stop = self.roots[-1], self.roots[-1] + len(tree["feature"])
        if stop > MOST_NODES:
            msg = f"the forest has more than {MOST_NODES} nodes: set max_depth, or min_samples_leaf"
            raise ValueError(msg)
        self._make_room(stop, tree)
        own = {name: array[start:stop] for name, array in self._arrays.items()}
        for name in ("feature", "threshold", "missing", "weight"):
            own[name][:] = tree[name]
        first = tree["first_child"]
        np.add(first, np.where(first >= 0, np.int32(start), np.int32(0)), out=own["first_child"])
        own["value"][:] = tree["value"].reshape(-1, self.n_answers)
        np.maximum(tree["gain"], 0.0, out=own["gain"])
        self._add_sets(tree)
        self.roots.append(stop)

    def nodes(self, name: str) -> NDArray[Any]:
        """One of the arrays, of all nodes."""
        return self._arrays[name][: self.roots[-1]]

    def sets(self) -> tuple[NDArray[np.int64] | None, NDArray[np.int32] | None]:
        """Categories of every node's first branch, sorted, as CSR arrays; None where no node asks for categories."""
        if not self._codes:
            return None, None
        sizes = np.concatenate(self._set_sizes)
        return offsets(sizes), np.concatenate(self._codes)

    def _make_room(self, n_nodes: int, tree: dict[str, NDArray[Any]]) -> None:
        if self._arrays and n_nodes <= len(self._arrays["feature"]):
            return
        room = int(n_nodes / len(self.roots) * self.n_trees * SPARE) + 1
        for name in ("feature", "threshold", "first_child", "missing", "weight", "value", "gain"):
            shape = (room, self.n_answers) if name == "value" else (room,)
            larger = np.empty(shape, tree[name].dtype)
            if self._arrays.get(name) is not None:
                larger[: self.roots[-1]] = self._arrays[name][: self.roots[-1]]
            self._arrays[name] = larger

    def _add_sets(self, tree: dict[str, NDArray[Any]]) -> None:
        if "set_stop" not in tree:
            self._set_sizes.append(np.zeros(len(tree["feature"]), np.int64))
            return
        stop, named = tree["set_stop"], (tree["feature"] >= 0) & self.nominal[tree["feature"]]
        size = np.where(named, tree["cut"], 0).astype(np.int64)
        inside = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        found = tree["codes"][np.repeat(stop - size, size) + inside]
        self._codes.append(found[np.lexsort((found, np.repeat(np.arange(len(size)), size)))])
        self._set_sizes.append(size)
