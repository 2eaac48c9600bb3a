from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table


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
    for number, code in enumerate(tree.predict(table)):
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
    text = hornbeam.export.json(tree)
    assert text.count('"label"') == tree.n_nodes
    assert tree.depth > 500  # deeper than a writer that calls itself could go


def test_other_things_are_refused() -> None:
    with pytest.raises(TypeError, match="cannot write a dict as JSON"):
        hornbeam.export.json({})
