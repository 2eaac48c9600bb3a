"""From binned columns to a forest: trees are shared out between threads, and joined in their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.base.threads import Threads
from hornbeam.core.forests.grow.grower import Forester
from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal
from hornbeam.learn.forests.about import About
from hornbeam.learn.forests.binned import Binned
from hornbeam.learn.forests.joined_trees import JoinedTrees
from hornbeam.model.forests.forest import Forest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from hornbeam.data.table import Table

NO_LIMIT = 2**31 - 1


@dataclass(frozen=True)
class ForestChoices:
    """How the trees of a forest are grown."""

    n_trees: int
    n_candidates: int  # columns with a split that a node chooses from
    columns_by_tree: bool  # drawn once a tree, not at every node
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
    """What the trees say of the rows that they did not learn from."""

    answers: NDArray[np.float64]  # rows x classes, or rows x 1; NaN where every tree learned from the row
    n_trees: NDArray[np.int64]  # that were asked about each row


def grow_forest(
    table: Table, choices: ForestChoices, n_threads: int, *, out_of_bag: bool = False
) -> tuple[Forest, OutOfBag | None]:
    """Grow a forest.

    Parameters
    ----------
    table : Table
        Rows with a known target; weights, if any, above zero.
    choices : ForestChoices
        How.
    n_threads : int
        Trees are shared out; the forest is the same for any number.
    out_of_bag : bool
        Whether trees are asked about the rows that they did not learn from.
    """
    binned = Binned.of(table, choices.max_bins, n_threads, exact=choices.exact)
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
        {} if choices.random_cut else _values(table, binned),
        truth if about is None else about.distances(truth),
        n_classes,
        table.weights,
        _for_kernel(choices, binned.n_features),
    )
    answered = _Answered(table.n_rows, max(n_classes, 1)) if out_of_bag else None
    kept: list[tuple[NDArray[np.int32], NDArray[np.int32]]] | None = [] if choices.keep_targets else None

    trees = JoinedTrees(choices.n_trees, binned.nominal, max(n_classes, 1))

    def take(tree: dict[str, NDArray[Any]]) -> None:
        trees.add(tree)
        if answered is not None:
            answered.add(tree)
        if kept is not None:
            kept.append((tree["leaf"], tree["count"]))

    _grow_all(grower, choices.n_trees, n_threads, take, with_rows=out_of_bag or choices.keep_targets)
    forest = _forest(trees, table, choices, about)
    if kept is not None and about is not None:
        forest = _with_targets(forest, kept, about.distances(truth))
    return forest.known_sound(), None if answered is None else answered.means(about)


def _values(table: Table, binned: Binned) -> dict[int, NDArray[np.float64]]:
    """The numbers of features whose bins hold several values, with missing ones."""
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


def _grow_all(
    grower: Forester, n_trees: int, n_threads: int, take: Callable[[dict[str, Any]], None], *, with_rows: bool
) -> None:
    """Grow all trees; `take` is called with each, in their order, as soon as it is there."""
    with Threads(min(n_threads, n_trees)) as pool:
        for tree in pool.map(lambda number: grower.grow(number, with_rows), range(n_trees)):
            take(tree)


class _Answered:
    """Sums of answers about rows that trees did not learn from."""

    def __init__(self, n_rows: int, n_answers: int) -> None:
        self.sums = np.zeros((n_rows, n_answers))
        self.n_trees = np.zeros(n_rows, np.int64)

    def add(self, tree: dict[str, NDArray[Any]]) -> None:
        rows = np.flatnonzero(tree["count"] == 0)
        values = tree["value"].reshape(-1, self.sums.shape[1])
        self.sums[rows] += values[tree["leaf"][rows]]
        self.n_trees[rows] += 1

    def means(self, about: About | None) -> OutOfBag:
        with np.errstate(invalid="ignore"):
            answers = self.sums / self.n_trees[:, None]
        if about is not None:
            answers = answers * about.unit + about.base
        return OutOfBag(answers, self.n_trees)


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
        base=np.zeros(trees.n_answers) if about is None else np.array([about.base]),
        set_start=set_start,
        codes=codes,
        unit=None if about is None else np.array([about.unit]),
        recipe=dict(choices.recipe),
    )


def _with_targets(
    forest: Forest, rows: list[tuple[NDArray[np.int32], NDArray[np.int32]]], distances: NDArray[np.float64]
) -> Forest:
    """The forest with the targets of the rows that each leaf was grown from, as often as they were drawn."""
    from dataclasses import replace  # noqa: PLC0415 - the only use

    starts, targets = [], []
    for (leaf, count), first, stop in zip(rows, forest.roots[:-1], forest.roots[1:], strict=True):
        drawn = np.repeat(leaf, count)
        order = np.lexsort((np.repeat(distances, count), drawn))
        targets.append(np.repeat(distances, count)[order].astype(np.float32))
        starts.append(np.bincount(drawn, minlength=int(stop - first)))
    start = offsets(np.concatenate(starts))
    return replace(forest, target_start=start, targets=np.concatenate(targets))
