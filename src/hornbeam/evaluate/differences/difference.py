"""`hornbeam.evaluate.diff`: two models side by side: how they differ, and which rows get different predictions.

Trees are compared from the root down (`tree_difference.py`); lists of rules are aligned, and equations are compared
term by term (`rule_difference.py`); other models are compared as text, and models of different kinds only by their
statistics and predictions (`prediction_difference.py`). `difference_text.py` writes the result.
"""

from __future__ import annotations

import difflib
import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hornbeam import show
from hornbeam._display import ShowsText
from hornbeam.data.schema import Nominal, SchemaError
from hornbeam.data.takes_rows import takes_rows
from hornbeam.evaluate.differences import difference_text
from hornbeam.evaluate.differences.prediction_difference import PredictionDifference, compare_predictions
from hornbeam.evaluate.differences.rule_difference import (
    EquationDifference,
    ItemDifference,
    RuleDifference,
    compare_equations,
    compare_rules,
)
from hornbeam.evaluate.differences.tree_difference import TreeDifference, compare_trees
from hornbeam.evaluate.plain import Plain, plain_fields
from hornbeam.model.files.storage import open_package
from hornbeam.model.linear.linear import LinearModel
from hornbeam.model.rules.rule import RuleList
from hornbeam.model.trees.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.data.schema import Column, Schema
    from hornbeam.data.table import Table

VERSION = "hornbeam"  # the entry of a model file with the version of hornbeam that wrote it
CONTEXT = 2  # lines around differences, if models are compared as text


@dataclass(frozen=True, slots=True)
class ColumnsDifference:
    """Columns and categories that are not the same in both models.

    Parameters
    ----------
    only_a, only_b : tuple of str
        Columns that only one model has.
    kinds : tuple of ItemDifference
        Columns that are numbers in one and categories in the other, or ordered in one.
    categories_a, categories_b : mapping of str to tuple of str
        By column, the categories (for the target, the classes) that only one model knows.
    """

    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    kinds: tuple[ItemDifference, ...]
    categories_a: Mapping[str, tuple[str, ...]]
    categories_b: Mapping[str, tuple[str, ...]]

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return not (self.only_a or self.only_b or self.kinds or self.categories_a or self.categories_b)


