"""Importance of columns: by the splits' own gains and surrogates, and by what nodes tell."""

from __future__ import annotations

import numpy as np
import pytest
from reference.cart import Options, from_table
from reference.cart import importance as naive_importance
from show.planting import Fork, Leaf, Other, plant

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.learn.trees.importance import importance, impurity_decrease
from hornbeam.model.trees.split import CUTS

SCHEMA = Schema(
    (Numeric("a"), Nominal("y", ("p", "q")), Numeric("b"), Numeric("c")), ("feature", "target", "feature", "feature")
)


def fork(score: float, surrogates: list[Other] | None = None, column: int = 0) -> Fork:
    parts: list[Leaf | Fork] = [Leaf([4, 0]), Leaf([2, 2])]
    return Fork(column, CUTS, [1.0], parts, missing=0, counts=[6, 2], score=score, surrogates=surrogates or [])


def test_a_surrogate_shares_in_the_gain() -> None:
    stand_in = Other(2, CUTS, [3.0], score=0.25, agreement=0.9)
    tree = plant(SCHEMA, fork(0.125, [stand_in]), recipe={"criterion": "gini"})
    assert importance(tree).tolist() == [1.0, 0.25, 0.0]  # 0.125 for each of 8 rows; a quarter of that


def test_entropy_is_told_in_nats() -> None:
    stand_in = Other(2, CUTS, [3.0], score=0.5, agreement=0.9)
    tree = plant(SCHEMA, fork(0.125, [stand_in]), recipe={"criterion": "information-gain"})
    assert importance(tree).tolist() == pytest.approx([np.log(2), np.log(2) / 2, 0.0])


def test_without_surrogates_nodes_tell() -> None:
    tree = plant(SCHEMA, fork(np.nan, column=3), recipe={"criterion": "gini"})
    gini = 8 * (1 - (6 / 8) ** 2 - (2 / 8) ** 2) - 4 * 0.5
    assert importance(tree).tolist() == pytest.approx([0, 0, gini])
    assert impurity_decrease(tree).tolist() == pytest.approx([gini, 0, 0])


def test_without_surrogates_entropy_is_that_of_the_nodes() -> None:
    tree = plant(SCHEMA, fork(np.nan), recipe={"criterion": "gain-ratio"})
    entropy = -6 * np.log(6 / 8) - 2 * np.log(2 / 8) - 4 * np.log(2)
    assert importance(tree).tolist() == pytest.approx([entropy, 0, 0])


def test_numbers_tell_by_squared_error() -> None:
    schema = Schema((Numeric("a"), Numeric("y")), ("feature", "target"))
    parts: list[Leaf | Fork] = [Leaf([2, 0.0, 1.0]), Leaf([2, 4.0, 2.0])]
    tree = plant(schema, Fork(0, CUTS, [1.0], parts, missing=0, counts=[4, 2.0, 19.0]), recipe={})
    assert importance(tree).tolist() == [16.0]


def test_a_lone_leaf_needs_no_column() -> None:
    assert importance(plant(SCHEMA, Leaf([3, 1]))).tolist() == [0, 0, 0]


@pytest.mark.parametrize(("name", "criterion"), [("labor", "gini"), ("labor", "entropy"), ("glass", "gini")])
def test_classes_as_the_naive_tree_tells(name: str, criterion: str) -> None:
    table = hornbeam.read(name)
    tree = hornbeam.CartClassifier(criterion=criterion, folds=0).fit(table).model_
    expected = naive_importance(from_table(table, Options("gini" if criterion == "gini" else "information")))
    names = [table.schema.columns[position].name for position in table.schema.features]
    assert importance(tree).tolist() == pytest.approx([expected.get(name, 0.0) for name in names])


def test_numbers_as_the_naive_tree_tells() -> None:
    table = hornbeam.read("auto-mpg")
    tree = hornbeam.CartRegressor(folds=0).fit(table).model_
    expected = naive_importance(from_table(table, Options()))
    names = [table.schema.columns[position].name for position in table.schema.features]
    assert importance(tree).tolist() == pytest.approx([expected.get(name, 0.0) for name in names])
