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
from hornbeam.learn.base.estimator import with_weight_column
from hornbeam.learn.trees.as_tree import as_tree
from hornbeam.learn.trees.choices import choices, class_factors
from hornbeam.learn.trees.columns import MANY_VALUED_SHARE
from hornbeam.model.trees.split import CUTS
from hornbeam.scale.trees.numbers import EQUAL, UNITS, error_of

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats, Ints32
    from hornbeam.data.schema import Schema
    from hornbeam.learn.trees.choices import ClassFactors
    from hornbeam.learn.trees.recipe import Recipe
    from hornbeam.model.trees.tree import Tree
    from hornbeam.scale.trees.bins import Coding, Summary
    from hornbeam.scale.trees.coded import Tally
    from hornbeam.scale.trees.numbers import Span

NO_ZOOM = {"zoom": 2, "zoom_from": 1 << 62}  # not used for small tables


@dataclass(frozen=True)
class Problem:
    """The facts about all rows that the choice of a split needs."""

    schema: Schema
    recipe: Recipe
    codings: tuple[Coding, ...]
    chosen: dict[str, Any]
    factors: ClassFactors | None
    many_valued: tuple[bool, ...]
    n_rows: int
    span: Span | None = None  # of a numeric target

    @property
    def n_classes(self) -> int:
        """The number of classes; a numeric target has two, the ends of its span."""
        target = self.schema.target_column
        return len(target.categories) if isinstance(target, Nominal) else 2


def problem_of(
    schema: Schema, recipe: Recipe, codings: tuple[Coding, ...], weighted: Table, span: Span | None = None
) -> Problem:
    """The problem for the rows that some weighted rows stand for; see `weighted_rows`."""
    n_rows = float(weighted.row_weights.sum())
    many = tuple(coding.nominal and not coding.n_codes < MANY_VALUED_SHARE * n_rows - SLACK for coding in codings)
    chosen = {**choices(weighted, recipe), **NO_ZOOM}
    factors = None if span is not None else class_factors(weighted, recipe)
    many = (False,) * len(many) if all(many) else many  # then no column is treated specially
    return Problem(schema, recipe, codings, chosen, factors, many, round(n_rows), span)


def weighted_rows(
    schema: Schema, summary: Summary, root: tuple[float, float] = (0.0, 0.0), *, repeated: bool = False
) -> Table:
    """A few rows with weights, and without values, that have the target's distribution as far as it is needed.

    There is one for each class; for a numeric target two, which have the mean and the squared error `root`.
    """
    target: AnyArray = np.flatnonzero(summary.classes).astype(np.int32)
    weights = summary.classes[target].astype(np.float64)
    if not isinstance(schema.target_column, Nominal):
        mean, squares = root
        apart = float(np.sqrt(squares / summary.n_rows))
        target, weights = np.array([mean - apart, mean + apart]), np.full(2, summary.n_rows / 2)
    columns: list[AnyArray] = [
        np.full(len(target), -1, np.int32) if isinstance(column, Nominal) else np.full(len(target), np.nan)
        for column in schema.columns
    ]
    assert schema.target is not None
    if repeated:
        times = weights.astype(np.int64)
        columns = [np.repeat(column, times) for column in columns]
        columns[schema.target] = np.repeat(target, times)
        return Table(schema, columns, copy=False)
    columns[schema.target] = target
    return Table(schema, columns, copy=False).extended(with_weight_column(schema), weights)


def split_of(problem: Problem, tally: Tally, per_row: int) -> Tree | None:
    """The split of a node as a tree of depth one; None if it is a leaf.

    Parameters
    ----------
    problem : Problem
        What is known about all rows.
    tally : Tally
        Counts of the node by feature, code and class, one feature after another.
    per_row : int
        The number of units per row.
    """
    chosen = {**problem.chosen, "max_depth": 1, "count_rows": False, "count_alike": False}
    if problem.span is not None:
        per_row = UNITS
        if not _may_split(problem, tally, chosen):
            return None
    units, tables, start = tally.units, [], 0
    for coding in problem.codings:
        stop = start + (coding.n_codes + 1) * problem.n_classes
        tables.append(units[start:stop].reshape(-1, problem.n_classes))
        start = stop
    classes, weights, codes = _rows_with(tables, problem.n_classes)
    scaled: Floats | None = weights / per_row
    if problem.recipe.row_by_row:
        times = weights.astype(np.int64)
        classes, codes, scaled = np.repeat(classes, times), [np.repeat(column, times) for column in codes], None
        chosen["count_alike"] = True
    target, n_classes = (classes, problem.n_classes) if problem.span is None else (problem.span.ends[classes], 0)
    grower = Grower(target, n_classes, scaled, chosen, max(len(problem.codings), 1))
    for coding, column, many in zip(problem.codings, codes, problem.many_valued, strict=True):
        stored = column.astype(np.uint8 if coding.n_codes < np.iinfo(np.uint8).max else np.int32)
        values = coding.upper if coding.n_codes else np.zeros(1)
        grower.add_codes(stored, values, coding.n_codes, coding.nominal, many)
    arrays = grower.grow()
    if len(arrays["parent"]) == 1:
        return None
    if arrays["kind"][0] == CUTS:
        coding = problem.codings[arrays["column"][0]]
        arrays["cut"] = np.array([cut_between(coding, tables[arrays["column"][0]], float(arrays["cut"][0]))])
    tree = as_tree(arrays, problem.schema, problem.recipe, problem.factors)
    if per_row == 1 or problem.span is not None:
        return replace(tree, rows=np.rint(tree.weight).astype(np.int64))
    return tree


def _may_split(problem: Problem, tally: Tally, chosen: dict[str, Any]) -> bool:
    """Whether a node of numbers may be split; also adapts the choices to the rows at the ends of the span.

    These rows have another squared error than the rows of the node, so limits of it are compared here.
    """
    assert problem.span is not None
    span, error = problem.span, error_of(tally, problem.span)
    least = max(EQUAL * span.width, float(np.sqrt(problem.recipe.min_impurity)))
    if error <= tally.rows * least**2 or error <= chosen["min_error"]:
        return False
    share = tally.total / (tally.rows * UNITS)
    chosen["tolerance"] *= min(error / (tally.rows * share * (1 - share) * span.width**2), 1.0)
    chosen["min_error"], chosen["min_impurity"] = -1.0, -1.0
    return True


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


def cut_between(coding: Coding, table: AnyArray, cut: float) -> float:
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
