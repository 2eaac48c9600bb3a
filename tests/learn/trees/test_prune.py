"""Pruning: the ways it can be run, and what it must never do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from hornbeam.data.read import read
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.trees.c45 import C45Classifier
from hornbeam.learn.trees.grow import grow
from hornbeam.learn.trees.id3 import ID3Classifier
from hornbeam.learn.trees.prune import by_estimate
from hornbeam.learn.trees.prune.by_estimate import replaced_and_raised
from hornbeam.learn.trees.prune.held_out import reduced_error
from hornbeam.learn.trees.prune.rebuild import collapse

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree


def grown(name: str) -> tuple[Table, Tree]:
    table = read(name)
    return table, grow(table, C45Classifier().recipe())[0]


@pytest.mark.parametrize("name", ["labor", "vote", "glass", "credit-g"])
def test_on_a_thread_of_its_own_it_gives_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table, tree = grown(name)
    inline, _ = replaced_and_raised(tree, table)
    for limit in ("DEEP", "MANY_ROWS"):
        with monkeypatch.context() as patch:
            patch.setattr(by_estimate, limit, 0)
            assert replaced_and_raised(tree, table)[0].same_as(inline)
            for n_threads in (2, 3):
                assert replaced_and_raised(tree, table, n_threads=n_threads)[0].same_as(inline)


@pytest.mark.parametrize("name", ["labor", "vote", "glass", "credit-g"])
def test_smaller_confidence_never_grows_the_tree(name: str) -> None:
    table, tree = grown(name)
    sizes = [
        replaced_and_raised(tree, table, confidence, subtree_raising=False)[0].n_nodes
        for confidence in (0.5, 0.25, 0.1, 0.01)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] <= tree.n_nodes


@pytest.mark.parametrize("name", ["iris", "glass", "credit-g"])  # no row in pieces: counted is what is predicted
def test_collapsing_costs_no_training_error(name: str) -> None:
    table, tree = grown(name)
    smaller = collapse(tree)
    smaller.validate()
    wrong = (tree.predict_codes(table) != table.target_values()).sum()
    assert (smaller.predict_codes(table) != table.target_values()).sum() <= wrong + 1e-9
    assert collapse(smaller).same_as(smaller)


@pytest.mark.parametrize("name", ["labor", "vote", "credit-g"])
def test_reduced_error_pruning_errs_no_more_on_the_rows_it_looks_at(name: str) -> None:
    table, tree = grown(name)
    held_out = table.take(np.arange(table.n_rows) % 3 == 0)
    smaller = reduced_error(tree, held_out).best
    smaller.validate()
    if name == "credit-g":  # no missing values: what is counted is what is predicted
        before = (tree.predict_codes(held_out) != held_out.target_values()).sum()
        assert (smaller.predict_codes(held_out) != held_out.target_values()).sum() <= before
    assert smaller.n_nodes <= tree.n_nodes


def test_a_very_deep_tree_is_pruned() -> None:
    n_rows = 6_000
    # with alternating classes the best cut splits off the first or last row: the tree is one long path
    codes = (np.arange(n_rows) % 2).astype(np.int32)
    schema = Schema((Numeric("x"), Nominal("y", ("a", "b"))), ("feature", "target"))
    table = Table(schema, [np.arange(n_rows, dtype=float), codes])
    tree = ID3Classifier().fit(table).model_
    assert tree.depth > by_estimate.DEEP
    pruned, _ = replaced_and_raised(tree, table)
    pruned.validate()
    assert pruned.n_nodes < 10


def test_one_leaf_stays_one_leaf() -> None:
    schema = Schema((Numeric("x"), Nominal("y", ("a", "b"))), ("feature", "target"))
    table = Table(schema, [np.zeros(3), np.zeros(3, np.int32)])
    tree = C45Classifier(prune=None).fit(table).model_
    assert tree.n_nodes == 1
    assert replaced_and_raised(tree, table)[0] is tree
    assert reduced_error(tree, table).best is tree
