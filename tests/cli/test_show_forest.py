"""`hornbeam show` of a forest: the whole, one tree, its picture, JSON, the chart of importance."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from drawn_forests import grow_forest
from show.planting import Leaf, plant
from strategies import Random

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.export import json as to_json
from hornbeam.model.files.storage import save
from hornbeam.show import svg, text

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.model.forests.forest import Forest

SCHEMA = Schema(
    (Numeric("height"), Nominal("color", ("red", "green", "blue")), Nominal("class", ("no", "yes"))),
    ("feature", "feature", "target"),
    "flowers",
)


@pytest.fixture
def forest() -> Forest:
    return grow_forest(Random(4), SCHEMA, "mean", n_trees=3, most_inner=5)


@pytest.fixture
def model(forest: Forest, tmp_path: Path) -> Path:
    save(forest, tmp_path / "forest.hb")
    return tmp_path / "forest.hb"


def test_the_whole_and_one_tree(good: Any, forest: Forest, model: Path) -> None:
    assert good("show", model, "--style", "default").out == text(forest) + "\n"
    assert good("show", model, "--tree", 2, "--style", "default").out == text(forest.tree(1)) + "\n"
    assert good("show", model, "--tree", 3, "--to", "svg").out == svg(forest.tree(2)) + "\n"
    assert good("show", model, "--json").json == json.loads(to_json(forest))
    assert good("show", model, "--json", "--tree", 1).json == json.loads(to_json(forest.tree(0)))


def test_the_chart_of_importance(good: Any, model: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    good("show", model, "--to", "importance", "-o", tmp_path / "importance.svg")
    assert "<svg" in (tmp_path / "importance.svg").read_text(encoding="utf-8")


def test_the_importance_of_the_columns_of_a_tree(good: Any, tmp_path: Path) -> None:
    tree = hornbeam.CartClassifier(folds=0).fit(hornbeam.read("iris"))
    tree.save(tmp_path / "tree.hb")
    good("show", tmp_path / "tree.hb", "--to", "importance", "-o", tmp_path / "importance.svg")
    drawn = (tmp_path / "importance.svg").read_text(encoding="utf-8")
    shares = dict(zip(tree.feature_names_in_, tree.feature_importances_, strict=True))
    assert f"petalwidth: {shares['petalwidth']:.4g}" in drawn
    assert drawn.index("petalwidth") < drawn.index("sepalwidth")


def test_what_cannot_be_shown_is_refused(command: Any, model: Path, tmp_path: Path) -> None:
    save(plant(SCHEMA, Leaf([3, 4])), tmp_path / "tree.hb")
    hornbeam.PrismClassifier().fit(hornbeam.read("weather")).save(tmp_path / "rules.hb")
    for arguments, words in (
        ((model, "--tree", 4), "the file contains trees 1 to 3"),
        ((tmp_path / "tree.hb", "--tree", 1), "the file contains only one model"),
        ((tmp_path / "rules.hb", "--to", "importance", "-o", tmp_path / "x.svg"), "is for trees and forests"),
        ((model, "--to", "importance"), "name its file with -o"),
        ((model, "--to", "importance", "--max-depth", 2, "-o", tmp_path / "x.svg"), "--max-depth cannot be used with"),
        ((model, "--to", "svg"), "cannot draw a Forest"),
    ):
        outcome = command("show", *arguments)
        assert outcome.code != 0
        assert words in outcome.err
