"""The tree: one flat, immutable struct of arrays for every tree learner.

Children of a node are contiguous and come after it, so bottom-up passes are one reverse loop, and what belongs
to a branch (its `share`) is stored at the child.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from hornbeam.core.trees.route import Router
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.model.base.align import align
from hornbeam.model.base.errors import ModelError
from hornbeam.model.base.rows import first_nominal, rows_of_matrix, rows_of_table
from hornbeam.model.trees.equation import Equations
from hornbeam.model.trees.invariants import check_tree
from hornbeam.model.trees.node import Node
from hornbeam.model.trees.split import CUTS, FRACTIONAL, LEAST_SHARE, STOP, SplitStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import ArrayLike, NDArray

    from hornbeam.core.trees.route import Rows
    from hornbeam.data.table import Table

__all__ = ["FRACTIONAL", "LEAST_SHARE", "NOT_ARRAYS", "STOP", "Tree", "same_arrays"]

NOT_ARRAYS = frozenset({"schema", "splits", "pseudo_count", "recipe"})  # fields of a Tree beside its node arrays


@dataclass(frozen=True, eq=False)
class Tree:
    """A fitted tree; see ARCHITECTURE.md for each array.

    A row without a value at a node with `missing` FRACTIONAL goes down every branch in pieces, weighted by the
    branches' `share`; with STOP (or where no branch has a share) it ends at that node; else it takes the branch given.
    """

    schema: Schema
    splits: SplitStore
    parent: NDArray[np.int32]  # -1 at the root, which is node 0
    first_child: NDArray[np.int32]  # -1 at a leaf
    n_children: NDArray[np.int32]  # 0 at a leaf
    split: NDArray[np.int32]  # index into `splits`; -1 at a leaf
    missing: NDArray[np.int32]  # a branch, FRACTIONAL or STOP
    rows: NDArray[np.int64]  # training rows that reach the node, pieces of rows included
    weight: NDArray[np.float64]  # their weight
    value: NDArray[np.float64]  # (nodes, classes) class weights, or (nodes, 3): weight, mean, squared error
    label: NDArray[np.int32]  # class code; -1 where the node has no answer
    error: NDArray[np.float64]  # weight misclassified (or squared error) were the node a leaf
    share: NDArray[np.float64]  # share of the parent's known weight that takes this branch; 1 at the root
    pseudo_count: float = 0.0  # added to every class before shares are taken (1: Laplace)
    prior: NDArray[np.float64] | None = None  # class shares; then `pseudo_count` in all is added, spread as these
    recipe: Mapping[str, str | float | bool | None] = field(default_factory=dict)  # the choices it was learned by
    surrogate_start: NDArray[np.int64] | None = None  # CSR into `surrogates`
    surrogates: NDArray[np.int32] | None = None  # indices into `splits`
    alternative_start: NDArray[np.int64] | None = None
    alternatives: NDArray[np.int32] | None = None
    # linear models, at every node; see `hornbeam.model.trees.equation`
    intercept: NDArray[np.float64] | None = None
    residual: NDArray[np.float64] | None = None  # root mean squared error of the equation as fitted, before smoothing
    term_start: NDArray[np.int64] | None = None  # CSR by node into the four below
    term_column: NDArray[np.int32] | None = None
    term_coefficient: NDArray[np.float64] | None = None
    term_fill: NDArray[np.float64] | None = None  # what stands in for a missing value (of an indicator: a share)
    term_code_start: NDArray[np.int64] | None = None  # CSR by term into `term_codes`; absent where all are numeric
    term_codes: NDArray[np.int32] | None = None  # a nominal term is 1 where the code is among these, else 0

    def __repr__(self) -> str:
        return f"Tree({self.schema.name!r}: {self.n_nodes} nodes, {self.n_leaves} leaves, depth {self.depth})"

    def __getstate__(self) -> dict[str, Any]:
        """Plain fields only: what is cached beside them can be made again."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    @property
    def n_nodes(self) -> int:
        """How many nodes there are, leaves included."""
        return len(self.parent)

    @cached_property
    def n_leaves(self) -> int:
        """How many leaves there are, empty ones included."""
        return int((self.first_child < 0).sum())

    @cached_property
    def depth(self) -> int:
        """The most splits on a way from the root to a leaf; 0 for a lone leaf."""
        depth, level = -1, np.zeros(1, np.int64)
        while len(level):
            depth += 1
            level = level[self.first_child[level] >= 0]
            count = self.n_children[level].astype(np.int64)
            offset = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
            level = np.repeat(self.first_child[level].astype(np.int64), count) + offset
        return depth

    @property
    def task(self) -> Literal["classification", "regression"]:
        """What is predicted: a class, or a number."""
        return "classification" if isinstance(self.schema.target_column, Nominal) else "regression"

    @property
    def root(self) -> Node:
        """The root as an object."""
        return Node(self, 0)

    def node(self, index: int) -> Node:
        """Give a node as an object that knows its children, its conditions and its label."""
        if not 0 <= index < self.n_nodes:
            msg = f"no node {index}; the tree has nodes 0 to {self.n_nodes - 1}"
            raise IndexError(msg)
        return Node(self, index)

    def walk(self) -> Iterator[Node]:
        """Every node as an object, depth first, branches in order."""
        return self.root.walk()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give the node arrays that are present, by name."""
        found = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in NOT_ARRAYS}
        return {name: array for name, array in found.items() if array is not None}

    def validate(self) -> None:
        """Check that the arrays make a tree over the schema.

        Raises
        ------
        ModelError
            A sentence on the first thing that is wrong.
        """
        check_tree(self)

    def known_sound(self) -> Self:
        """Itself, marked as made by our own kernels: it is not checked before rows are sent down.

        The mark is no field, so a copy with other arrays is checked again.
        """
        self.__dict__["_sound"] = True
        return self

    @property
    def is_known_sound(self) -> bool:
        """Whether it is marked as such."""
        return "_sound" in self.__dict__

    def same_as(self, other: object) -> bool:
        """Whether the other tree has the same schema and the same arrays, bit for bit (NaN equals NaN)."""
        if not isinstance(other, Tree):
            return False
        return (
            self.schema == other.schema
            and self.pseudo_count == other.pseudo_count
            and dict(self.recipe) == dict(other.recipe)
            and same_arrays(self.arrays(), other.arrays())
            and same_arrays(self.splits.arrays(), other.splits.arrays())
        )

    @cached_property
    def none_is_empty(self) -> bool:
        """Whether training rows reached every node."""
        return bool((self.weight > 0).all())

    @cached_property
    def answering(self) -> NDArray[np.int32]:
        """For every node the nearest one, itself included, that training rows reached: it gives that one's answer."""
        nearest = np.arange(self.n_nodes, dtype=np.int32)
        if self.none_is_empty:
            return nearest
        while True:
            empty = (self.weight[nearest] <= 0) & (nearest > 0)
            if not empty.any():
                return nearest
            nearest[empty] = self.parent[nearest[empty]]

    def predict(self, table: Table) -> NDArray[Any]:
        """Predict the target of every row.

        Parameters
        ----------
        table : Table
            Rows with the model's features, found by name.

        Returns
        -------
        array
            int32 class codes, -1 where the tree has no answer; or float64 numbers. A row that ends whole in one leaf
            gets that leaf's label; a row in pieces gets the class with the greatest share, the first on a tie.
        """
        if self.intercept is not None:
            return self._equations.answers(align(self.schema, table).columns)
        rows = self._rows_of(table)
        return self._router.labels(rows) if self.task == "classification" else self._router.answers(rows)[:, 0]

    def predict_proba(self, table: Table) -> NDArray[np.float64]:
        """Class shares of every row, in the order of the target's categories.

        A leaf that no training row reached gives the shares of its nearest ancestor that one did reach.
        """
        self._ask_for_classes()
        return self._router.answers(self._rows_of(table))

    def apply(self, table: Table) -> NDArray[np.int32]:
        """Give the node where each row ends; for a row in pieces, where its largest piece ends (the first on a tie)."""
        return self._router.leaves(self._rows_of(table))

    def decision_path(self, table: Table) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Give the nodes that each row visits, pieces included.

        Returns
        -------
        start, nodes, weights : arrays
            Row i visits ``nodes[start[i]:start[i + 1]]``, depth first in branch order, with these weights.
        """
        return self._router.paths(self._rows_of(table))

    def predict_matrix(self, matrix: ArrayLike) -> NDArray[Any]:
        """Predict from numbers: one matrix row a row, one matrix column a feature, in the schema's order.

        float32 and float64 are read where they lie; NaN is missing. Numbers are taken as they are: infinite ones are
        above or below every cut. Only for models whose features are all numeric.
        """
        rows = self._rows_of_matrix(matrix)
        if self.intercept is not None:
            return self._equations.answers_of_matrix(np.asarray(matrix), rows)
        return self._router.labels(rows) if self.task == "classification" else self._router.answers(rows)[:, 0]

    def predict_proba_matrix(self, matrix: ArrayLike) -> NDArray[np.float64]:
        """Class shares from numbers; see `predict_matrix`."""
        self._ask_for_classes()
        return self._router.answers(self._rows_of_matrix(matrix))

    def _ask_for_classes(self) -> None:
        if self.task != "classification":
            msg = f"the target {self.schema.target_column.name!r} is numeric: the tree gives numbers, not class shares"
            raise ModelError(msg)

    def _rows_of(self, table: Table) -> Rows:
        return rows_of_table(self.schema, table)

    def _rows_of_matrix(self, matrix: ArrayLike) -> Rows:
        return rows_of_matrix(self.schema, matrix, self._first_nominal)

    @property
    def pseudo_counts(self) -> NDArray[np.float64]:
        """What is added to each class before shares are taken."""
        even = np.ones(self.value.shape[1])
        return self.pseudo_count * (even if self.prior is None else self.prior)

    @cached_property
    def all_numeric(self) -> bool:
        """Whether every feature is a number, so that a matrix can be predicted from."""
        return self._first_nominal is None

    @cached_property
    def _first_nominal(self) -> str | None:
        return first_nominal(self.schema)

    @cached_property
    def _equations(self) -> Equations:
        return Equations(self)

    @cached_property
    def _router(self) -> Router:
        """The arrays made ready for the kernels, once; checked first, since the kernels follow them blindly."""
        if not self.is_known_sound:
            self.validate()
        feature_of = np.full(len(self.schema.columns) + 1, -1, np.int32)
        feature_of[list(self.schema.features)] = np.arange(len(self.schema.features))
        splits = self.splits
        used: Any = slice(None)  # whichever node they are of
        if np.count_nonzero(self.split >= 0) != len(splits):
            used = self.split[self.split >= 0]
        numeric = np.array([isinstance(column, Numeric) for column in self.schema.columns], np.bool_)
        single = (splits.kind[used] == CUTS) & (splits.n_branches[used] == 2)  # noqa: PLR2004
        if splits.flipped is not None:
            single &= ~splits.flipped[used]
        classes = self.task == "classification"
        store = splits.arrays() | {"sides": splits.sides, "column": feature_of[splits.column]}
        if splits.term_column is not None:
            store["term_column"] = feature_of[splits.term_column]
        nodes: dict[str, NDArray[Any] | None] = {
            "first_child": self.first_child,
            "n_children": self.n_children,
            "split": self.split,
            "missing": self.missing,
            "share": self.share,
            "value": self.value if classes else self.value[:, 1:2],
            "weight": self.weight if classes else None,
            "answering": None if self.none_is_empty else self.answering,
            "label": self.label,
            "pseudo": self.pseudo_counts if classes else np.zeros(1),
            "surrogate_start": self.surrogate_start,
            "surrogates": self.surrogates,
        }
        return Router(
            len(self.schema.features),
            store,
            nodes,
            only_single_cuts=bool(single.all()),
            asks_codes=not numeric.all() and not bool(numeric[splits.column[used]].all()),
        )


def same_arrays(one: dict[str, NDArray[Any]], other: dict[str, NDArray[Any]]) -> bool:
    """Whether two sets of named arrays have the same names, types and values (NaN equals NaN)."""
    return one.keys() == other.keys() and all(
        one[name].dtype == other[name].dtype
        and np.array_equal(one[name], other[name], equal_nan=one[name].dtype == np.float64)
        for name in one
    )
