"""Golden figure G25: the noise example, of whose three splits chi-square pruning leaves one."""

from __future__ import annotations

import pytest
from show.planting import Fork, Leaf, plant

from hornbeam import prune
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.model.trees.split import CUTS
from hornbeam.model.trees.split_tests import split_tests

SCHEMA = Schema((Numeric("x1"), Numeric("x2"), Nominal("class", ("A", "B"))), ("feature", "feature", "target"))


def test_g25_one_split_is_left() -> None:
    lowest = Fork(0, CUTS, [0.3], [Leaf([0, 2]), Leaf([1, 2])], missing=0, counts=[1, 4])
    middle = Fork(0, CUTS, [0.6], [lowest, Leaf([1, 3])], missing=0, counts=[2, 7])
    tree = plant(SCHEMA, Fork(1, CUTS, [0.5], [Leaf([8, 0]), middle], missing=0, counts=[10, 7]))
    found = split_tests(tree).statistic[tree.n_children > 0]
    assert found.tolist() == pytest.approx([10.578, 0.0321, 0.833], abs=1e-3)
    for path in (prune.chi_square(tree), prune.chi_square(tree, threshold=3.84)):
        # the useless split in the middle goes only after the one below it: its K alone would not have kept it
        assert path.n_leaves.tolist() == [4, 2, 1]
        assert path.best.n_leaves == 2
        assert path.best.value[1:].tolist() == [[8, 0], [2, 7]]
    assert prune.chi_square(tree, threshold=0.5).best.n_leaves == 4
    assert prune.chi_square(tree, threshold=10.6).best.n_leaves == 1
