"""Model files: round trips, and what damaged, foreign and hostile files come to."""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_files import EXTREMES, array_bytes, members_of, pack
from strategies import Random, fill_table, grow_tree, randoms, schemas, trees

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model.base.plain import ModelError, ModelFileError
from hornbeam.model.files import members, storage
from hornbeam.model.rules.rule import Rule, RuleList, rules_from_tree
from hornbeam.model.trees.trace import Trace
from hornbeam.model.trees.tree import Tree

FIXTURES = Path(__file__).parent / "fixtures"


def trace_of(tree: Tree) -> Trace:
    n = tree.n_nodes
    numbers = {name: np.full(n, np.nan) for name in ("gain", "charge", "split_information", "score", "cut")}
    steps = {name: np.array([0.5]) for name in ("step_leaf", "step_subtree", "step_branch")}
    return Trace(
        grown=tree,
        node=np.arange(n, dtype=np.int32),
        column=np.zeros(n, np.int32),
        verdict=np.full(n, 4, np.int8),
        n_cuts=np.zeros(n, np.int32),
        average_gain=np.zeros(n),
        step_node=np.zeros(1, np.int32),
        step_action=np.zeros(1, np.int8),
        **numbers,
        **steps,
    )


@given(st.booleans().flatmap(lambda sums: trees(surrogates=True, sums=sums)), randoms())
def test_a_tree_comes_back_as_it_was(tree: Tree, random: Random) -> None:
    data = storage.to_bytes(tree, {"scheme": "x", "seed": 1})
    back = storage.from_bytes(data)
    assert isinstance(back, Tree)
    assert back.same_as(tree)
    assert storage.to_bytes(back, {"scheme": "x", "seed": 1}) == data
    table = fill_table(random, tree.schema, 20, 0.3)
    assert np.array_equal(back.predict_codes(table), tree.predict_codes(table))


@given(st.sampled_from(["nominal", "numeric"]).flatmap(lambda target: trees(target=target)), randoms())
def test_rules_come_back_as_they_were(tree: Tree, random: Random) -> None:
    rules = rules_from_tree(tree)
    default = Rule((), np.ones(tree.value.shape[1]) if tree.task == "classification" else 1.5, 0)
    rules = replace(rules, default=replace(default, exceptions=RuleList(tree.schema, rules.rules)))
    data = storage.to_bytes(rules)
    back = storage.from_bytes(data)
    assert isinstance(back, RuleList)
    assert storage.to_bytes(back) == data
    table = fill_table(random, tree.schema, 20, 0.3)
    np.testing.assert_array_equal(back.predict_codes(table), rules.predict_codes(table))


def test_a_file_keeps_model_provenance_and_trace(weather: Tree, tmp_path: Path) -> None:
    path = tmp_path / "weather.hornbeam"
    storage.save(
        weather, path, {"scheme": "example", "parameters": {"confidence": 0.25}, "seed": None}, trace_of(weather)
    )
    provenance = storage.read_provenance(path)
    assert provenance["scheme"] == "example"
    assert provenance["parameters"] == {"confidence": 0.25}
    assert "hornbeam" in provenance
    loaded, trace = storage.load(path), storage.read_trace(path)
    assert weather.same_as(loaded)
    assert trace is not None
    assert trace.grown.same_as(weather)
    expected = trace_of(weather)
    assert trace.same_as(expected)
    assert [file.name for file in tmp_path.iterdir()] == ["weather.hornbeam"]


def test_without_a_trace_there_is_none(weather: Tree, tmp_path: Path) -> None:
    storage.save(weather, tmp_path / "m")
    assert storage.read_trace(tmp_path / "m") is None


def test_saving_replaces_a_file_only_when_all_is_written(
    weather: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m"
    storage.save(weather, path)
    before = path.read_bytes()

    def fail(_: int) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space"):
        storage.save(weather, path, {"scheme": "other"})
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["m"]


def test_what_is_not_sound_is_not_saved(weather: Tree, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="label"):
        storage.save(replace(weather, label=np.full(8, 7, np.int32)), tmp_path / "m")
    with pytest.raises(ModelError, match="provenance cannot be written as JSON"):
        storage.save(weather, tmp_path / "m", {"when": {1, 2}})
    with pytest.raises(ModelError, match="a list of rules was given"):
        storage.save(rules_from_tree(weather), tmp_path / "m", None, trace_of(weather))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["tree", "rules"])
def test_files_of_format_version_1_load_and_predict(kind: str) -> None:
    path = FIXTURES / f"weather-{kind}-version-1.hornbeam"
    model = storage.load(path)
    assert storage.read_provenance(path)["hornbeam"] == "0.1.0"
    assert storage.read_provenance(path)["scheme"] == "by hand"
    rows = Table(model.schema, [[0, 0, 1, 2, 2, -1], [70, 90, 80, 80, 80, 80], [1, 1, 1, 0, 1, 1], [0] * 6])
    assert model.predict_codes(rows).tolist() == [0, 1, 0, 1, 0, 0]
    np.testing.assert_allclose(model.predict_proba(rows)[5], [9 / 14, 5 / 14])
    assert (storage.read_trace(path) is not None) == (kind == "tree")


