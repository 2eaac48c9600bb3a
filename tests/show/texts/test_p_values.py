"""The p-values of splits, in text, picture and JSON."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency
from show.pictures.test_svg import overlapping, tooltips, words
from show.planting import Fork, Leaf, plant

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.model.rules.rule import rules_from_tree
from hornbeam.model.trees.split import CUTS
from hornbeam.show.texts.trees.node_notes import NOT_CORRECTED, p_words

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree

SCHEMA = Schema((Numeric("x1"), Numeric("x2"), Nominal("y", ("a", "b"))), ("feature", "feature", "target"), "noise")
NUMBERS = Schema((Numeric("x"), Numeric("y")), ("feature", "target"))

# Deck 003: a useful split, and under it one that is useless (G10).
LEFT, RIGHT = [[1, 4], [1, 3]], [[8, 0], [2, 7]]


def noise() -> Tree:
    low = Fork(0, CUTS, [0.3], [Leaf([1.0, 4.0]), Leaf([1.0, 3.0])])
    return plant(SCHEMA, Fork(1, CUTS, [0.5], [Leaf([8.0, 0.0]), low]))


def test_the_text_tells_it_above_the_branches() -> None:
    # Chi-square of [10, 7] in [8, 0] and [2, 7] is 10.578, of [2, 7] in [1, 4] and [1, 3] is 0.032 (G25, G10).
    first, second = (chi2_contingency(table, correction=False) for table in (RIGHT, LEFT))
    assert (round(first.statistic, 3), round(second.statistic, 4)) == (10.578, 0.0321)
    assert hornbeam.show.text(noise(), p_values=True).splitlines()[1:-3] == [
        "(x2: p = 0.0011; chi-square 10.58, 1 df)",
        "├─ x2 <= 0.5 ··· a       8",
        "└─ x2 > 0.5",
        "   (x1: p = 0.86; chi-square 0.03, 1 df)",
        "   ├─ x1 <= 0.3  b       5      1",
        "   └─ x1 > 0.3   b       4      1",
    ]
    assert round(100 * second.pvalue) == 86
    assert hornbeam.show.text(noise(), p_values=True).splitlines()[-1] == NOT_CORRECTED


def test_without_asking_nothing_is_told() -> None:
    assert "p = " not in hornbeam.show.text(noise())
    assert NOT_CORRECTED not in hornbeam.show.text(noise())
    assert "p = " not in hornbeam.show.svg(noise())
    assert "chi_square" not in hornbeam.export.json(noise())


def test_a_subtree_that_is_not_drawn_tells_nothing() -> None:
    drawn = hornbeam.show.text(noise(), "ascii", max_depth=1, p_values=True)
    assert drawn.count("p = ") == 1
    assert "(2 leaves)" in drawn
    assert hornbeam.show.text(noise(), max_depth=0, p_values=True) == hornbeam.show.text(noise(), max_depth=0)


def test_the_picture_tells_it_in_the_boxes() -> None:
    picture = hornbeam.show.svg(noise(), p_values=True)
    assert [text for text in words(picture) if text.startswith("p ")] == [
        "p = 0.0011",
        "p = 0.86",
    ]
    assert any("p = 0.86, not corrected for the search: chi-square 0.03, 1 df" in text for text in tooltips(picture))
    for direction in ("down", "right"):
        assert not overlapping(hornbeam.show.svg(noise(), p_values=True, direction=direction))
    shut = hornbeam.show.svg(noise(), p_values=True, max_depth=1)
    assert sum(text.startswith("p = ") for text in words(shut)) == 1


def test_the_json_has_the_figures() -> None:
    root = json.loads(hornbeam.export.json(noise(), p_values=True))["tree"]
    expected = chi2_contingency(RIGHT, correction=False)
    assert root["chi_square"]["statistic"] == pytest.approx(expected.statistic)
    assert root["chi_square"]["degrees"] == 1
    assert root["chi_square"]["p_value"] == pytest.approx(expected.pvalue)
    assert root["chi_square"]["log_p_value"] == pytest.approx(math.log(expected.pvalue))
    leaf, inner = root["children"]
    assert "chi_square" not in leaf
    assert inner["chi_square"]["p_value"] == pytest.approx(chi2_contingency(LEFT, correction=False).pvalue)


def test_where_there_is_nothing_to_test() -> None:
    tree = plant(NUMBERS, Fork(0, CUTS, [1.0], [Leaf([2.0, 1.0, 0.0]), Leaf([2.0, 3.0, 0.0])]))
    with pytest.raises(ValueError, match="the target 'y' is numeric"):
        hornbeam.show.text(tree, p_values=True)
    with pytest.raises(ValueError, match="the target 'y' is numeric"):
        hornbeam.show.svg(tree, p_values=True)
    with pytest.raises(ValueError, match="'y' is numeric"):
        hornbeam.export.json(tree, p_values=True)
    with pytest.raises(ValueError, match="max_depth and p_values are only for trees"):
        hornbeam.show.text(rules_from_tree(noise()), p_values=True)
    with pytest.raises(ValueError, match="p_values goes with 'default' and 'ascii'"):
        hornbeam.show.text(noise(), "weka", p_values=True)
    lone = plant(SCHEMA, Leaf([3.0, 1.0]))
    assert hornbeam.show.text(lone, p_values=True) == hornbeam.show.text(lone)


@given(st.floats(0, 1))
def test_a_p_value_is_one_figure(p_value: float) -> None:
    told = p_words(p_value)
    assert told.startswith("p ")
    if told.startswith("p = ") and p_value < 0.99:
        assert float(told.removeprefix("p = ")) == pytest.approx(p_value, rel=0.051)
