"""C4.5rules is as accurate as C4.5, on the same folds, and has fewer conditions."""

from __future__ import annotations

from oracle.rules.part_results import judge, simplified
from oracle.trees.answers import answer, small_sets
from oracle.trees.compare import cross_validated


def test_small_sets_lose_nothing() -> None:
    assert judge([simplified(data) for data in small_sets()]) == []


def test_the_tree_they_are_held_against_is_the_programs() -> None:
    stored = answer("J48", "iris")
    assert cross_validated("J48", stored) == stored.predictions
