"""Golden figure G21: XOR, where no single column tells anything and the two together tell all."""

from __future__ import annotations

import numpy as np
import pytest

from hornbeam.data.schema import Nominal, Schema
from hornbeam.data.table import Table
from hornbeam.learn.trees import prune
from hornbeam.learn.trees.tree_classifier import TreeClassifier
from hornbeam.model.trees.split_tests import split_tests

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


def test_g21_chi_square_pruning_from_the_leaves_up_keeps_what_stopping_early_never_finds() -> None:
    grown = TreeClassifier(criterion="gini", nominal="multiway", min_gain=-1.0).fit(xor(5)).model_
    found = split_tests(grown)
    assert found.p_value[0] == pytest.approx(1.0)  # the first split by itself is chance
    assert (found.p_value[1:3] < 0.05).all()  # those below it are not
    assert prune.chi_square(grown).best.n_leaves == 4
    # A threshold that those do not reach takes all of it: 10 rows parted without an error have a statistic of 10.
    assert prune.chi_square(grown, threshold=10.0).best.n_leaves == 4
    assert prune.chi_square(grown, threshold=10.1).best.n_leaves == 1


def test_g21_rows_held_out_keep_it_too() -> None:
    grown = TreeClassifier(criterion="gini", nominal="multiway", min_gain=-1.0).fit(xor(5)).model_
    path = prune.reduced_error(grown, xor(2))
    assert path.best.n_leaves == 4
    assert path.held_out_error[path.chosen] == 0.0
