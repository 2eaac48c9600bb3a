"""PART: a decision list whose rules are the heaviest leaves of partial C4.5 trees.

References
----------
E. Frank and I. H. Witten, Generating accurate rule sets without global optimization, *Proceedings of the Fifteenth
International Conference on Machine Learning* (1998) 144-151.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hornbeam.core.rules.partial import PartialTrees
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import one_of
from hornbeam.learn.rules.c45rules import RulesFromTrees
from hornbeam.learn.rules.rule_learner import rule_of
from hornbeam.learn.trees.as_tree import plain_recipe
from hornbeam.learn.trees.choices import choices
from hornbeam.learn.trees.columns import add_columns, at_data_values
from hornbeam.learn.trees.prune.by_estimate import limit_of
from hornbeam.model.base.condition import MOST, Above, AtMost, Condition, IsIn, IsMissing, simplify
from hornbeam.model.rules.rule import RuleList, best_labels
from hornbeam.model.trees.split import CODES, CUTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import AnyArray, Bools, Floats
    from hornbeam.learn.trees.recipe import Recipe


MISSINGS = ("fractional", "value")


@estimator
class PartClassifier(RulesFromTrees):
    """A decision list of rules from partial trees.

    A tree is grown on the remaining rows only until it has a leaf that would not be pruned; the leaf that covers most
    becomes a rule, the rows that it covers are removed, and this is repeated until no rows remain. A row with a missing
    value is covered in part, and the rest is left to later rules; or missing is one more value.

    Parameters
    ----------
    min_samples_leaf : float
        At least two branches of every split hold this much weight, and so does every rule.
    prune : {"pessimistic", None}
        Whether a node whose branches are all leaves becomes a leaf if that has no more expected errors.
    missing : {"fractional", "value"}
        A row with a missing value takes every branch in part; or missing is one more value: a branch of a nominal
        column, and of a numeric one the better side of a cut, or a branch of its own.
    compat : {"weka", "weka-3.9", None}
        By default the conditions of a rule on one column are merged into one; with "weka" they stay as they were found,
        as that program prints them. "weka-3.9" also puts cuts as its later versions do. Predictions are the same
        unless rows have weights: some limits then count rows, whatever these weigh.

    Examples
    --------
    >>> import hornbeam
    >>> print(hornbeam.show.text(hornbeam.PartClassifier().fit(hornbeam.read("weather"))))
    weather.nominal                           weight  wrong
    1. if outlook = overcast then play = yes       4
    2. if humidity = high then play = no           5      1
    otherwise play = yes                           5      1
    <BLANKLINE>
    2 rules; each rule takes its fraction of the rows that earlier rules left
    """

    prune: Literal["pessimistic"] | None = "pessimistic"
    missing: Literal["fractional", "value"] = "fractional"
    compat: Literal["weka", "weka-3.9"] | None = None

    def recipe(self) -> Recipe:
        """The recipe for these parameters."""
        prune = one_of("prune", self.prune, ("pessimistic", None))
        return self._tree_recipe(prune=prune, subtree_raising=False, collapse=False, compat=self.compat)

    def _learn_rules(self, table: Table) -> RuleList:
        own_missing = one_of("missing", self.missing, MISSINGS) == "value"
        if own_missing and self.compat is not None:
            msg = f"missing is 'value'; compat={self.compat!r} divides rows among branches: expected 'fractional'"
            raise ValueError(msg)
        return learn_partial(
            table,
            self.recipe(),
            merge=self.compat is None,
            notes={"layout": "decision-list", **({"missing": self.missing} if own_missing else {})},
            own_missing=own_missing,
        )


def learn_partial(
    table: Table, recipe: Recipe, *, merge: bool, notes: Mapping[str, str | float | bool], own_missing: bool = False
) -> RuleList:
    """Learn a list of rules, each the heaviest leaf of a partial tree on the rows left by earlier rules.

    Parameters
    ----------
    table : Table
        Training rows, each with a class and a weight above zero.
    recipe : Recipe
        How nodes are split, by entropy; `prune` "pessimistic" or None.
    merge : bool
        Merge the conditions of a rule on one column, otherwise keep them as they were found.
    notes : mapping
        Entries that are added to the recipe of the list.
    own_missing : bool
        Whether a missing value is a separate value; otherwise its row is divided among all branches. Rows to predict
        are divided if the column had no missing values in training.
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
    value: Floats = arrays["value"]
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
    """The kernel with the columns of the table."""
    target, features = table.schema.target_column, table.schema.features
    assert isinstance(target, Nominal)
    trees = PartialTrees(
        table.target_values(), len(target.categories), table.weights, choices(table, recipe), max(len(features), 1)
    )
    add_columns(trees, table, recipe)
    return trees


def _conditions(arrays: Mapping[str, AnyArray], schema: Schema) -> list[Condition]:
    """The settings of the kernel for every rule."""
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


