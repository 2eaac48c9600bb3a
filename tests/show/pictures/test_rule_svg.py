"""Rules as a picture."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pytest
from show.pictures.test_svg import SVG, tooltips, words
from show.texts.test_rule_list import SCHEMA, rule

import hornbeam
from hornbeam.model.base.condition import AtMost, IsIn
from hornbeam.model.rules.rule import Rule, RuleList
from hornbeam.show import svg
from hornbeam.show.pictures.palette import LIGHT


def groups(picture: str) -> list[ET.Element]:
    return [group for group in ET.fromstring(picture).iter(f"{SVG}g") if group.get("class") == "node"]  # noqa: S314


def bars(group: ET.Element) -> list[tuple[str, float]]:
    return [
        (bar.get("fill", ""), float(bar.get("width", "")))
        for bar in group.iter(f"{SVG}rect")
        if bar.get("height") == "9"
    ]


def test_rows_say_what_the_rules_say() -> None:
    mixed = Rule((IsIn(0, (0, 2)),), np.array([2.0, 6.0]), 1, 8, 2)
    rules = RuleList(
        SCHEMA, (rule(IsIn(0, (0,)), AtMost(1, 77.5), label=0, coverage=2), mixed), rule(label=0, coverage=4)
    )
    picture = svg(rules)
    drawn = words(picture)
    assert drawn[:2] == ["weather: play", "2 rules; the first rule that holds answers"]
    for expected in ("if outlook = sunny and humidity ≤ 77.5", "otherwise", "yes", "no", "75.0%", "100.0%"):
        assert expected in drawn
    assert [group.get("data-node") for group in groups(picture)] == ["0", "1", "-1"]
    of_mixed = bars(groups(picture)[1])
    muted, faint = LIGHT.muted, LIGHT.faint
    blue, orange = LIGHT.categories[:2]
    assert [color for color, _ in of_mixed] == [faint, muted, faint, blue, orange]
    assert of_mixed[1][1] == of_mixed[0][1]  # the rule that covers most has a full bar
    assert bars(groups(picture)[0])[1][1] == pytest.approx(of_mixed[0][1] * 2 / 8, abs=0.02)
    assert of_mixed[4][1] == pytest.approx(3 * of_mixed[3][1], abs=0.02)
    assert any("weight 8, wrong 2" in tip for tip in tooltips(picture))


def test_exceptions_stand_indented() -> None:
    inner = RuleList(SCHEMA, (rule(AtMost(1, 70.0), label=0, coverage=1),))
    picture = svg(RuleList(SCHEMA, (), rule(label=1, coverage=5, errors=1, exceptions=inner)))
    assert "a default with 1 exception" in words(picture)
    first, second = groups(picture)
    places = [float(next(g for g in group.iter(f"{SVG}text") if g.text == told).get("x", "")) for group, told in
              ((first, "by default"), (second, "if humidity ≤ 70"))]  # fmt: skip
    assert places[1] > places[0]
    assert [group.get("data-node") for group in (first, second)] == ["-1", None]
    assert "80.0%" in words(picture)


def test_equations_stand_below_their_answer() -> None:
    table = hornbeam.read("iris").with_target("petalwidth")
    fitted = hornbeam.M5RulesRegressor().fit(table)
    picture = svg(fitted)
    assert "error" in words(picture)
    first = fitted.model_.rules[0]
    assert sum(word.startswith(("+ ", "- ")) for word in words(picture)) >= len(first.terms) > 0


def test_many_rules_are_cut_and_told() -> None:
    rules = RuleList(SCHEMA, tuple(rule(AtMost(1, float(k)), label=0, coverage=1) for k in range(203)))
    picture = svg(rules)
    assert len(groups(picture)) == 200
    assert "… 3 more rules" in words(picture)


def test_nothing_is_drawn_of_nothing() -> None:
    assert "no rules" in words(svg(RuleList(SCHEMA, ())))
    lone = svg(RuleList(SCHEMA, (Rule((), np.zeros(2), -1),), decide="remaining"))
    assert {"always", "unknown"} <= set(words(lone))
