"""The tree: one flat, immutable struct of arrays for every tree learner.

Children of a node are contiguous and come after it, so bottom-up passes are reverse loops, and values of a branch (its
`share`) are stored at the child.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from hornbeam.core.trees.route import Router
from hornbeam.data.schema import Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model.base import plain
from hornbeam.model.base.align import align, rows_for, rows_of_table
from hornbeam.model.base.model import Model
from hornbeam.model.base.stored import Members, declared
from hornbeam.model.trees.invariants import check_tree
from hornbeam.model.trees.split import CUTS, FRACTIONAL, LEAST_SHARE, STOP, SplitStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hornbeam.core.base.arrays import AnyArray, Floats, Ints32, Ints64
    from hornbeam.model.trees.equation import Equations
    from hornbeam.model.trees.node import Node

__all__ = ["FRACTIONAL", "LEAST_SHARE", "STOP", "Tree"]


@dataclass(frozen=True, eq=False)
class Tree(Model):
    """A fitted tree.

    At a node with `missing` FRACTIONAL, a row with a missing value is divided among the branches by their `share`; with
    STOP (or if no branch has a share) it ends at that node; otherwise it takes the given branch.
    """

    KIND: ClassVar = "tree"
    NOUN: ClassVar = "tree"
    CONTIGUOUS: ClassVar = True
    ARRAYS: ClassVar = declared("""
        <i4[nodes] parent first_child n_children split missing
        <i8[nodes] rows
        <f8[nodes] weight
        <f8[nodes, width] value
        <i4[nodes] label
        <f8[nodes] error share
        <f8[width] prior?
        <i8[nodes+1] surrogate_start?
        <i4[surrogates] surrogates?
        <i8[nodes+1] alternative_start?
        <i4[alternatives] alternatives?
        <f8[nodes] intercept? residual?
        <i8[nodes+1] term_start?
        <i4[terms] term_column?
        <f8[terms] term_coefficient? term_fill?
        <i8[terms+1] term_code_start?
        <i4[codes] term_codes?
    """)
    PARTS: ClassVar = {"": None, "splits": SplitStore}
    PLAIN: ClassVar = {"pseudo_count": plain.number, "recipe": plain.recipe}

    schema: Schema
    splits: SplitStore
    parent: Ints32  # -1 at the root, which is node 0
    first_child: Ints32  # -1 at a leaf
    n_children: Ints32  # 0 at a leaf
    split: Ints32  # index into `splits`; -1 at a leaf
    missing: Ints32  # a branch, FRACTIONAL or STOP
    rows: Ints64  # training rows that reach the node, pieces of rows included
    weight: Floats  # their weight
    value: Floats  # (nodes, classes) class weights, or (nodes, 3): weight, mean, squared error
    label: Ints32  # class code; -1 where the node has no prediction
    error: Floats  # misclassified weight (or squared error) if the node were a leaf
    share: Floats  # fraction of the parent's known weight that takes this branch; 1 at the root
    pseudo_count: float = 0.0  # added to every class weight before probabilities are computed (1: Laplace)
    prior: Floats | None = None  # class probabilities, in proportion to which `pseudo_count` is added
    recipe: Mapping[str, str | float | bool | None] = field(default_factory=dict)  # the parameters it was learned by
    surrogate_start: Ints64 | None = None  # CSR into `surrogates`
    surrogates: Ints32 | None = None  # indices into `splits`
    alternative_start: Ints64 | None = None
    alternatives: Ints32 | None = None
    # linear models, at every node; see `hornbeam.model.trees.equation`
    intercept: Floats | None = None
    residual: Floats | None = None  # root mean squared error of the equation as fitted, before smoothing
    term_start: Ints64 | None = None  # CSR by node into the four below
    term_column: Ints32 | None = None
    term_coefficient: Floats | None = None
    term_fill: Floats | None = None  # the replacement for a missing value (for an indicator, from 0 to 1)
    term_code_start: Ints64 | None = None  # CSR by term into `term_codes`; absent if all are numeric
    term_codes: Ints32 | None = None  # a nominal term is 1 if the code is one of these, otherwise 0

    def __repr__(self) -> str:
        return f"Tree({self.schema.name!r}: {self.n_nodes} nodes, {self.n_leaves} leaves, depth {self.depth})"

    @property
    def n_nodes(self) -> int:
        """The number of nodes, including leaves."""
        return len(self.parent)

    @cached_property
    def n_leaves(self) -> int:
        """The number of leaves, including empty ones."""
        return int((self.first_child < 0).sum())

    @cached_property
    def depth(self) -> int:
        """The maximum number of splits on a path from the root to a leaf; 0 for a single leaf."""
        depth, level = -1, np.zeros(1, np.int64)
        while len(level):
            depth += 1
            level = level[self.first_child[level] >= 0]
            count = self.n_children[level].astype(np.int64)
            offset = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
            level = np.repeat(self.first_child[level].astype(np.int64), count) + offset
        return depth

    @property
    def root(self) -> Node:
        """The root as an object."""
        return self.node(0)

    def node(self, index: int) -> Node:
        """Return a node as an object, with its children, conditions and label."""
        from hornbeam.model.trees.node import Node  # noqa: PLC0415 - not needed to predict

        if not 0 <= index < self.n_nodes:
            msg = f"no node {index}; the tree has nodes 0 to {self.n_nodes - 1}"
            raise IndexError(msg)
        return Node(self, index)

    def walk(self) -> Iterator[Node]:
        """Every node as an object, depth first, branches in order."""
        return self.root.walk()

    def validate(self) -> None:
        """Check that the arrays form a tree over the schema; raise a `ModelError` if not."""
        check_tree(self)

    def file_entries(self) -> dict[str, Any]:
        """Return the entries of the file's JSON, which have no object of their own."""
        return self.to_plain()

    @classmethod
    def from_entries(cls, plain: Any, schema: Schema, members: Members) -> Self:  # noqa: ANN401 - whatever the file holds
        """Read the tree from the entries of the file's JSON; old files have no recipe."""
        return cls.from_file({"recipe": {}, **plain}, schema, members)

    @cached_property
    def none_is_empty(self) -> bool:
        """Whether training rows reached every node."""
        return bool((self.weight > 0).all())

    @cached_property
    def predicting_node(self) -> Ints32:
        """For every node, the nearest one (itself or above) with training rows, whose prediction it has."""
        nearest = np.arange(self.n_nodes, dtype=np.int32)
        if self.none_is_empty:
            return nearest
        while True:
            empty = (self.weight[nearest] <= 0) & (nearest > 0)
            if not empty.any():
                return nearest
            nearest[empty] = self.parent[nearest[empty]]

    def _codes(self, rows: Table | AnyArray, n_threads: int) -> AnyArray:  # noqa: ARG002 - as every model
        """Return class codes (-1 if the tree has none), or numbers.

        A row that ends in one leaf gets the label of the leaf; a row divided among leaves gets the most probable class,
        on a tie the first.
        """
        if self.intercept is not None:
            if isinstance(rows, Table):
                return self._equations.predict(align(self.schema, rows).columns)
            return self._equations.predict_matrix(rows, rows_for(self.schema, rows, self._first_nominal))
        ready = rows_for(self.schema, rows, self._first_nominal)
        return self._router.labels(ready) if self.task == "classification" else self._router.predictions(ready)[:, 0]

    def _probabilities(self, rows: Table | AnyArray, n_threads: int) -> Floats:  # noqa: ARG002 - as above
        """Return class probabilities; a leaf without training rows has those of its nearest ancestor with some."""
        return self._router.predictions(rows_for(self.schema, rows, self._first_nominal))

    def apply(self, table: Table) -> Ints32:
        """Return the node where each row, or its largest piece, ends (on a tie the first)."""
        return self._router.leaves(rows_of_table(self.schema, self.as_table(table)))

    def decision_path(self, table: Table) -> tuple[Ints64, Ints32, Floats]:
        """Return the nodes that each row, or a piece of it, visits.

        Returns
        -------
        start, nodes, weights : arrays
            Row i visits ``nodes[start[i]:start[i + 1]]``, depth first in branch order, with these weights.
        """
        return self._router.paths(rows_of_table(self.schema, self.as_table(table)))

    @property
    def pseudo_counts(self) -> Floats:
        """The pseudo-counts added to class weights before probabilities are computed."""
        even = np.ones(self.value.shape[1])
        return self.pseudo_count * (even if self.prior is None else self.prior)

    @cached_property
    def _equations(self) -> Equations:
        from hornbeam.model.trees.equation import Equations  # noqa: PLC0415 - only for trees with linear models

        return Equations(self)

    @cached_property
    def _router(self) -> Router:
        """The arrays prepared for the kernels, once; they are checked first, since the kernels do not check them."""
        if not self.is_known_sound:
            self.validate()
        feature_of = np.full(len(self.schema.columns) + 1, -1, np.int32)
        feature_of[list(self.schema.features)] = np.arange(len(self.schema.features))
        splits = self.splits
        used: Any = slice(None)  # of any node
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
        nodes: dict[str, AnyArray | None] = {
            "first_child": self.first_child,
            "n_children": self.n_children,
            "split": self.split,
            "missing": self.missing,
            "share": self.share,
            "value": self.value if classes else self.value[:, 1:2],
            "weight": self.weight if classes else None,
            "predicting_node": None if self.none_is_empty else self.predicting_node,
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
