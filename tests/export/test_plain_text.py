"""Models exported as JSON or as text are read back exactly; trees for Graphviz are sound."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from conformance.every import CLUSTERERS, table_for
from export.exported import CASES, learned
from sklearn.base import clone

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.export import dot, plain
from hornbeam.export.manifest import fingerprint
from hornbeam.model.base.plain import ModelFileError

if TYPE_CHECKING:
    from pathlib import Path

QUICK = [case for case in CASES if case.values[1] in ("labor", "servo")]


@pytest.mark.parametrize(("scheme", "name"), QUICK)
def test_text_reads_back_to_the_same_model(scheme: Any, name: str, tmp_path: Path) -> None:
    estimator = learned(scheme, name)
    for ending, written in ((".txt", plain(estimator)), (".json", _json(estimator))):
        if written is None:
            continue
        path = tmp_path / f"model{ending}"
        path.write_text(written, "utf-8")
        loaded = hornbeam.load(path)
        assert loaded.same_as(estimator.model_)
        assert fingerprint(loaded) == fingerprint(estimator._deciding(estimator.model_))
        assert (loaded.predict(hornbeam.read(name)) == estimator.predict(hornbeam.read(name))).all()


def _json(estimator: Any) -> str | None:
    try:
        return hornbeam.export.json(estimator)
    except TypeError:  # kept rows: the text form has them
        return None


@pytest.mark.parametrize("name", CLUSTERERS)
def test_clusters_read_back(name: str, tmp_path: Path) -> None:
    estimator = clone(CLUSTERERS[name]).fit(table_for(name))
    (tmp_path / "model.txt").write_text(plain(estimator), "utf-8")
    assert hornbeam.load(tmp_path / "model.txt").same_as(estimator.model_)


def test_costs_are_kept(tmp_path: Path) -> None:
    table = hornbeam.read("labor")
    estimator = hornbeam.C45Classifier(costs={"bad": {"good": 9}}).fit(table)
    for ending, write in ((".txt", plain), (".json", hornbeam.export.json)):
        (tmp_path / f"m{ending}").write_text(write(estimator), "utf-8")
        assert (hornbeam.load(tmp_path / f"m{ending}").predict(table) == estimator.predict(table)).all()


def test_the_readable_part_is_a_comment(tmp_path: Path) -> None:
    tree = hornbeam.C45Classifier().fit(hornbeam.read("weather"))
    written = plain(tree)
    assert "#   humidity = high: no [no 3]\n" in written
    path = tmp_path / "m.txt"
    path.write_text(re.sub("^#.*\n", "", written, flags=re.MULTILINE), "utf-8")
    assert hornbeam.load(path).same_as(tree.model_)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("first_child <i4", "first_child <i8", "checksum"),
        ("hornbeam model as text, version", "hornbeam model as text version 1 of", "the first line is"),
        ("sha256", "sha1", "a last line that starts with 'sha256'"),
    ],
)
def test_a_changed_text_is_refused(before: str, after: str, message: str, tmp_path: Path) -> None:
    written = plain(hornbeam.C45Classifier().fit(hornbeam.read("weather")))
    assert before in written
    (tmp_path / "m.txt").write_text(written.replace(before, after), "utf-8")
    with pytest.raises(ModelFileError, match=message):
        hornbeam.load(tmp_path / "m.txt")


@pytest.mark.parametrize(
    "content",
    [
        "{}", "{", "[]", '{"exact": 1}', '{"exact": {"arrays": {"a": {}}}}', '{"exact": {"arrays": [], "model": {}}}',
        '{"exact": {"format": "hornbeam model", "version": 1, "kind": "tree", "model": {}, "arrays": {}}}',
        '{"exact": {"arrays": {"a": {"type": "O", "shape": [1], "values": [1]}}}}',
        '{"exact": {"arrays": {"a": {"type": "<f8", "shape": [9], "values": [1]}}}}',
        '{"exact": {"arrays": {"a": {"type": "<i4", "shape": [1], "values": [1e99]}}}}',
        "hornbeam model as text", "hornbeam model as text, version 1, kind tree\nmodel {}\nsha256 0\n", "[" * 100_000,
    ],
)  # fmt: skip
def test_other_text_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(content, "utf-8")
    with pytest.raises(ModelFileError):
        hornbeam.load(tmp_path / "m.json")


def test_json_is_still_nested() -> None:
    written = json.loads(hornbeam.export.json(hornbeam.C45Classifier().fit(hornbeam.read("weather"))))
    assert written["tree"]["column"] == "outlook"
    assert "exact" not in json.loads(
        hornbeam.export.json(hornbeam.C45Classifier().fit(hornbeam.read("weather")), exact=False)
    )


def test_trees_for_graphviz() -> None:
    names = ('a"b', "back\\slash", "x\ny", "]; evil [")
    table = Table(
        Schema((Nominal("k", names), Numeric('n "1"'), Nominal("y", ("<b>", "c\\")))),
        [[0, 1, 2, 3] * 10, [float(i) for i in range(40)], [0, 0, 1, 1] * 10],
    ).with_target("y")
    tree = hornbeam.C45Classifier().fit(table)
    written = dot(tree)
    assert written.count("->") == tree.model_.n_nodes - 1
    strings = re.findall(r'"(?:[^"\\\n]|\\.)*"', written)
    assert len(strings) >= 2 * tree.model_.n_nodes - 1
    if shutil.which("dot"):
        done = subprocess.run(["dot", "-Tplain"], input=written, text=True, capture_output=True, check=True)  # noqa: S607
        assert sum(line.startswith("node ") for line in done.stdout.splitlines()) == tree.model_.n_nodes
    assert "digraph" in dot(hornbeam.RandomForestClassifier(2, random_state=0).fit(table), tree=1)
    with pytest.raises(TypeError, match="cannot write a RuleList as dot"):
        dot(hornbeam.RipperClassifier().fit(table))