@dataclass(frozen=True, slots=True)
class TextDifference(Plain):
    """Models compared as text.

    Parameters
    ----------
    lines : tuple of str
        Each with a mark before it: ``-`` only in a, ``+`` only in b, a blank in both; ``...`` if some are left out.
    """

    lines: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the texts are the same."""
        return not self.lines


Models = TreeDifference | RuleDifference | EquationDifference | TextDifference


@dataclass(frozen=True, slots=True, repr=False)
class Difference(ShowsText):
    """The result of `diff`.

    Parameters
    ----------
    name_a, name_b : str
        The names of the models: their files, or their schemes.
    kind_a, kind_b : str
        The kinds of models, such as ``"Tree"``.
    target : str or None
        The target column; None for clusters.
    learned : tuple of ItemDifference
        Scheme, parameters, the version of this package and the fingerprint of the data, where they differ.
    columns : ColumnsDifference
        Columns and categories that only one model has.
    statistics : tuple of ItemDifference
        The sizes of the models, such as ``leaves``, ``rules``, including equal ones.
    models : TreeDifference, RuleDifference, EquationDifference, TextDifference or None
        The models themselves; None if they are of different kinds.
    predictions : PredictionDifference or None
        Rows that get different predictions; None if no rows were given.

    `is_empty` is True if nothing differs, `text()` returns a report, `to_json()` plain data.
    """

    name_a: str
    name_b: str
    kind_a: str
    kind_b: str
    target: str | None
    learned: tuple[ItemDifference, ...]
    columns: ColumnsDifference
    statistics: tuple[ItemDifference, ...]
    models: Models | None
    predictions: PredictionDifference | None = None

    def __str__(self) -> str:
        return self.text()

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs except the names."""
        return (
            not self.learned
            and self.columns.is_empty
            and self.kind_a == self.kind_b
            and (self.models is None or self.models.is_empty)
            and (self.predictions is None or self.predictions.is_empty)
        )

    def text(self, *, markdown: bool = False) -> str:
        """Write a report for a terminal, or as Markdown; names from the data are escaped."""
        return difference_text.write(self, in_markdown=markdown)

    def _repr_markdown_(self) -> str:
        return self.text(markdown=True)

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON; values that do not exist are None."""
        a, b = {"name": self.name_a, "kind": self.kind_a}, {"name": self.name_b, "kind": self.kind_b}
        return {"a": a, "b": b} | plain_fields(
            self, "target same=is_empty learned columns statistics models predictions"
        )


@takes_rows()
def diff(a: Any, b: Any, table: Table | None = None, *, rows: int = 10) -> Difference:  # noqa: ANN401 - any models
    """Compare two models.

    Parameters
    ----------
    a, b : model, fitted estimator, or path of a model file
        Models for the same target. Columns and categories are matched by name.
    table : Table, optional
        Rows that both models predict; if it has the target, also which model is right more often.
    rows : int
        The maximum number of rows with different predictions to list.

    Returns
    -------
    Difference
        Plain data, with `text()` and `to_json()`.

    Raises
    ------
    SchemaError
        The models predict different things, or the table lacks a column.

    Examples
    --------
    >>> import hornbeam
    >>> weather = hornbeam.read("weather")
    >>> a = hornbeam.C45Classifier().fit(weather)
    >>> b = hornbeam.C45Classifier(min_samples_leaf=3).fit(weather)
    >>> found = hornbeam.evaluate.diff(a, b, weather)
    >>> [(one.name, one.a, one.b) for one in found.learned]
    [('min_samples_leaf', 2, 3)]
    >>> found.predictions.n_changed, found.predictions.judged.only_a, found.predictions.judged.p_value
    (5, 5, 0.0625)
    """
    if rows < 0:
        raise ValueError(f"rows is {rows}; expected 0 or more")
    one, other = _Given(a), _Given(b)
    schemas = one.model.schema, other.model.schema
    target = _target(*schemas)
    if target is None and table is not None:
        msg = "the models find clusters; cluster numbers of two models cannot be compared row by row"
        raise SchemaError(msg)
    predictions = None
    if table is not None:
        predictions = compare_predictions(one.model, other.model, table, (one.provenance, other.provenance), rows)
    return Difference(
        one.name,
        other.name,
        type(one.model).__name__,
        type(other.model).__name__,
        target,
        _learned(one, other),
        _columns(*schemas),
        _figures(one.model, other.model),
        _models(one.model, other.model),
        predictions,
    )


class _Given:
    """A model as it was given, with its provenance."""

    def __init__(self, given: Any) -> None:  # noqa: ANN401 - a path, an estimator or a model
        self.provenance: Mapping[str, Any] = {}
        if isinstance(given, str | os.PathLike):
            package = open_package(given)
            self.model, self.provenance, self.name = package.model(), package.provenance, os.fspath(given)
        else:
            self.model = getattr(given, "model_", given)
            self.name = type(given).__name__
            if hasattr(given, "provenance"):
                self.model, self.provenance = given._deciding(self.model), given.provenance()
        if not hasattr(self.model, "schema"):
            msg = f"a {type(given).__name__} was given; expected a model, a fitted estimator or a model file's path"
            raise TypeError(msg)
        parameters = self.provenance.get("parameters") or {}
        self.known: dict[str, Any] = {**self.provenance, **parameters}
        self.known.pop("parameters", None)


def _target(a: Schema, b: Schema) -> str | None:
    """The target of both models; an error if they differ."""
    targets = [None if schema.target is None else schema.target_column for schema in (a, b)]
    first, second = ("clusters" if one is None else f"{one.name!r}" for one in targets)
    if first != second:
        raise SchemaError(f"A predicts {first}, B {second}; only models for the same target can be compared")
    if targets[0] is None:
        return None
    kinds = [_kind_of(one) for one in targets if one is not None]
    if kinds[0] != kinds[1] and "numeric" in kinds:
        msg = f"the target {targets[0].name!r} is {kinds[0]} in A and {kinds[1]} in B; expected the same in both"
        raise SchemaError(msg)
    return targets[0].name


def _kind_of(column: Column) -> str:
    if isinstance(column, Nominal):
        return "ordered categories" if column.ordered else "categories"
    return "numeric" if column.format is None else "a date"


def _learned(a: _Given, b: _Given) -> tuple[ItemDifference, ...]:
    """Differences of the parameters or, if these are unknown, of the models' recipes."""
    known = [a.known, b.known]
    if not (a.known and b.known):
        known = [dict(getattr(given.model, "recipe", {})) for given in (a, b)]
    versions = {VERSION} if all(VERSION in some for some in known) else set()  # only files have it
    return tuple(
        ItemDifference(name, known[0].get(name), known[1].get(name))
        for name in dict.fromkeys((*known[0], *known[1]))
        if known[0].get(name) != known[1].get(name) and (name != VERSION or versions)
    )