@given(st.data())
def test_flipped_and_cut_bytes_never_get_through(data: st.DataObject) -> None:
    good = (FIXTURES / "weather-tree-version-1.hornbeam").read_bytes()
    if data.draw(st.booleans(), "cut"):
        bad = good[: data.draw(st.integers(0, len(good) - 1))]
    else:
        place, change = data.draw(st.integers(0, len(good) - 1)), data.draw(st.integers(1, 255))
        bad = good[:place] + bytes([good[place] ^ change]) + good[place + 1 :]
    try:
        model = storage.from_bytes(bad)
    except ModelFileError:
        return
    # A byte that says nothing of the model, such as a date in the zip's table.
    assert len(bad) == len(good)
    assert storage.from_bytes(good).same_as(model)  # type: ignore[union-attr]


@given(st.binary(max_size=300))
def test_noise_is_not_a_model(noise: bytes) -> None:
    with pytest.raises(ModelFileError):
        storage.from_bytes(noise)
    with pytest.raises(ModelFileError):
        storage.from_bytes(b"PK\x03\x04" + noise)


@given(trees(surrogates=True, sums=True, most_inner=4), st.data())
def test_arrays_that_point_outside_are_refused_or_harmless(tree: Tree, data: st.DataObject) -> None:
    members = members_of(storage.to_bytes(tree))
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
        array.flat[place] = np.array(data.draw(values)).astype(array.dtype)
        if data.draw(st.integers(0, 5)) == 0:
            array = array[: data.draw(st.integers(0, len(array)))]
        members[name] = array_bytes(array)
        if array.size == 0:
            break
    try:
        model = storage.from_bytes(pack(members))
    except ModelFileError:
        return
    assert isinstance(model, Tree)
    model.validate()
    table = fill_table(data.draw(randoms()), tree.schema, 20, 0.3)
    shares = model.predict_proba(table)
    assert np.isfinite(shares).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-5)
    model.decision_path(table)


@given(schemas(), randoms(), st.data())
def test_rules_with_anything_in_them_are_refused_or_harmless(
    schema: Schema, random: Random, data: st.DataObject
) -> None:
    rules = rules_from_tree(grow_tree(random, schema, most_inner=3))
    members = members_of(storage.to_bytes(rules))
    plain = json.loads(members["model.json"])
    spots = list(_spots(plain))
    parent, key = data.draw(st.sampled_from(spots))
    parent[key] = data.draw(st.sampled_from([None, -1, 1, 99, 2**40, 1e400, -0.5, "x", [], [[]], {}, True, ["a"]]))
    members["model.json"] = json.dumps(plain).encode()
    try:
        model = storage.from_bytes(pack(members, {"kind": "rules"}))
    except ModelFileError:
        return
    model.predict_codes(fill_table(random, model.schema, 5, 0.3))


def _spots(plain: Any) -> Any:
    for key, value in plain.items() if isinstance(plain, dict) else enumerate(plain):
        yield plain, key
        if isinstance(value, dict | list):
            yield from _spots(value)


def refused(data: bytes, words: str) -> None:
    with pytest.raises(ModelFileError, match=words):
        storage.from_bytes(data)


def test_foreign_files_are_told_apart(weather: Tree, tmp_path: Path) -> None:
    members = members_of(storage.to_bytes(weather))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("hello.txt", "hello")
    refused(buffer.getvalue(), "a zip file, but not a model file")
    refused(b"", "the first bytes are wrong")
    refused(b"petal,sepal\n1,2\n" * 10, "the first bytes are wrong")
    refused(pickle.dumps(weather.parent), "the first bytes are wrong")
    refused(pack(members, {"format": "another"}), "its manifest names no model format")
    refused(pack(members, {"version": 4}), "format version 4; this program reads versions 1 to 3")
    refused(pack(members, {"kind": "grove"}), "kind 'grove'; expected one of tree, rules")
    refused(pack(members, {"kind": "rules"}), "not hold a sound model")
    refused(pack(members, {"members": {}}), "manifest and the members disagree")
    refused(storage.to_bytes(weather) + b"\n", "something was added")
    with pytest.raises(ModelFileError, match="not a file"):
        storage.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        storage.load(tmp_path / "nothing")


def test_hostile_files_are_refused(weather: Tree, tmp_path: Path) -> None:
    good = storage.to_bytes(weather)
    members = members_of(good)
    refused(_compressed(members), "more than the file|compressed or encrypted")
    deep = b"[" * 100_000 + b"]" * 100_000
    refused(pack({**members, "model.json": deep}), "model file|sound model")
    refused(pack({**members, "model.json": b'{"provenance":NaN}'}), "NaN is not a finite number")
    objects = io.BytesIO()
    np.save(objects, np.array([{"run": "me"}], object), allow_pickle=True)
    refused(pack({**members, "parent.npy": objects.getvalue()}), "unexpected header")
    huge = members["parent.npy"].replace(b"(8,)", b"(9999999999,)")
    refused(pack({**members, "parent.npy": huge}), "parent.npy")
    refused(pack({**members, "parent.npy": members["parent.npy"][:-1]}), "bytes of values")
    refused(pack({n: d for n, d in members.items() if n != "label.npy"}), "'label.npy' is missing")
    path = tmp_path / "m"
    path.write_bytes(good)
    with pytest.raises(ModelFileError, match="larger than 100 bytes"):
        storage.load(path, most_bytes=100)


