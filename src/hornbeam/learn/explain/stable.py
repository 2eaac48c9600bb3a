"""Splits that most trees of an ensemble have in common, near their roots.

One tree on other rows may use other columns. A split that most trees make, at about the same cut, hardly depends on
which rows were drawn.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.takes_rows import takes_rows
from hornbeam.learn.base.parameters import share, whole
from hornbeam.learn.explain.members import trees_of
from hornbeam.model.trees.question import question
from hornbeam.model.trees.split import CUTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree

    Cuts = dict[str, list[tuple[float, int, int]]]  # by column: cut, tree, depth
    Others = dict[tuple[str, Any], list[tuple[int, int]]]  # by column and branches: tree, depth


@dataclass(frozen=True)
class StableSplit:
    """A split that many trees make.

    Parameters
    ----------
    column : str
        The column of the split; for a sum of columns, their names joined by ``" + "``.
    share : float
        The fraction of the trees that have it near the root.
    trees : int
        The number of these trees.
    depth : float
        The mean number of splits above it.
    cut : float or None
        The median of the cuts; None for categories and sums.
    low, high : float or None
        The least and the greatest cut.
    branches : tuple of tuples of str, or None
        The categories that go together, for a split of categories.
    """

    column: str
    share: float
    trees: int
    depth: float
    cut: float | None = None
    low: float | None = None
    high: float | None = None
    branches: tuple[tuple[str, ...], ...] | None = None

    def __str__(self) -> str:
        if self.cut is not None:
            where = f" at {self.cut:.6g} ({self.low:.6g} to {self.high:.6g})"
        else:
            where = f": {' | '.join(', '.join(part) for part in self.branches)}" if self.branches else ""
        return f"{self.share:.0%} of the trees: {self.column}{where}, depth {self.depth:.1f}"


@takes_rows()
def stable_splits(
    model: Any, table: Table | None = None, max_depth: int = 2, tolerance: float = 0.05, least: float = 0.1
) -> list[StableSplit]:
    """Find the splits that most trees of an ensemble make near their roots, the most frequent first.

    Parameters
    ----------
    model : Forest, Ensemble of trees, fitted estimator, or sequence of trees
        The trees to compare.
    table : Table, optional
        Rows for the range of each column. By default it is the range of its cuts in all trees, at any depth.
    max_depth : int
        Only consider splits with fewer splits than this above them: 1 is the roots alone.
    tolerance : float
        Cuts of a column count as the same if they are within this fraction of its range.
    least : float
        Leave out splits that a smaller fraction of the trees has.

    Returns
    -------
    list of StableSplit
        A tree with the same split twice counts once.

    Examples
    --------
    >>> import hornbeam
    >>> iris = hornbeam.read("iris")
    >>> trees = hornbeam.BaggingClassifier(n_estimators=50, random_state=1).fit(iris)
    >>> print(hornbeam.stable_splits(trees, iris, max_depth=1)[0])
    82% of the trees: petalwidth at 0.6 (0.5 to 0.6), depth 0.0
    """
    whole("max_depth", max_depth, 1)
    share("tolerance", tolerance)
    cuts: Cuts = {}
    others: Others = {}
    spread: dict[str, tuple[float, float]] = {}
    if table is not None:
        spread = {name: reach(table.column(name)) for name in table.schema.names}
    n_trees = 0
    for number, tree in enumerate(trees_of(model)):
        n_trees += 1
        if table is None:
            _widen(spread, tree)
        for node, depth in _near_root(tree, max_depth):
            _note(tree, node, (number, depth), cuts, others)
    if not n_trees:
        return []
    splits: list[StableSplit] = []
    for column, noted in cuts.items():
        low, high = spread.get(column, (0.0, 0.0))
        splits += [_of_cuts(column, group, n_trees) for group in _groups(noted, tolerance * (high - low))]
    for (column, branches), places in others.items():
        count, above = len({tree for tree, _ in places}), float(np.mean([depth for _, depth in places]))
        splits.append(StableSplit(column, count / n_trees, count, above, branches=branches))
    splits = [split for split in splits if split.share >= least]
    return sorted(splits, key=lambda split: (-split.share, split.depth, split.column))


def _near_root(tree: Tree, max_depth: int) -> Iterable[tuple[int, int]]:
    """Inner nodes with fewer than `max_depth` nodes above them, and their depth."""
    level = [0]
    for depth in range(max_depth):
        inner = [node for node in level if tree.first_child[node] >= 0]
        yield from ((node, depth) for node in inner)
        level = [int(tree.first_child[node]) + branch for node in inner for branch in range(int(tree.n_children[node]))]


def _note(tree: Tree, node: int, where: tuple[int, int], cuts: Cuts, others: Others) -> None:
    """Add the split of a node, with the number of its tree and its depth."""
    split = question(tree, node)
    if split.cuts is None:
        others.setdefault((split.column, split.branches), []).append(where)
    for cut in split.cuts or ():
        cuts.setdefault(split.column, []).append((cut, *where))


def reach(values: NDArray[Any]) -> tuple[float, float]:
    """The least and the greatest of the known values; 0 and 0 if there are no known values."""
    known = values[np.isfinite(values)]
    return (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)


def _widen(spread: dict[str, tuple[float, float]], tree: Tree) -> None:
    """Extend the range of each column by the cuts of a tree."""
    used = tree.split[tree.split >= 0]
    used = used[tree.splits.kind[used] == CUTS]
    first = tree.splits.cut_start[used]
    count = tree.splits.cut_start[used + 1] - first
    for column in np.unique(tree.splits.column[used]).tolist():
        of_column = np.flatnonzero(tree.splits.column[used] == column)
        parts = [tree.splits.cuts[first[i] : first[i] + count[i]] for i in of_column.tolist()]
        name = tree.schema.columns[column].name
        known = [*(cut for cut in np.concatenate(parts).tolist() if np.isfinite(cut)), *spread.get(name, ())]
        if known:
            spread[name] = (min(known), max(known))


def _groups(noted: list[tuple[float, int, int]], width: float) -> Iterable[list[tuple[float, int, int]]]:
    """Groups of cuts within a width of each other: the group with most trees first, then again for the other cuts."""
    left = sorted(noted)
    while left:
        best, stop = (0, 0, 0), 0
        held: Counter[int] = Counter()
        for first, (cut, tree, _) in enumerate(left):
            while stop < len(left) and left[stop][0] <= cut + width:
                held[left[stop][1]] += 1
                stop += 1
            if len(held) > best[0]:
                best = (len(held), first, stop)
            held[tree] -= 1
            if not held[tree]:
                del held[tree]
        _, start, end = best
        yield left[start:end]
        left = left[:start] + left[end:]


def _of_cuts(column: str, group: list[tuple[float, int, int]], n_trees: int) -> StableSplit:
    values = [cut for cut, _, _ in group]
    trees = {tree for _, tree, _ in group}
    depth = float(np.mean([depth for _, _, depth in group]))
    share = len(trees) / n_trees
    return StableSplit(column, share, len(trees), depth, float(np.median(values)), min(values), max(values))
