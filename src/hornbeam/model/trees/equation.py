"""Linear models at the nodes of a tree: equations from its arrays, and their predictions.

Every node has one. A row is predicted by the equation of the node where it ends; those of inner nodes would be used if
the tree were pruned there. A term is a coefficient times a number, or times an indicator: 1 if the category is in a
set.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.trees.model_tree.predict import evaluate
from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal
from hornbeam.model.linear.linear import LinearModel, Term
from hornbeam.model.trees.split import FRACTIONAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.core.base.arrays import AnyArray, Floats, Ints32
    from hornbeam.core.trees.route import Rows
    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree

ROUNDING = 1e-12  # relative to the largest target: smaller errors are rounding errors


def terms_of(tree: Tree, node: int) -> tuple[Term, ...]:
    """Return the terms of the equation of a node, in the order in which they are shown."""
    assert tree.term_start is not None
    return tuple(term_at(tree, term) for term in range(int(tree.term_start[node]), int(tree.term_start[node + 1])))


def term_at(tree: Tree, term: int) -> Term:
    """Return a term by its index in the arrays."""
    assert tree.term_column is not None
    assert tree.term_coefficient is not None
    assert tree.term_fill is not None
    codes: tuple[int, ...] | None = None
    if isinstance(tree.schema.columns[int(tree.term_column[term])], Nominal):
        assert tree.term_code_start is not None
        assert tree.term_codes is not None
        codes = tuple(tree.term_codes[tree.term_code_start[term] : tree.term_code_start[term + 1]].tolist())
    return Term.of(
        int(tree.term_column[term]), float(tree.term_coefficient[term]), codes=codes, fill=float(tree.term_fill[term])
    )


def equation_of(tree: Tree, node: int) -> LinearModel:
    """Return the equation of a node as a model."""
    assert tree.intercept is not None
    weight, error = float(tree.weight[node]), float(tree.error[node])
    return LinearModel(tree.schema, float(tree.intercept[node]), terms_of(tree, node), weight=weight, error=error)


def squared_errors(predicted: Floats, table: Table, largest: float | None = None) -> Floats:
    """Return the weighted squared errors of predictions for the rows of a table; rounding errors count as zero.

    Parameters
    ----------
    predicted : array
        By row.
    table : Table
        With a target.
    largest : float, optional
        The largest absolute target; by default that of the table.
    """
    truth = table.target_values()
    off = predicted - truth
    off[np.abs(off) <= ROUNDING * (np.abs(truth).max(initial=0.0) if largest is None else largest)] = 0.0
    return np.asarray(np.square(off) if table.weights is None else table.weights * np.square(off))


def with_errors(tree: Tree, table: Table) -> Tree:
    """Return the tree with the squared errors of its nodes: at leaves, those of its predictions for training rows.

    At inner nodes they are those of the equations as fitted, before smoothing.

    Parameters
    ----------
    tree : Tree
        With linear models.
    table : Table
        The training rows, each with a target.
    """
    assert tree.residual is not None
    leaves, errors = errors_at_leaves(tree, table)
    error = np.bincount(leaves, errors, minlength=tree.n_nodes)
    return replace(tree, error=np.where(tree.n_children == 0, error, tree.residual**2 * tree.weight))


def errors_at_leaves(tree: Tree, table: Table, largest: float | None = None) -> tuple[Ints32, Floats]:
    """Return the leaf of every row, and the squared error there; see `squared_errors`."""
    leaves = tree.apply(table)
    predicted = Equations(tree)._evaluate(leaves, [table.columns[place] for place in table.schema.features])
    return leaves, squared_errors(predicted, table, largest)


class Equations:
    """The equations of a tree prepared for the kernel: all indicators of a column at a node are one table."""

    def __init__(self, tree: Tree) -> None:
        if not tree.is_known_sound:
            tree.validate()
            tree.known_sound()  # so that its router does not check it again
        self.tree = tree
        schema = tree.schema
        feature_of = np.full(len(schema.columns), -1, np.int32)
        feature_of[list(schema.features)] = np.arange(len(schema.features))
        self.n_codes = np.array([len(getattr(schema.columns[i], "categories", ())) for i in schema.features], np.int32)
        assert tree.term_start is not None
        assert tree.term_column is not None
        assert tree.term_coefficient is not None
        assert tree.term_fill is not None
        self.feature = feature_of[tree.term_column]
        self.start, self.coefficient, self.fill = tree.term_start, tree.term_coefficient, tree.term_fill
        self.table = np.full(len(self.feature), -1, np.int64)
        self.tables = np.zeros(0)
        if tree.term_code_start is not None:
            self._look_up()
        self.used = np.unique(self.feature)

    def _look_up(self) -> None:
        """Convert the indicators of each node and column to a table with an entry per category and one for missing."""
        tree = self.tree
        assert tree.term_code_start is not None
        assert tree.term_codes is not None
        node_of = np.repeat(np.arange(tree.n_nodes), np.diff(self.start))
        nominal = self.n_codes[self.feature] > 0
        owner = node_of * len(self.n_codes) + self.feature
        shared, first, table_of = np.unique(owner[nominal], return_index=True, return_inverse=True)
        kept = np.flatnonzero(nominal)[first]
        sizes = self.n_codes[self.feature[kept]].astype(np.int64) + 1
        places = np.cumsum(sizes) - sizes
        self.tables = np.zeros(int(sizes.sum()))
        terms = np.flatnonzero(nominal)
        n_codes = np.diff(tree.term_code_start)
        entry = np.repeat(places[table_of], n_codes[terms]) + tree.term_codes
        np.add.at(self.tables, entry, np.repeat(self.coefficient[terms], n_codes[terms]))
        missing = places[table_of] + self.n_codes[self.feature[terms]]
        np.add.at(self.tables, missing, self.coefficient[terms] * self.fill[terms])
        keep = ~nominal
        keep[kept] = True
        place_of = np.full(len(keep), -1, np.int64)
        place_of[kept] = places
        assert len(shared) == len(kept)
        self.start = offsets(np.bincount(node_of[keep], minlength=tree.n_nodes))
        self.start = self.start.astype(np.int64)
        self.feature, self.coefficient = self.feature[keep], self.coefficient[keep]
        self.fill, self.table = self.fill[keep], place_of[keep]

    def predict(self, columns: Sequence[AnyArray]) -> Floats:
        """Predict every row of a table that has the tree's columns in the tree's order."""
        from hornbeam.core.trees.route import Rows  # noqa: PLC0415 - the tree has loaded it

        features = [columns[i] for i in self.tree.schema.features]
        return self._by_rows(Rows(columns=features, n_rows=len(columns[0]) if columns else 0), features)

    def predict_matrix(self, matrix: AnyArray, rows: Rows) -> Floats:
        """Predict every row of a matrix with a column per feature."""
        features: list[Any] = [None] * matrix.shape[1]
        for feature in self.used:
            features[feature] = np.ascontiguousarray(matrix[:, feature], np.float64)
        return self._by_rows(rows, features)

    def _by_rows(self, rows: Rows, features: list[Any]) -> Floats:
        tree = self.tree
        if not (tree.missing[tree.split >= 0] == FRACTIONAL).any():
            return self._evaluate(tree._router.leaves(rows), features)
        start, nodes, weights = tree._router.paths(rows)
        row = np.repeat(np.arange(len(start) - 1), np.diff(start))
        # a piece ends if the next node on the row's path is not a child of this one
        ends = np.ones(len(nodes), np.bool_)
        ends[:-1] = (row[1:] != row[:-1]) | (tree.parent[nodes[1:]] != nodes[:-1])
        row, nodes, weights = row[ends], nodes[ends], weights[ends]
        pieces = self._evaluate(nodes, [None if f is None else np.ascontiguousarray(f[row]) for f in features])
        return np.asarray(np.bincount(row, weights * pieces, minlength=len(start) - 1), np.float64)

    def _evaluate(self, nodes: Ints32, features: list[Any]) -> Floats:
        tree = self.tree
        assert tree.intercept is not None
        chosen: list[Any] = [None] * len(features)
        for feature in self.used:
            chosen[feature] = features[feature]
        return evaluate(
            np.ascontiguousarray(nodes, np.int32), chosen, self.start, self.feature, self.coefficient, self.fill,
            self.table, self.tables, self.n_codes, tree.intercept, np.ascontiguousarray(tree.value[:, 1]),
        )  # fmt: skip
