"""JSON and JSON Lines: the forms that other programs write, and what is refused by row and key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from hornbeam.data.errors import DataError
from hornbeam.data.read import read
from hornbeam.data.schema import Nominal, Numeric

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.data.table import Table


def load(tmp_path: Path, content: str, name: str = "table.json", **options: Any) -> Table:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return read(path, **options)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("people.jsonl", {"orient": "records", "lines": True}),
        ("people.ndjson", {"orient": "records", "lines": True}),
        ("people.json", {"orient": "records"}),
        ("people.json", {"orient": "records", "indent": 2}),
        ("people.json", {"orient": "columns"}),
        ("people", {"orient": "records", "lines": True}),  # known by its content
        ("people.txt", {"orient": "records"}),
        ("people.json.gz", {"orient": "records"}),
    ],
)
def test_json_as_pandas_writes_it(tmp_path: Path, people: pd.DataFrame, name: str, form: dict[str, Any]) -> None:
    path = tmp_path / name
    people.to_json(path, date_format="iso", **form)
    table = read(path, keep=["born"])
    assert table.schema.name == "people"
    assert table.schema.names == tuple(people.columns)
    np.testing.assert_array_equal(table.column("age"), people["age"])
    assert table.schema.columns[3] == Nominal("code", ("007", "010", "123", "999"))
    assert table.schema.columns[4] == Nominal("member", ("true", "false"))
    assert isinstance(table.schema.columns[2], Numeric)


def test_an_object_of_columns(tmp_path: Path) -> None:
    table = load(tmp_path, '{"a": [1.5, null, 2], "b": ["x", "y", null]}')
    np.testing.assert_array_equal(table.column("a"), [1.5, np.nan, 2])
    assert table.column("b").tolist() == [0, 1, -1]


def test_keys_may_be_absent_and_one_column_keeps_its_rows(tmp_path: Path) -> None:
    table = load(tmp_path, '{"a": 1.5}\n\n{"b": "x"}\n{"a": null, "b": "y"}\n', "t.jsonl")
    np.testing.assert_array_equal(table.column("a"), [1.5, np.nan, np.nan])
    assert table.column("b").tolist() == [-1, 0, 1]
    alone = load(tmp_path, '[{"a": 1.5}, {"a": null}, {"a": null}, {"a": 2}]')
    np.testing.assert_array_equal(alone.column("a"), [1.5, np.nan, np.nan, 2])


def test_names_are_never_values(tmp_path: Path) -> None:
    table = load(tmp_path, '[{"1": 2, "# x": 3}, {"1": 4, "# x": 5}]')
    assert table.schema.names == ("1", "# x")
    assert table.n_rows == 2


def test_nan_is_missing_and_infinity_refused(tmp_path: Path) -> None:
    table = load(tmp_path, json.dumps([{"a": float("nan")}, {"a": 1.5}]))
    np.testing.assert_array_equal(table.column("a"), [np.nan, 1.5])
    with pytest.raises(ValueError, match="inf"):
        load(tmp_path, json.dumps([{"a": float("inf")}, {"a": 1.5}]))


def test_nested_values_are_named_by_row_and_key(tmp_path: Path) -> None:
    content = '[{"a": 1.5, "b": null}, {"a": 2.5, "b": {"c": 1}}, {"a": 3.5, "b": [2]}]'
    with pytest.raises(DataError, match=r"table\.json: row 3, key 'b': found an array; expected a number, a text"):
        load(tmp_path, content)
    table = load(tmp_path, content, ignore=["b"])
    assert table.schema.names == ("a",)
    assert "b: left out, a table has no columns of objects or arrays" in table.notes


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("[" * 100_000, "damaged|nested too deeply"),
        ('[{"a": ' + "[" * 100_000 + "]" * 100_000 + "}]", "nested too deeply|found an array"),
        ('[{"a": 1}, 2]', "item 2: found '2'; expected an object"),
        ("[[1, 2], [3]]", "row 2: found 1 value; expected 2, as many as there are columns"),
        ('"text"', "expected an array of objects"),
        ("[]", "the file has no records"),
        ("{}", "the file has no records"),
        ('[{"a": 1},\n {"a": 2', "line 2: the JSON is damaged at character"),
        ('{"a": 1}\n{"a": 2\n{"a": 3}\n', "line 2: the JSON is damaged at character"),
        ('{"a": 1}\n[2]\n', "line 2: found an array; expected an object"),
        ('{"a": [1, 2], "b": [1]}', "column 'b': it has 1 value; expected 2"),
        ('{"a": [1, 2], "b": 3}', "column 'b': found '3'; expected an array"),
        ('{"a": {"0": 1}, "b": {"1": 2}}', "column 'b': it has other rows"),
        ('[{"a": 1, "a ": 2}]', "two keys differ only by blanks"),
        ("not json", "line 1: the JSON is damaged at character 1"),
        ("", "empty"),
    ],
)
def test_what_is_refused(tmp_path: Path, content: str, says: str) -> None:
    with pytest.raises(DataError, match=says):
        load(tmp_path, content)


def test_text_that_only_looks_a_little_like_json(tmp_path: Path) -> None:
    table = load(tmp_path, "[id],{x}\n1.5,a\n2.5,b\n", "t.csv")
    assert table.schema.names == ("[id]", "{x}")


def test_large_whole_numbers_keep_their_note(tmp_path: Path) -> None:
    table = load(tmp_path, '[{"a": 9007199254740993}, {"a": 1}]')
    assert any("more than a number keeps exactly" in note for note in table.notes)


def test_half_a_character_is_replaced(tmp_path: Path) -> None:
    table = load(tmp_path, '[{"a": "x\\ud800", "b": 1}, {"a": "y", "b": 2}]')
    assert table.schema.columns[0] == Nominal("a", ("x?", "y"))


def test_objects_inside_records_are_read_by_their_keys(tmp_path: Path) -> None:
    records = [
        {"a": 1.5, "home": {"town": "Ulm", "at": {"x": 1}}, "b": "p"},
        {"a": 2.5, "home": None, "b": "q"},
        {"a": 3.5, "home": {"town": "Bonn"}, "b": "p"},
    ]
    table = load(tmp_path, json.dumps(records))
    assert table.schema.names == ("a", "home.town", "home.at.x", "b")
    assert table.column("home.at.x").tolist()[0] == 1
    assert "home: an object, read by its keys: home.town, home.at" in table.notes
    assert load(tmp_path, json.dumps(records), ignore=["home"]).schema.names == ("a", "b")


@pytest.mark.parametrize("orient", ["records", "columns", "index", "split", "table", "values"])
def test_every_form_of_pandas(tmp_path: Path, orient: Any) -> None:
    frame = pd.DataFrame({"size": [1.5, 2.5, 4.0], "kind": ["a", "b", "a"]})
    table = load(tmp_path, frame.to_json(orient=orient))
    names = ("column1", "column2") if orient == "values" else ("size", "kind")
    assert [name for name in table.schema.names if name != "index"] == list(names)
    assert table.column(names[0]).tolist() == [1.5, 2.5, 4]
    assert table.column(names[1]).tolist() == [0, 1, 0]


def test_records_under_a_key_and_by_key(tmp_path: Path) -> None:
    rows = [{"size": 1.5, "kind": "a"}, {"size": 2.5, "kind": "b"}]
    table = load(tmp_path, json.dumps({"count": 2, "results": rows, "links": {"next": None}}))
    assert table.schema.names == ("size", "kind")
    assert "records: those of the key 'results' are read, other keys are not" in table.notes
    table = load(tmp_path, json.dumps({"Ann": rows[0], "Bob": rows[1]}))
    assert table.schema.names == ("key", "size", "kind")
    table = load(tmp_path, json.dumps([["size", "kind"], [1.5, "a"], [2.5, "b"]]))
    assert table.schema.names == ("size", "kind")
