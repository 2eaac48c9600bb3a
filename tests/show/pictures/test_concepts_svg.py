"""Trees of concepts as pictures, text and JSON: the same nodes, and the rows of every leaf."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import polars as pl
import pytest

import hornbeam
from hornbeam.export import json as to_json
from hornbeam.model.base.plain import ModelError
from hornbeam.model.files.storage import from_bytes, to_bytes

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [f"day {letter}" for letter in "abcdefghijklm"] + ["<i> & 'n\""]
SVG = "{http://www.w3.org/2000/svg}"


def grown(names: Any = None) -> Any:
    return hornbeam.Cobweb().fit(hornbeam.read("weather"), names=names)


def drawn_nodes(picture: str) -> dict[int, str]:
    """The words of every node drawn, by its number."""
    groups = [group for group in ET.fromstring(picture).iter(f"{SVG}g") if group.get("class") == "node"]  # noqa: S314 - ours
    return {int(group.get("data-node", "")): "\n".join(group.itertext()) for group in groups}


@pytest.mark.parametrize("names", [None, NAMES])
def test_text_picture_and_json_have_the_same_nodes_and_rows(names: Any) -> None:
    model = grown(names).model_
    words, drawn = hornbeam.show.text(model), drawn_nodes(hornbeam.show.svg(model))
    concepts = json.loads(to_json(model))["concepts"]
    assert sorted(drawn) == [one["node"] for one in concepts] == list(range(model.n_nodes))
    listed = [name for one in concepts for name in one.get("row_names", ())]
    assert sorted(listed) == sorted(names or [str(row + 1) for row in range(14)])
    for one in concepts:
        line = next(line for line in words.splitlines() if re.match(rf"[│├└─ ]*{one['node']} \(", line))
        assert ("row_names" in one) == (model.n_children[one["node"]] == 0)
        for name in one.get("row_names", ()):
            assert name in line
            assert name in drawn[one["node"]]


def test_the_rows_of_a_leaf_are_those_that_ended_there() -> None:
    learner = grown()
    model = learner.model_
    for leaf, rows in model.rows_of_leaves.items():
        assert (learner.leaves_[rows] == leaf).all()
        assert model.n_children[leaf] == 0
    assert sum(map(len, model.rows_of_leaves.values())) == 14


def test_rows_of_weight_zero_are_in_no_leaf() -> None:
    weights = np.ones(14)
    weights[3] = 0
    model = hornbeam.Cobweb().fit(hornbeam.read("weather"), sample_weight=weights, names=NAMES).model_
    held = [name for leaf in model.rows_of_leaves for name in model.row_names(leaf)]
    assert sorted(held) == sorted(name for row, name in enumerate(NAMES) if row != 3)


def test_names_come_from_a_column_which_is_not_learned_from() -> None:
    table = hornbeam.read("weather")
    frame = table.select(table.schema.features).to_pandas()
    named = frame.assign(day=NAMES)
    by_array = hornbeam.Cobweb().fit(frame, names=NAMES)
    for given in (named, pl.from_pandas(named)):
        learner = hornbeam.Cobweb().fit(given, names="day")
        assert learner.model_.names == by_array.model_.names
        assert np.array_equal(learner.leaves_, by_array.leaves_)
        assert "day" not in learner.feature_names_in_
    assert by_array.model_.names == tuple(NAMES)
    with pytest.raises(ValueError, match="names is 'week'; expected a column of X, or one name per row"):
        hornbeam.Cobweb().fit(named, names="week")
    with pytest.raises(ValueError, match="names has 3 names; expected one for each of 14 rows"):
        hornbeam.Cobweb().fit(frame, names=["a", "b", "c"])


def test_pieces_keep_the_names() -> None:
    frame = pd.DataFrame({"x": np.random.default_rng(0).normal(size=12)})
    names = [f"row {i}" for i in range(12)]
    whole = hornbeam.Cobweb(0.1).fit(frame, names=names)
    pieces = hornbeam.Cobweb(0.1).fit(frame[:5], names=names[:5])
    pieces.partial_fit(frame[5:], names=names[5:])
    assert pieces.model_.names == whole.model_.names
    with pytest.raises(ValueError, match="have no names, and earlier rows had some"):
        pieces.partial_fit(frame)


def test_rows_and_names_are_stored_with_the_model() -> None:
    model = grown(NAMES).model_
    again = from_bytes(to_bytes(model))
    assert again.same_as(model)
    assert hornbeam.show.svg(again) == hornbeam.show.svg(model)


def test_wrong_rows_and_names_are_refused() -> None:
    from dataclasses import replace

    model = grown(NAMES).model_
    for wrong in ({"leaf": np.full(14, 99, np.int32)}, {"leaf": np.zeros(14, np.int32)}, {"names": ("a",)}):
        with pytest.raises(ModelError, match=r"not a leaf|names of rows"):
            replace(model, **wrong).validate()


def test_large_trees_are_drawn_in_levels_and_no_deeper_than_asked() -> None:
    model = hornbeam.Cobweb(0.02, cutoff=0.0).fit(hornbeam.read("iris")).model_
    assert model.n_nodes > 150
    assert len(drawn_nodes(hornbeam.show.svg(model))) == model.n_nodes
    assert sorted(drawn_nodes(hornbeam.show.svg(model, max_depth=1))) == [0, *np.flatnonzero(model.depth == 1)]
    with pytest.raises(ValueError, match="max_depth is -1"):
        hornbeam.show.svg(model, max_depth=-1)


def test_constant_columns_have_no_deviation() -> None:
    frame = pd.DataFrame({"x": [4.1] * 7, "y": [0.1] * 3 + [0.7] * 4})
    told = hornbeam.show.text(hornbeam.Cobweb(0.1).fit(frame))
    assert "x 4.1 ± 0" in told
    assert "e-" not in told


@pytest.mark.parametrize("ending", ["html", "md", "json"])
def test_the_report_shows_the_tree_and_its_rows(tmp_path: Path, ending: str) -> None:
    table = hornbeam.read("weather")
    learner = hornbeam.Cobweb().fit(table, names=NAMES)
    path = tmp_path / f"report.{ending}"
    hornbeam.report.report_clusters(learner, table, command="hornbeam cluster weather").save(path)
    written = path.read_text(encoding="utf-8")
    assert "day a" in written
    assert "hornbeam cluster weather" in written
    assert ("data-node" in written) == (ending == "html")
    assert "<i>" not in written or ending != "html"
