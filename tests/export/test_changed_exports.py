"""`hornbeam check` ends with exit code 1 for every format if a number of the exported file was changed."""

from __future__ import annotations

import io
import struct
import zipfile
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner

import hornbeam
from hornbeam.cli.main import app, run
from hornbeam.data.schema import Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.export.judges import JUDGES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BEFORE, AFTER = 1234.5, 1234.75  # what rows above a cut have


def _in_text(data: bytes) -> bytes:
    return data.replace(b"1234.5", b"1234.75")


def _in_bytes(data: bytes) -> bytes:
    return data.replace(struct.pack("<d", BEFORE), struct.pack("<d", AFTER))


FILES: dict[str, tuple[str, list[str], Callable[[bytes], bytes]]] = {  # by runtime
    "python": ("m.py", [], _in_text),
    "node": ("m.js", [], _in_text),
    "gcc": ("m.h", [], _in_text),
    "clang": ("m.h", [], _in_text),
    "rustc": ("m.rs", [], _in_text),
    "duckdb": ("m.sql", ["--dialect", "duckdb"], _in_text),
    "sqlite": ("m.sql", ["--dialect", "sqlite"], _in_text),
    "onnxruntime": ("m.onnx", [], _in_bytes),
    "onnx": ("m.onnx", [], _in_bytes),
    "jpmml": ("m.pmml", [], _in_text),
    "pypmml": ("m.pmml", [], _in_text),
    "hornbeam": ("m.json", [], _in_text),
    "formulas": ("m.xlsx", [], _in_text),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a regression tree of one cut, and its rows."""
    path = tmp_path_factory.mktemp("changed")
    x = np.arange(40.0)
    columns = (Numeric("x"), Numeric("y"))
    table = Table(Schema(columns, name="rows"), [x, np.where(x > 20, BEFORE, 77.25)]).with_target("y")
    hornbeam.save(hornbeam.CartRegressor().fit(table), path / "m.hornbeam")
    (path / "rows.csv").write_text("x\n" + "".join(f"{value}\n" for value in x))
    return path


def _checked(path: Path, runtime: str) -> tuple[int, str]:
    given = ["check", str(path), str(path.parent / "rows.csv"), "--model", str(path.parent / "m.hornbeam")]
    output = io.StringIO()
    with redirect_stdout(output), redirect_stderr(output):
        code = run([*given, "--runtime", runtime])
    return code, output.getvalue()


def _change(path: Path, change: Callable[[bytes], bytes]) -> None:
    if path.suffix != ".xlsx":
        path.write_bytes(change(path.read_bytes()))
        return
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    with zipfile.ZipFile(path, "w") as book:
        for name, data in parts.items():
            book.writestr(name, change(data))


@pytest.mark.parametrize("runtime", FILES)
def test_a_changed_number_is_found(runtime: str, folder: Path) -> None:
    judge = next(each for each in JUDGES if each.name == runtime)
    if judge.missing():
        pytest.skip(f"the runtime of the export is not on this machine: {judge.missing()}")
    name, options, change = FILES[runtime]
    path = folder / name
    done = CliRunner().invoke(app, ["export", str(folder / "m.hornbeam"), "-o", str(path), *options])
    assert done.exit_code == 0, done.output
    assert _checked(path, runtime)[0] == 0
    before = path.read_bytes()
    _change(path, change)
    assert path.read_bytes() != before
    code, output = _checked(path, runtime)
    assert code == 1
    assert "19 of 40 rows differ" in output
    assert f"prediction is {AFTER}; the model has {BEFORE}" in output


def test_changed_plain_text_is_refused(folder: Path) -> None:
    """Its checksum is wrong before anything is predicted."""
    path = folder / "m.txt"
    done = CliRunner().invoke(app, ["export", str(folder / "m.hornbeam"), "--to", "plain", "-o", str(path)])
    assert done.exit_code == 0, done.output
    assert _checked(path, "hornbeam")[0] == 0
    _change(path, _in_text)
    code, output = _checked(path, "hornbeam")
    assert code == 2
    assert "checksum in the last line is wrong" in output
