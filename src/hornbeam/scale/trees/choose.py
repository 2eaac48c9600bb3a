"""The split of a node, from the counts of its rows by column, code and class.

A split uses one column, so it depends only on these counts. They are converted to a small table of weighted rows with
the same counts, which is split by the grower for tables in memory. The splits are the same as for the rows themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.base.tolerance import SLACK
from hornbeam.core.trees.grow.grower import Grower
from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.learn.trees.as_tree import as_tree
from hornbeam.learn.trees.choices import choices, class_factors
from hornbeam.learn.trees.columns import MANY_VALUED_SHARE
from hornbeam.model.trees.split import CUTS

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats, Ints32
    from hornbeam.data.schema import Schema
    from hornbeam.learn.trees.choices import ClassFactors
    from hornbeam.learn.trees.recipe import Recipe
    from hornbeam.model.trees.tree import Tree
    from hornbeam.scale.trees.bins import Coding

NO_ZOOM = {"zoom": 2, "zoom_from": 1 << 62}  # not used for small tables


@dataclass(frozen=True)
class Problem:
    """What the choice of a split needs to know about all rows."""

    schema: Schema
    recipe: Recipe
    codings: tuple[Coding, ...]
    chosen: dict[str, Any]
    factors: ClassFactors
    many_valued: tuple[bool, ...]
    n_rows: int

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        target = self.schema.target_column
        assert isinstance(target, Nominal)
        return len(target.categories)


def problem_of(schema: Schema, recipe: Recipe, codings: tuple[Coding, ...], classes: AnyArray) -> Problem:
    """The problem for rows with these class counts."""
    # one weighted row per class is enough to resolve these choices
    seen = np.flatnonzero(classes)
    columns: list[AnyArray] = [
        np.full(len(seen), -1, np.int32) if isinstance(column, Nominal) else np.full(len(seen), np.nan)
        for column in schema.columns
    ]
    assert schema.target is not None
    columns[schema.target] = seen.astype(np.int32)
    weighted = _with_weights(Table(schema, columns, copy=False), classes[seen].astype(np.float64))
    many = tuple(
        coding.nominal and not coding.n_codes < MANY_VALUED_SHARE * float(classes.sum()) - SLACK for coding in codings
    )
    chosen = {**choices(weighted, recipe), **NO_ZOOM}
    factors = class_factors(weighted, recipe)
    many = (False,) * len(many) if all(many) else many  # then no column is treated specially
    return Problem(schema, recipe, codings, chosen, factors, many, int(classes.sum()))


def _with_weights(table: Table, weights: Floats) -> Table:
    from hornbeam.learn.base.estimator import with_weight_column

    return table.extended(with_weight_column(table.schema), weights)


def split_of(problem: Problem, units: AnyArray, per_row: int) -> Tree | None:
    """The split of a node as a tree of depth one; None if it is a leaf.

    Parameters
    ----------
    problem : Problem
        What is known about all rows.
    units : array
        Counts of the node by feature, code and class, one feature after another.
    per_row : int
        The number of units per row.
    """
    tables, start = [], 0
    for coding in problem.codings:
        stop = start + (coding.n_codes + 1) * problem.n_classes
        tables.append(units[start:stop].reshape(-1, problem.n_classes))
        start = stop
    classes, weights, codes = _rows_with(tables, problem.n_classes)
    chosen = {**problem.chosen, "max_depth": 1, "count_rows": False, "count_alike": False}
    grower = Grower(classes, problem.n_classes, weights / per_row, chosen, max(len(problem.codings), 1))
    for coding, column, many in zip(problem.codings, codes, problem.many_valued, strict=True):
        stored = column.astype(np.uint8 if coding.n_codes < np.iinfo(np.uint8).max else np.int32)
        values = coding.upper if coding.n_codes else np.zeros(1)
        grower.add_codes(stored, values, coding.n_codes, coding.nominal, many)
    arrays = grower.grow()
    if len(arrays["parent"]) == 1:
        return None
    if arrays["kind"][0] == CUTS:
        coding = problem.codings[arrays["column"][0]]
        arrays["cut"] = np.array([_cut(coding, tables[arrays["column"][0]], float(arrays["cut"][0]))])
    tree = as_tree(arrays, problem.schema, problem.recipe, problem.factors)
    if per_row == 1:
        return replace(tree, rows=np.rint(tree.weight).astype(np.int64))
    return tree


def _rows_with(tables: list[AnyArray], n_classes: int) -> tuple[Ints32, Floats, list[AnyArray]]:
    """Rows with weights that have these counts: their classes, weights and codes by column."""
    classes, weights = [], []
    codes: list[list[AnyArray]] = [[] for _ in tables]
    for k in range(n_classes):
        ends = [np.cumsum(table[:, k]) for table in tables]
        total = int(ends[0][-1]) if ends else 0
        if not total:
            continue
        places = np.unique(np.concatenate([[0], *ends]))
        first = places[places < total]
        classes.append(np.full(len(first), k, np.int32))
        weights.append(np.diff(np.append(first, total)).astype(np.float64))
        for column, end in zip(codes, ends, strict=True):
            column.append(np.searchsorted(end, first, side="right"))
    return np.concatenate(classes), np.concatenate(weights), [np.concatenate(column) for column in codes]


def _cut(coding: Coding, table: AnyArray, cut: float) -> float:
    """The cut between two codes that occur: halfway between the largest value of one and the smallest of the other."""
    if np.isinf(cut):
        return cut
    present = np.flatnonzero(table[:-1].sum(axis=1) > 0)
    place = int(np.searchsorted(coding.upper[present], cut, side="right"))
    low, high = float(coding.upper[present[place - 1]]), float(coding.lower[present[place]])
    middle = (low + high) / 2
    return low if middle == high else middle


def branches_of(tree: Tree, coding: Coding) -> Ints32:
    """The branch of every code at the root of a tree, and -1 for missing."""
    columns: list[AnyArray] = []
    for position, column in enumerate(tree.schema.columns):
        nominal = isinstance(column, Nominal)
        if position == coding.position:
            columns.append(coding.upper.astype(np.int32) if nominal else coding.upper)
        else:
            columns.append(np.full(coding.n_codes, -1, np.int32) if nominal else np.full(coding.n_codes, np.nan))
    ends = tree.apply(Table(tree.schema, columns, copy=False))
    return np.append(ends - 1, -1).astype(np.int32)
