"""From binned columns to a forest: trees are shared out between threads, and joined in their order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.forest_grow import Forester
from hornbeam.data.schema import Nominal
from hornbeam.learn.ensembles.binned import Binned
from hornbeam.model.forest import Forest

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
    mean = 0.0 if n_classes else float(np.average(truth, weights=table.weights))
    grower = Forester(
        binned.codes,
        binned.wide,
        binned.n_bins,
        binned.nominal.view(np.uint8),
        binned.cuts,
        {} if choices.random_cut else _values(table, binned),
        truth if n_classes else truth - mean,
        n_classes,
        table.weights,
        _for_kernel(choices, binned.n_features),
    )
    answered = _Answered(table.n_rows, max(n_classes, 1)) if out_of_bag else None
    kept: list[tuple[NDArray[np.int32], NDArray[np.int32]]] | None = [] if choices.keep_targets else None

    def look(tree: dict[str, NDArray[Any]]) -> None:
        if answered is not None:
            answered.add(tree)
        if kept is not None:
            kept.append((tree["leaf"], tree["count"]))
        tree.pop("leaf", None), tree.pop("count", None)

    trees = _grow_all(grower, choices.n_trees, n_threads, look, with_rows=out_of_bag or choices.keep_targets)
    forest = _joined(trees, table, binned, mean, choices)
    if kept is not None:
        forest = _with_targets(forest, kept, truth)
    return forest.known_sound(), None if answered is None else answered.means(mean)


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
    grower: Forester, n_trees: int, n_threads: int, look: Callable[[dict[str, Any]], None], *, with_rows: bool
) -> list[dict[str, NDArray[Any]]]:
    """All trees, in order; `look` is called with each in that order, as soon as it is there."""
    trees: list[dict[str, NDArray[Any]]] = []
    # never on the caller's own thread, so that it can be interrupted
    with ThreadPoolExecutor(min(n_threads, n_trees)) as pool:
        try:
            for tree in pool.map(lambda number: grower.grow(number, with_rows), range(n_trees)):
                look(tree)
                trees.append(tree)
        except BaseException:
            grower.cancel()
            pool.shutdown(cancel_futures=True)
            raise
    return trees


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

    def means(self, mean: float) -> OutOfBag:
        with np.errstate(invalid="ignore"):
            answers = self.sums / self.n_trees[:, None] + mean
        return OutOfBag(answers, self.n_trees)


def _joined(
    trees: list[dict[str, NDArray[Any]]], table: Table, binned: Binned, mean: float, choices: ForestChoices
) -> Forest:
    """The trees as one forest; their own arrays go as they are taken over."""
    sizes = [len(tree["feature"]) for tree in trees]
    roots = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    if roots[-1] > NO_LIMIT:
        msg = f"the forest has {roots[-1]} nodes; expected at most {NO_LIMIT}: set max_depth, or min_samples_leaf"
        raise ValueError(msg)
    for tree, root in zip(trees, roots, strict=False):
        np.add(tree["first_child"], np.int32(root), out=tree["first_child"], where=tree["first_child"] >= 0)
    sets = _sets(trees, binned)

    def joined(name: str) -> NDArray[Any]:
        return np.concatenate([tree.pop(name) for tree in trees])

    n_answers = len(trees[0]["value"]) // sizes[0]
    value = joined("value").reshape(-1, n_answers)
    if mean:
        value = (value.astype(np.float64) + mean).astype(np.float32)
    return Forest(
        schema=table.schema,
        roots=roots,
        feature=joined("feature"),
        cut=joined("threshold"),
        first_child=joined("first_child"),
        missing=joined("missing"),
        weight=joined("weight"),
        value=value,
        gain=np.maximum(joined("gain"), 0.0),
        base=np.zeros(n_answers),
        set_start=sets[0],
        codes=sets[1],
        recipe=dict(choices.recipe),
    )


def _sets(trees: list[dict[str, NDArray[Any]]], binned: Binned) -> tuple[NDArray[np.int64] | None, Any]:
    """The categories of every node's first branch, sorted, as CSR arrays; None where no node asks for categories."""
    counts: list[NDArray[np.int64]] = []
    codes: list[NDArray[np.int32]] = []
    if not any("set_stop" in tree for tree in trees):
        return None, None
    for tree in trees:
        if "set_stop" not in tree:
            counts.append(np.zeros(len(tree["feature"]), np.int64))
            continue
        stop, named = tree.pop("set_stop"), (tree["feature"] >= 0) & binned.nominal[tree["feature"]]
        count = np.where(named, tree["cut"], 0).astype(np.int64)
        inside = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        found = tree.pop("codes")[np.repeat(stop - count, count) + inside]
        codes.append(found[np.lexsort((found, np.repeat(np.arange(len(count)), count)))])
        counts.append(count)
    return np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int64), np.concatenate(codes)


def _with_targets(
    forest: Forest, rows: list[tuple[NDArray[np.int32], NDArray[np.int32]]], truth: NDArray[np.float64]
) -> Forest:
    """The forest with the targets of the rows that each leaf was grown from, as often as they were drawn."""
    from dataclasses import replace  # noqa: PLC0415 - the only use

    starts, targets = [], []
    for (leaf, count), first, stop in zip(rows, forest.roots[:-1], forest.roots[1:], strict=True):
        drawn = np.repeat(leaf, count)
        order = np.lexsort((np.repeat(truth, count), drawn))
        targets.append(np.repeat(truth, count)[order].astype(np.float32))
        starts.append(np.bincount(drawn, minlength=int(stop - first)))
    start = np.concatenate([[0], np.cumsum(np.concatenate(starts))]).astype(np.int64)
    return replace(forest, target_start=start, targets=np.concatenate(targets))
