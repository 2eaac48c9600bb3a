"""From the columns of a table to the grower of model trees, and from its arrays to a Tree.

Used if the general grower is not enough: if values are missing, so that a decrease only counts for the rows with a
known value, and if splits are chosen by the error of equations.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.trees.model_tree.grow import Grower
from hornbeam.data.schema import Nominal
from hornbeam.learn.linear.few_rows import ROWS_A_PARAMETER
from hornbeam.learn.linear.least_squares import spread
from hornbeam.learn.trees.as_tree import as_tree
from hornbeam.model.trees.split import CUTS, FRACTIONAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.core.base.arrays import AnyArray, Floats, Indices, Ints32
    from hornbeam.data.table import Table
    from hornbeam.learn.trees.recipe import Recipe
    from hornbeam.model.trees.tree import Tree


MOST_JUDGED = 8  # number of cuts of each kind for which equations are fitted on both sides
MOST_CATEGORIES = 64  # categories that are ranked at every node; those of larger columns are ranked once
MOST_INPUTS = 64  # inputs of such an equation: those with the strongest correlation with the target


@dataclass(frozen=True, eq=False)
class Grown:
    """A tree as it was grown, with ranks of categories in nominal columns, and the leaf of each training row.

    Splits of nominal columns are kept as cuts: between ranks, or for columns with `sets`, at the number of the set of
    ranks that go to the upper branch.
    """

    tree: Tree
    leaves: Ints32
    orders: dict[int, Indices]  # by column, the category of each rank; ordered columns have none
    sets: dict[int, list[Indices]] = field(default_factory=dict)

    def upper(self, column: int, place: int) -> Indices:
        """The categories that go to the upper branch at a cut of a nominal column."""
        kind = self.tree.schema.columns[column]
        assert isinstance(kind, Nominal)
        ranks = self.sets[column][place] if column in self.sets else np.arange(place + 1, len(kind.categories))
        return self.orders[column][ranks] if column in self.orders else ranks


def lacks_values(table: Table) -> bool:
    """Whether some value of a feature is missing."""
    return any(table.missing(i).any() for i in table.schema.features)


def grow_model_tree(
    table: Table, recipe: Recipe, orders: dict[int, Indices], tolerance: float, *, closely: bool
) -> Grown:
    """Grow a tree by the decrease of the standard deviation, or of the error of equations on both sides.

    Parameters
    ----------
    table : Table
        Training rows with a numeric target; nominal columns hold ranks.
    recipe : Recipe
        The recipe with the limits.
    orders : dict
        By column, the category of each rank.
    tolerance : float
        A column is left out of an equation if the others explain all but this fraction of it.
    closely : bool
        Whether large nodes are split by the error of equations on both sides, and categories are ranked at every node.
    """
    target, middle, unit = scaled(table.target_values(), table.weights)
    features = table.schema.features
    values = np.empty((table.n_rows, len(features)))
    n_codes, list_of = np.zeros(len(features), np.int32), np.zeros(len(features), np.int32)
    lists: list[AnyArray] = []
    for place, position in enumerate(features):
        kind, column = table.schema.columns[position], table.columns[position]
        if isinstance(kind, Nominal):
            values[:, place] = np.where(column >= 0, column, np.nan)
            if closely and position in orders and len(kind.categories) <= MOST_CATEGORIES:
                n_codes[place] = len(kind.categories)
                continue
            rows: AnyArray = np.argsort(np.where(column >= 0, column, len(kind.categories)), kind="stable")
        else:
            values[:, place] = column
            rows = table.sort_order(position)
            if len(rows) < table.n_rows:
                rows = np.concatenate([rows, np.flatnonzero(np.isnan(column)).astype(np.uint32)])
        list_of[place] = len(lists)
        lists.append(rows)
    lists.append(np.arange(table.n_rows))
    choices = {
        "min_node": recipe.min_node,
        "min_branch": recipe.min_branch,
        "min_deviation": recipe.min_impurity / unit,
        "rows_a_parameter": ROWS_A_PARAMETER,
        "tolerance": tolerance,
        "most_judged": MOST_JUDGED,
    }
    inputs = _inputs(table, target) if closely else None
    orders_of_rows = np.array(lists, np.uint32)
    found = Grower().grow(values, n_codes, orders_of_rows, list_of, target, table.weights, inputs, choices)
    sets = _number_sets(found, features)
    return Grown(as_tree(arrays_of(found, middle, unit), table.schema, recipe), found["leaves"], orders, sets)


def _number_sets(found: dict[str, Any], features: Sequence[int]) -> dict[int, list[Indices]]:
    """Number the sets of categories of the upper branch, by column; the number of its set becomes the cut of a node."""
    sets: dict[int, dict[bytes, int]] = {}
    for node, upper in found["upper"].items():
        numbers = sets.setdefault(features[found["feature"][node]], {})
        found["cut"][node] = numbers.setdefault(upper, len(numbers))
    return {
        column: [np.flatnonzero(np.frombuffer(upper, np.uint8)) for upper in numbers]
        for column, numbers in sets.items()
    }


def scaled(values: Floats, weights: Floats | None) -> tuple[Floats, float, float]:
    """Standardized values, and the mean and the unit by which they were standardized."""
    middle, unit = middle_and_unit(values, weights)
    return np.ascontiguousarray(values / unit - middle / unit), middle, unit


def middle_and_unit(values: Floats, weights: Floats | None) -> tuple[float, float]:
    """The mean, and the standard deviation or, if that is zero, 1."""
    middle, unit = spread(values, weights)
    return middle, unit if unit > 0 else 1.0


def _inputs(table: Table, target: Floats) -> Floats:
    """The standardized inputs of equations: numbers, and for a category the mean target of its rows."""
    found = []
    for position in table.schema.features:
        kind, column = table.schema.columns[position], table.columns[position]
        if isinstance(kind, Nominal):
            n_codes = len(kind.categories)
            weighted = target if table.weights is None else target * table.weights
            counts = np.bincount(column + 1, table.weights, minlength=n_codes + 1)
            means = np.bincount(column + 1, weighted, minlength=n_codes + 1) / np.where(counts > 0, counts, 1.0)
            means[0] = 0.0  # rows without the value get the mean of all rows
            found.append(scaled(means[column + 1], table.weights)[0])
            continue
        known = ~np.isnan(column)
        values = np.zeros(table.n_rows)
        if known.any():
            values[known] = scaled(column[known], None if table.weights is None else table.weights[known])[0]
        found.append(values)
    found = [values for values in found if values.any()]  # a constant explains nothing, and would count as a parameter
    if len(found) > MOST_INPUTS:
        weighted = target if table.weights is None else target * table.weights
        strength = [-abs(float(np.dot(values, weighted))) for values in found]
        found = [found[place] for place in sorted(np.argsort(strength, kind="stable")[:MOST_INPUTS])]
    return np.ascontiguousarray(np.transpose(found)) if found else np.empty((table.n_rows, 0))


def arrays_of(found: dict[str, Any], middle: float, unit: float) -> dict[str, Any]:
    """The arrays of the grower as `as_tree` expects them, in the unit of the target."""
    n_nodes = len(found["parent"])
    inner = np.flatnonzero(found["first_child"] >= 0)
    split = np.full(n_nodes, -1, np.int32)
    split[inner] = np.arange(len(inner), dtype=np.int32)
    value = found["value"] * np.array([1.0, unit, unit * unit])
    value[:, 1] += middle
    weight = np.ascontiguousarray(found["value"][:, 0])
    share = np.ones(n_nodes)
    share[1:] = weight[1:] / weight[found["parent"][1:]]
    missing = np.full(n_nodes, FRACTIONAL, np.int32)
    missing[inner] = found["missing"][inner]
    absent = ("category", "flipped", "extra_start", "n_extra", "extra", "surrogates")
    return dict.fromkeys(absent) | {
        "parent": found["parent"],
        "first_child": found["first_child"],
        "n_children": np.where(found["first_child"] >= 0, 2, 0).astype(np.int32),
        "split": split,
        "missing": missing,
        "rows": found["rows"],
        "weight": weight,
        "value": value,
        "label": np.full(n_nodes, -1, np.int32),
        "share": np.minimum(share, 1.0),
        "column": found["feature"][inner],
        "cut": found["cut"][inner],
        "score": found["gain"][inner] * unit,
        "kind": np.full(len(inner), CUTS, np.int8),
    }
