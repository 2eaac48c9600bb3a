"""Golden figure G21: XOR, where no single column tells anything and the two together tell all."""

from __future__ import annotations

import numpy as np
import pytest

from hornbeam.data.schema import Nominal, Schema
from hornbeam.data.table import Table
from hornbeam.learn.trees.tree_classifier import TreeClassifier

BITS = ("0", "1")


def xor(times: int) -> Table:
    schema = Schema(tuple(Nominal(name, BITS) for name in ("a", "b", "a xor b")), ("feature", "feature", "target"))
    a, b = (np.tile(bits, times) for bits in ([0, 0, 1, 1], [0, 1, 0, 1]))
    return Table(schema, [a, b, a ^ b])


@pytest.mark.parametrize("times", [1, 5])
def test_g21_the_chi_square_test_stops_at_the_root(times: int) -> None:
    tree = TreeClassifier(criterion="information-gain", nominal="multiway", significance=0.05, min_gain=-1.0)
    assert tree.fit(xor(times)).model_.n_nodes == 1


def test_g21_so_does_asking_for_a_gain() -> None:
    assert TreeClassifier(criterion="information-gain", nominal="multiway").fit(xor(5)).model_.n_nodes == 1


@pytest.mark.parametrize("nominal", ["multiway", "subset"])
@pytest.mark.parametrize("criterion", ["information-gain", "gini"])
def test_g21_a_gain_below_zero_grows_the_whole_tree(criterion: str, nominal: str) -> None:
    table = xor(1)
    tree = TreeClassifier(criterion=criterion, nominal=nominal, min_gain=-1.0).fit(table)
    assert (tree.model_.n_leaves, tree.model_.depth) == (4, 2)
    assert tree.score(table) == 1.0


@pytest.mark.parametrize(("times", "leaves"), [(1, 1), (2, 4), (3, 4), (5, 4), (7, 4)])
def test_g21_pessimistic_pruning_keeps_it_from_two_of_each_row_on(times: int, leaves: int) -> None:
    tree = TreeClassifier(criterion="information-gain", nominal="multiway", min_gain=-1.0, prune="pessimistic")
    assert tree.fit(xor(times)).model_.n_leaves == leaves
