"""Exports carry a manifest, and `hornbeam check` finds what differs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner

import hornbeam
from hornbeam.cli.main import app
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.export import python
from hornbeam.export.judges.check import Expected, check, compare
from hornbeam.export.manifest import escaped, fingerprint, manifest_line, read_manifest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("exports")
    hornbeam.save(hornbeam.C45Classifier().fit(hornbeam.read("labor")), path / "m.hornbeam")
    return path


def _run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(each) for each in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


@pytest.mark.parametrize("name", ["m.py", "m.js", "m.json"])
def test_an_export_agrees_with_the_model_beside_it(folder: Path, name: str) -> None:
    assert _run("export", folder / "m.hornbeam", "-o", folder / name)[0] == 0
    code, output = _run("check", folder / name, "labor", "--json")
    assert code == 0
    found = json.loads(output[output.index("{") :])
    assert found["equal"]
    assert found["rows"] == 57


def test_a_changed_export_is_found(folder: Path) -> None:
    model = hornbeam.load(folder / "m.hornbeam")
    text = python(model)
    head, program = text.split("PROGRAM = ")
    program = program.replace('"categories":["bad","good"]', '"categories":["good","bad"]')
    (folder / "wrong.py").write_text(f"{head}PROGRAM = {program}", "utf-8")
    code, output = _run("check", folder / "wrong.py", "labor", "--model", folder / "m.hornbeam")
    assert code == 1
    assert "of 57 rows differ" in output
    assert "row " in output


def test_another_model_is_refused(folder: Path) -> None:
    other = hornbeam.C45Classifier(prune=None).fit(hornbeam.read("labor"))
    (folder / "other.py").write_text(python(other), "utf-8")
    with pytest.raises(ValueError, match="exported from a different model"):
        check(folder / "other.py", hornbeam.load(folder / "m.hornbeam"), hornbeam.read("labor"))
    with pytest.raises(ValueError, match="no model file in the folder of"):
        _run("check", folder / "other.py", "labor")
    (folder / "none.py").write_text("print(1)\n", "utf-8")
    with pytest.raises(ValueError, match="no manifest found"):
        read_manifest(folder / "none.py")


def test_an_ending_that_is_not_a_format_is_refused(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"expected one of json \(\.json\), plain"):
        _run("export", folder / "m.hornbeam", "-o", folder / "m.xyz")
    assert not (folder / "m.xyz").exists()


def test_a_manifest_cannot_close_a_comment(tmp_path: Path) -> None:
    names = ("*/ alert(1)", "-->", "]]></x>", "a\nb", "it's", "\u2028")
    schema = Schema((*map(Numeric, names), Nominal("y", names)), name="x")
    columns = [np.array([1.0, 2.0])] * len(names)
    rows = Table(schema, [*columns, np.array([0, 1], np.int32)]).with_target("y")
    model = hornbeam.C45Classifier().fit(rows).model_
    line = manifest_line(model, "test")
    assert not set("\n\r\u2028<>'*/") & set(line)
    assert "--" not in line
    (tmp_path / "x").write_text(f"/* {line} */ rest", "utf-8")
    found = read_manifest(tmp_path / "x")
    assert [column["name"] for column in found["columns"]] == list(names)
    assert found["fingerprint"] == fingerprint(model)
    assert json.loads(escaped(json.dumps(list(names)))) == list(names)


def test_probabilities_that_an_export_does_not_give_are_a_difference() -> None:
    table = hornbeam.read("labor")
    expected = Expected.of(hornbeam.C45Classifier().fit(table), table)
    labels, shares = expected.predictions.tolist(), expected.probabilities.tolist()
    assert compare("test", list(zip(labels, shares, strict=True)), expected, {}).is_equal
    for change in (lambda _: None, lambda row: row[:1], lambda row: [*row, 0.0]):
        found = compare("test", [(one, change(row)) for one, row in zip(labels, shares, strict=True)], expected, {})
        assert len(found.differences) == 57
        assert "row 1: list of probabilities is" in str(found)
    with pytest.raises(ValueError, match="test gave 56 rows; expected 57"):
        compare("test", list(zip(labels, shares, strict=True))[1:], expected, {})
    with pytest.raises(ValueError, match="test gave 58 rows; expected 57"):
        compare("test", [*zip(labels, shares, strict=True), (labels[0], shares[0])], expected, {})
