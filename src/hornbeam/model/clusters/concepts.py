"""A tree of concepts: every node has statistics of its rows, by which new rows are sent down the tree.

Nodes are numbered as in trees (children are contiguous, after their parent). The `figures` of a node are sums, so that
the tree can be extended by more rows: for every numeric column the known weight, the sum and the sum of squares (of the
values minus `origin`); for every nominal column the known weight, the sum of squared counts, and the counts; and the
number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from hornbeam.core.clusters.concepts import Concepts
from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal, Numeric
from hornbeam.model.base import plain
from hornbeam.model.base.plain import ModelError
from hornbeam.model.base.stored import Members, declared
from hornbeam.model.clusters.clustering import ClusterDescription, Clustering, Profile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import Floats, Ints32, Ints64
    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table


ONE = 1 + 1e-6  # a proportion, and a possible rounding error
NORMAL = 1 / (2 * np.sqrt(np.pi))
ROUNDING = 1e-13  # a variance that is a smaller fraction of the mean square is a rounding error


@dataclass(frozen=True, eq=False)
class ConceptTree(Clustering):
    """A tree of concepts.

    Parameters
    ----------
    schema : Schema
        Its features are the columns of the concepts.
    parent, first_child, n_children : array
        The tree; -1 for none.
    weight : array
        The weight of the rows of each node.
    figures : array of shape (nodes, figures)
        Sums; see the module.
    origin : array
        By numeric feature; it is subtracted before values are summed, so that sums are accurate.
    acuity : float
        The minimum standard deviation of a numeric column.
    cutoff : float
        The minimum category utility of a node with children.
    level : int, optional
        The depth of the clusters that rows are assigned to: 1 is the children of the root; None: the leaves.
    leaf : array, optional
        The leaf of every training row; -1 for a row that was not used.
    names : tuple of str, optional
        The name of every training row; without it, rows are named by their number, from 1.
    """

    KIND: ClassVar = "concepts"
    NOUN: ClassVar = "concepts"
    FINITE: ClassVar = True
    ARRAYS: ClassVar = declared("""
        <i4[nodes] parent first_child n_children
        <i4[rows] leaf?
        <f8[nodes] weight
        <f8[nodes, width] figures
        <f8[numeric] origin
    """)
    PLAIN: ClassVar = {
        "acuity": plain.number,
        "cutoff": plain.number,
        "level": plain.unchecked,
        "recipe": plain.recipe,
        "names": lambda names: None if names is None else tuple(names),
    }

    schema: Schema
    parent: Ints32
    first_child: Ints32
    n_children: Ints32
    weight: Floats
    figures: Floats
    origin: Floats
    acuity: float
    cutoff: float
    level: int | None = 1
    recipe: Mapping[str, Any] = field(default_factory=dict)
    leaf: Ints32 | None = None
    names: tuple[str, ...] | None = None

    @cached_property
    def rows_of_leaves(self) -> dict[int, Ints64]:
        """The training rows of every leaf, by its number; empty if they are not known."""
        if self.leaf is None:
            return {}
        order = np.argsort(self.leaf, kind="stable")
        nodes, starts = np.unique(self.leaf[order], return_index=True)
        parts = np.split(order, starts[1:])
        return {int(node): rows for node, rows in zip(nodes, parts, strict=True) if node >= 0}

    def row_names(self, node: int) -> list[str]:
        """The names of the training rows of a leaf, in the order of the rows."""
        rows = self.rows_of_leaves.get(node, np.empty(0, np.int64)).tolist()
        return [str(row + 1) if self.names is None else self.names[row] for row in rows]

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return len(self.parent)

    @cached_property
    def depth(self) -> Ints64:
        """The depth of each node."""
        depth = np.zeros(self.n_nodes, np.int64)
        for node in range(1, self.n_nodes):
            depth[node] = depth[self.parent[node]] + 1
        return depth

    @cached_property
    def clusters(self) -> Ints64:
        """The nodes that are clusters, in ascending order."""
        leaf = self.n_children == 0
        if self.level is None:
            return np.flatnonzero(leaf)
        return np.flatnonzero((self.depth == self.level) | (leaf & (self.depth < self.level)))

    @property
    def n_clusters(self) -> int:
        """The number of clusters."""
        return len(self.clusters)

    @cached_property
    def profile(self) -> Profile:  # type: ignore[override]
        """The profile of the clusters."""
        return self.profile_of(self.clusters)

    def profile_of(self, nodes: Ints64) -> Profile:
        """The profile of nodes, compared with the root."""
        numbers, sizes = layout(self.schema)
        m, k = len(numbers), len(sizes)
        figures = self.figures[np.append(nodes, 0)]
        counts, sums, squares = figures[:, :m], figures[:, m : 2 * m], figures[:, 2 * m : 3 * m]
        held = np.where(counts > 0, counts, 1.0)
        number = np.zeros(len(self.schema.features), np.bool_)
        number[numbers] = True
        known, mean, deviation = np.zeros((3, len(figures), len(number)))
        known[:, number], known[:, ~number] = counts, figures[:, 3 * m : 3 * m + k]
        mean[:, number] = np.where(counts > 0, self.origin + sums / held, 0.0)
        variance = squares / held - (sums / held) ** 2
        deviation[:, number] = np.sqrt(np.where(variance > ROUNDING * squares / held, variance, 0.0))
        by_feature = np.zeros(len(number), np.int64)
        by_feature[~number] = sizes
        parts = np.repeat(np.arange(k), sizes)
        of_code = known[:, ~number][:, parts]
        shares = figures[:, 3 * m + 2 * k : -1] / np.where(of_code > 0, of_code, 1.0)
        start = offsets(by_feature)
        rows = np.rint(figures[:, -1]).astype(np.int64)
        weight = self.weight[np.append(nodes, 0)]
        return Profile(rows, weight, known, mean, deviation, start, shares)

    def describe_nodes(self) -> list[ClusterDescription]:
        """Return for every node what `describe` returns for the clusters."""
        return self.profile_of(np.arange(self.n_nodes)).describe(self.schema)

    def worth(self) -> Floats:
        """The expected number of correctly guessed values at every node, from which category utility is computed."""
        numbers, sizes = layout(self.schema)
        m, k = len(numbers), len(sizes)
        count, total, squares = (self.figures[:, i * m : (i + 1) * m] for i in range(3))
        several = count > 1
        safe = np.where(several, count, 2.0)
        variance = np.where(several, (squares - total**2 / safe) / (safe - 1), 0.0)
        known, square = self.figures[:, 3 * m : 3 * m + k], self.figures[:, 3 * m + k : 3 * m + 2 * k]
        sharp = NORMAL / np.sqrt(np.maximum(variance, self.acuity**2))
        found: Floats = sharp.sum(axis=1) + (square / np.where(known > 0, known, 1.0) ** 2).sum(axis=1)
        return found

    def category_utility(self, node: int = 0) -> float:
        """The category utility of a node's children, per child: how much better values can be guessed; 0 at a leaf."""
        if not self.n_children[node]:
            return 0.0
        worth, children = self.worth(), slice(self.first_child[node], self.first_child[node] + self.n_children[node])
        shares = self.weight[children] / self.weight[node]
        return float((shares @ worth[children] - worth[node]) / self.n_children[node])

    def cluster_of_nodes(self) -> Ints32:
        """The cluster that each node belongs to; -1 above the clusters."""
        found = np.full(self.n_nodes, -1, np.int32)
        found[self.clusters] = np.arange(len(self.clusters))
        for node in range(1, self.n_nodes):
            if found[node] < 0:
                found[node] = found[self.parent[node]]
        return found

    def ready(self, aligned: Table) -> tuple[Floats, Ints32]:
        """Rows in the form of the kernel: numbers minus the origin, and codes."""
        return ready(self.schema, self.origin, aligned)

    def kernel(self, leaf: Ints64 | None = None) -> Concepts:
        """The tree in a form that can be extended; `leaf` is the leaf of every row so far."""
        _, sizes = layout(self.schema)
        start = offsets(sizes)
        alone = bool(self.recipe.get("first_alone", False))
        kernel = Concepts(len(self.origin), start, self.acuity, self.cutoff, alone)
        kernel.restore(self.parent, self.figures, self.weight, np.empty(0, np.int64) if leaf is None else leaf)
        return kernel

    def nodes_of(self, aligned: Table, *, to_leaf: bool = False) -> Ints64:
        """The node where every row ends: a cluster or a leaf. It always takes the child with the highest utility."""
        stop = np.zeros(self.n_nodes, np.int64)
        if not to_leaf:
            stop[self.clusters] = 1
        return self.kernel().find(*self.ready(aligned), self.first_child, self.n_children, stop)

    def assign(self, aligned: Table, n_threads: int) -> Ints32:
        """The cluster of every row."""
        del n_threads
        return self.cluster_of_nodes()[self.nodes_of(aligned)]

    def to_plain(self) -> dict[str, Any]:
        """Everything except the arrays, as plain data; `rows`: whether the leaf of every row is known."""
        entries = super().to_plain()
        names = entries.pop("names")
        return {**entries, "rows": self.leaf is not None, "names": names}

    @classmethod
    def from_file(cls, plain: Any, schema: Schema, members: Members) -> Self:  # noqa: ANN401 - whatever the file holds
        """Read the tree; the leaf of every row must be present exactly if `rows` is true."""
        if plain["rows"] != members.has("leaf"):
            raise ModelError("the entry 'rows' and the array of the leaf of every row do not agree")
        return super().from_file(plain, schema, members)

    def validate(self) -> None:
        """Check sizes and values before a kernel sees them; raise a `ModelError` if they are wrong."""
        numbers, sizes = layout(self.schema)
        width = 3 * len(numbers) + 2 * len(sizes) + sum(sizes) + 1
        self.check_arrays(nodes=self.n_nodes, width=width, numeric=len(numbers))
        if not self.n_nodes or (self.weight <= 0).any():
            raise ModelError("there are no nodes, or a node has no weight")
        if not (0 < self.acuity < np.inf and -np.inf < self.cutoff < np.inf):
            msg = f"acuity is {self.acuity} and cutoff {self.cutoff}; expected a number above zero, and any number"
            raise ModelError(msg)
        if self.level is not None and (not isinstance(self.level, int) or self.level < 0):
            msg = f"level is {self.level!r}; expected None or a whole number of at least 0"
            raise ModelError(msg)
        _check_tree(self.parent, self.first_child, self.n_children)
        self._check_rows()
        with np.errstate(over="ignore", invalid="ignore"):
            described = self.profile_of(np.arange(self.n_nodes))
        if not all(np.isfinite(array).all() for array in described.arrays().values()) or (described.shares > ONE).any():
            msg = "the sums of a node give means, deviations or proportions that are not finite, or proportions above 1"
            raise ModelError(msg)

    def _check_rows(self) -> None:
        """Raise an error if a row is assigned to a node that is not a leaf, or names do not match the rows."""
        if self.leaf is not None and len(self.leaf):
            known = self.leaf[self.leaf >= 0]
            if self.leaf.min() < -1 or (known >= self.n_nodes).any() or self.n_children[known].any():
                raise ModelError("a row lies in a node that is not a leaf")
        rows = 0 if self.leaf is None else len(self.leaf)
        if self.names is not None and (
            len(self.names) != rows or not all(isinstance(name, str) for name in self.names)
        ):
            msg = f"there are {len(self.names)} names of rows; expected one text for each of {rows} rows"
            raise ModelError(msg)


