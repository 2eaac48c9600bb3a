"""Rules as text."""

from __future__ import annotations

import numpy as np
import pytest

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.model.base.condition import AtMost, IsIn
from hornbeam.model.rules.rule import Rule, RuleList
from hornbeam.show import text

SCHEMA = Schema(
    (Nominal("outlook", ("sunny", "overcast", "rainy")), Numeric("humidity"), Nominal("play", ("yes", "no"))),
    ("feature", "feature", "target"),
    "weather",
)


def rule(
    *conditions: AtMost | IsIn, label: int, coverage: float, errors: float = 0.0, exceptions: RuleList | None = None
) -> Rule:
    value = np.array([coverage, 0.0]) if label == 0 else np.array([0.0, coverage])
    return Rule(tuple(conditions), value, label, coverage, errors, exceptions)


def test_rules_are_numbered_and_figures_aligned() -> None:
    rules = RuleList(
        SCHEMA,
        (
            rule(IsIn(0, (0,)), AtMost(1, 77.5), label=0, coverage=2),
            rule(IsIn(0, (0, 2)), label=1, coverage=8, errors=3),
        ),
        rule(label=0, coverage=4),
    )
    assert text(rules) == (
        "weather                                                     weight  wrong\n"
        "1. if outlook = sunny and humidity <= 77.5 then play = yes       2\n"
        "2. if outlook in {sunny, rainy} then play = no                   8      3\n"
        "otherwise play = yes                                             4\n"
        "\n"
        "2 rules; the first rule that holds decides"
    )


def test_exceptions_stand_below_their_rule() -> None:
    inner = RuleList(SCHEMA, (rule(AtMost(1, 70.0), label=0, coverage=1),))
    rules = RuleList(SCHEMA, (rule(IsIn(0, (0,)), label=1, coverage=5, errors=1, exceptions=inner),), decide="vote")
    lines = text(rules).split("\n")
    assert lines[2] == "   except"
    assert lines[3].startswith("     1. if humidity <= 70 then play = yes")


def test_a_long_rule_goes_on_in_the_next_line() -> None:
    conditions = [IsIn(0, (0,)), AtMost(1, 77.5)] * 6
    lines = text(RuleList(SCHEMA, (rule(*conditions, label=0, coverage=2),))).split("\n")
    assert all(len(line) <= 100 for line in lines)
    assert lines[2].startswith("      and ")


def test_no_answer_and_no_conditions() -> None:
    shown = text(RuleList(SCHEMA, (Rule((), np.zeros(2), -1),), decide="remaining"))
    assert "1. always play is unknown" in shown
    assert shown.endswith("1 rule; each rule takes its fraction of the rows that earlier rules left")


def test_classic_styles_are_for_trees() -> None:
    with pytest.raises(ValueError, match="a list of rules can be printed in these styles"):
        text(RuleList(SCHEMA, ()), style="weka")
