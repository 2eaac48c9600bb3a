"""Splits that come again in the trees of an ensemble."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.explain.members import leaves_of, trees_of
from hornbeam.learn.explain.stable import _groups, stable_splits


def stump(cut: float, column: str = "a") -> Any:
    """A tree that cuts one column once."""
    schema = Schema((Numeric("a"), Numeric("b"), Nominal("y", ("no", "yes"))), ("feature", "feature", "target"))
    values = np.array([cut - 1, cut + 1])
    other = np.zeros(2)
    columns = [values, other] if column == "a" else [other, values]
    return hornbeam.TreeClassifier().fit(Table(schema, [*columns, np.array([0, 1])])).model_


def test_near_cuts_are_one_split() -> None:
    trees = [stump(1.0), stump(1.05), stump(1.1), stump(5.0), stump(11.0), stump(3.0, "b")]
    found = stable_splits(trees, tolerance=0.02)
    assert [(split.column, split.trees) for split in found] == [("a", 3), ("a", 1), ("a", 1), ("b", 1)]
    first = found[0]
    assert (first.cut, first.low, first.high, first.depth) == pytest.approx((1.05, 1.0, 1.1, 0.0))
    assert first.share == 0.5
    assert str(first) == "50% of the trees: a at 1.05 (1 to 1.1), depth 0.0"
    assert len(stable_splits(trees, tolerance=0.0)) == 6
    assert len(stable_splits(trees, tolerance=1.0)) == 2
    assert len(stable_splits(trees, tolerance=1.0, least=0.5)) == 1


def test_the_reach_of_a_column_may_come_from_rows() -> None:
    trees = [stump(1.0), stump(1.2)]
    assert len(stable_splits(trees, tolerance=0.5)) == 2
    schema = Schema((Numeric("a"), Numeric("b")))
    rows = Table(schema, [np.array([0.0, np.nan, 10.0]), np.full(3, np.nan)])
    assert [split.share for split in stable_splits(trees, rows, tolerance=0.05)] == [1.0]


def test_a_group_holds_the_most_trees() -> None:
    noted = [(0.0, 0, 0), (1.0, 1, 0), (1.5, 2, 0), (2.0, 2, 0), (2.0, 3, 0), (9.0, 0, 0)]
    groups = [[cut for cut, _, _ in group] for group in _groups(noted, 1.0)]
    assert groups[0] == [1.0, 1.5, 2.0, 2.0]  # three trees; one of them twice
    assert sorted(map(tuple, groups[1:])) == [(0.0,), (9.0,)]


def test_a_tree_counts_once_and_depth_is_a_limit() -> None:
    tree = hornbeam.C45Classifier(prune=None).fit(hornbeam.read("iris")).model_
    for depth in (1, 2, 9):
        found = stable_splits([tree], max_depth=depth)
        assert {split.share for split in found} == {1.0}
        assert max(split.depth for split in found) < depth
    assert len(stable_splits([tree], max_depth=1)) == 1


def test_categories_that_go_together() -> None:
    weather = hornbeam.read("weather")
    many = hornbeam.BaggingClassifier(n_estimators=20, random_state=0).fit(weather)
    found = stable_splits(many, max_depth=1)
    assert sum(split.trees for split in found) <= 20
    outlook = next(split for split in found if split.column == "outlook")
    assert outlook.cut is None
    assert outlook.branches == (("overcast",), ("rainy",), ("sunny",))
    assert "outlook: overcast | rainy | sunny" in str(outlook)
    sets = hornbeam.BaggingClassifier(hornbeam.TreeClassifier(), n_estimators=20, random_state=0).fit(weather)
    assert {len(split.branches or ()) for split in stable_splits(sets, max_depth=1)} <= {2}


def test_sums_of_columns_and_ordered_categories() -> None:
    iris = hornbeam.read("iris")
    sums = hornbeam.TreeClassifier(combinations=True, max_depth=2).fit(iris).model_
    assert any(" + " in split.column for split in stable_splits([sums], max_depth=2))
    sizes = Nominal("size", ("small", "medium", "large"), ordered=True)
    schema = Schema((sizes, Nominal("y", ("no", "yes"))), ("feature", "target"))
    rows = Table(schema, [np.array([0, 1, 2, 2]), np.array([0, 0, 1, 1])])
    (split,) = stable_splits([hornbeam.TreeClassifier().fit(rows).model_])
    assert split.branches == (("large",), ("small", "medium"))


def test_trees_of_every_kind_of_ensemble() -> None:
    iris = hornbeam.read("iris")
    forest = hornbeam.RandomForestClassifier(n_estimators=3, random_state=0).fit(iris)
    bagged = hornbeam.BaggingClassifier(n_estimators=2, random_state=0).fit(iris)
    assert len(list(trees_of(forest))) == 3
    assert len(list(trees_of([forest, bagged, bagged.model_.members[0]]))) == 6
    assert leaves_of(forest, iris).shape == (150, 3)
    assert leaves_of(bagged, iris).shape == (150, 2)
    assert stable_splits(forest, iris)[0].column in ("petalwidth", "petallength")
    with pytest.raises(TypeError, match="no trees"):
        list(trees_of(hornbeam.RipperClassifier().fit(iris)))
    with pytest.raises(TypeError, match="no trees"):
        leaves_of(hornbeam.RipperClassifier().fit(iris), iris)
    assert stable_splits([]) == []
    with pytest.raises(ValueError, match="max_depth"):
        stable_splits(forest, max_depth=0)
