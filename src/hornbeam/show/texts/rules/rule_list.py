"""Rules as text: numbered, with coverage and errors in columns, and exceptions indented below their rule."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from hornbeam.data.in_words import plural
from hornbeam.data.schema import Nominal
from hornbeam.show.texts.calibrated import calibration_head, leaf_and_rows
from hornbeam.show.texts.linear import equations
from hornbeam.show.texts.linear.linear_text import added
from hornbeam.show.texts.rules import rule_classic, rule_exceptions, rule_table
from hornbeam.show.texts.wording import NAME_LIMIT, NOTHING, amounts, conditions_of, number, printable, width

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.data.schema import Schema
    from hornbeam.model.rules.rule import Rule, RuleList
    from hornbeam.model.trees.node_figures import LeafCalibration
    from hornbeam.show.texts.styles import Request

STYLES = ("default", "ascii", "if-then", "table")
LINE_LIMIT = 84  # a longer rule continues on the next line, broken between conditions

HOW = {
    "first": "the first rule that holds decides",
    "vote": "the rules that hold vote, each by the weight with which it holds",
    "remaining": "each rule takes its fraction of the rows that earlier rules left",
}


def in_style(rules: RuleList, request: Request) -> str:
    """Write a list of rules in a style."""
    linear = "deviations" in rules.recipe  # rules with equations
    has_layout = linear or rules.recipe.get("layout") in rule_classic.LAYOUTS
    request.expect("a list of rules", (*STYLES, "weka") if has_layout else STYLES)
    if request.style == "weka":
        return equations.weka_rules(rules) if linear else rule_classic.body(rules)
    if request.style == "if-then":
        return rule_table.if_then(rules)
    if request.style == "table":
        return rule_table.table(rules)
    return rule_exceptions.write(rules) if rule_exceptions.is_nested(rules) else write(rules)


def write(rules: RuleList, calibration: Mapping[int, LeafCalibration] | None = None, closing: str | None = None) -> str:
    """Write a list of rules; the last line is `closing`, or has their number and how they decide.

    The calibration of a rule follows its counts, by the number of the rule: from 1, exceptions and default included.
    """
    entries = list(_entries(rules, ""))
    linear = any(rule.terms for _, rule in entries if rule)  # squared errors are hard to read next to an equation
    shown = [rule for _, rule in entries if rule]
    texts = amounts([value for rule in shown for value in (rule.coverage, _wrong(rule, linear=linear))])
    counts = {id(rule): texts[2 * place : 2 * place + 2] for place, rule in enumerate(shown)}
    column = max((width(text) for text, rule in entries if rule and width(text) <= LINE_LIMIT), default=0) + 2
    weight_width = max([len(weight) for weight, _ in counts.values()] + [len("weight")])
    title = printable(rules.schema.name, NAME_LIMIT)
    column = max(column, width(title) + 2)
    promised = calibration or {}
    head = f"  {calibration_head(next(iter(promised.values())))}" if promised else ""
    lines = [
        title
        + " " * (column - width(title))
        + "weight".rjust(weight_width)
        + ("  error" if linear else "  wrong")
        + head
    ]
    order = count(1)
    for text, rule in entries:
        if rule is None:
            lines.append(text)
            continue
        weight, wrong = counts[id(rule)]
        mark = wrong if rule.errors > NOTHING else ""
        gap = " " * max(column - width(text), 2)
        found = promised.get(next(order))
        worth = "" if found is None else f"  {leaf_and_rows(found)}"
        lines.append(f"{text}{gap}{weight.rjust(weight_width)}  {mark.rjust(len('wrong'))}{worth}".rstrip())
    lines += ["", closing or f"{plural(len(rules.rules), 'rule')}; {HOW[rules.decide]}"]
    return "\n".join(lines)


def _wrong(rule: Rule, *, linear: bool) -> float:
    """The errors of a rule; for equations, the root mean squared error."""
    return (rule.errors / rule.coverage) ** 0.5 if linear and rule.coverage > 0 else rule.errors


def _entries(rules: RuleList, indent: str) -> list[tuple[str, Rule | None]]:
    """Lines in order; the last line of a rule comes with the rule, for its counts."""
    found: list[tuple[str, Rule | None]] = []
    number_width = len(str(len(rules.rules)))
    for place, rule in enumerate(rules.rules, start=1):
        lead = f"{indent}{place:>{number_width}}. "
        found += _broken(rule, rules, lead)
        if rule.exceptions is not None:
            inner = " " * width(lead)
            found.append((f"{inner}except", None))
            found += _entries(rule.exceptions, inner + "  ")
    if rules.default is not None:
        text = _prediction(rules.default, rules.schema)
        text += "".join(added(term, rules.schema) for term in rules.default.terms)
        found.append((f"{indent}otherwise {text}", rules.default))
        if rules.default.exceptions is not None:
            found.append((f"{indent}except", None))
            found += _entries(rules.default.exceptions, indent + "  ")
    return found


def _broken(rule: Rule, rules: RuleList, lead: str) -> list[tuple[str, Rule | None]]:
    """Write one rule over as many lines as it needs, never breaking inside a condition or a term."""
    schema = rules.schema
    conditions = conditions_of(rule.conditions, schema, rules)
    parts = [f"{'and ' if place else 'if '}{words}" for place, words in enumerate(conditions)] or ["always"]
    parts.append(f"then {_prediction(rule, schema)}" if conditions else _prediction(rule, schema))
    parts += [added(term, schema).lstrip() for term in rule.terms]
    lines = [lead + parts[0]]
    for part in parts[1:]:
        if width(lines[-1]) + 1 + width(part) > LINE_LIMIT:
            lines.append(" " * (width(lead) + 3) + part)
        else:
            lines[-1] += f" {part}"
    return [*((line, None) for line in lines[:-1]), (lines[-1], rule)]


def _prediction(rule: Rule, schema: Schema) -> str:
    target = schema.target_column
    name = printable(target.name)
    if not isinstance(target, Nominal):
        return f"{name} = {number(float(rule.value))}"
    return f"{name} = {printable(target.categories[rule.label])}" if rule.label >= 0 else f"{name} is unknown"
