"""Equations of the nodes with few rows: their rows are collected, and fitted and pruned as in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.trees.model_tree.equations import blocks
from hornbeam.learn.trees.model_trees.model_tree import Inputs, fitted, standardized
from hornbeam.scale.model_trees.columns import unranked
from hornbeam.scale.trees.finish import collected

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import AnyArray, Floats, Ints32, Ints64
    from hornbeam.data.schema import Schema
    from hornbeam.learn.trees.model_trees.model_tree import ModelChoices, Places
    from hornbeam.model.trees.tree import Tree
    from hornbeam.scale.executors.base import Executor, Handle
    from hornbeam.scale.model_trees.columns import Columns
    from hornbeam.scale.trees.choose import Problem
    from hornbeam.scale.trees.top import Top


@dataclass(frozen=True, eq=False)
class Moments:
    """Of the rows of a node: the weight, the means, and the products about them; inputs, and then the target."""

    weight: float
    means: Floats
    products: Floats  # lower triangle

    def plus(self, other: Moments) -> Moments:
        """Those of both sets of rows (Chan, Golub & LeVeque 1983)."""
        whole = self.weight + other.weight
        apart = other.means - self.means
        products = self.products + other.products + np.outer(apart, apart) * (self.weight * other.weight / whole)
        return Moments(whole, self.means + apart * (other.weight / whole), products)


@dataclass(frozen=True, eq=False)
class Equations:
    """What equations need, at every node of the tree that was grown."""

    schema: Schema  # of the rows as they are, without ranks
    columns: Columns
    inputs: Inputs
    places: Places
    choices: ModelChoices
    path: Mapping[int, Ints32]  # how many splits above test each input, by node with many rows


def fit_subtrees(
    executor: Executor, rows: Handle, problem: Problem, top: Top, subtrees: Mapping[int, tuple[Tree, Ints64]],
    equations: Equations,
) -> dict[int, dict[str, Any]]:  # fmt: skip
    """Fit and prune the subtrees of all nodes with few rows.

    Parameters
    ----------
    executor, rows : Executor, Handle
        The partitions of ranked rows.
    problem, top : Problem, Top
        How the tree was grown, and its nodes with many rows.
    subtrees : mapping
        By node the subtree, and the numbers of its nodes in the whole tree.
    equations : Equations
        What equations need.

    Returns
    -------
    By node what `fitted` returns, with the nodes of the subtree.
    """
    found = {}
    own_schema = equations.schema
    for node, table in collected(executor, rows, problem, top):
        subtree, number = subtrees[node]
        order, start, end = blocks(subtree.first_child, subtree.apply(table))
        plain = unranked(table, own_schema, equations.columns)
        values = standardized(equations.inputs.factors, plain, order, equations.places)
        inputs = Inputs(equations.inputs.factors, np.ascontiguousarray(equations.inputs.of_split[number]))
        target = standard_target(equations, table.target_values()[order])
        found[node] = fitted(
            subtree, inputs, (start, end), values, target, None, equations.choices, equations.path[node]
        )
    return found


def standard_target(equations: Equations, target: AnyArray) -> Floats:
    """Targets minus their mean and divided by their deviation."""
    assert equations.schema.target is not None
    own = equations.columns.spreads[equations.schema.target]
    return np.ascontiguousarray(target / own.unit - own.middle / own.unit)
