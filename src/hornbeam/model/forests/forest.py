"""The forest: many binary trees over one schema as one flat, immutable struct of arrays.

Random forests average their trees, boosting adds them up; both use this class. An inner node has two children, which
are adjacent and come after it. Every node has a value, so that a prediction can be explained as steps along the paths.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from hornbeam.core.base.threads import Threads
from hornbeam.core.forests.predict import ForestRouter
from hornbeam.model.base import plain
from hornbeam.model.base.align import rows_for, rows_of_table
from hornbeam.model.base.model import Model
from hornbeam.model.base.stored import Members, declared
from hornbeam.model.forests.invariants import check_forest, set_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from hornbeam.core.trees.route import Rows
    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree

LEAST_ROWS = 512  # the minimum number of rows for a thread
MOST_ROWS = 2**17  # rows that are routed together
PARTS_A_THREAD = 4


@dataclass(frozen=True, eq=False)
class Forest(Model):
    """A fitted forest. A row follows one path in every tree.

    At an inner node with a numeric split (or a split between codes of ordered categories), a value of at most `cut`
    goes to the first child; at one with a split by categories, those listed in `codes` do. A row with a missing value,
    or with a category that the schema does not know, takes the branch `missing`.
    """

    KIND: ClassVar = "forest"
    NOUN: ClassVar = "forest"
    CONTIGUOUS: ClassVar = True
    ARRAYS: ClassVar = declared("""
        <i8[trees+1] roots
        <i4[nodes] feature
        <f8[nodes] cut
        <i4[nodes] first_child
        |i1[nodes] missing
        <f4[nodes] weight
        <f4[nodes, width] value
        <f4[nodes] gain
        <f8[outputs] base
        <i4[trees] output?
        <i8[nodes+1] set_start?
        <i4[*] codes?
        <i8[nodes+1] target_start?
        <f4[*] targets?
        <f8[one] unit?
        <f4[nodes, width] rest?
    """)
    PLAIN: ClassVar = {"combine": plain.unchecked, "link": plain.unchecked, "recipe": plain.recipe}

    schema: Schema
    roots: NDArray[np.int64]  # nodes of tree t: roots[t] to roots[t + 1]; the first is its root
    feature: NDArray[np.int32]  # position in `schema.features`; -1 at a leaf
    cut: NDArray[np.float64]  # 0 at leaves and at splits by categories
    first_child: NDArray[np.int32]  # the second child is the next node; -1 at a leaf
    missing: NDArray[np.int8]  # a branch, 0 or 1
    weight: NDArray[np.float32]  # training weight that reached the node
    value: NDArray[np.float32]  # (nodes, k): class probabilities, the mean, or what is added to the score
    gain: NDArray[np.float32]  # the decrease of impurity or loss by the split; 0 at a leaf
    base: NDArray[np.float64]  # start of the sum of each output; zeros if trees are averaged, unless there is a `unit`
    combine: Literal["mean", "sum"] = "mean"
    link: Literal["identity", "logistic", "softmax", "exp"] = "identity"  # from the sum to the prediction
    output: NDArray[np.int32] | None = None  # the output that each tree adds to; None: all of its k values
    set_start: NDArray[np.int64] | None = None  # CSR by node into `codes`; None if no split is by categories
    codes: NDArray[np.int32] | None = None  # sorted codes that take the first branch
    target_start: NDArray[np.int64] | None = None  # CSR by node into `targets`
    targets: NDArray[np.float32] | None = None  # training targets in each leaf
    unit: NDArray[np.float64] | None = None  # one number: values (and targets) are distances from `base`, in this unit
    rest: NDArray[np.float32] | None = None  # the rest of `value` that single precision cannot hold; None: nothing
    recipe: Mapping[str, Any] = field(default_factory=dict)  # the parameters it was learned by

    def __repr__(self) -> str:
        return f"Forest({self.schema.name!r}: {self.n_trees} trees, {self.n_leaves} leaves)"

    @property
    def n_trees(self) -> int:
        """The number of trees."""
        return len(self.roots) - 1

    @property
    def n_nodes(self) -> int:
        """The number of nodes of all trees, including leaves."""
        return len(self.feature)

    @cached_property
    def n_leaves(self) -> int:
        """The number of leaves of all trees."""
        return int((self.first_child < 0).sum())

    @property
    def n_outputs(self) -> int:
        """The number of outputs: one per class, or one."""
        return len(self.base)

    def validate(self) -> None:
        """Check that the arrays form trees over the schema; raise a `ModelError` if not."""
        check_forest(self)

    def file_entries(self) -> dict[str, Any]:
        """Return the entries of the file's JSON: how trees are combined, and the recipe."""
        return {"forest": {"combine": self.combine, "link": self.link}, "recipe": dict(self.recipe)}

    @classmethod
    def from_entries(cls, plain: Any, schema: Schema, members: Members) -> Self:  # noqa: ANN401 - whatever the file holds
        """Read the forest from these entries."""
        return cls.from_file({**plain["forest"], "recipe": plain["recipe"]}, schema, members)

    def tree(self, number: int) -> Tree:
        """Return one tree of the forest as a `Tree`, which can be shown, explored or exported.

        If trees add up to a score, its target is that score. Its nodes are those of the forest from ``roots[number]``
        on, in the same order.
        """
        from hornbeam.model.forests.one_tree import tree_of  # noqa: PLC0415 - only where a tree is used

        return tree_of(self, number)

    def node_values(self, nodes: slice = slice(None)) -> NDArray[np.float64]:
        """The value of each node in the unit of the target: its prediction, or what it adds to the score."""
        values = self.value[nodes].astype(np.float64)
        if self.rest is not None:
            values += self.rest[nodes]
        if self.unit is not None:
            values *= self.unit[0]
            if self.combine == "mean":
                values += self.base
        return values

    def importance(self) -> NDArray[np.float64]:
        """Return the fraction of the gains of all splits for each feature; zeros if there were no gains."""
        inner = self.feature >= 0
        gains = self.gain[inner].astype(np.float64)
        found = np.bincount(self.feature[inner], gains, minlength=len(self.schema.features)).astype(np.float64)
        return found / (found.sum() or 1.0)

    def _codes(self, rows: Table | NDArray[Any], n_threads: int) -> NDArray[Any]:
        """Return class codes (the most probable class, on a tie the first), or numbers."""
        predictions = self._probabilities(rows, n_threads)
        return predictions.argmax(axis=1).astype(np.int32) if predictions.ndim == 2 else predictions  # noqa: PLR2004 - of classes

    def _probabilities(self, rows: Table | NDArray[Any], n_threads: int) -> NDArray[np.float64]:
        return self._linked(self._scores(rows_for(self.schema, rows, self._first_nominal), n_threads))

    def scores(self, table: Table, n_threads: int = 1) -> NDArray[np.float64]:
        """Return the sums (or means) of the trees' values before `link`, of shape (rows, outputs)."""
        return self._scores(rows_of_table(self.schema, self.as_table(table)), n_threads)

    def staged(
        self, table: Table, every: int = 1, n_threads: int = 1, *, linked: bool = True
    ) -> Iterator[NDArray[np.float64]]:
        """Yield the predictions of the first trees only: after every `every` trees, and after all.

        Parameters
        ----------
        table : Table
            Rows with the model's features.
        every : int
            The number of trees between predictions; boosting of several classes has one tree per class and round.
        n_threads : int
            The number of threads.
        linked : bool
            Whether to return probabilities or numbers, not scores before `link`.
        """
        rows = rows_of_table(self.schema, self.as_table(table))
        sums = self.first_sums(rows.n_rows)
        for first in range(0, self.n_trees, every):
            stop = min(first + every, self.n_trees)
            self.add_trees(rows, sums, n_threads, first, stop)
            scores = self._finished(sums.copy(), stop)
            yield self._linked(scores) if linked else scores

    def apply(self, table: Table, n_threads: int = 1) -> NDArray[np.int32]:
        """Return the leaf of each row in each tree, as node numbers of the forest, of shape (rows, trees)."""
        rows = rows_of_table(self.schema, self.as_table(table))
        nodes = np.empty((rows.n_rows, self.n_trees), np.int32)
        router = self._router
        _share_out(rows.n_rows, n_threads, lambda first, stop: router.leaves(rows, nodes, first, stop))
        return nodes

    def _scores(self, rows: Rows, n_threads: int) -> NDArray[np.float64]:
        sums = self.first_sums(rows.n_rows)
        self.add_trees(rows, sums, n_threads, 0, self.n_trees)
        return self._finished(sums, self.n_trees)

    def first_sums(self, n_rows: int) -> NDArray[np.float64]:
        """Return the sums of rows before any tree is added, rows x outputs; for `add_trees`."""
        sums = np.empty((n_rows, self.n_outputs))
        sums[:] = self.base if self.unit is None else 0.0
        return sums

    def _finished(self, sums: NDArray[np.float64], n_trees: int) -> NDArray[np.float64]:
        """Convert sums over trees to scores; the sums are overwritten."""
        if self.combine == "mean":
            sums /= n_trees
        if self.unit is not None:
            sums *= self.unit[0]
            sums += self.base
        return sums

    def add_trees(self, rows: Rows, sums: NDArray[np.float64], n_threads: int, first_tree: int, stop_tree: int) -> None:
        """Add the values of some trees to the sums of rows; where values have a unit, the sums are in it."""
        routers = (self._router,) if self.rest is None else (self._router, self._rest_router)

        def work(first: int, stop: int) -> None:
            for router in routers:
                router.add(rows, sums, first, stop, first_tree, stop_tree)

        _share_out(rows.n_rows, n_threads, work)

    def _linked(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert scores to class probabilities (rows, classes) or numbers (rows,); the scores may be overwritten."""
        if self.link == "logistic":
            second = _logistic(scores[:, 0])
            return np.stack([1.0 - second, second], axis=1)
        if self.link == "softmax":
            scores -= scores.max(axis=1, keepdims=True)
            np.exp(scores, out=scores)
            scores /= scores.sum(axis=1, keepdims=True)
        elif self.link == "exp":
            with np.errstate(over="ignore"):
                np.exp(scores, out=scores)
        elif self.task == "classification" and self.combine == "mean":
            scores /= np.add.accumulate(scores, axis=1)[:, -1:]  # they were rounded to single precision
        return scores if self.task == "classification" else scores[:, 0]

    @cached_property
    def _router(self) -> ForestRouter:
        """The arrays prepared for the kernels, once; they are checked first, since the kernels do not check them."""
        if not self.is_known_sound:
            self.validate()
        return self._made_ready()

    @cached_property
    def _rest_router(self) -> ForestRouter:
        """The same for the parts of values that single precision cannot hold."""
        return self._made_ready(value=self.rest)

    def _made_ready(self, ways: tuple[int, int] = (-1, -1), value: NDArray[np.float32] | None = None) -> ForestRouter:
        columns = [self.schema.columns[position] for position in self.schema.features]
        return ForestRouter(
            n_categories=np.array([set_size(column) for column in columns], np.int32),
            roots=self.roots,
            asked=self.feature,
            cut=self.cut,
            first_child=self.first_child,
            missing=self.missing,
            value=self.value if value is None else value,
            n_outputs=self.n_outputs,
            output=self.output,
            sets=(self.set_start, self.codes),
            ways=ways,
        )


def _logistic(score: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute 1 / (1 + exp(-score)) without overflow."""
    small = np.exp(-np.abs(score))
    return np.where(score >= 0, 1.0, small) / (1.0 + small)


def _share_out(n_rows: int, n_threads: int, work: Callable[[int, int], None]) -> None:
    """Process all rows in parts, small enough to balance the threads and to react to Ctrl-C."""
    n_workers = max(1, min(n_threads, n_rows // LEAST_ROWS))
    n_parts = max(-(-n_rows // MOST_ROWS), PARTS_A_THREAD * n_workers if n_workers > 1 else 1)
    edges = [n_rows * part // n_parts for part in range(n_parts + 1)]
    if n_workers == 1:
        for first, stop in pairwise(edges):
            work(first, stop)
        return
    with Threads(n_workers) as pool:
        list(pool.map(work, edges[:-1], edges[1:]))
