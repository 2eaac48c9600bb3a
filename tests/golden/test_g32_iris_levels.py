"""Golden figure G32: the iris tree, pruned one level and two levels, shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import hornbeam

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree

# Leaves in the order of the pictures, from the left: class and rows.
FULL = [
    ("setosa", 50), ("versicolor", 47), ("virginica", 1), ("virginica", 3), ("versicolor", 2), ("virginica", 1),
    ("versicolor", 1), ("virginica", 2), ("virginica", 43),
]  # fmt: skip
ONE_LEVEL = [
    ("setosa", 50), ("versicolor", 47), ("virginica", 1), ("virginica", 3), ("versicolor", 3),
    ("versicolor", 1), ("virginica", 2), ("virginica", 43),
]  # fmt: skip
TWO_LEVELS = [("setosa", 50), ("versicolor", 48), ("virginica", 6), ("virginica", 3), ("virginica", 43)]


@pytest.fixture(scope="module")
def tree() -> Tree:
    return hornbeam.ID3Classifier().fit(hornbeam.read("iris")).model_


@pytest.mark.parametrize(("levels", "leaves"), [(0, FULL), (1, ONE_LEVEL), (2, TWO_LEVELS)])
def test_g32_pruned_level_by_level(tree: Tree, levels: int, leaves: list[tuple[str, int]]) -> None:
    pruned = hornbeam.prune.levels(tree, levels)
    assert pruned.depth == 5 - levels
    shown = hornbeam.show.text(pruned)
    assert [(name, int(rows)) for name, rows in re.findall(r"Iris-(\w+) +(\d+)", shown)] == leaves
    picture = hornbeam.show.svg(pruned)
    assert picture.count(">Iris-") == len(leaves) + 3  # and in the legend
