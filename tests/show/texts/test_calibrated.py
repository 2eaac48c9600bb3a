"""Sets, intervals and how often splits come again, told beside the nodes: in text, pictures and JSON."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.evaluate import conformal, stability
from hornbeam.model.trees.node_figures import LeafCalibration, SplitStability, by_node
from hornbeam.show.texts.calibrated import leaf_words

Found = tuple[Any, Any, Any]


@pytest.fixture(scope="module")
def iris() -> Found:
    table = hornbeam.read("iris")
    found = conformal(hornbeam.C45Classifier(), table, method="cross")
    return found.estimator, found, stability(hornbeam.C45Classifier(), table, 10, fitted=found.estimator)


def test_text_tells_every_leaf_and_every_split(iris: Found) -> None:
    tree, calibration, study = iris
    told = hornbeam.show.text(tree, calibration=calibration, stability=study).splitlines()
    bare = hornbeam.show.text(tree).splitlines()
    assert told[0].endswith("90% set")
    assert sum("the same column in" in line for line in told) == len(study.nodes)
    sets = {leaf_words(leaf) for leaf in calibration.nodes}
    lines = [line for line in told if "the same column in" not in line]
    assert len(lines) == len(bare)
    for line, without in zip(lines[1:-2], bare[1:-2], strict=True):
        if line != without:  # a leaf
            assert line.startswith(without)
            assert any(f"{one} by " in line for one in sets)
    assert sum(line != without for line, without in zip(lines[1:], bare[1:], strict=True)) == tree.model_.n_leaves


def test_figures_may_be_given_as_mappings_or_lists(iris: Found) -> None:
    tree, calibration, study = iris
    whole = hornbeam.show.text(tree, "ascii", calibration=calibration, stability=study)
    nodes = {leaf.node: leaf for leaf in calibration.nodes}
    assert hornbeam.show.text(tree, "ascii", calibration=nodes, stability=list(study.nodes)) == whole
    with pytest.raises(TypeError, match="stability holds an object of type LeafCalibration; expected SplitStability"):
        by_node(calibration, SplitStability, "stability")


def test_a_node_drawn_without_its_subtree_has_no_set(iris: Found) -> None:
    tree, calibration, study = iris
    lines = hornbeam.show.text(tree, max_depth=1, calibration=calibration, stability=study).splitlines()
    assert sum(" by " in line for line in lines) == 1
    assert sum("the same column" in line for line in lines) == 1


@pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")
def test_intervals_stand_around_the_answer() -> None:
    cpu = hornbeam.read("cpu")
    found = conformal(hornbeam.CartRegressor(folds=0), cpu)
    told = hornbeam.show.text(found.estimator, calibration=found)
    assert "90% interval" in told
    assert all(leaf_words(leaf) in told for leaf in found.nodes if not found.model.n_children[leaf.node])
    equations = conformal(hornbeam.M5Regressor(), cpu)
    assert all(leaf.low is None for leaf in equations.nodes)
    assert "± " in hornbeam.show.text(equations.estimator, calibration=equations)


def test_many_classes_of_a_set_are_counted() -> None:
    leaf = LeafCalibration(0, 0.9, 9, 9, classes=tuple("abcdefgh"))
    assert leaf_words(leaf) == "{a, b, c, d, e, … 3 more}"


def test_the_picture_has_a_note_in_every_box(iris: Found) -> None:
    tree, calibration, study = iris
    picture = hornbeam.show.svg(tree, calibration=calibration, stability=study)
    ET.fromstring(picture)  # noqa: S314 - our own
    assert picture.count(">90%: {") == tree.model_.n_leaves
    assert picture.count(" of 10 trees</text>") == len(study.nodes)
    assert "its own" in picture
    assert "10 trees" not in hornbeam.show.svg(tree)


def test_json_has_fields_at_every_node(iris: Found) -> None:
    tree, calibration, study = iris
    plain = json.loads(hornbeam.export.json(tree, calibration=calibration, stability=study))
    pending, leaves, splits = [plain["tree"]], [], []
    while pending:
        node = pending.pop()
        (splits if "children" in node else leaves).append(node)
        pending += node.get("children", [])
    assert sorted(node["calibration"]["node"] for node in leaves) == [leaf.node for leaf in calibration.nodes]
    assert sorted(node["stability"]["node"] for node in splits) == [node.node for node in study.nodes]
    assert all(
        set(node["calibration"]) >= {"coverage", "rows", "borrowed_from", "classes", "p_values"} for node in leaves
    )


def test_names_from_data_are_made_harmless() -> None:
    random = np.random.default_rng(0)
    a = random.uniform(size=80)
    name, column = "<script>\x1b[31m", '"; drop\x07 table'
    schema = Schema((Numeric(column), Nominal("y", (name, "b"))), ("feature", "target"), name="t")
    table = Table(schema, [a, (a > 0.5).astype(np.int32)])
    found = conformal(hornbeam.C45Classifier(), table, method="cross")
    study = stability(hornbeam.C45Classifier(), table, 3)
    for told in (
        hornbeam.show.text(found.estimator, calibration=found, stability=study),
        found.text(),
        study.text(),
        hornbeam.show.svg(found.estimator, calibration=found, stability=study),
    ):
        assert "\x1b" not in told
        assert "\x07" not in told
    picture = hornbeam.show.svg(found.estimator, calibration=found, stability=study)
    assert "<script" not in picture
    assert "&lt;script&gt;" in picture


@pytest.mark.parametrize("option", ["calibration", "stability"])
def test_only_trees_in_the_usual_style_are_told_so(option: str, iris: Found) -> None:
    tree = iris[0]
    with pytest.raises(ValueError, match="the style 'weka'"):
        hornbeam.show.text(tree, "weka", **{option: {}})
    rules = hornbeam.RipperClassifier().fit(hornbeam.read("iris"))
    with pytest.raises(ValueError, match="found a RuleList"):
        hornbeam.show.text(rules, **{option: {}}, max_depth=2)
    with pytest.raises(ValueError, match="found a RuleList"):
        hornbeam.export.json(rules, **{option: {}})
