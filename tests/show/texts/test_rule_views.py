"""Rules as lines, table, JSON and explanations, and held against rows."""

from __future__ import annotations

import json

import numpy as np
import pytest

import hornbeam
from hornbeam.evaluate import rule_report
from hornbeam.model.base.plain import ModelError
from hornbeam.model.rules.by_hand import rules
from hornbeam.model.rules.rule import rules_from_tree
from hornbeam.show import explain, text

WEATHER = hornbeam.read("weather")
PRISM = hornbeam.PrismClassifier().fit(WEATHER)
GLASS = hornbeam.read("glass")
NESTED = hornbeam.ExceptionRulesClassifier(max_significance=1.0).fit(GLASS)


def test_lines() -> None:
    lines = text(PRISM, style="if-then").split("\n")
    assert lines[0] == "IF outlook = overcast THEN play = yes (4)"
    assert lines[-1] == "ELSE play = yes (0)"
    nested = text(NESTED, style="if-then").split("\n")
    assert nested[0].startswith("ELSE Type = ")
    assert nested[1].startswith("   EXCEPT IF ")


def test_table() -> None:
    lines = text(PRISM, style="table").split("\n")
    assert lines[0].split() == ["rule", "prediction", "covered", "wrong", "right", "lift", "conditions"]
    assert lines[5].split() == [
        "5",
        "no",
        "3",
        "0",
        "100.0%",
        "2.80",
        "outlook",
        "=",
        "sunny",
        "and",
        "humidity",
        "=",
        "high",
    ]
    assert lines[-1].split() == ["*", "yes", "0", "0", "otherwise"]


@pytest.mark.parametrize("style", ["if-then", "table"])
def test_a_tree_is_written_as_its_rules(style: str) -> None:
    tree = hornbeam.C45Classifier().fit(WEATHER)
    assert text(tree, style=style) == text(rules_from_tree(tree.model_), style=style)
    cart = hornbeam.CartClassifier(folds=0, min_samples_leaf=2, min_samples_split=4).fit(hornbeam.read("labor"))
    written = text(cart, style=style)
    assert written.count("wage-increase-first-year") > 0
    assert written.endswith("(surrogates), which these rules do not show.")
    with pytest.raises(ValueError, match="prints whole trees; p_values goes with"):
        text(tree, style=style, p_values=True)


def test_json() -> None:
    plain = json.loads(hornbeam.export.json(NESTED))
    assert plain["kind"] == "rules"
    assert plain["rules"] == []
    first = plain["default"]["exceptions"]["rules"][0]
    assert set(first) >= {"conditions", "label", "distribution", "coverage", "errors"}
    plain = json.loads(hornbeam.export.json(PRISM))
    assert plain["rules"][0]["conditions"] == [
        {"column": "outlook", "is": "in", "categories": ["overcast"], "if_missing": 0}
    ]


def test_which_rule_fired() -> None:
    assert explain(PRISM, WEATHER, 2) == (
        "row 3:\n  rule 1: play = yes (4)\n    outlook = overcast: overcast\nso play = yes"
    )
    assert "rule 1: play = yes (4); rule 2 holds too" in explain(PRISM, WEATHER, 12)
    told = explain(NESTED, GLASS, 0)
    assert told.startswith("row 1:\n  default: Type = ")
    truth = GLASS.schema.target_column.categories[int(NESTED.model_.predict_codes(GLASS)[0])]
    assert told.endswith(f"so Type = {truth}")
    alone = rules(["if outlook = sunny then no"], WEATHER.schema)
    assert explain(alone, WEATHER, 2).endswith("so play is unknown")
    voted = hornbeam.PrismClassifier(decide="vote").fit(WEATHER)
    assert explain(voted, WEATHER, 2).count("rule ") >= 1


def test_rules_held_against_rows() -> None:
    report = rule_report(PRISM, WEATHER)
    assert [figures.decides for figures in report.rules] == [4, 3, 1, 1, 3, 2]
    assert report.rules[4].lift == pytest.approx(2.8)
    assert report.left == 0
    holds = np.array([entry.holds(WEATHER) for entry in PRISM.model_.rules])
    assert np.array_equal(report.overlap, holds @ holds.T)
    assert json.loads(json.dumps(report.to_json()))["total"] == 14
    assert "rules 1 and 2 hold together" in str(report)


def test_conditions_that_could_go() -> None:
    long = rules(["if outlook = overcast and humidity = high then yes"], WEATHER.schema, "no")
    (figures,) = rule_report(long, WEATHER).rules
    assert figures.could_go == ("humidity = high",)
    assert "rule 1: humidity = high could go" in str(rule_report(long, WEATHER))
    short = rules(["if outlook = sunny and humidity = high then no"], WEATHER.schema, "yes")
    assert rule_report(short, WEATHER).rules[0].could_go == ()


def test_what_is_no_list_of_classes_is_refused() -> None:
    with pytest.raises(TypeError, match="a Tree was given"):
        rule_report(hornbeam.C45Classifier().fit(WEATHER), WEATHER)
    cpu = hornbeam.read("cpu")
    numbers = hornbeam.M5RulesRegressor().fit(cpu)
    with pytest.raises(ModelError, match="is a number"):
        rule_report(numbers, cpu)
    assert text(numbers, style="if-then").startswith("IF ")
    assert json.loads(hornbeam.export.json(numbers))["kind"] == "rules"
    assert "so class = " in explain(numbers, cpu, 0)


def test_a_range_of_one_number_is_that_number() -> None:
    boxes = hornbeam.ExemplarsClassifier().fit(hornbeam.read("iris"))
    assert "if sepallength = 7.2 and sepalwidth = 3 and" in text(boxes)
