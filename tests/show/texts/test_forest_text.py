"""Forests for people and machines: the short text, one tree, the chart of importance, JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from drawn_forests import forests, grow_forest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Random

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.export import json as to_json
from hornbeam.show import plot, svg, text
from hornbeam.show.texts.forests.forest_text import depths

if TYPE_CHECKING:
    from hornbeam.model.forests.forest import Forest

SCHEMA = Schema(
    (Numeric("height"), Nominal("color", ("red", "green", "blue")), Nominal("class", ("no", "yes"))),
    ("feature", "feature", "target"),
    "flowers",
)


def flowers(kind: str = "mean") -> Forest:
    return grow_forest(Random(4), SCHEMA, kind, n_trees=3, most_inner=5)


def test_the_text_tells_size_and_importance() -> None:
    forest = flowers()
    first, second, *others = text(forest).splitlines()
    assert first == "class: the mean of 3 trees"
    assert second.startswith(f"leaves: {forest.n_leaves} in all, ")
    share = dict(zip(("height", "color"), forest.importance(), strict=True))
    names = [line.split()[0] for line in others[2:]]
    assert names == sorted(share, key=lambda name: -share[name])
    assert "█" in text(forest)
    assert text(forest, "ascii").isascii()
    assert "by the logistic function" in text(flowers("logistic"))
    with pytest.raises(ValueError, match="a forest can be printed in these styles: 'default', 'ascii'"):
        text(forest, "weka")
    with pytest.raises(ValueError, match="max_depth and p_values are only for trees"):
        text(forest, max_depth=2)


def test_many_columns_are_cut_short_and_names_are_made_safe() -> None:
    columns = tuple(Numeric(f"x{place}\x1b[31m") for place in range(30))
    schema = Schema((*columns, Numeric("y")), ("feature",) * 30 + ("target",))
    told = text(grow_forest(Random(1), schema, "regression", n_trees=5, most_inner=40))
    assert told.splitlines()[-1] == "  ... 10 more"
    assert "\x1b" not in told


@given(forests(large=False))
def test_depths_are_those_of_the_trees_and_every_tree_can_be_shown(forest: Forest) -> None:
    trees = [forest.tree(number) for number in range(forest.n_trees)]
    assert depths(forest).tolist() == [tree.depth for tree in trees]
    assert text(forest)
    for tree in trees[:2]:
        assert text(tree)
        assert "explains" not in text(tree)  # a forest does not keep what that would take
        assert svg(tree).startswith("<svg")


@given(forests(large=False), st.data())
def test_json_holds_all_that_a_prediction_needs(forest: Forest, data: st.DataObject) -> None:
    plain = json.loads(to_json(forest))
    assert plain["kind"] == "forest"
    assert plain["target"] == forest.schema.target_column.name
    assert (plain["combine"], plain["link"]) == (forest.combine, forest.link)
    inside = forest.combine == "mean" and forest.unit is not None  # then the values of the nodes have the base in them
    assert plain["base"] == (np.zeros_like(forest.base) if inside else forest.base).tolist()
    assert len(plain["trees"]) == forest.n_trees
    number = data.draw(st.integers(0, forest.n_trees - 1))
    tree, root = plain["trees"][number], int(forest.roots[number])
    assert tree.get("output") == (None if forest.output is None else forest.output[number])
    assert len(tree["nodes"]) == forest.roots[number + 1] - root
    values = forest.node_values()
    for place, node in enumerate(tree["nodes"]):
        assert np.array_equal(node["value"], values[root + place])
        if forest.first_child[root + place] < 0:
            assert node.keys() == {"weight", "value"}
            continue
        column = forest.schema.columns[forest.schema.features[forest.feature[root + place]]]
        assert node["column"] == column.name
        assert node["children"] == [forest.first_child[root + place] - root + branch for branch in (0, 1)]
        assert node["missing"] == forest.missing[root + place]
        if "at_most" in node:
            assert (np.inf if node["at_most"] is None else node["at_most"]) == forest.cut[root + place]
        else:
            assert isinstance(column, Nominal)
            assert forest.codes is not None
            assert forest.set_start is not None
            part = forest.codes[forest.set_start[root + place] : forest.set_start[root + place + 1]]
            assert node["categories"] == [column.categories[code] for code in part]


def test_the_chart_of_importance() -> None:
    pytest.importorskip("matplotlib")
    forest = flowers()
    axes = plot.importance(forest)
    names = [label.get_text() for label in axes.get_xticklabels()]
    heights = [patch.get_height() for patch in axes.patches]
    assert sorted(heights, reverse=True) == heights
    assert dict(zip(names, heights, strict=True)) == pytest.approx(
        dict(zip(("height", "color"), forest.importance(), strict=True))
    )
    with pytest.raises(TypeError, match="expected a Forest, a fitted estimator"):
        plot.importance(forest.tree(0))


def test_a_forest_has_no_picture_but_its_trees_do() -> None:
    with pytest.raises(TypeError, match=r"such as one tree of it: forest\.tree\(0\)"):
        svg(flowers())
