"""Rules with exceptions as text, nested: default, except if ... then ..., else if ....

A line has the conditions on one column. Every prediction is followed by the weight that the rule covers and the weight
that it gets wrong, not counting its exceptions.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from hornbeam.data.schema import Nominal
from hornbeam.show.texts.wording import NOTHING, amounts, printable

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema
    from hornbeam.model.rules.rule import Rule, RuleList


def is_nested(rules: RuleList) -> bool:
    """Whether a list is a default with exceptions, and nothing else."""
    return not rules.rules and rules.default is not None and rules.default.exceptions is not None


def write(rules: RuleList) -> str:
    """Write a default with its exceptions.

    Parameters
    ----------
    rules : RuleList
        A list without rules, whose default has exceptions.

    Returns
    -------
    str
        ``default: ...``, then the exceptions, each indented below the prediction that it is an exception to.
    """
    assert rules.default is not None
    lines = [f"default: {_prediction(rules.default, rules.schema)}"]
    if rules.default.exceptions is not None:
        lines += _exceptions(rules.default.exceptions, 0)
    return "\n".join(lines)


def _exceptions(rules: RuleList, indent: int) -> list[str]:
    lines: list[str] = []
    below = indent + len("except ")
    for place, rule in enumerate(rules.rules):
        lead, at = ("else ", below) if place else ("except ", indent)
        under = at + len(lead)
        lines += _conditions(rule, rules.schema, " " * at + lead, under)
        lines.append(" " * under + f"then {_prediction(rule, rules.schema)}")
        if rule.exceptions is not None:
            lines += _exceptions(rule.exceptions, under + len("then "))
    if rules.default is not None:
        lines.append(" " * below + f"else {_prediction(rules.default, rules.schema)}")
        if rules.default.exceptions is not None:
            lines += _exceptions(rules.default.exceptions, below + len("else "))
    return lines


def _conditions(rule: Rule, schema: Schema, lead: str, under: int) -> list[str]:
    if not rule.conditions:
        return [f"{lead}always"]
    together = [
        " and ".join(condition.describe(schema) for condition in group)
        for _, group in groupby(rule.conditions, key=lambda condition: condition.column)
    ]
    return [f"{lead}if {together[0]}", *(f"{' ' * (under + 3)}and {words}" for words in together[1:])]


def _prediction(rule: Rule, schema: Schema) -> str:
    target = schema.target_column
    if isinstance(target, Nominal):
        text = printable(target.categories[rule.label]) if rule.label >= 0 else "unknown"
    else:
        text = f"{float(rule.value):.6g}"
    if rule.coverage <= 0:
        return text
    return f"{text}  {counts(rule)}"


def counts(rule: Rule) -> str:
    """What a rule covers and gets wrong: ``(50/2)``, or ``(50)`` where nothing is wrong."""
    covered, wrong = amounts([rule.coverage, rule.errors])
    return f"({covered}/{wrong})" if rule.errors > NOTHING else f"({covered})"
