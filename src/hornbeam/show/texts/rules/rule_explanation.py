"""Why a list of rules makes a prediction: the rule that decided, with its conditions and the row's values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.model.base.align import align
from hornbeam.model.base.condition import describe_number
from hornbeam.model.rules.exceptions import decided_by, rule_at
from hornbeam.model.rules.rule import FIRES
from hornbeam.model.trees.split import LEAST_SHARE
from hornbeam.show.texts.rules.rule_exceptions import counts
from hornbeam.show.texts.rules.rule_table import prediction
from hornbeam.show.texts.wording import NAME_LIMIT, condition_of, number, printable

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.model.base.condition import Condition
    from hornbeam.model.rules.exceptions import Place
    from hornbeam.model.rules.rule import Rule, RuleList


def explain_rules(rules: RuleList, table: Table, row: int) -> str:
    """Write which rule decided the prediction of a row; for rules with exceptions, every rule on the path to it.

    If several rules vote, all rules that hold for the row are listed; if each rule takes part of the weight that
    earlier ones left, those that take some.
    """
    one = align(rules.schema, table.take(np.array([row])))
    lines = [f"row {row + 1}:"]
    if rules.decide != "first":
        held = _taking(rules, one)
        for position, rule in held:
            lines += _lines(rule, (position,), rules, one)
        if not held:
            lines.append("  no rule holds")
        return "\n".join([*lines, f"so {_name(rules)} = {_predicted(rules, one)}"])
    place = decided_by(rules, one)[0]
    if place is None:
        return "\n".join([*lines, "  no rule holds, and there is no default", f"so {_name(rules)} is unknown"])
    for depth in range(1, len(place) + 1):
        lines += _lines(rule_at(rules, place[:depth]), place[:depth], rules, one)
    return "\n".join([*lines, f"so {_name(rules)} = {_predicted(rules, one)}"])


def _taking(rules: RuleList, one: Table) -> list[tuple[int, Rule]]:
    """The rules that take part in the prediction of a row, with their positions."""
    found, left = [], 1.0
    for position, rule in enumerate(rules.rules):
        weight = float(rule.holds(one)[0]) * left
        if weight > 0:
            found.append((position, rule))
        if rules.decide == "remaining":
            left -= weight
    if rules.decide == "remaining" and rules.default is not None and left > LEAST_SHARE:
        found.append((-1, rules.default))
    return found


def _lines(rule: Rule, place: Place, rules: RuleList, one: Table) -> list[str]:
    what = "default" if place[-1] < 0 else ("exception" if len(place) > 1 else "rule") + f" {place[-1] + 1}"
    indent = "  " * len(place)
    predicted = f"{_name(rules)} = {prediction(rule, rules, ' and an equation')}"
    also = "" if len(place) > 1 or place[-1] < 0 else _others(rules, place[0], one)
    lines = [f"{indent}{what}: {predicted} {counts(rule)}{also}"]
    lines += [f"{indent}  {condition_of(c, rules)}: {_value(c, rules, one)}" for c in rule.conditions]
    if place == (-1,) and rules.rules and not rule.conditions and not any(r.holds(one)[0] > 0 for r in rules.rules):
        lines.append(f"{indent}  none of the {len(rules.rules)} rules holds")
    return lines


def _others(rules: RuleList, place: int, one: Table) -> str:
    """Later rules that also hold for the row."""
    later = [
        str(position + 1)
        for position, rule in enumerate(rules.rules)
        if position > place and rules.decide == "first" and rule.holds(one)[0] >= FIRES
    ]
    return f"; rules {', '.join(later)} hold too" if len(later) > 1 else f"; rule {later[0]} holds too" if later else ""


def _value(condition: Condition, rules: RuleList, one: Table) -> str:
    column, value = rules.schema.columns[condition.column], one.columns[condition.column][0]
    if isinstance(column, Nominal):
        return printable(column.categories[int(value)], NAME_LIMIT) if value >= 0 else "missing"
    return "missing" if np.isnan(value) else describe_number(column, float(value))


def _predicted(rules: RuleList, one: Table) -> str:
    target, found = rules.schema.target_column, rules.predict_codes(one)[0]
    if isinstance(target, Nominal):
        return printable(target.categories[int(found)], NAME_LIMIT) if found >= 0 else "unknown"
    return number(float(found))


def _name(rules: RuleList) -> str:
    return printable(rules.schema.target_column.name, NAME_LIMIT)
