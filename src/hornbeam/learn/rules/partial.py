"""Rules of partial trees: the table's columns go to the compiled kernel, its arrays come back as a list of rules.

The splits are those of a recipe of trees; which choices of it are meant is said by the estimator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.core.rules.partial import PartialTrees
from hornbeam.data.schema import Nominal
from hornbeam.learn.rules.own_value import own_values
from hornbeam.learn.rules.rule_learner import rule_of
from hornbeam.learn.trees.as_tree import plain_recipe
from hornbeam.learn.trees.choices import choices
from hornbeam.learn.trees.columns import add_columns, at_data_values
from hornbeam.learn.trees.prune.by_estimate import limit_of
from hornbeam.model.base.condition import Above, AtMost, Condition, IsIn, simplify
from hornbeam.model.rules.rule import RuleList, best_labels
from hornbeam.model.trees.split import CODES, CUTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table
    from hornbeam.learn.trees.recipe import Recipe


def learn_partial(
    table: Table, recipe: Recipe, *, merge: bool, notes: Mapping[str, str | float | bool], own_missing: bool = False
) -> RuleList:
    """Learn a list of rules, each the heaviest leaf of a partial tree on the rows that the rules before it leave.

    Parameters
    ----------
    table : Table
        Training rows, each with a class and a weight above zero.
    recipe : Recipe
        How nodes are split, by entropy; `prune` "pessimistic" or None.
    merge : bool
        Merge the conditions of a rule on one column, else leave them as they were found.
    notes : mapping
        What is added to the recipe that the list keeps.
    own_missing : bool
        A missing value is a value of its own; else its row takes every branch in pieces. Where no row lacks the value,
        pieces are what becomes of rows that do later.
    """
    own = own_values(table) if own_missing else None
    schema = table.schema
    if own is not None:
        table = own.table
    trees = _trees(table, recipe)
    confidence, deviate = limit_of(recipe.confidence)
    arrays = trees.learn(recipe.prune is not None, confidence, deviate)
    if recipe.threshold == "data-value":
        arrays["cut"] = at_data_values(
            arrays["cut"], arrays["column"], arrays["kind"] == CUTS, table, recipe.threshold_slack
        )
    conditions = _conditions(arrays, table.schema)
    if own is not None:
        conditions = [own.as_before(condition) for condition in conditions]
    value: NDArray[np.float64] = arrays["value"]
    start, labels = arrays["start"].tolist(), best_labels(value).tolist()
    rules = []
    for place, label in enumerate(labels):
        found = conditions[start[place] : start[place + 1]]
        rules.append(rule_of(simplify(found) if merge else tuple(found), label, value[place]))
    return RuleList(
        schema, tuple(rules[:-1]), rules[-1], decide="remaining",
        pseudo_count=1.0 if recipe.leaf == "laplace" else 0.0, recipe={**plain_recipe(recipe), **notes},
    )  # fmt: skip


def _trees(table: Table, recipe: Recipe) -> Any:
    """The kernel with the table's columns."""
    target, features = table.schema.target_column, table.schema.features
    assert isinstance(target, Nominal)
    trees = PartialTrees(
        table.target_values(), len(target.categories), table.weights, choices(table, recipe), max(len(features), 1)
    )
    add_columns(trees, table, recipe)
    return trees


def _conditions(arrays: Mapping[str, NDArray[Any]], schema: Schema) -> list[Condition]:
    """What every step of every rule asks for."""
    found: list[Condition] = []
    parts = (arrays[name].tolist() for name in ("column", "kind", "branch", "category", "cut", "share"))
    for feature, kind, branch, category, cut, share in zip(*parts, strict=True):
        place = schema.features[feature]
        passing = min(share, 1.0)
        if kind == CUTS:
            found.append(Above(place, cut, passing) if branch else AtMost(place, cut, passing))
        elif kind == CODES:
            found.append(IsIn(place, (branch,), passing))
        else:
            column = schema.columns[place]
            assert isinstance(column, Nominal)
            others = tuple(code for code in range(len(column.categories)) if code != category)
            found.append(IsIn(place, others if branch else (category,), passing))
    return found