@dataclass(frozen=True)
class ColumnOrigin:
    """The origin of a column of the new table."""

    place: int  # position of the column in the original table
    # {"nowhere", "category", "below", "above"}: where missing values are: there are none, in the last category, below
    # or above all numbers
    where: Literal["nowhere", "category", "below", "above"] = "nowhere"
    limit: float = 0.0  # the nearest number; for categories, their code


@dataclass(frozen=True)
class OwnValues:
    """A table without missing values in its features, and the origins of its columns."""

    table: Table
    origins: tuple[ColumnOrigin, ...]

    def as_before(self, condition: Condition) -> Condition:
        """Convert a condition on a column of the new table to one on the original column."""
        origin = self.origins[condition.column]
        if isinstance(condition, IsIn) and origin.where == "category":
            codes = tuple(code for code in condition.codes if code != origin.limit)
            own = len(codes) < len(condition.codes)
            return IsIn(origin.place, codes, float(own)) if codes else IsMissing(origin.place)
        if isinstance(condition, AtMost | Above) and origin.where in {"below", "above"}:
            with_missing = isinstance(condition, AtMost) == (origin.where == "below")
            alone = condition.value < origin.limit if origin.where == "below" else condition.value >= origin.limit
            if alone:
                return IsMissing(origin.place) if with_missing else AtMost(origin.place, MOST)
            return replace(condition, column=origin.place, if_missing=float(with_missing))
        return replace(condition, column=origin.place)


def own_values(table: Table) -> OwnValues:
    """Replace missing values of a table's features by separate values.

    Parameters
    ----------
    table : Table
        Any table; columns without missing values, or without known values, are not changed.

    Examples
    --------
    >>> import numpy as np
    >>> schema = Schema((Numeric("x"), Nominal("class", ("a", "b"))), ("feature", "target"))
    >>> own = own_values(Table(schema, [np.array([1.0, np.nan, 3.0]), np.array([0, 1, 1], np.int32)]))
    >>> [column.tolist() for column in own.table.columns]
    [[1.0, -2.0, 3.0], [1.0, 6.0, 3.0], [0, 1, 1]]
    >>> own.as_before(AtMost(0, -2.0)), own.as_before(Above(1, 2.0))
    (IsMissing(column=0, if_missing=1.0, as_missing=()), Above(column=0, value=2.0, if_missing=1.0))
    """
    names = {column.name for column in table.schema.columns}
    columns: list[Numeric | Nominal] = []
    roles: list[Any] = []
    arrays: list[AnyArray] = []
    origins: list[ColumnOrigin] = []
    for place, (column, role) in enumerate(zip(table.schema.columns, table.schema.roles, strict=True)):
        values = table.columns[place]
        made: list[tuple[Numeric | Nominal, AnyArray, ColumnOrigin]] = [(column, values, ColumnOrigin(place))]
        if role == "feature":
            lacking = column.missing(values)
            if lacking.any() and isinstance(column, Nominal) and not column.ordered:
                made = [_with_category(column, values, place)]
            elif lacking.any() and not lacking.all():
                made = _with_numbers(column, values.astype(np.float64), lacking, place, names) or made
        for new, array, origin in made:
            columns.append(new)
            roles.append(role)
            arrays.append(array)
            origins.append(origin)
    return OwnValues(Table(Schema(tuple(columns), tuple(roles)), arrays, copy=False), tuple(origins))


def _with_category(column: Nominal, codes: AnyArray, place: int) -> tuple[Nominal, AnyArray, ColumnOrigin]:
    own = len(column.categories)
    name = _new_name("missing", set(column.categories))
    filled = np.where(codes < 0, own, codes).astype(np.int32)
    return replace(column, categories=(*column.categories, name)), filled, ColumnOrigin(place, "category", own)


def _with_numbers(
    column: Numeric | Nominal, values: Floats, lacking: Bools, place: int, names: set[str]
) -> list[tuple[Numeric | Nominal, AnyArray, ColumnOrigin]]:
    known = values[~lacking]
    low, high = float(known.min()), float(known.max())
    # far enough to be different for numbers of any size; halves, to avoid overflow
    apart = 2.0 * max(high / 2.0 - low / 2.0, 0.5, abs(low) / 2.0, abs(high) / 2.0)
    made: list[tuple[Numeric | Nominal, AnyArray, ColumnOrigin]] = []
    for where, limit, beyond in (("below", low, max(low - apart, -MOST)), ("above", high, min(high + apart, MOST))):
        if beyond == limit:  # there is no number beyond
            continue
        new = Numeric(_new_name(f"{column.name}, missing {where}", names))
        names.add(new.name)
        origin = ColumnOrigin(place, "below" if where == "below" else "above", limit)
        made.append((new, np.where(lacking, beyond, values), origin))
    return made


def _new_name(wanted: str, taken: set[str]) -> str:
    while wanted in taken:
        wanted += "'"
    return wanted
