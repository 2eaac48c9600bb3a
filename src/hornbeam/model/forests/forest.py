"""The forest: many binary trees over one schema as one flat, immutable struct of arrays, and what they say together.

Random forests average their trees, boosting adds them up; both are this. An inner node has two children, side by side,
after it. Every node has a value, so that a prediction can be explained as steps along the paths.
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

LEAST_ROWS = 512  # rows that are worth a thread of their own
MOST_ROWS = 2**17  # rows that are sent down in one go
PARTS_A_THREAD = 4


@dataclass(frozen=True, eq=False)
class Forest(Model):
    """A fitted forest. A row takes one way through every tree.

    At an inner node that asks for a number (or an ordered category's code), a value of at most `cut` takes the first
    child; at one that asks for a category, those listed in `codes` do. A row without the value, or with a category that
    the schema does not know, takes the branch `missing`.
    """

    KIND: ClassVar = "forest"
    NOUN: ClassVar = "forest"
    CONTIGUOUS: ClassVar = True
    ARRAYS: ClassVar = declared(
        ("<i8", "trees+1", "roots"),
        ("<i4", "nodes", "feature"),
        ("<f8", "nodes", "cut"),
        ("<i4", "nodes", "first_child"),
        ("|i1", "nodes", "missing"),
        ("<f4", "nodes", "weight"),
        ("<f4", "nodes width", "value"),
        ("<f4", "nodes", "gain"),
        ("<f8", "outputs", "base"),
        ("<i4", "trees", "output?"),
        ("<i8", "nodes+1", "set_start?"),
        ("<i4", "*", "codes?"),
        ("<i8", "nodes+1", "target_start?"),
        ("<f4", "*", "targets?"),
        ("<f8", "one", "unit?"),
        ("<f4", "nodes width", "rest?"),
    )
    PLAIN: ClassVar = {"combine": plain.anything, "link": plain.anything, "recipe": plain.recipe}

    schema: Schema
    roots: NDArray[np.int64]  # nodes of tree t: roots[t] to roots[t + 1]; the first is its root
    feature: NDArray[np.int32]  # position in `schema.features`; -1 at a leaf
    cut: NDArray[np.float64]  # 0 at leaves and where categories are asked for
    first_child: NDArray[np.int32]  # the second is the next; -1 at a leaf
    missing: NDArray[np.int8]  # a branch, 0 or 1
    weight: NDArray[np.float32]  # training weight that reached the node
    value: NDArray[np.float32]  # (nodes, k): class probabilities, the mean, or what is added to the score
    gain: NDArray[np.float32]  # what the split took off the impurity or the loss; 0 at a leaf
    base: NDArray[np.float64]  # where the sum of each output starts; zeros where trees are averaged, but for `unit`
    combine: Literal["mean", "sum"] = "mean"
    link: Literal["identity", "logistic", "softmax", "exp"] = "identity"  # from the sum to the prediction
    output: NDArray[np.int32] | None = None  # the output that each tree adds to; None: all of its k values
    set_start: NDArray[np.int64] | None = None  # CSR by node into `codes`; None where no categories are asked for
    codes: NDArray[np.int32] | None = None  # sorted codes that take the first branch
    target_start: NDArray[np.int64] | None = None  # CSR by node into `targets`
    targets: NDArray[np.float32] | None = None  # training targets in each leaf
    unit: NDArray[np.float64] | None = None  # one number: values (and targets) are distances from `base`, in this unit
    rest: NDArray[np.float32] | None = None  # what single precision leaves out of `value`; None: nothing
    recipe: Mapping[str, Any] = field(default_factory=dict)  # the choices it was learned by

    def __repr__(self) -> str:
        return f"Forest({self.schema.name!r}: {self.n_trees} trees, {self.n_leaves} leaves)"

    @property
    def n_trees(self) -> int:
        """How many trees there are."""
        return len(self.roots) - 1

    @property
    def n_nodes(self) -> int:
        """How many nodes all trees have, leaves included."""
        return len(self.feature)

    @cached_property
    def n_leaves(self) -> int:
        """How many leaves all trees have."""
        return int((self.first_child < 0).sum())

    @property
    def n_outputs(self) -> int:
        """How many sums there are: classes, or one."""
        return len(self.base)

    def validate(self) -> None:
        """Check that the arrays make trees over the schema; a `ModelError` says what is wrong."""
        check_forest(self)

    def file_entries(self) -> dict[str, Any]:
        """Return the entries of the file's JSON: how trees are put together, and the recipe beside it."""
        return {"forest": {"combine": self.combine, "link": self.link}, "recipe": dict(self.recipe)}

    @classmethod
    def from_entries(cls, plain: Any, schema: Schema, members: Members) -> Self:  # noqa: ANN401 - whatever the file holds
        """Read the forest from these entries."""
        return cls.from_file({**plain["forest"], "recipe": plain["recipe"]}, schema, members)

    def tree(self, number: int) -> Tree:
        """Return one tree of the forest as a `Tree`, to be shown, explored or exported.

        Where trees add to a score, its target is that score. Its nodes are those of the forest from ``roots[number]``
        on, in the same order.
        """
        from hornbeam.model.forests.one_tree import tree_of  # noqa: PLC0415 - only where a tree is used

        return tree_of(self, number)

    def node_values(self, nodes: slice = slice(None)) -> NDArray[np.float64]:
        """What each node predicts where trees are averaged, or adds to the score, as the target is measured."""
        values = self.value[nodes].astype(np.float64)
        if self.rest is not None:
            values += self.rest[nodes]
        if self.unit is not None:
            values *= self.unit[0]
            if self.combine == "mean":
                values += self.base
        return values

    def importance(self) -> NDArray[np.float64]:
        """Return each feature's share of what all splits gained; zeros where nothing was."""
        inner = self.feature >= 0
        gains = self.gain[inner].astype(np.float64)
        found = np.bincount(self.feature[inner], gains, minlength=len(self.schema.features)).astype(np.float64)
        return found / (found.sum() or 1.0)

    def _codes(self, rows: Table | NDArray[Any], n_threads: int) -> NDArray[Any]:
        """Return class codes (the greatest probability, the first on a tie), or numbers."""
        predictions = self._probabilities(rows, n_threads)
        return predictions.argmax(axis=1).astype(np.int32) if predictions.ndim == 2 else predictions  # noqa: PLR2004 - of classes

    def _probabilities(self, rows: Table | NDArray[Any], n_threads: int) -> NDArray[np.float64]:
        return self._linked(self._scores(rows_for(self.schema, rows, self._first_nominal), n_threads))

    def scores(self, table: Table, n_threads: int = 1) -> NDArray[np.float64]:
        """Return the sums (or means) of the trees' values, rows x outputs, as they are before `link`."""
        return self._scores(rows_of_table(self.schema, self.as_table(table)), n_threads)

    def staged(
        self, table: Table, every: int = 1, n_threads: int = 1, *, linked: bool = True
    ) -> Iterator[NDArray[np.float64]]:
        """Yield the predictions of the first trees alone: after each `every` trees, and after all.

        Parameters
        ----------
        table : Table
            Rows with the model's features.
        every : int
            Trees between one prediction and the next; boosting of several classes has one per class.
        n_threads : int
            Threads to share the rows out to.
        linked : bool
            Probabilities or numbers; otherwise the scores before `link`.
        """
        rows = rows_of_table(self.schema, self.as_table(table))
        sums = self._start(rows.n_rows)
        for first in range(0, self.n_trees, every):
            stop = min(first + every, self.n_trees)
            self._add(rows, sums, n_threads, first, stop)
            scores = self._finished(sums.copy(), stop)
            yield self._linked(scores) if linked else scores

    def apply(self, table: Table, n_threads: int = 1) -> NDArray[np.int32]:
        """Return the node of the forest where each row ends in each tree, rows x trees."""
        rows = rows_of_table(self.schema, self.as_table(table))
        nodes = np.empty((rows.n_rows, self.n_trees), np.int32)
        router = self._router
        _share_out(rows.n_rows, n_threads, lambda first, stop: router.leaves(rows, nodes, first, stop))
        return nodes

    def _scores(self, rows: Rows, n_threads: int) -> NDArray[np.float64]:
        sums = self._start(rows.n_rows)
        self._add(rows, sums, n_threads, 0, self.n_trees)
        return self._finished(sums, self.n_trees)

    def _start(self, n_rows: int) -> NDArray[np.float64]:
        sums = np.empty((n_rows, self.n_outputs))
        sums[:] = self.base if self.unit is None else 0.0
        return sums

    def _finished(self, sums: NDArray[np.float64], n_trees: int) -> NDArray[np.float64]:
        """The scores that sums over trees stand for; the sums are overwritten."""
        if self.combine == "mean":
            sums /= n_trees
        if self.unit is not None:
            sums *= self.unit[0]
            sums += self.base
        return sums

    def _add(self, rows: Rows, sums: NDArray[np.float64], n_threads: int, first_tree: int, stop_tree: int) -> None:
        routers = (self._router,) if self.rest is None else (self._router, self._rest_router)

        def work(first: int, stop: int) -> None:
            for router in routers:
                router.add(rows, sums, first, stop, first_tree, stop_tree)

        _share_out(rows.n_rows, n_threads, work)

    def _linked(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Class probabilities (rows x classes) or numbers (rows) of scores, which may be overwritten."""
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
        """The arrays made ready for the kernels, once; checked first, since the kernels follow them blindly."""
        if not self.is_known_sound:
            self.validate()
        return self._made_ready()

    @cached_property
    def _rest_router(self) -> ForestRouter:
        """The same for what single precision leaves out of the values."""
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
    """1 / (1 + exp(-score)), without ever taking the exponential of a large number."""
    small = np.exp(-np.abs(score))
    return np.where(score >= 0, 1.0, small) / (1.0 + small)


def _share_out(n_rows: int, n_threads: int, work: Callable[[int, int], None]) -> None:
    """Do the work on all rows, in parts small enough that threads end together and Ctrl-C is heard."""
    n_workers = max(1, min(n_threads, n_rows // LEAST_ROWS))
    n_parts = max(-(-n_rows // MOST_ROWS), PARTS_A_THREAD * n_workers if n_workers > 1 else 1)
    edges = [n_rows * part // n_parts for part in range(n_parts + 1)]
    if n_workers == 1:
        for first, stop in pairwise(edges):
            work(first, stop)
        return
    with Threads(n_workers) as pool:
        list(pool.map(work, edges[:-1], edges[1:]))
