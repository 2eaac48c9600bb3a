from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from show.planting import Fork, Leaf, Other, plant

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model.trees.split import CODES, CUTS


def follow(node: dict[str, Any], row: dict[str, Any]) -> str:
    """Answer a row without missing values by the JSON alone."""
    signs = {"<=": float.__le__, "<": float.__lt__, ">": float.__gt__, ">=": float.__ge__}
    while "children" in node:
        node = next(
            child
            for child in node["children"]
            if all(
                row[c["column"]] in c["categories"]
                if c["is"] == "in"
                else signs[c["is"]](float(row[c["column"]]), float(c["value"]))
                for c in child["conditions"]
            )
        )
    return str(node["label"])


@pytest.mark.parametrize("name", ["weather", "weather.numeric", "iris", "glass", "credit-g"])
def test_the_json_alone_answers_as_the_tree(name: str) -> None:
    table = hornbeam.read(name)
    tree = hornbeam.C45Classifier().fit(table).model_
    plain = json.loads(hornbeam.export.json(tree))
    assert (plain["leaves"], plain["size"], plain["depth"]) == (tree.n_leaves, tree.n_nodes, tree.depth)
    names, target = table.schema.names, table.schema.target_column
    for number, code in enumerate(tree.predict_codes(table)):
        row = {
            name: column.categories[values[number]] if isinstance(column, Nominal) else values[number]
            for name, column, values in zip(names, table.schema.columns, table.columns, strict=True)
        }
        assert follow(plain["tree"], row) == target.categories[code]


def test_a_deep_tree_can_be_written() -> None:
    n_rows = 3_000
    schema = Schema((Numeric("x"), Nominal("y", ("a", "b"))), ("feature", "target"))
    table = Table(schema, [np.arange(n_rows, dtype=float), np.arange(n_rows, dtype=np.int32) % 2])
    tree = hornbeam.ID3Classifier().fit(table).model_
    text = hornbeam.export.json(tree, exact=False)
    assert text.count('"label"') == tree.n_nodes
    assert tree.depth > 500  # deeper than a writer that calls itself could go


def test_everything_beside_a_split_is_written() -> None:
    schema = Schema((Numeric("x"), Nominal("c", ("p", "q", "r")), Numeric("y")), ("feature", "feature", "target"))
    fork = Fork(
        0,
        CUTS,
        [1.5],
        [Leaf([4, 2.0, 4.0]), Leaf([4, 6.0, 0.0])],
        missing=1,
        score=0.75,
        surrogates=[Other(1, CODES, [0, 1, -1], agreement=0.875)],
        alternatives=[Other(0, CUTS, [2.0, 3.0], n_branches=3, score=0.5, equal_low=False)],
    )
    root = json.loads(hornbeam.export.json(plant(schema, fork)))["tree"]
    assert (root["mean"], root["sd"], root["score"], root["missing"]) == (4, pytest.approx(4.5**0.5), 0.75, 1)
    assert root["surrogates"] == [{"column": "c", "branches": [["p"], ["q"]], "agreement": 0.875}]
    assert root["alternatives"] == [{"column": "x", "cuts": [2, 3], "equal": "high", "score": 0.5, "gap": 0.25}]
    assert root["children"][0]["sd"] == 1
    assert "missing" not in root["children"][0]


def test_a_known_or_missing_value_is_written_in_words() -> None:
    schema = Schema((Numeric("x"), Nominal("y", ("a", "b"))), ("feature", "target"))
    fork = Fork(0, CUTS, [math.inf], [Leaf([2, 1]), Leaf([1, 2])], missing=1)
    low, high = json.loads(hornbeam.export.json(plant(schema, fork)))["tree"]["children"]
    assert low["conditions"] == [{"column": "x", "is": "known", "if_missing": 0}]
    assert high["conditions"] == [{"column": "x", "is": "missing", "if_missing": 1}]


def test_other_things_are_refused() -> None:
    with pytest.raises(TypeError, match="cannot write a dict as JSON"):
        hornbeam.export.json({})
