"""The chi-square test of every split of a tree, against the textbook form of it; golden figures G10 and G25."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from show.planting import Fork, Leaf, plant
from strategies import trees

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.learn.trees.criteria import chi_square
from hornbeam.model.base.plain import ModelError
from hornbeam.model.trees.split import CUTS
from hornbeam.model.trees.split_tests import split_tests

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree

SCHEMA = Schema((Numeric("x1"), Numeric("x2"), Nominal("y", ("A", "B"))), ("feature", "feature", "target"))


@given(trees(surrogates=True))
def test_every_split_is_tested_as_the_textbook_does(tree: Tree) -> None:
    found = split_tests(tree)
    for node in range(tree.n_nodes):
        first, count = int(tree.first_child[node]), int(tree.n_children[node])
        if not count:
            assert math.isnan(found.statistic[node])
            assert math.isnan(found.p_value[node])
            assert found.degrees[node] == 0
            continue
        expected = chi_square(tree.value[first : first + count])
        assert found.statistic[node] == pytest.approx(expected.statistic, abs=1e-9)
        assert found.degrees[node] == expected.degrees
        assert found.p_value[node] == pytest.approx(expected.p_value, rel=1e-8)


@pytest.mark.parametrize(
    ("branches", "statistic"),
    [([[1, 4], [1, 3]], 0.0321), ([[8, 0], [2, 7]], 10.578), ([[0, 2], [1, 2]], 0.833)],  # G10, G25, G25
)
def test_g10_and_g25(branches: list[list[float]], statistic: float) -> None:
    leaves: list[Leaf | Fork] = [Leaf([float(count) for count in counts]) for counts in branches]
    counts = np.sum(branches, axis=0).astype(float).tolist()
    found = split_tests(plant(SCHEMA, Fork(0, CUTS, [0.5], leaves, missing=0, counts=counts)))
    assert found.statistic[0] == pytest.approx(statistic, abs=5e-4)
    assert found.degrees[0] == 1
    assert (found.p_value[0] < 0.05) == (statistic > 3.84)


def test_numbers_have_no_classes_to_count() -> None:
    schema = Schema((Numeric("x"), Numeric("y")), ("feature", "target"))
    with pytest.raises(ModelError, match="'y' is numeric"):
        split_tests(plant(schema, Leaf([3.0, 1.0, 0.5])))
