"""Golden figure G32: the iris tree, whole, pruned one level and two levels."""

from __future__ import annotations

import pytest

import hornbeam
from hornbeam import prune
from hornbeam.learn.trees.tree_classifier import TreeClassifier


@pytest.mark.parametrize("levels", [0, 1, 2])
def test_g32_pruning_levels_is_growing_less_deep(levels: int) -> None:
    iris = hornbeam.read("iris")
    whole = TreeClassifier(criterion="information-gain").fit(iris).model_
    pruned = prune.levels(whole, levels)
    grown = TreeClassifier(criterion="information-gain", max_depth=whole.depth - levels).fit(iris).model_
    assert pruned.depth == whole.depth - levels
    assert pruned.value.tolist() == grown.value.tolist()
    assert pruned.parent.tolist() == grown.parent.tolist()
    assert pruned.splits.cuts.tolist() == grown.splits.cuts.tolist()


def test_g32_leaves_of_the_three_pictures() -> None:
    whole = TreeClassifier(criterion="information-gain").fit(hornbeam.read("iris")).model_
    leaves = [prune.levels(whole, levels).n_leaves for levels in range(3)]
    wrong = [int(tree.error[tree.n_children == 0].sum()) for tree in (prune.levels(whole, k) for k in range(3))]
    assert leaves == [9, 8, 5]
    assert wrong == [0, 1, 4]
