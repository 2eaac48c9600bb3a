"""Forests in model files, and every way in which arrays fail to make a forest."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn_forests import forests
from hypothesis import given
from hypothesis import strategies as st
from model_files import EXTREMES, array_bytes, members_of, pack
from strategies import Random, fill_table, randoms

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model.base.plain import ModelError, ModelFileError
from hornbeam.model.files import storage
from hornbeam.model.forests.forest import Forest

FIXTURE = Path(__file__).parent / "fixtures" / "weather-forest-version-1.hornbeam"


def weather_forest() -> Forest:
    """Two trees by hand: outlook is overcast or rainy, then wind; humidity at most 77.5."""
    schema = Schema(
        (
            Nominal("outlook", ("sunny", "overcast", "rainy")),
            Numeric("temperature"),
            Numeric("humidity"),
            Nominal("windy", ("TRUE", "FALSE")),
            Nominal("play", ("yes", "no")),
        ),
        ("feature", "feature", "feature", "feature", "target"),
        "weather",
    )
    yes = np.array([9 / 14, 7 / 9, 0.4, 0.5, 1.0, 9 / 14, 5 / 6, 0.5])
    return Forest(
        schema,
        roots=np.array([0, 5, 8], np.int64),
        feature=np.array([0, 3, -1, -1, -1, 2, -1, -1], np.int32),
        cut=np.array([0, 0, 0, 0, 0, 77.5, 0, 0]),
        first_child=np.array([1, 3, -1, -1, -1, 6, -1, -1], np.int32),
        missing=np.array([0, 1, 0, 0, 0, 1, 0, 0], np.int8),
        weight=np.array([14, 9, 5, 4, 5, 14, 6, 8], np.float32),
        value=np.stack([yes, 1 - yes], axis=1).astype(np.float32),
        gain=np.array([0.5, 0.25, 0, 0, 0, 0.75, 0, 0], np.float32),
        base=np.zeros(2),
        set_start=np.array([0, 2, 3, 3, 3, 3, 3, 3, 3], np.int64),
        codes=np.array([1, 2, 0], np.int32),
        recipe={"n_estimators": 2, "bootstrap": False},
    )


@given(forests(large=False), randoms())
def test_a_forest_comes_back_as_it_was(forest: Forest, random: Random) -> None:
    data = storage.to_bytes(forest, {"scheme": "x"})
    back = storage.from_bytes(data)
    assert isinstance(back, Forest)
    assert back.same_as(forest)
    assert storage.to_bytes(back, {"scheme": "x"}) == data
    table = fill_table(random, forest.schema, 20, 0.3)
    assert np.array_equal(back.predict_codes(table), forest.predict_codes(table))


def test_files_of_format_version_1_load_and_predict() -> None:
    forest = storage.load(FIXTURE)
    assert storage.read_provenance(FIXTURE)["hornbeam"] == "0.1.0"
    assert forest.same_as(weather_forest())
    rows = Table(forest.schema, [[0, 1, 2, -1], [70.0] * 4, [70.0, 90.0, np.nan, 77.5], [0, 0, 1, -1], [0] * 4])
    expected = [(0.4 + 5 / 6) / 2, (0.5 + 0.5) / 2, (1 + 0.5) / 2, (1 + 5 / 6) / 2]
    np.testing.assert_allclose(forest.predict_proba(rows)[:, 0], expected, atol=1e-7)
    assert forest.predict_codes(rows).tolist() == [0, 0, 0, 0]


@given(forests(large=False), st.data())
def test_arrays_that_point_outside_are_refused_or_harmless(forest: Forest, data: st.DataObject) -> None:
    members = members_of(storage.to_bytes(forest))
    names = [name for name in members if name.endswith(".npy") and len(members[name]) > 128]
    for _ in range(data.draw(st.integers(1, 3))):
        name = data.draw(st.sampled_from(names))
        array = np.load(io.BytesIO(members[name])).copy()
        place = data.draw(st.integers(0, array.size - 1))
        values = (
            st.sampled_from([0.0, -1.0, 0.5, 1e300, np.nan, np.inf])
            if array.dtype.kind == "f"
            else st.sampled_from(EXTREMES)
        )
        with np.errstate(over="ignore"):
            array.flat[place] = np.array(data.draw(values)).astype(array.dtype)
        if data.draw(st.integers(0, 5)) == 0:
            array = array[: data.draw(st.integers(0, len(array)))]
        members[name] = array_bytes(array)
        if array.size == 0:
            break
    try:
        model = storage.from_bytes(pack(members, {"kind": "forest"}))
    except ModelFileError:
        return
    assert isinstance(model, Forest)
    table = fill_table(data.draw(randoms()), model.schema, 20, 0.3)
    assert np.isfinite(model.scores(table)).all()
    model.predict(table)
    assert ((model.apply(table) >= model.roots[:-1]) & (model.apply(table) < model.roots[1:])).all()
    model.tree(0).validate()


@given(st.data())
def test_anything_in_the_plain_part_is_refused_or_harmless(data: st.DataObject) -> None:
    members = members_of(storage.to_bytes(weather_forest()))
    plain = json.loads(members["model.json"])
    part = data.draw(st.sampled_from(["schema", "forest", "recipe"]))
    strange = st.sampled_from([None, -1, 99, 1e400, "x", [], {}, True, ["a"], {"a": []}])
    if data.draw(st.booleans()) and isinstance(plain[part], dict):
        plain[part][data.draw(st.sampled_from(sorted(plain[part])))] = data.draw(strange)
    else:
        plain[part] = data.draw(strange)
    members["model.json"] = json.dumps(plain).encode()
    try:
        model = storage.from_bytes(pack(members, {"kind": "forest"}))
    except ModelFileError:
        return
    model.predict_codes(fill_table(Random(1), model.schema, 5, 0.3))


def test_hostile_files_are_refused() -> None:
    members = members_of(storage.to_bytes(weather_forest()))
    for name in ("feature.npy", "roots.npy", "base.npy"):
        rest = {other: content for other, content in members.items() if other != name}
        with pytest.raises(ModelFileError, match=f"'{name}' is missing"):
            storage.from_bytes(pack(rest, {"kind": "forest"}))
    huge = members["feature.npy"].replace(b"(8,)", b"(9999999999,)")
    with pytest.raises(ModelFileError, match=r"feature\.npy"):
        storage.from_bytes(pack({**members, "feature.npy": huge}, {"kind": "forest"}))
    with pytest.raises(ModelFileError, match="not hold a sound model"):
        storage.from_bytes(pack(members, {"kind": "tree"}))


def changed(array: Any, place: Any, value: Any) -> Any:
    copy = array.copy()
    copy[place] = value
    return copy


NODE_PROBLEMS = [
    ("roots", 1, 9, "roots does not rise from 0 to 8"),
    ("roots", 1, 0, "tree 0 has no node"),
    ("feature", 0, 4, "node 0 has a feature that does not exist"),
    ("feature", 0, -1, "node 0 has a feature that does not exist"),
    ("feature", 2, 1, "node 2 is a leaf, but has a feature"),
    ("feature", 1, 2, "node 1 lists categories, but does not split by them"),
    ("feature", 5, 0, "node 5 has a cut, but no numeric split"),
    ("cut", 5, np.nan, "node 5 has a cut that is not a number"),
    ("cut", 5, -np.inf, "node 5 has a cut that is not a number, or below"),
    ("cut", 0, 1.0, "node 0 has a cut, but no numeric split"),
    ("cut", 2, 1.0, "node 2 has a cut, but no numeric split"),
    ("first_child", 0, 0, "node 0 has children that do not come after it"),
    ("first_child", 1, 4, "node 1 has children beyond the last node of its tree"),
    ("first_child", 0, -2, "node 0 has a first child below -1"),
    ("first_child", 1, 2, "node 2 is the child of two nodes"),
    ("missing", 0, 2, "node 0 sends missing values to a branch that it does not have"),
    ("missing", 3, -1, "node 3 sends missing values to a branch that it does not have"),
    ("weight", 1, -1, "node 1 has a weight that is negative"),
    ("weight", 1, np.nan, "node 1 has a weight that is negative or not a number"),
    ("value", (2, 1), np.inf, "node 2 has a value that is not a number"),
    ("value", (2, 1), 0.9, "node 2 has class probabilities that do not add up to 1"),
    ("value", (2, 1), -0.4, "node 2 has a negative class probability"),
    ("gain", 1, np.nan, "node 1 has a gain that is not a number"),
    ("base", 0, np.nan, "base of the sums is not a number"),
    ("base", 0, 1.0, "averaged, but there is a base other than 0"),
    ("set_start", 1, 4, "set_start does not rise"),
    ("set_start", 2, 2, "node 1 splits by categories, but lists none"),
    ("codes", 1, 3, "node 0 lists an unknown code"),
    ("codes", 2, -1, "node 1 lists an unknown code"),
    ("codes", 1, 1, "node 0 lists codes that are not in rising order"),
]


@pytest.mark.parametrize(("name", "place", "value", "words"), NODE_PROBLEMS)
def test_each_problem_gets_its_own_sentence(name: str, place: Any, value: Any, words: str) -> None:
    forest = weather_forest()
    with pytest.raises(ModelError, match=words):
        replace(forest, **{name: changed(getattr(forest, name), place, value)}).validate()


def test_parts_that_do_not_go_together_are_refused() -> None:
    forest = weather_forest()
    forest.validate()
    numeric = replace(forest.schema, columns=(*forest.schema.columns[:-1], Numeric("play")))
    ones, sums = np.ones((8, 1), np.float32), {"combine": "sum", "base": np.zeros(2)}
    for change, words in (
        ({"combine": "median"}, "combined by 'median'"),
        ({"link": "exp"}, "the link is 'exp'; expected one of identity, logistic, softmax"),
        ({"link": "logistic"}, "the shape"),
        ({"schema": numeric}, "the shape"),
        ({"schema": numeric, "link": "softmax"}, "expected one of identity, exp for regression"),
        ({"schema": replace(forest.schema, roles=("feature",) * 5)}, "no target column"),
        ({"codes": None}, "only one of set_start and codes"),
        ({"codes": None, "set_start": None}, "node 0 splits by categories, but lists none"),
        ({"weight": forest.weight.astype(np.float64)}, "type float64; expected a contiguous array of float32"),
        ({"roots": np.array([0], np.int64)}, "the forest has 0 trees"),
        ({"roots": np.empty(0, np.int64)}, "the forest has -1 trees"),
        ({"value": ones, "output": np.array([0, 1], np.int32)}, "each adds to one output only"),
        ({"value": ones, "output": np.array([0, 2], np.int32), **sums}, "tree 1 adds to an output that does not exist"),
        ({"targets": np.zeros(0, np.float32)}, "only one of target_start and targets"),
        ({"targets": np.zeros(0, np.float32), "target_start": np.zeros(9, np.int64)}, "its target is nominal"),
    ):
        with pytest.raises(ModelError, match=words):
            replace(forest, **change).validate()  # type: ignore[arg-type]
    three = replace(forest.schema.target_column, categories=("a", "b", "c"))
    schema = replace(forest.schema, columns=(*forest.schema.columns[:-1], three))
    with pytest.raises(ModelError, match="the link is logistic, but the target 'play' has 3 categories"):
        replace(forest, schema=schema, link="logistic").validate()
    mean = {"schema": numeric, "value": ones, "base": np.zeros(1)}
    kept = {"targets": np.zeros(1, np.float32), "target_start": np.array([0] * 3 + [1] * 6, np.int64)}
    replace(forest, **mean, **kept).validate()  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="node 2 keeps a training target that is not a number"):
        replace(forest, **mean, **(kept | {"targets": np.full(1, np.nan, np.float32)})).validate()  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="node 0 keeps training targets, but is not a leaf"):
        replace(forest, **mean, **(kept | {"target_start": np.array([0] + [1] * 8, np.int64)})).validate()  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="node 0"):
        replace(forest, feature=changed(forest.feature, 0, 7)).predict_codes(Table(forest.schema, [[]] * 5))