def _compressed(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data + b" " * 10_000_000 * (name == "model.json"))
    return buffer.getvalue()


def test_names_of_any_kind_survive() -> None:
    schema = Schema(
        (Numeric('a "b"\n\x1b[31m', "%Y"), Nominal("\u202e", ("", "ß", "\U0001f333")), Nominal("y", ("no", "yes"))),
        ("feature", "feature", "target"),
        "näme",
    )
    tree = grow_tree(Random(3), schema)
    assert tree.same_as(storage.from_bytes(storage.to_bytes(tree)))


@pytest.mark.parametrize("provenance", [5, [], {"parameters": 5}, {"parameters": None}, {"parameters": [1]}, "x"])
def test_the_provenance_is_an_object(weather: Tree, provenance: Any) -> None:
    members = members_of(storage.to_bytes(weather))
    plain = json.loads(members["model.json"]) | {"provenance": provenance}
    refused(pack({**members, "model.json": json.dumps(plain).encode()}), "provenance")


def test_every_byte_counts_even_where_the_zip_agrees(weather: Tree) -> None:
    members = members_of(storage.to_bytes(weather))
    manifest = json.loads(members["manifest.json"])
    score = np.load(io.BytesIO(members["splits/score.npy"])).copy()
    score[0] += 1.0
    other = {**members, "splits/score.npy": array_bytes(score)}
    assert storage.from_bytes(pack(other)).splits.score[0] == score[0]  # sound in itself
    refused(pack(other, {"members": manifest["members"]}), "the checksum of 'splits/score.npy' is wrong")


def test_infinite_numbers_are_refused_wherever_they_stand(weather: Tree) -> None:
    members = members_of(storage.to_bytes(weather, {"figure": 1.5}))
    text = members["model.json"].replace(b'"figure":1.5', b'"figure":1e400')
    assert text != members["model.json"]
    refused(pack({**members, "model.json": text}), "1e400 is not a finite number")


def test_large_files_are_refused_before_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.truncate(2**40)  # takes no room on the disk
    with pytest.raises(ModelFileError, match="larger than"):
        storage.load(path)
    monkeypatch.setattr(members, "MOST_JSON_BYTES", 1000)
    with pytest.raises(ModelError, match=r"takes \d+ bytes besides its arrays, and a model file may have 1000"):
        storage.to_bytes(hornbeam.RipperClassifier().fit(hornbeam.read("labor")).model_)


def test_text_in_a_recipe_that_is_not_what_it_should_be() -> None:
    members = members_of(storage.to_bytes(hornbeam.M5RulesRegressor(compat="weka").fit(hornbeam.read("cpu")).model_))
    for name in ("category_order", "deviations"):
        for text in ("x", "5", "[[1]]", '{"1": ["a"]}', "[" * 100_000):
            plain = json.loads(members["model.json"])
            plain["rules"]["recipe"][name] = text
            refused(pack({**members, "model.json": json.dumps(plain).encode()}, {"kind": "rules"}), "sound model")


@pytest.mark.parametrize("keep_trace", [False, True])
def test_an_estimator_is_saved_as_its_model(tmp_path: Path, keep_trace: bool) -> None:
    learner = hornbeam.C45Classifier(keep_trace=keep_trace).fit(hornbeam.read("labor"))
    storage.save(learner, tmp_path / "by save")
    learner.save(tmp_path / "by the estimator")
    assert (tmp_path / "by save").read_bytes() == (tmp_path / "by the estimator").read_bytes()
    storage.save(learner, tmp_path / "other", {"by": "me"})
    assert storage.read_provenance(tmp_path / "other")["by"] == "me"


@pytest.mark.parametrize("what", [hornbeam.C45Classifier(), None, 5, "model", {"a": 1}])
def test_what_is_no_model_cannot_be_saved(tmp_path: Path, what: Any) -> None:
    advice = "call fit first" if hasattr(what, "fit") else "expected a model"
    with pytest.raises(ModelError, match=f"cannot save {type(what).__name__}: .*{advice}"):
        storage.save(what, tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_a_name_that_no_file_can_have_is_refused_in_words(tmp_path: Path) -> None:
    model = hornbeam.C45Classifier().fit(hornbeam.read("weather.numeric"))
    with pytest.raises(ModelFileError, match="has a null character, which no file name can have"):
        hornbeam.load("a\0b")
    with pytest.raises(ModelFileError, match="has a null character"):
        model.save(tmp_path / "a\0b")
    with pytest.raises(ModelFileError, match="has a null character"):
        hornbeam.save(model.model_, "a\0b")
