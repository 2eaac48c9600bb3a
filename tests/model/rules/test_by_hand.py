"""Rules entered by hand."""

from __future__ import annotations

import numpy as np
import pytest

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.model.base.condition import Above, Below, IsIn
from hornbeam.model.base.plain import ModelError
from hornbeam.model.rules.by_hand import rule, rules, rules_on

SCHEMA = Schema(
    (
        Numeric("age"),
        Numeric("age at death"),
        Nominal("place", ("north", "north and west", "south")),
        Nominal("size", ("small", "mid", "large"), ordered=True),
        Nominal("answer", ("yes", "no", "not yet")),
    ),
    ("feature", "feature", "feature", "feature", "target"),
)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("if age >= 38.5 and age < 60 then yes", "if age >= 38.5 and age < 60 then answer = yes"),
        ("if age at death > -2e3 then not yet", "if age at death > -2000 then answer = not yet"),
        ("IF place = north and west AND age <= 3 THEN no", "if place = north and west and age <= 3 then answer = no"),
        ("if place in {north, south} then answer = no", "if place in {north, south} then answer = no"),
        ("if size >= mid then yes", "if size >= mid then answer = yes"),
        ("if age is missing then yes", "if age is missing then answer = yes"),
        ("if age is known then yes", "if age is known then answer = yes"),
        ("not yet", "always answer = not yet"),
    ],
)
def test_words_become_rules(words: str, shown: str) -> None:
    assert rule(words, SCHEMA).describe(SCHEMA) == shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("if weight > 3 then yes", "does not begin with a column; columns: age"),
        ("if age ~ 3 then yes", "does not begin with a column"),
        ("if age = 3 then yes", "'age' is a number, compared by '='"),
        ("if age > old then yes", "compared with 'old then yes'; expected a number"),
        ("if age > 3 yes", "expected 'and' or 'then'"),
        ("if place < north then yes", "have no order"),
        ("if place = east then yes", "'place' has no category 'east'"),
        ("if place in north then yes", "expected categories in braces"),
        ("if (age > 3) then yes", r"found '\) then yes' in parentheses after a condition; expected 'or missing\)'"),
        ("if age > 3 then maybe", "'answer' has no category 'maybe'"),
    ],
)
def test_what_is_not_there_is_named(words: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        rule(words, SCHEMA)


def test_a_missing_value_may_pass() -> None:
    made = rule("if (age > 3 or missing) and (place in {north, south} or missing) then yes", SCHEMA)
    assert made.conditions == (Above(0, 3.0, 1.0), IsIn(2, (0, 2), 1.0))
    bracketed = Schema((Numeric("(x)"), Nominal("answer", ("yes", "no"))), ("feature", "target"))
    assert rule("if ((x) > 3 or missing) and (x) < 5 then yes", bracketed).conditions == (
        Above(0, 3.0, 1.0),
        Below(0, 5.0),
    )


def test_a_rule_is_words() -> None:
    with pytest.raises(ModelError, match="a rule is 5; expected text"):
        rule(5, SCHEMA)  # type: ignore[arg-type]


def test_g29_again_in_words() -> None:
    table = hornbeam.read("weather.numeric")
    lines = [
        "if outlook = sunny and humidity > 83 then no",
        "if outlook = rainy and windy = TRUE then no",
        "if outlook = overcast then yes",
        "if humidity < 85 then yes",
    ]
    found = rules_on(lines, table, "yes")
    assert (found.predict_codes(table) == table.target_values()).all()
    assert [entry.coverage for entry in found.rules] == [3, 2, 4, 4]
    assert found.default is not None
    assert found.default.coverage == 1
    assert found.predict_proba(table).max(axis=1).min() == 1.0
    assert hornbeam.PrismClassifier.from_model(found).score(table) == 1.0


def test_a_list_without_default_has_no_answer() -> None:
    table = hornbeam.read("weather")
    found = rules(["if outlook = sunny then no"], table.schema)
    assert (found.predict_codes(table) < 0).sum() == np.count_nonzero(table.column("outlook") != 0)
