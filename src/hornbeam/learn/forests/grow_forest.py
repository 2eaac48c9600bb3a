"""Grow a forest from binned columns: threads grow different trees, which are joined in their order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.base.threads import Threads
from hornbeam.core.forests.grow.grower import Forester
from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal
from hornbeam.learn.forests.about import About
from hornbeam.learn.forests.binned import CodedTable, binned_of
from hornbeam.model.forests.forest import Forest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hornbeam.core.base.arrays import AnyArray, Bools, Floats, Ints32, Ints64
    from hornbeam.data.table import Table
    from hornbeam.learn.forests.binned import Binned


NO_LIMIT = 2**31 - 1
MOST_NODES = 2**31 - 1
SPARE = 1.05  # trees have about the same size: memory for all is estimated by those so far, times this


@dataclass(frozen=True)
class ForestChoices:
    """How the trees of a forest are grown."""

    n_trees: int
    n_candidates: int  # number of columns with a split that a node chooses from
    columns_by_tree: bool  # drawn once per tree, not at every node
    exact: bool  # cuts between any two values, not between bins only
    max_bins: int
    entropy: bool
    random_cut: bool
    bootstrap: bool
    n_drawn: int
    min_leaf: float
    min_split: float
    max_depth: int | None
    max_leaves: int | None
    seed: int
    keep_targets: bool
    recipe: Mapping[str, Any]


@dataclass(frozen=True)
class OutOfBag:
    """The predictions of trees for the rows that they did not learn from."""

    predictions: Floats  # rows x classes, or rows x 1; NaN if every tree learned from the row
    n_trees: Ints64  # the number of trees that predicted each row


def grow_forest(
    table: Table,
    choices: ForestChoices,
    n_threads: int,
    *,
    out_of_bag: bool = False,
    report: Callable[[int, int], bool] | None = None,
) -> tuple[Forest, OutOfBag | None]:
    """Grow a forest.

    Parameters
    ----------
    table : Table
        Rows with a known target; weights, if any, above zero.
    choices : ForestChoices
        How to grow the trees.
    n_threads : int
        Number of threads, each of which grows other trees; the forest is the same for any number.
    out_of_bag : bool
        Whether trees predict the rows that they did not learn from.
    report : callable, optional
        Called with the number of trees grown and that of all trees; no more are grown if it returns True.
    """
    binned = binned_of(table, choices.max_bins, n_threads, exact=choices.exact)
    target = table.schema.target_column
    n_classes = len(target.categories) if isinstance(target, Nominal) else 0
    truth = table.target_values()
    about = None if n_classes else About.of(truth, table.weights)
    grower = Forester(
        binned.codes,
        binned.wide,
        binned.n_bins,
        binned.nominal.view(np.uint8),
        binned.cuts,
        {} if choices.random_cut or isinstance(table, CodedTable) else _values(table, binned),
        truth if about is None else about.distances(truth),
        n_classes,
        table.weights,
        _for_kernel(choices, binned.n_features),
    )
    left_out = _LeftOut(table.n_rows, max(n_classes, 1)) if out_of_bag else None
    kept: list[tuple[Ints32, Ints32]] | None = [] if choices.keep_targets else None

    trees = JoinedTrees(choices.n_trees, binned.nominal, max(n_classes, 1))

    def take(tree: dict[str, AnyArray]) -> None:
        trees.add(tree)
        if left_out is not None:
            left_out.add(tree)
        if kept is not None:
            kept.append((tree["leaf"], tree["count"]))

    grown = _grown(grower, choices.n_trees, n_threads, report, with_rows=out_of_bag or choices.keep_targets)
    for tree in grown:
        take(tree)
    forest = _forest(trees, table, choices, about)
    if kept is not None and about is not None:
        forest = _with_targets(forest, kept, about.distances(truth))
    return forest.known_sound(), None if left_out is None else left_out.means(about)


def _values(table: Table, binned: Binned) -> dict[int, Floats]:
    """The values of features whose bins hold several values, missing ones included."""
    return {
        number: table.columns[position]
        for number, position in enumerate(table.schema.features)
        if not binned.nominal[number] and number not in binned.wide and binned.coarse[number]
    }


def _for_kernel(choices: ForestChoices, n_features: int) -> dict[str, Any]:
    most = min(choices.n_candidates, n_features)
    return {
        "n_candidates": most,
        "n_pool": most if choices.columns_by_tree else n_features,
        "random_cut": choices.random_cut,
        "entropy": choices.entropy,
        "bootstrap": choices.bootstrap,
        "n_drawn": choices.n_drawn,
        "min_leaf": choices.min_leaf,
        "min_split": choices.min_split,
        "max_depth": NO_LIMIT if choices.max_depth is None else min(choices.max_depth, NO_LIMIT),
        "max_leaves": 0 if choices.max_leaves is None else choices.max_leaves,
        "seed": choices.seed,
    }


def _grown(
    grower: Forester, n_trees: int, n_threads: int, report: Callable[[int, int], bool] | None, *, with_rows: bool
) -> Iterator[dict[str, Any]]:
    """Grow all trees; yields each in their order, as soon as it is finished."""
    with Threads(min(n_threads, n_trees)) as pool:
        trees = pool.map(lambda number: grower.grow(number, with_rows), range(n_trees))
        for number, tree in enumerate(trees, 1):
            yield tree
            if report is not None and report(number, n_trees):
                pool.give_up()
                return


class _LeftOut:
    """Sums of the predictions for rows that trees did not learn from."""

    def __init__(self, n_rows: int, n_values: int) -> None:
        self.sums = np.zeros((n_rows, n_values))
        self.n_trees = np.zeros(n_rows, np.int64)

    def add(self, tree: dict[str, AnyArray]) -> None:
        rows = np.flatnonzero(tree["count"] == 0)
        values = tree["value"].reshape(-1, self.sums.shape[1])
        self.sums[rows] += values[tree["leaf"][rows]]
        self.n_trees[rows] += 1

    def means(self, about: About | None) -> OutOfBag:
        with np.errstate(invalid="ignore"):
            means = self.sums / self.n_trees[:, None]
        if about is not None:
            means = means * about.unit + about.base
        return OutOfBag(means, self.n_trees)


def _forest(trees: JoinedTrees, table: Table, choices: ForestChoices, about: About | None) -> Forest:
    set_start, codes = trees.sets()
    return Forest(
        schema=table.schema,
        roots=np.array(trees.roots, np.int64),
        feature=trees.nodes("feature"),
        cut=trees.nodes("threshold"),
        first_child=trees.nodes("first_child"),
        missing=trees.nodes("missing"),
        weight=trees.nodes("weight"),
        value=trees.nodes("value"),
        gain=trees.nodes("gain"),
        base=np.zeros(trees.n_values) if about is None else np.array([about.base]),
        set_start=set_start,
        codes=codes,
        unit=None if about is None else np.array([about.unit]),
        recipe=dict(choices.recipe),
    )


def _with_targets(forest: Forest, rows: list[tuple[Ints32, Ints32]], distances: Floats) -> Forest:
    """The forest with the targets of the rows that each leaf was grown from, as often as they were drawn."""
    starts, targets = [], []
    for (leaf, count), first, stop in zip(rows, forest.roots[:-1], forest.roots[1:], strict=True):
        drawn = np.repeat(leaf, count)
        order = np.lexsort((np.repeat(distances, count), drawn))
        targets.append(np.repeat(distances, count)[order].astype(np.float32))
        starts.append(np.bincount(drawn, minlength=int(stop - first)))
    start = offsets(np.concatenate(starts))
    return replace(forest, target_start=start, targets=np.concatenate(targets))


class JoinedTrees:
    """Arrays of nodes, tree after tree, as `hornbeam.model.forests.forest.Forest` has them.

    Parameters
    ----------
    n_trees : int
        The expected number of trees.
    nominal : array of bool
        Features whose splits list categories.
    n_values : int
        The number of values of a node.
    """

    def __init__(self, n_trees: int, nominal: Bools, n_values: int) -> None:
        self.n_trees, self.nominal, self.n_values = n_trees, nominal, n_values
        self.roots = [0]
        self._arrays: dict[str, AnyArray] = {}
        self._set_sizes: list[Ints64] = []
        self._codes: list[Ints32] = []

    def add(self, tree: dict[str, AnyArray]) -> None:
        """Add the next tree, as the kernel returns it."""
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
        own["value"][:] = tree["value"].reshape(-1, self.n_values)
        np.maximum(tree["gain"], 0.0, out=own["gain"])
        self._add_sets(tree)
        self.roots.append(stop)

    def nodes(self, name: str) -> AnyArray:
        """One of the arrays, for all nodes."""
        return self._arrays[name][: self.roots[-1]]

    def sets(self) -> tuple[Ints64 | None, Ints32 | None]:
        """Sorted categories of the first branch of every node, as CSR arrays; None if no split is by categories."""
        if not self._codes:
            return None, None
        sizes = np.concatenate(self._set_sizes)
        return offsets(sizes), np.concatenate(self._codes)

    def _make_room(self, n_nodes: int, tree: dict[str, AnyArray]) -> None:
        if self._arrays and n_nodes <= len(self._arrays["feature"]):
            return
        room = int(n_nodes / len(self.roots) * self.n_trees * SPARE) + 1
        for name in ("feature", "threshold", "first_child", "missing", "weight", "value", "gain"):
            shape = (room, self.n_values) if name == "value" else (room,)
            larger = np.empty(shape, tree[name].dtype)
            if self._arrays.get(name) is not None:
                larger[: self.roots[-1]] = self._arrays[name][: self.roots[-1]]
            self._arrays[name] = larger

    def _add_sets(self, tree: dict[str, AnyArray]) -> None:
        if "set_stop" not in tree:
            self._set_sizes.append(np.zeros(len(tree["feature"]), np.int64))
            return
        stop, named = tree["set_stop"], (tree["feature"] >= 0) & self.nominal[tree["feature"]]
        size = np.where(named, tree["cut"], 0).astype(np.int64)
        inside = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        codes = tree["codes"][np.repeat(stop - size, size) + inside]
        self._codes.append(codes[np.lexsort((codes, np.repeat(np.arange(len(size)), size)))])
        self._set_sizes.append(size)
