"""Linear leaves: the leaves of a grown tree predict by equations learned from their own rows.

An equation may use every feature: numbers, and ordered indicators of the categories (see `learn/linear/terms.py`).
Terms are dropped as long as Akaike's criterion falls. A leaf with too few rows predicts their mean.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.learn.linear.least_squares import moments, solve
from hornbeam.learn.linear.terms import columns_of, equation_terms, factors_of

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Indices
    from hornbeam.model.linear.linear import Term
    from hornbeam.model.trees.tree import Tree

RIDGE = 1e-8
ROWS_A_PARAMETER = 2  # with fewer rows per parameter, an equation would mostly fit chance


def with_linear_leaves(tree: Tree, table: Table) -> Tree:
    """Give every leaf the equation of the training rows that end there; inner nodes keep their means.

    Parameters
    ----------
    tree : Tree
        A regression tree, grown and pruned.
    table : Table
        The rows it was grown on, with the columns of the tree.
    """
    ends = tree.apply(table)
    order = np.argsort(ends, kind="stable")
    leaves, first = np.unique(ends[order], return_index=True)
    terms: list[tuple[Term, ...]] = [()] * tree.n_nodes
    intercept = tree.value[tree.predicting_node, 1].copy()
    error = np.maximum(tree.value[:, 2], 0.0)
    table = Table(
        table.schema, table.columns, table.notes, copy=False
    )  # without sort orders, which `take` would filter
    fewest = _fewest_factors(table, order, first)
    for leaf, rows, least in zip(leaves.tolist(), np.split(order, first[1:]), fewest.tolist(), strict=True):
        weight = len(rows) if table.weights is None else float(table.weights[rows].sum())
        if weight < ROWS_A_PARAMETER * (least + 1):
            continue
        part = table.take(rows)
        factors = [(factor,) for place in table.schema.features for factor in factors_of(part, place)]
        if not factors or weight < ROWS_A_PARAMETER * (len(factors) + 1):
            continue
        fit = solve(
            moments(columns_of(factors, part), part.target_values(), part.weights),
            RIDGE,
            "smallest",
        )
        terms[leaf], intercept[leaf], error[leaf] = equation_terms(factors, fit), fit.intercept, fit.error
    mean_error = np.divide(error, tree.weight, out=np.zeros(tree.n_nodes), where=tree.weight > 0)
    return replace(tree, error=error, intercept=intercept, residual=np.sqrt(mean_error), **_as_arrays(terms))


def _fewest_factors(table: Table, order: Indices, first: Indices) -> Indices:
    """By leaf, the number of factors of the nominal features: for each, one less than its categories that occur.

    `order` has the rows leaf by leaf, `first` the place of every leaf's first row.
    """
    leaf = np.zeros(table.n_rows, np.intp)
    leaf[order] = np.repeat(np.arange(len(first)), np.diff(first, append=len(order)))
    found = np.zeros(len(first), np.intp)
    for place in table.schema.features:
        column = table.schema.columns[place]
        if isinstance(column, Nominal):
            codes, n_codes = table.columns[place], len(column.categories)
            pairs = np.unique((leaf * n_codes + codes)[codes >= 0])
            found += np.maximum(np.bincount(pairs // max(n_codes, 1), minlength=len(first)) - 1, 0)
    return found


def _as_arrays(terms: list[tuple[Term, ...]]) -> dict[str, Any]:
    """The terms of every node, one node after another; each has one factor."""
    flat = [term for each in terms for term in each]
    factors = [term.factors[0] for term in flat]
    found: dict[str, Any] = {
        "term_start": offsets([len(each) for each in terms]),
        "term_column": np.array([factor.column for factor in factors], np.int32),
        "term_coefficient": np.array([term.coefficient for term in flat], np.float64),
        "term_fill": np.array([factor.fill for factor in factors], np.float64),
    }
    if any(factor.codes is not None for factor in factors):
        lengths = [len(factor.codes or ()) for factor in factors]
        found["term_code_start"] = offsets(lengths)
        found["term_codes"] = np.array([code for factor in factors for code in factor.codes or ()], np.int32)
    return found
