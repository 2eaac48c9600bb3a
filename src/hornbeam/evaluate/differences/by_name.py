"""Conditions and answers by name: what two models can be compared by, whose columns and categories have other numbers.

A category that only one of the models knows says nothing about whether they ask the same, and is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.data.schema import Nominal
from hornbeam.model.base.condition import IsIn, IsMissing
from hornbeam.show.texts.linear.linear_text import added
from hornbeam.show.texts.wording import printable, short_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hornbeam.data.schema import Schema
    from hornbeam.model.base.condition import Condition
    from hornbeam.model.linear.linear import Term

NO_ANSWER = "no answer"
FIGURES = 6  # of a number that is answered: those that differ in no figure shown are the same
Shared = dict[str, frozenset[str]]  # by nominal column, the categories that both models know
Name = tuple[str, str, float | str | frozenset[str]]  # how a column is compared, the column, and with what


def shared_categories(one: Schema, other: Schema) -> Shared:
    """Give the categories that both schemas have, by column."""
    found: Shared = {}
    for column in one.columns:
        if isinstance(column, Nominal) and column.name in other.names:
            beside = other.columns[other.position(column.name)]
            found[column.name] = frozenset(column.categories) & frozenset(getattr(beside, "categories", ()))
    return found


def name_of(condition: Condition, schema: Schema, shared: Mapping[str, frozenset[str]]) -> Name:
    """Give a condition as names; what a row without the value does is not part of it."""
    column = schema.columns[condition.column]
    if isinstance(condition, IsMissing):
        return "is missing", column.name, ""
    if isinstance(condition, IsIn):
        assert isinstance(column, Nominal)
        named = frozenset(column.categories[code] for code in condition.codes)
        return "is in", column.name, named & shared.get(column.name, frozenset())
    if isinstance(column, Nominal):  # cut between codes: by the category that is named
        return type(condition).__name__, column.name, condition.describe(schema)
    return type(condition).__name__, column.name, condition.value


def answer_in_words(schema: Schema, label: int, value: float, terms: Iterable[Term] = ()) -> str:
    """Write an answer: a class, a number, or an equation."""
    target = schema.target_column
    if isinstance(target, Nominal):
        return printable(target.categories[label]) if label >= 0 else NO_ANSWER
    return short_number(value, FIGURES) + "".join(added(term, schema) for term in terms)
