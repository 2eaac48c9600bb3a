"""Equations in text and picture, and why a row gets its answer."""

from __future__ import annotations

import re

import numpy as np
import pytest

import hornbeam
from hornbeam.data.table import Table
from hornbeam.model.trees.equation import equation_of
from hornbeam.show import explain, svg, text

pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")

SERVO = """\
servo                                     class  weight   error
├─ pgain in {5, 6, 4} or missing
│  ├─ pgain in {5, 6} ·············· equation 1      51  0.0620
│  └─ pgain in {4, 3} or missing
│     ├─ vgain in {4, 5, 3} ········ equation 2      24  0.1671
│     └─ vgain in {2, 1} or missing  equation 3      42  0.1806
└─ pgain = 3 ······················· equation 4      50  1.1428

4 leaves, size 7, depth 3; explains 83.3% of the variance in training

equation 1: class = 0.25907 + 0.19896 motor in {C, B, A} + 0.04456 motor in {B, A}
            + 0.077109 screw in {B, A} + 0.2099 screw = A + 0.14423 pgain in {4, 3}
            + 0.3246 pgain = 3 - 0.15963 vgain in {1, 2} + 0.038829 vgain = 2

equation 2:"""


def test_the_tree_comes_with_its_equations() -> None:
    tree = hornbeam.M5Regressor(min_samples_leaf=10).fit(hornbeam.read("servo"))
    assert text(tree).startswith(SERVO)
    assert text(tree, style="ascii").count("equation 3") == 2


def test_a_tree_cut_short_tells_the_equations_it_shows() -> None:
    tree = hornbeam.M5Regressor(min_samples_leaf=10).fit(hornbeam.read("servo"))
    shown = text(tree, max_depth=1)
    assert "(3 leaves)" in shown
    assert "equation 4:" in shown
    assert "equation 1:" not in shown


def test_means_stand_in_the_tree_itself() -> None:
    shown = text(hornbeam.M5Regressor(leaf="mean", min_samples_leaf=30).fit(hornbeam.read("servo")))
    assert "equation" not in shown
    assert re.search(r"pgain = 3 ·* +[0-9.]+ +50", shown)


def test_the_picture_has_the_equations() -> None:
    tree = hornbeam.M5Regressor(min_samples_leaf=15).fit(hornbeam.read("cpu"))
    drawn = svg(tree)
    assert "equation 2" in drawn
    assert "+ 0.003345 MMAX" in drawn


def test_names_are_made_safe() -> None:
    table = hornbeam.read("cpu").renamed("<b>\x1b[31m")
    tree = hornbeam.M5Regressor(min_samples_leaf=15).fit(table)
    assert "\x1b" not in text(tree) + svg(tree)
    assert "<b>" not in svg(tree)


def test_json_has_the_equations() -> None:
    tree = hornbeam.M5Regressor(min_samples_leaf=15).fit(hornbeam.read("cpu"))
    assert '"equation": {"intercept": ' in hornbeam.export.json(tree)


def test_what_terms_add_makes_the_answer() -> None:
    table = hornbeam.read("auto-mpg")
    tree = hornbeam.M5Regressor(min_samples_leaf=40).fit(table)
    for row in (0, 100, 32):
        told = explain(tree, table, row)
        figures = [float(found) for found in re.findall(r"^ +(-?[0-9.e+-]+)  ", told, re.MULTILINE)]
        answer = float(tree.predict(table.take(np.array([row])))[0])
        assert sum(figures) == pytest.approx(answer, rel=1e-3)
        leaf = int(tree.model_.apply(table)[row])
        assert len(figures) == len(equation_of(tree.model_, leaf)) + 1
    assert "horsepower, missing: " in explain(tree, table, 32)


def test_a_class_is_explained_by_its_path() -> None:
    weather = hornbeam.read("weather.nominal")
    told = explain(hornbeam.C45Classifier().fit(weather), weather, 0)
    assert told == "row 1:\n  outlook = sunny\n  humidity = high\nso play = no, as for 3 training rows"


def test_pieces_are_told() -> None:
    weather = hornbeam.read("weather.nominal")
    tree = hornbeam.C45Classifier().fit(weather)
    arrays = list(weather.columns)
    arrays[0] = np.full(weather.n_rows, -1, np.int32)
    assert "of its weight; the rest takes other branches" in explain(tree, Table(weather.schema, arrays), 0)


def test_what_cannot_be_explained_is_told() -> None:
    cpu = hornbeam.read("cpu")
    tree = hornbeam.M5Regressor().fit(cpu)
    with pytest.raises(IndexError, match="no row 209; the table has rows 0 to 208"):
        explain(tree, cpu, 209)
    with pytest.raises(TypeError, match=r"cannot explain a dict; expected one of Tree, RuleList, LinearModel"):
        explain({}, cpu)


def test_rules_have_equations() -> None:
    rules = hornbeam.M5RulesRegressor(min_samples_leaf=20, criterion="sd-reduction").fit(hornbeam.read("cpu"))
    shown = text(rules)
    assert "1. if CHMIN <= 7.5" in shown
    assert "MMAX" in shown
    assert "error" in shown
    with pytest.raises(ValueError, match="a list of rules can be printed in these styles"):
        text(rules, style="weka")


def test_a_committee_is_explained_member_by_member() -> None:
    cpu = hornbeam.read("cpu")
    committee = hornbeam.M5Regressor(committees=3).fit(cpu)
    told = explain(committee, cpu, 4).split("\n")
    assert [line for line in told if line.startswith("member ")] == ["member 1", "member 2", "member 3"]
    found = float(committee.predict(cpu.take([4]))[0])
    assert told[-1].startswith("together class = ")
    assert float(told[-1].split(" = ")[1].split(",")[0]) == pytest.approx(found, rel=1e-3)
