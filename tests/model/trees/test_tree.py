"""The tree as a person sees it: sizes, object views, equality, and the columns it finds by name."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from strategies import Random, fill_table, randoms, trees

from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.model.base.condition import Above, AtMost, IsIn
from hornbeam.model.base.plain import ModelError, UnseenCategoryWarning

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree


def rows(tree: Tree) -> Table:
    return Table(tree.schema, [[0, 0, 1, 2, -1], [70, 90, 80, 80, np.nan], [1, 1, 1, 0, 1], [0] * 5])


def test_sizes(weather: Tree) -> None:
    assert (weather.n_nodes, weather.n_leaves, weather.depth, weather.task) == (8, 5, 2, "classification")
    assert repr(weather) == "Tree('weather': 8 nodes, 5 leaves, depth 2)"


def test_predictions_by_hand(weather: Tree) -> None:
    table = rows(weather)
    assert weather.predict_codes(table).tolist() == [0, 1, 0, 1, 0]
    assert weather.apply(table).tolist() == [4, 5, 2, 6, 7]
    # The last row has neither outlook nor humidity: 5/14 (2/5 yes), 4/14 yes, 5/14 with FALSE: yes.
    np.testing.assert_allclose(weather.predict_proba(table)[4], [(2 + 4 + 5) / 14, 3 / 14])
    start, nodes, weights = weather.decision_path(table)
    assert nodes[start[4] :].tolist() == [0, 1, 4, 5, 2, 3, 7]
    np.testing.assert_allclose(weights[start[4] :] * 14, [14, 5, 2, 3, 4, 5, 5])


def test_laplace_shares(weather: Tree) -> None:
    smooth = replace(weather, pseudo_count=1.0)
    np.testing.assert_allclose(smooth.predict_proba(rows(weather))[0], [3 / 4, 1 / 4])


def test_an_empty_leaf_answers_as_its_parent_and_may_have_no_label(weather: Tree) -> None:
    value, label = weather.value.copy(), weather.label.copy()
    value[4] = 0.0
    label[4] = -1
    empty = replace(weather, value=value, weight=value.sum(axis=1), label=label)
    assert empty.predict_codes(rows(weather))[0] == -1
    np.testing.assert_allclose(empty.predict_proba(rows(weather))[0], [2 / 5, 3 / 5])


def test_object_views(weather: Tree) -> None:
    root = weather.root
    assert (root.is_leaf, root.parent, root.conditions, root.branch, root.column) == (False, None, (), -1, 0)
    sunny, overcast, rainy = root.children
    assert sunny.conditions == (IsIn(0, (0,), 5 / 14),)
    assert (overcast.is_leaf, overcast.label_name, overcast.weight, overcast.error) == (True, "yes", 4.0, 0.0)
    assert sunny.children[0].conditions == (AtMost(1, 75.0, 0.4),)
    assert sunny.children[1].path == (IsIn(0, (0,), 5 / 14), Above(1, 75.0, 0.6))
    assert rainy.children[1].parent == rainy
    assert [node.index for node in weather.walk()] == [0, 1, 4, 5, 2, 3, 6, 7]
    assert weather.node(5).value.tolist() == [0.0, 3.0]
    with pytest.raises(IndexError, match="no node 8"):
        weather.node(8)


@given(trees())
def test_walking_meets_every_node_once(tree: Tree) -> None:
    met = [node.index for node in tree.walk()]
    assert sorted(met) == list(range(tree.n_nodes))
    assert tree.depth == max(_depth(tree, node) for node in met)
    assert tree.n_leaves == sum(node.is_leaf for node in tree.walk())


def _depth(tree: Tree, node: int) -> int:
    return 0 if node == 0 else 1 + _depth(tree, int(tree.parent[node]))


@given(trees(), randoms())
def test_same_as_and_copies(tree: Tree, random: Random) -> None:
    table = fill_table(random, tree.schema, 5, 0.3)
    before = tree.predict_codes(table)
    copy = pickle.loads(pickle.dumps(tree))  # noqa: S301 - our own bytes, a line ago
    assert tree.same_as(copy)
    assert np.array_equal(copy.predict_codes(table), before)
    assert not tree.same_as(replace(tree, error=tree.error + 1))
    assert not tree.same_as(replace(tree, pseudo_count=tree.pseudo_count + 1))
    assert not tree.same_as("a tree")


def test_columns_are_found_by_name_in_any_order(weather: Tree) -> None:
    table = rows(weather)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for names in (["play", "windy", "humidity", "outlook"], ["windy", "outlook", "humidity"]):
            assert weather.predict_codes(table.select(names)).tolist() == weather.predict_codes(table).tolist()
        extra = Table(Schema((Numeric("more"), *weather.schema.columns)), [np.zeros(5), *table.columns])
        assert weather.predict_codes(extra).tolist() == weather.predict_codes(table).tolist()


def test_an_absent_column_is_named(weather: Tree) -> None:
    with pytest.raises(SchemaError, match="needs the column 'humidity', which the table does not have"):
        weather.predict_codes(rows(weather).select(["outlook", "windy"]))


def test_categories_are_found_by_name_and_unseen_ones_counted_once(weather: Tree) -> None:
    schema = Schema(
        (
            Nominal("outlook", ("foggy", "rainy", "sunny")),
            Numeric("humidity"),
            Nominal("windy", ("maybe", "FALSE", "TRUE")),
        )
    )
    table = Table(schema, [[2, 1, 0, 0, -1], [70, 70, 70, 70, 70], [1, 2, 1, 0, 1]])
    with pytest.warns(UnseenCategoryWarning) as caught:
        found = weather.predict_proba(table)
    assert len(caught) == 1
    text = str(caught[0].message)
    assert "column 'outlook', 2 rows (such as 'foggy')" in text
    assert "column 'windy', 1 row (such as 'maybe')" in text
    np.testing.assert_allclose(found[:2], [[1, 0], [0, 1]])
    np.testing.assert_array_equal(found[2], found[4])


def test_a_number_is_not_a_category(weather: Tree) -> None:
    kinds = Schema((Numeric("outlook"), Numeric("humidity"), weather.schema.columns[2]))
    with pytest.raises(SchemaError, match="'outlook' is numeric in the table, but nominal in the model"):
        weather.predict_codes(Table(kinds, [[1.0], [2.0], [0]]))
    kinds = Schema((weather.schema.columns[0], Nominal("humidity", ("1",)), weather.schema.columns[2]))
    with pytest.raises(SchemaError, match="'humidity' is nominal in the table, but numeric in the model"):
        weather.predict_codes(Table(kinds, [[1], [0], [0]]))


def test_a_column_without_any_value_may_be_of_either_kind(weather: Tree) -> None:
    kinds = Schema((Numeric("outlook"), Nominal("humidity", ()), weather.schema.columns[2]))
    found = weather.predict_proba(Table(kinds, [[np.nan], [-1], [1]]))
    np.testing.assert_allclose(found, [[11 / 14, 3 / 14]])


def test_no_rows_give_no_answers(weather: Tree) -> None:
    nothing = rows(weather).take([])
    assert weather.predict_codes(nothing).shape == (0,)
    assert weather.predict_proba(nothing).shape == (0, 2)
    assert [part.tolist() for part in weather.decision_path(nothing)] == [[0], [], []]


def test_a_changed_copy_is_checked_before_rows_are_sent_down(weather: Tree) -> None:
    marked = weather.known_sound()
    assert marked.is_known_sound
    astray = marked.split.copy()
    astray[0] = 99
    copy = replace(marked, split=astray)
    assert not copy.is_known_sound
    with pytest.raises(ModelError):
        copy.predict_codes(rows(copy))
    assert not pickle.loads(pickle.dumps(marked)).is_known_sound  # noqa: S301 - our own bytes
