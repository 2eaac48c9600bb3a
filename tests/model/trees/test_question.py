"""What splits ask, compared between trees."""

from __future__ import annotations

import pytest
from show.planting import Fork, Leaf, plant

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.model.trees.question import Question, question
from hornbeam.model.trees.split import CODES, CUTS, SUMS

SCHEMA = Schema(
    (
        Numeric("a"),
        Nominal("b", ("x", "y", "z")),
        Nominal("c", ("low", "mid", "high"), ordered=True),
        Nominal("t", ("p", "q")),
    ),
    ("feature", "feature", "feature", "target"),
)


def test_a_question_is_told_by_column_and_cuts_or_categories() -> None:
    leaves = [Leaf([1, 0]), Leaf([0, 1])]
    tree = plant(SCHEMA, Fork(0, CUTS, [2.5], [Fork(1, CODES, [1, 0, 1], leaves), Fork(2, CUTS, [0.5], leaves)]))
    assert question(tree, 0) == Question("a", cuts=(2.5,))
    assert question(tree, 1) == Question("b", branches=(("x", "z"), ("y",)))  # whichever branch is the first
    assert question(tree, 2) == Question("c", branches=(("low",), ("mid", "high")))


@pytest.mark.parametrize(
    ("other", "width", "same"),
    [
        (Question("a", cuts=(2.6,)), 0.2, True),
        (Question("a", cuts=(2.6,)), 0.05, False),
        (Question("b", cuts=(2.5,)), 1.0, False),
        (Question("a", cuts=(2.5, 3.0)), 1.0, False),
        (Question("a", branches=(("x",), ("y",))), 1.0, False),
        (Question("a"), 1.0, False),
    ],
)
def test_questions_are_about_the_same_within_a_width(other: Question, width: float, same: bool) -> None:
    one = Question("a", cuts=(2.5,))
    assert one.is_about(other, width) is same
    assert other.is_about(one, width) is same


def test_of_sums_the_columns_are_compared() -> None:
    schema = Schema((Numeric("a"), Numeric("d"), Nominal("t", ("p", "q"))), ("feature", "feature", "target"))
    sums = [
        plant(schema, Fork(0, SUMS, ({0: 1.0, 1: factor}, 3.0), [Leaf([1, 0]), Leaf([0, 1])])) for factor in (2.0, -1.0)
    ]
    one, two = (question(tree, 0) for tree in sums)
    assert one == Question("a + d")
    assert one.is_about(two, 0.0)
    assert not one.is_about(Question("a", cuts=(3.0,)), 9.0)
