"""Lists of rules in the classic layouts: the bodies that WEKA's rule learners print, one function per layout.

A learner names the layout of its list in the recipe (``recipe["layout"]``); `LAYOUTS` has the function for it. A new
layout is one more function and one more entry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.core.base.tolerance import SLACK
from hornbeam.data.schema import Nominal
from hornbeam.model.base.condition import SIGNS, Above, AtLeast, AtMost, Below, IsIn, IsMissing
from hornbeam.show.texts.trees.classic import count, java_number, rounded_number
from hornbeam.show.texts.wording import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.data.schema import Schema
    from hornbeam.model.base.condition import Condition
    from hornbeam.model.rules.rule import Rule, RuleList


def body(rules: RuleList) -> str:
    """Write a list of rules in the layout that its recipe names."""
    return LAYOUTS[str(rules.recipe["layout"])](rules)


def one_column(rules: RuleList) -> str:
    """Rules of one column, one line per value or interval, as OneR prints them."""
    schema, names = rules.schema, _classes(rules.schema)
    lines = [f"\t{_interval(rule, schema)}\t-> {printable(names[rule.label])}" for rule in rules.rules]
    if rules.rules:
        lines.insert(0, f"{printable(schema.columns[rules.rules[0].conditions[0].column].name)}:")
    elif rules.default is not None:  # no column has a value
        lines.append(f"\t-> {printable(names[rules.default.label])}")
    total = sum(rule.coverage for rule in _with_default(rules))
    right = total - sum(rule.errors for rule in _with_default(rules))
    return "\n".join([*lines, f"({right:.0f}/{total:.0f} instances correct)"])


def _with_default(rules: RuleList) -> tuple[Rule, ...]:
    return rules.rules if rules.default is None else (*rules.rules, rules.default)


def _interval(rule: Rule, schema: Schema) -> str:
    last = rule.conditions[-1]
    if isinstance(last, IsIn):
        column = schema.columns[last.column]
        assert isinstance(column, Nominal)
        return printable(column.categories[last.codes[0]])
    if isinstance(last, IsMissing):
        return "?"
    if isinstance(last, AtMost):
        return "not ?"
    return f"{'<' if isinstance(last, Below) else '>='} {java_number(last.value)}"


def if_then(rules: RuleList) -> str:
    """One line per condition, as Prism prints its rules."""
    names = _classes(rules.schema)
    lines = []
    for rule in rules.rules:
        words = [plain_condition(condition, rules.schema) for condition in rule.conditions]
        together = "\n   and ".join(words)
        label = printable(names[rule.label])
        lines.append(f"If {together} then {label}" if words else label)
    return "\n".join(lines)


def decision_list(rules: RuleList) -> str:
    """One line per condition, a blank line between rules, as PART prints them; the last rule has no condition."""
    one_apart = rules.recipe.get("nominal") == "one-vs-rest"
    names = _classes(rules.schema)
    blocks = []
    for rule in _with_default(rules):
        words = " AND\n".join(_test(condition, rules.schema, one_apart=one_apart) for condition in rule.conditions)
        wrong = f"/{count(rule.errors)}" if rule.errors > SLACK else ""
        blocks.append(f"{words}: {printable(names[rule.label])} ({count(rule.coverage)}{wrong})")
    return "\n\n".join(blocks)


def bracketed(rules: RuleList) -> str:
    """One line per rule, its conditions in brackets, as JRip prints them; the last line is the default."""
    names, target = _classes(rules.schema), printable(rules.schema.target_column.name)
    lines = []
    for rule in _with_default(rules):
        words = " and ".join(f"({_test(condition, rules.schema, one_apart=False)})" for condition in rule.conditions)
        counts = f"({java_number(rule.coverage)}/{java_number(rule.errors)})"
        lines.append(f"{words} => {target}={printable(names[rule.label])} {counts}")
    return "\n".join(lines)


def _test(condition: Condition, schema: Schema, *, one_apart: bool) -> str:
    """A condition as a branch of a tree: ``humidity <= 75``, ``outlook = sunny``; or ``outlook != sunny``."""
    column = schema.columns[condition.column]
    if isinstance(condition, AtMost | Above | AtLeast) and not isinstance(column, Nominal):
        cut = java_number(condition.value) if one_apart else rounded_number(condition.value)
        return f"{printable(column.name)} {SIGNS[type(condition)]} {cut}"
    if (
        one_apart
        and isinstance(condition, IsIn)
        and isinstance(column, Nominal)
        and len(condition.codes) == len(column.categories) - 1
    ):  # all but one; if there are two categories, the first is named
        (other,) = set(range(len(column.categories))) - set(condition.codes)
        if len(condition.codes) > 1 or other == 0:
            return f"{printable(column.name)} != {printable(column.categories[other])}"
    return condition.describe(schema)


def plain_condition(condition: Condition, schema: Schema) -> str:
    """A condition as these programs write it: ``outlook = sunny``, ``humidity <= 75.0``."""
    column = schema.columns[condition.column]
    if isinstance(condition, Below | AtMost | Above | AtLeast) and not isinstance(column, Nominal):
        sign = {Below: "<", AtMost: "<=", Above: ">", AtLeast: ">="}[type(condition)]
        return f"{printable(column.name)} {sign} {java_number(condition.value)}"
    return condition.describe(schema)


def _classes(schema: Schema) -> tuple[str, ...]:
    target = schema.target_column
    assert isinstance(target, Nominal)
    return target.categories


LAYOUTS: dict[str, Callable[[RuleList], str]] = {
    "one-column": one_column,
    "if-then": if_then,
    "decision-list": decision_list,
    "bracketed": bracketed,
}