def _columns(a: Schema, b: Schema) -> ColumnsDifference:
    looked_at = [[schema.names[place] for place in schema.features] for schema in (a, b)]
    kinds, only = [], ({}, {})  # type: ignore[var-annotated]
    compared = [name for name in looked_at[0] if name in set(looked_at[1])]
    if a.target is not None:
        compared.append(a.target_column.name)
    for name in compared:
        one, other = a.columns[a.position(name)], b.columns[b.position(name)]
        if _kind_of(one) != _kind_of(other):
            kinds.append(ItemDifference(name, _kind_of(one), _kind_of(other)))
        if isinstance(one, Nominal) and isinstance(other, Nominal):
            for place, (mine, theirs) in enumerate(((one, other), (other, one))):
                alone = tuple(name for name in mine.categories if name not in set(theirs.categories))
                if alone:
                    only[place][name] = alone
    return ColumnsDifference(
        tuple(name for name in looked_at[0] if name not in set(looked_at[1])),
        tuple(name for name in looked_at[1] if name not in set(looked_at[0])),
        tuple(kinds),
        *only,
    )


def _figures(a: Any, b: Any) -> tuple[ItemDifference, ...]:  # noqa: ANN401 - any models
    found = [figures_of(model) for model in (a, b)]
    return tuple(
        ItemDifference(name, found[0].get(name), found[1].get(name)) for name in dict.fromkeys((*found[0], *found[1]))
    )


def figures_of(model: Any) -> dict[str, int | float]:  # noqa: ANN401 - any model
    """The size of a model, by the names of its parts.

    Examples
    --------
    >>> import hornbeam
    >>> figures_of(hornbeam.C45Classifier().fit(hornbeam.read("weather")).model_)
    {'leaves': 5, 'nodes': 8, 'depth': 2, 'columns used': 3, 'training rows': 14}
    """
    if isinstance(model, Tree):
        inner = model.split[model.split >= 0]
        used = {int(column) for split in inner.tolist() for column in model.splits.columns_of(split)}
        weight = float(model.weight[0])
        return {
            "leaves": model.n_leaves,
            "nodes": model.n_nodes,
            "depth": model.depth,
            "columns used": len(used),
            "training rows": int(weight) if weight == math.floor(weight) else weight,
        }
    if isinstance(model, RuleList):
        used = {condition.column for rule in model.rules for condition in rule.conditions}
        conditions = sum(len(rule.conditions) for rule in model.rules)
        return {"rules": len(model.rules), "conditions": conditions, "columns used": len(used)}
    parts = {"n_trees": "trees", "n_nodes": "nodes", "n_clusters": "clusters"}
    found: dict[str, int | float] = {
        words: int(getattr(model, name)) for name, words in parts.items() if hasattr(model, name)
    }
    return found | {name: len(getattr(model, name)) for name in ("members", "terms") if hasattr(model, name)}


def _models(a: Any, b: Any) -> Models | None:  # noqa: ANN401 - any models
    if type(a) is not type(b):
        return None
    if isinstance(a, Tree):
        return compare_trees(a, b)
    if isinstance(a, RuleList):
        return compare_rules(a, b)
    if isinstance(a, LinearModel):
        return compare_equations(a, b)
    ours, theirs = (show.text(model).split("\n") for model in (a, b))
    lines = list(difflib.unified_diff(ours, theirs, n=CONTEXT, lineterm=""))[2:]
    return TextDifference(tuple("..." if line.startswith("@@") else line for line in lines))
