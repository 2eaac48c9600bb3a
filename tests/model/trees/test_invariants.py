"""Each way in which arrays fail to make a tree gets its own sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from hornbeam.data.schema import Schema
from hornbeam.model.base.plain import ModelError

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree


def changed(array: Any, place: Any, value: Any) -> Any:
    copy = array.copy()
    copy[place] = value
    return copy


NODE_PROBLEMS = [
    ("parent", 4, 3, "node 4 does not refer to its parent"),
    ("first_child", 1, 0, "node 1 has children that do not come after it"),
    ("first_child", 1, 1, "node 1 has children that do not come after it"),  # its own child
    ("first_child", 0, 0, "node 0 has children that do not come after it"),
    ("first_child", 3, 7, "node 3 has children beyond the last node"),
    ("first_child", 3, 4, "node 4 does not refer to its parent|not a child of any node|does not refer"),
    ("first_child", 2, -5, "first child below -1"),
    ("n_children", 2, 1, "node 2 is a leaf, but has children"),
    ("n_children", 1, 1, "fewer than two children"),
    ("n_children", 1, 2**31 - 1, "beyond the last node"),
    ("split", 2, 0, "node 2 is a leaf, but has a split"),
    ("split", 1, 3, "not in the store"),
    ("split", 1, 0, "more or fewer children"),
    ("missing", 1, 2, "node 1 sends missing values"),
    ("missing", 1, -3, "node 1 sends missing values"),
    ("rows", 1, -1, "negative number of rows"),
    ("weight", 1, np.nan, "weight that is negative or not a number"),
    ("weight", 1, 6.0, "not the sum of its class weights"),
    ("value", (1, 0), np.inf, "value that is not a number"),
    ("value", (1, 0), -2.0, "negative class weight"),
    ("label", 1, 2, "not a class"),
    ("error", 1, np.nan, "error that is not a number"),
    ("share", 1, 1.5, "share outside"),
]
SPLIT_PROBLEMS = [
    ("column", 0, 4, "split 0 names a column"),
    ("column", 0, -1, "split 0 names a column"),
    ("column", 1, 3, "not a feature"),
    ("column", 0, 1, "its column is numeric"),
    ("column", 0, 2, "does not have a branch for every category"),
    ("kind", 0, 4, "unknown kind"),
    ("kind", 1, 1, "has cuts, but splits by codes"),
    ("kind", 0, 0, "not have one cut less"),
    ("n_branches", 1, 3, "not have one cut less"),
    ("n_branches", 1, 1, "fewer than two"),
    ("cuts", 0, np.nan, "not a number"),
    ("cuts", 0, -np.inf, "below every number"),
    ("codes", 1, 3, "sends a code to a branch"),
    ("codes", 1, -2, "sends a code to a branch"),
    ("cut_start", 1, 2, "cut_start does not rise"),
    ("code_start", -1, 9, "code_start does not rise"),
    ("other", 0, 3, "sends other codes"),
]


@pytest.mark.parametrize(("name", "place", "value", "words"), NODE_PROBLEMS)
def test_node_arrays(weather: Tree, name: str, place: Any, value: Any, words: str) -> None:
    broken = replace(weather, **{name: changed(getattr(weather, name), place, value)})
    with pytest.raises(ModelError, match=words):
        broken.validate()
    with pytest.raises(ModelError, match=words):  # nothing reaches a kernel unchecked
        _ = broken._router


@pytest.mark.parametrize(("name", "place", "value", "words"), SPLIT_PROBLEMS)
def test_split_arrays(weather: Tree, name: str, place: Any, value: Any, words: str) -> None:
    splits = replace(weather.splits, **{name: changed(getattr(weather.splits, name), place, value)})
    with pytest.raises(ModelError, match=words):
        replace(weather, splits=splits).validate()


def test_types_and_sizes(weather: Tree) -> None:
    with pytest.raises(ModelError, match=r"tree.parent is of type int64; expected .* int32"):
        replace(weather, parent=weather.parent.astype(np.int64)).validate()
    with pytest.raises(ModelError, match=r"tree.value has the shape \(8, 3\); expected \(8, 2\)"):
        replace(weather, value=np.zeros((8, 3))).validate()
    with pytest.raises(ModelError, match="contiguous"):
        replace(weather, share=np.repeat(weather.share, 2)[::2]).validate()
    with pytest.raises(ModelError, match="pseudo_count"):
        replace(weather, pseudo_count=-1.0).validate()
    with pytest.raises(ModelError, match="0 nodes"):
        replace(weather, parent=np.empty(0, np.int32)).validate()
    with pytest.raises(ModelError, match="has no target"):
        replace(weather, schema=Schema(weather.schema.columns)).validate()


def test_surrogates(weather: Tree) -> None:
    start = np.array([0, *[1] * 8], np.int64)
    with pytest.raises(ModelError, match="only one of surrogate_start"):
        replace(weather, surrogate_start=start).validate()
    with pytest.raises(ModelError, match="surrogates has the number of a split"):
        replace(weather, surrogate_start=start, surrogates=np.array([9], np.int32)).validate()
    only_second = np.array([0, 0, *[1] * 7], np.int64)
    with pytest.raises(ModelError, match="more branches than its node"):
        replace(weather, surrogate_start=only_second, surrogates=np.array([0], np.int32)).validate()
    replace(weather, surrogate_start=start, surrogates=np.array([1], np.int32)).validate()


def test_sound_trees_pass(weather: Tree) -> None:
    weather.validate()
