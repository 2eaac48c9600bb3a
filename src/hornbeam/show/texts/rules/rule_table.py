"""Rules as IF ... THEN ... lines, and as a table with the coverage, accuracy and lift of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.in_words import percent
from hornbeam.data.schema import Nominal
from hornbeam.model.rules.exceptions import places
from hornbeam.show.texts.rules.rule_exceptions import counts
from hornbeam.show.texts.wording import NAME_LIMIT, amounts, condition_of, number, printable, width

if TYPE_CHECKING:
    from hornbeam.model.rules.exceptions import Place
    from hornbeam.model.rules.rule import Rule, RuleList


def if_then(rules: RuleList) -> str:
    """Write one line per rule: ``IF outlook = sunny AND humidity = high THEN play = no (3)``; the default is ELSE.

    The prediction is followed by the weight covered and, after a slash, the weight of it that is wrong. Exceptions are
    indented below their rule.
    """
    lines = []
    for place, rule in places(rules):
        words = " AND ".join(condition_of(condition, rules) for condition in rule.conditions)
        lead = "ELSE" if place[-1] < 0 else f"IF {words} THEN" if words else "ALWAYS"
        if len(place) > 1:
            lead = f"EXCEPT {lead}"
        lines.append(f"{'   ' * (len(place) - 1)}{lead} {_conclusion(rule, rules)} {counts(rule)}")
    return "\n".join(lines)


def table(rules: RuleList) -> str:
    """Write a table with one line per rule.

    Columns: its position, the prediction, the weight covered, the weight wrong, the fraction right, and the lift: how
    much more frequent the class is here than among all rows that the rules cover; then its conditions.
    """
    head = ("rule", "prediction", "covered", "wrong", "right", "lift", "conditions")
    overall = _overall(rules)
    lines = [head]
    for place, rule in places(rules):
        covered, wrong = amounts([rule.coverage, rule.errors])
        right = lift = ""
        if rule.coverage > 0 and rules.task == "classification":
            hit = 1.0 - rule.errors / rule.coverage
            right = percent(hit)
            usual = overall[rule.label] if rule.label >= 0 else 0.0
            lift = f"{hit / usual:.2f}" if usual > 0 else ""
        words = " and ".join(condition_of(condition, rules) for condition in rule.conditions)
        words = words or ("otherwise" if place[-1] < 0 else "always")
        lines.append((place_words(place), prediction(rule, rules, " + ..."), covered, wrong, right, lift, words))
    room = [max(width(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            # numbers are right-aligned, words left-aligned
            " " * (space - width(cell)) + cell if 2 <= column <= 5 else cell + " " * (space - width(cell))  # noqa: PLR2004
            for column, (cell, space) in enumerate(zip(line, room, strict=True))
        ).rstrip()
        for line in lines
    )


def place_words(place: Place) -> str:
    """Write the position of a rule, from 1, with a star for the default: ``3``, ``*``, ``*.2.1``."""
    return ".".join("*" if position < 0 else str(position + 1) for position in place)


def _overall(rules: RuleList) -> np.ndarray:
    """Class frequencies over all rows that the rules decide."""
    if rules.task != "classification":
        return np.empty(0)
    total = np.zeros(len(_classes(rules)))
    for _, rule in places(rules):
        if rule.coverage > 0:
            total += rule.value
    weight = float(total.sum())
    return total / weight if weight > 0 else total


def _classes(rules: RuleList) -> tuple[str, ...]:
    target = rules.schema.target_column
    return target.categories if isinstance(target, Nominal) else ()


def prediction(rule: Rule, rules: RuleList, equation: str) -> str:
    """A rule's class, or its number and, where it has terms, a note that there is an equation."""
    if rules.task != "classification":
        return number(float(rule.value)) + (equation if rule.terms else "")
    return printable(_classes(rules)[rule.label], NAME_LIMIT) if rule.label >= 0 else "unknown"


def _conclusion(rule: Rule, rules: RuleList) -> str:
    return f"{printable(rules.schema.target_column.name, NAME_LIMIT)} = {prediction(rule, rules, ' + ...')}"
