"""How often each split of a tree recurs in trees learned from resampled rows.

A node is identified by its rows. Its *counterpart* in another tree is the node with the largest Jaccard index of rows
(rows in both over rows in either), counted on the whole table. If that is at most one half, the other tree has no
counterpart. A split recurs if the counterpart splits on the same column; it is counted separately whether the cut is
about the same, or the categories are grouped in the same way. The depth does not matter: if another tree has two splits
in the opposite order, the nodes below both still find their counterparts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from hornbeam._display import ShowsText
from hornbeam.data.schema import Numeric
from hornbeam.data.takes_rows import takes_rows
from hornbeam.evaluate.cross_validation import sort_columns, workers
from hornbeam.evaluate.judge import seeded
from hornbeam.evaluate.plain import Plain
from hornbeam.learn.base.estimator import usable
from hornbeam.learn.base.in_threads import in_order_of_arrival
from hornbeam.learn.base.parameters import one_of, share, whole
from hornbeam.learn.explain.stable import reach
from hornbeam.learn.forests.draws import Draws
from hornbeam.model.trees.node_figures import SplitStability
from hornbeam.model.trees.question import question
from hornbeam.model.trees.tree import Tree
from hornbeam.show.texts.columns import aligned
from hornbeam.show.texts.wording import path, printable

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from hornbeam.data.table import Table
    from hornbeam.learn.base.in_threads import Progress
    from hornbeam.model.trees.question import Question

Resample = Literal["bootstrap", "half"]
TREES = 100
TOLERANCE = 0.05  # fraction of a column's range: closer cuts are about the same
COMMON = 0.5  # a counterpart has a larger Jaccard index
PATH_LIMIT = 60


@dataclass(frozen=True, slots=True, repr=False)
class StabilityStudy(ShowsText, Plain):
    """The result of `stability`.

    Parameters
    ----------
    nodes : tuple of SplitStability
        Every node that is split.
    trees : int
        The number of trees learned from resampled rows.
    resample : str
        The resampling method.
    tolerance : float
        The largest distance of equal cuts, as a fraction of the column's range.
    paths : tuple of str
        The path to each of the nodes, as text.
    """

    _json = "trees resample tolerance nodes"

    nodes: tuple[SplitStability, ...]
    trees: int
    resample: Resample
    tolerance: float
    paths: tuple[str, ...]

    def text(self) -> str:
        """One line per node: its split, and how often it recurs."""
        if not self.nodes:
            return "the tree is one leaf: it has no splits"
        rows = [["node", "column", "same rows", "same column", "same split"]]
        for found, way in zip(self.nodes, self.paths, strict=True):
            shares = [f"{figure:.0%}" for figure in (found.found, found.same_column, found.same_split)]
            name = f"{found.node}  {printable(way, PATH_LIMIT)}"
            rows.append([name, printable(found.column, PATH_LIMIT), *shares])
        drawn = "bootstrap samples" if self.resample == "bootstrap" else "halves of the rows"
        lines = aligned(rows, left={0, 1})
        return "\n".join([*lines, "", f"fractions of {self.trees} trees, from {drawn}"])


@takes_rows(needs_target=True, learns=True)
def stability(
    estimator: Any,  # noqa: ANN401 - any estimator of a tree
    table: Table,
    trees: int = TREES,
    *,
    resample: Resample = "bootstrap",
    tolerance: float = TOLERANCE,
    seed: int = 1,
    fitted: Any = None,  # noqa: ANN401 - the same
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> StabilityStudy:
    """Report how often each split of a tree recurs in trees learned from resampled rows.

    Parameters
    ----------
    estimator : estimator of a tree
        Not changed; clones are fitted.
    table : Table
        The training rows.
    trees : int
        The number of resampled trees.
    resample : {"bootstrap", "half"}
        As many rows as the table has, with replacement; or half of them, without replacement.
    tolerance : float
        Cuts are about the same if they differ by at most this fraction of the column's range.
    seed : int
        Seed of the resampling, and of learners without a seed of their own.
    fitted : Tree or fitted estimator, optional
        The tree whose splits are searched for, if it has been fitted already; by default one fitted on the table.
    n_jobs : int, optional
        Threads over the trees, as in scikit-learn; the result is the same.
    progress : callable, optional
        Called with the number of finished trees and the total number.

    Returns
    -------
    StabilityStudy
        Rows are weighted. A divided row follows its largest piece.

    Examples
    --------
    >>> import hornbeam
    >>> found = stability(hornbeam.C45Classifier(), hornbeam.read("iris"), 20)
    >>> found.nodes[0].column, found.nodes[0].found
    ('petalwidth', 1.0)
    """
    whole("trees", trees, 1)
    one_of("resample", resample, get_args(Resample))
    share("tolerance", tolerance)
    rows = usable(table)
    tree = tree_of(seeded(estimator, seed).fit(rows) if fitted is None else fitted)
    draws = Draws.of(rows)
    size = len(draws.rows) if resample == "bootstrap" else max(1, len(draws.rows) // 2)
    sort_columns(rows)
    place = _Place(tree, rows)
    inner = np.flatnonzero(tree.first_child >= 0).tolist()
    asked = [question(tree, node) for node in inner]
    widths = [tolerance * _range(rows, one) for one in asked]

    def run(number: int) -> NDArray[np.bool_]:
        random = np.random.default_rng([seed, number])
        drawn = draws.counts(random, size, replace=resample == "bootstrap")
        learner = seeded(estimator, int(random.integers(2**31)))
        other = tree_of(learner.fit(draws.weighed(rows, drawn)))
        found = counterparts(place, _Place(other, rows))
        same = np.zeros((3, len(inner)), np.bool_)
        for number_of, (node, one, width) in enumerate(zip(inner, asked, widths, strict=True)):
            counterpart = int(found[node])
            same[0, number_of] = counterpart >= 0
            if counterpart >= 0 and other.first_child[counterpart] >= 0:
                two = question(other, counterpart)
                same[1, number_of], same[2, number_of] = one.column == two.column, one.is_about(two, width)
        return same

    total = sum(
        in_order_of_arrival(run, trees, workers(n_jobs), progress).values(), np.zeros((3, len(inner)), np.int64)
    )
    figures = [
        SplitStability(node, one.column, found, same_column, same_split, trees)
        for node, one, (found, same_column, same_split) in zip(inner, asked, (total.T / trees).tolist(), strict=True)
    ]
    return StabilityStudy(tuple(figures), trees, resample, tolerance, tuple(path(tree, node) for node in inner))


def tree_of(model: Any) -> Tree:  # noqa: ANN401 - anything a caller has
    """The tree of a fitted estimator, or a tree as it is."""
    tree = model if isinstance(model, Tree) else getattr(model, "model_", None)
    if not isinstance(tree, Tree):
        held = type(model).__name__ if tree is None else type(tree).__name__
        msg = f"a {held} does not have one tree with splits; expected a tree, or an estimator that learns one"
        raise TypeError(msg)
    return tree


class _Place:
    """Where each row of a table ends in a tree, and which nodes it passes."""

    def __init__(self, tree: Tree, table: Table) -> None:
        from scipy.sparse import csr_array  # noqa: PLC0415 - as above

        self.ends = tree.apply(table)
        self.weights = np.ones(table.n_rows) if table.weights is None else np.asarray(table.weights)
        node, end = np.arange(tree.n_nodes), np.arange(tree.n_nodes)
        passed: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        while len(node):
            passed.append((node, end))
            above = tree.parent[node].astype(np.int64)
            node, end = above[above >= 0], end[above >= 0]
        nodes, ends = (np.concatenate(part) for part in zip(*passed, strict=True))
        shape = (tree.n_nodes, tree.n_nodes)
        self.passes: csr_array = csr_array((np.ones(len(nodes)), (nodes, ends)), shape=shape)
        self.size = self.passes @ np.bincount(self.ends, self.weights, tree.n_nodes)


def counterparts(one: _Place, other: _Place) -> NDArray[np.int64]:
    """The counterpart in the other tree of each node of the first; -1 if there is none.

    In a tie it is the first one, which is nearer to the root.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 - as above

    shape = (len(one.size), len(other.size))
    together = csr_array((one.weights, (one.ends, other.ends)), shape=shape)
    common = (one.passes @ together @ other.passes.T).tocsr()
    common.sort_indices()
    found = np.full(len(one.size), -1, np.int64)
    for node in range(len(one.size)):
        start, stop = common.indptr[node], common.indptr[node + 1]
        if start == stop:
            continue
        nodes, both = common.indices[start:stop], common.data[start:stop]
        shares = both / (one.size[node] + other.size[nodes] - both)
        best = int(shares.argmax())
        found[node] = nodes[best] if shares[best] > COMMON else -1
    return found


def _range(table: Table, asked: Question) -> float:
    """The range of the values of a column; 0 if it is not numeric."""
    if asked.cuts is None or not isinstance(table.schema.columns[table.schema.position(asked.column)], Numeric):
        return 0.0
    low, high = reach(table.column(asked.column))
    return high - low