def _check_tree(parent: Ints32, first: Ints32, many: Ints32) -> None:
    inner = np.flatnonzero(many)
    wanted = np.full(len(parent), -2, np.int64)
    wanted[0] = -1
    sound = (many >= 0).all() and (first[many == 0] == -1).all() and (first[inner] > inner).all()
    sound = sound and (first[inner].astype(np.int64) + many[inner] <= len(parent)).all()
    if sound:
        for node in inner:
            wanted[first[node] : first[node] + many[node]] = node
        sound = int(many.sum()) == len(parent) - 1
    if not sound or not np.array_equal(wanted, parent):
        raise ModelError("parents and children do not make one tree")


def layout(schema: Schema) -> tuple[list[int], list[int]]:
    """Which features are numeric, and the number of categories of each of the others."""
    features = [schema.columns[place] for place in schema.features]
    numbers = [f for f, column in enumerate(features) if isinstance(column, Numeric)]
    return numbers, [len(column.categories) for column in features if isinstance(column, Nominal)]


def ready(schema: Schema, origin: Floats, aligned: Table) -> tuple[Floats, Ints32]:
    """Rows in the form of the kernel: numbers minus the origin, and codes, stored by row."""
    numeric = [isinstance(schema.columns[place], Numeric) for place in schema.features]
    values = [aligned.columns[p] for p, number in zip(schema.features, numeric, strict=True) if number]
    codes = [aligned.columns[p] for p, number in zip(schema.features, numeric, strict=True) if not number]
    n = aligned.n_rows
    return (
        np.ascontiguousarray(np.array(values, np.float64).reshape(len(values), n).T - origin),
        np.ascontiguousarray(np.array(codes, np.int32).reshape(len(codes), n).T),
    )
