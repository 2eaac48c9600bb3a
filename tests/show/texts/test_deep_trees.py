"""Trees of any depth: their texts grow with the number of nodes, not with the square of the depth."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

import hornbeam
from hornbeam.model.files.storage import from_bytes, to_bytes
from hornbeam.show.texts.trees.classic import DEEPEST

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree


def comb(depth: int) -> Tree:
    """A tree of one row a leaf, each split parting one row from all others."""
    rows = [[0.0], [1.0], [2.0], [3.0]]
    made = hornbeam.CartClassifier(min_samples_split=2, min_samples_leaf=1, max_depth=1, max_surrogates=0)
    one = made.fit(rows, ["a", "a", "b", "b"]).model_
    n_nodes, inner = 2 * depth + 1, np.arange(depth)
    nodes = np.concatenate([[0], 2 * inner[:-1] + 2])  # those that are split, from the root down
    parent, first = np.full(n_nodes, -1, np.int32), np.full(n_nodes, -1, np.int32)
    many, split = np.zeros(n_nodes, np.int32), np.full(n_nodes, -1, np.int32)
    first[nodes], many[nodes], split[nodes] = 2 * inner + 1, 2, inner
    parent[2 * inner + 1] = parent[2 * inner + 2] = nodes
    weight = np.ones(n_nodes)
    weight[nodes] = depth + 1 - inner
    arrays = {
        name: np.repeat(array, depth, axis=0) if array.shape[:1] == (1,) else array
        for name, array in one.splits.arrays().items()
    }
    arrays |= {"cut_start": np.arange(depth + 1), "code_start": np.zeros(depth + 1, np.int64), "cuts": inner + 0.5}
    return replace(
        one,
        splits=replace(one.splits, **arrays),
        parent=parent,
        first_child=first,
        n_children=many,
        split=split,
        missing=np.where(many > 0, 0, one.missing[1]).astype(np.int32),
        rows=weight.astype(np.int64),
        weight=weight,
        value=np.column_stack([weight, np.zeros(n_nodes)]),
        label=np.zeros(n_nodes, np.int32),
        error=np.zeros(n_nodes),
        share=np.where(parent >= 0, weight / weight[np.maximum(parent, 0)], 1.0),
        surrogates=None,
        surrogate_start=None,
    )


WAYS = {
    "text": hornbeam.show.text,
    "ascii": lambda tree: hornbeam.show.text(tree, style="ascii"),
    "weka": lambda tree: hornbeam.show.text(tree, style="weka"),
    "json": hornbeam.export.json,
    "javascript": hornbeam.export.javascript,
    "svg": hornbeam.show.svg,
}


@pytest.mark.parametrize("way", WAYS)
def test_twice_as_deep_is_about_twice_as_long(way: str) -> None:
    short, long = (len(WAYS[way](comb(depth))) for depth in (2000, 4000))
    assert long < 2.5 * short


def test_lines_below_the_limit_begin_with_their_depth() -> None:
    told = hornbeam.show.text(comb(300), style="weka").splitlines()
    (deepest,) = [line for line in told if "298.5" in line and ">" in line]
    assert deepest.startswith("|   " * DEEPEST + "[298] ")
    shallow = [line for line in told if "[" not in line]
    assert max(line.count("|   ") for line in shallow) == DEEPEST
    drawn = hornbeam.show.text(comb(300))
    assert "[300] " in drawn
    assert drawn.count("[101] ") == 2


def test_the_numbers_of_nodes_have_a_limit() -> None:
    assert "rpart" not in hornbeam.show.text(comb(100), style="rpart")
    with pytest.raises(ValueError, match=f"up to depth {DEEPEST}; this one has depth 300"):
        hornbeam.show.text(comb(300), style="rpart")


def test_deep_json_is_still_json_and_deep_trees_are_still_saved() -> None:
    plain = json.loads(hornbeam.export.json(comb(250)))["tree"]
    for _ in range(250):
        plain = plain["children"][1]
    assert "children" not in plain
    tree = comb(20_000)
    assert from_bytes(to_bytes(tree)).same_as(tree)
