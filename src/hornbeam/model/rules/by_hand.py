"""Rules written by hand, in the form in which rules are shown.

Columns and categories are looked up in the schema; an error names those that do not exist.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal, Numeric
from hornbeam.model.base.condition import MOST, Above, AtLeast, AtMost, Below, IsIn, IsMissing
from hornbeam.model.base.plain import ModelError
from hornbeam.model.rules.exceptions import measured
from hornbeam.model.rules.rule import Rule, RuleList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.data.schema import Column, Schema
    from hornbeam.data.table import Table
    from hornbeam.model.base.condition import Condition

SIGN = re.compile(r"\s*(<=|>=|<|>|≤|≥|=|in\b|is\s+missing\b|is\s+known\b)\s*")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
BOUNDS: dict[str, type[AtMost | Below | Above | AtLeast]] = {
    "<=": AtMost,
    "≤": AtMost,
    "<": Below,
    ">=": AtLeast,
    "≥": AtLeast,
    ">": Above,
}


def rule(words: str, schema: Schema, exceptions: Sequence[Rule] = ()) -> Rule:
    """Make a rule from text.

    Parameters
    ----------
    words : str
        ``if petallength >= 2.45 and petalwidth < 1.75 then Iris-versicolor``; ``if outlook in {sunny, rainy} then
        no``; ``if age is missing then yes``; ``if (age > 3 or missing) then yes``; or the class alone, for a default.
        The class may be written with the target's name, ``then play = no``.
    schema : Schema
        Columns, and the target, which must hold classes.
    exceptions : sequence of Rule
        Tested in this order; the first that holds decides instead of the rule.

    Returns
    -------
    Rule
        Without coverage and errors; `measured` counts them on rows.

    Examples
    --------
    >>> import hornbeam
    >>> schema = hornbeam.read("weather").schema
    >>> rule("if outlook = sunny and humidity = high then no", schema).describe(schema)
    'if outlook = sunny and humidity = high then play = no'
    """
    target = schema.target_column
    if not isinstance(target, Nominal):
        msg = f"the target {target.name!r} is a number; rules written as text predict classes"
        raise ModelError(msg)
    if not isinstance(words, str):
        msg = f"a rule is {words!r}; expected text, such as 'if age > 3 then yes'"
        raise ModelError(msg)
    text = " ".join(words.split())
    conditions: list[Condition] = []
    rest = text
    if re.match(r"if\b", text, re.IGNORECASE):
        rest = text[2:].lstrip()
        while True:
            condition, rest = _or_missing(rest, schema, text)
            conditions.append(condition)
            joint = re.match(r"\s*(and|then)\b\s*", rest, re.IGNORECASE)
            if joint is None:
                msg = f"in the rule {text!r}, found {rest[:30]!r} after a condition; expected 'and' or 'then'"
                raise ModelError(msg)
            rest = rest[joint.end() :]
            if joint[1].lower() == "then":
                break
    label = _class(rest, target, text)
    inner = RuleList(schema, tuple(exceptions)) if exceptions else None
    return Rule(tuple(conditions), np.eye(len(target.categories))[label], label, exceptions=inner)


def rules(lines: Sequence[str | Rule], schema: Schema, default: str | Rule | None = None) -> RuleList:
    """Make a list of rules from text; the first that holds decides, otherwise the default.

    Parameters
    ----------
    lines : sequence of str or Rule
        In order; see `rule`.
    schema : Schema
        Columns and target.
    default : str or Rule, optional
        The class if no rule holds; None for no prediction.

    Returns
    -------
    RuleList
        Checked against the schema.
    """
    made = tuple(line if isinstance(line, Rule) else rule(line, schema) for line in lines)
    last = rule(default, schema) if isinstance(default, str) else default
    found = RuleList(schema, made, last)
    found.validate()
    return found


def rules_on(lines: Sequence[str | Rule], table: Table, default: str | Rule | None = None) -> RuleList:
    """Make a list of rules from text, with coverage and errors counted on a table's rows."""
    return measured(rules(lines, table.schema, default), table)


def _or_missing(text: str, schema: Schema, whole: str) -> tuple[Condition, str]:
    """The first condition of a text, which may be ``(age > 3 or missing)``, and the rest of the text."""
    if not text.startswith("(") or any(text.startswith(schema.columns[place].name) for place in schema.features):
        return _condition(text, schema, whole)
    condition, rest = _condition(text[1:].lstrip(), schema, whole)
    end = re.match(r"\s*or\s+missing\s*\)", rest, re.IGNORECASE)
    if end is None:
        msg = f"in the rule {whole!r}, found {rest[:30]!r} in parentheses after a condition; expected 'or missing)'"
        raise ModelError(msg)
    return replace(condition, if_missing=1.0), rest[end.end() :]


def _condition(text: str, schema: Schema, whole: str) -> tuple[Condition, str]:
    """The first condition of a text, and the rest of the text."""
    place, rest = _column(text, schema, whole)
    column = schema.columns[place]
    sign = SIGN.match(rest)
    if sign is None:
        msg = f"in the rule {whole!r}, found {rest[:20]!r} after {column.name!r}; expected a comparison"
        raise ModelError(msg)
    kind, rest = " ".join(sign[1].split()), rest[sign.end() :]
    if kind == "is missing":
        return IsMissing(place), rest
    if kind == "is known" and isinstance(column, Numeric):
        return AtMost(place, MOST), rest
    if kind in BOUNDS:
        return _bound(place, column, kind, rest, whole)
    if not isinstance(column, Nominal):
        msg = f"in the rule {whole!r}, {column.name!r} is a number, compared by {kind!r}; expected <, <=, > or >="
        raise ModelError(msg)
    if kind == "is known":
        return IsIn(place, tuple(range(len(column.categories)))), rest
    if kind == "in":
        inside = re.match(r"\{(.*?)\}", rest)
        if inside is None:
            msg = f"in the rule {whole!r}, found {rest[:20]!r} after 'in'; expected categories in braces"
            raise ModelError(msg)
        codes = tuple(_code(name.strip(), column, whole) for name in inside[1].split(","))
        return IsIn(place, codes), rest[inside.end() :]
    code, rest = _longest(rest, column, whole)
    return IsIn(place, (code,)), rest


def _column(text: str, schema: Schema, whole: str) -> tuple[int, str]:
    names = [(schema.columns[place].name, place) for place in schema.features]
    found = [(name, place) for name, place in names if text.startswith(name) and SIGN.match(text[len(name) :])]
    if not found:
        known = ", ".join(name for name, _ in names)
        msg = f"in the rule {whole!r}, {text[:30]!r} does not begin with a column; columns: {known}"
        raise ModelError(msg)
    name, place = max(found, key=lambda pair: len(pair[0]))
    return place, text[len(name) :]


def _bound(place: int, column: Column, asked: str, rest: str, whole: str) -> tuple[Condition, str]:
    if isinstance(column, Nominal):
        if not column.ordered:
            msg = f"in the rule {whole!r}, the categories of {column.name!r} have no order to be compared by {asked!r}"
            raise ModelError(msg)
        code, rest = _longest(rest, column, whole)
        return BOUNDS[asked](place, float(code)), rest
    value = NUMBER.match(rest)
    if value is None or not math.isfinite(float(value[0])):
        msg = f"in the rule {whole!r}, {column.name!r} is compared with {rest[:20]!r}; expected a number"
        raise ModelError(msg)
    return BOUNDS[asked](place, float(value[0])), rest[value.end() :]


def _longest(text: str, column: Nominal, whole: str) -> tuple[int, str]:
    """The longest category at the start of a text, and the rest of the text."""
    found = [name for name in column.categories if re.match(re.escape(name) + r"(?=\s|$)", text)]
    if not found:
        _code(text.split(" ", maxsplit=1)[0], column, whole)
    name = max(found, key=len)
    return column.categories.index(name), text[len(name) :]


def _code(name: str, column: Nominal, whole: str) -> int:
    if name not in column.categories:
        known = ", ".join(column.categories[:20])
        msg = f"in the rule {whole!r}, {column.name!r} has no category {name!r}; it has {known}"
        raise ModelError(msg)
    return column.categories.index(name)


def _class(text: str, target: Nominal, whole: str) -> int:
    name = text.strip()
    named = re.match(re.escape(target.name) + r"\s*=\s*", name)
    if named is not None and name not in target.categories:
        name = name[named.end() :]
    return _code(name, target, whole)
