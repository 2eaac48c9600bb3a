"""`hornbeam predict -o FILE`: the file appears whole or not at all."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from model_files import members_of, pack

import hornbeam
from hornbeam.cli import predict

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "iris.hornbeam"
    hornbeam.C45Classifier().fit(hornbeam.read("iris")).save(path)
    return path


@pytest.mark.parametrize(
    ("options", "name"),
    [((), "out.csv"), (("--json",), "out.json"), (("--proba",), "out.csv"), (("--explain", "3"), "out.txt")],
)
def test_what_is_written_is_what_is_printed(good: Any, model: Path, tmp_path: Path, options: Any, name: str) -> None:
    printed = good("predict", model, "iris", *options).out
    good("predict", model, "iris", *options, "-o", tmp_path / name)
    assert (tmp_path / name).read_text(encoding="utf-8") == printed


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_the_older_file_stays_until_the_new_one_is_whole(
    command: Any, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Any
) -> None:
    older = tmp_path / "out.csv"
    older.write_text("older\n", encoding="utf-8")
    before = sorted(tmp_path.iterdir())

    def half(writer: Any, *_: Any) -> None:
        writer.stream.write("half a line" * 10_000)
        writer.stream.flush()
        assert older.read_text(encoding="utf-8") == "older\n"
        raise error

    monkeypatch.setattr(predict.CsvWriter, "__call__", half)
    with contextlib.suppress(error):
        assert command("predict", model, "iris", "-o", older).code != 0
    assert older.read_text(encoding="utf-8") == "older\n"
    assert sorted(tmp_path.iterdir()) == before


def test_a_file_that_cannot_be_written(bad: Any, model: Path, tmp_path: Path) -> None:
    absent = tmp_path / "absent"
    assert f"there is no folder {absent}" in bad("predict", model, "iris", "-o", absent / "out.csv").err


def test_parameters_of_a_stranger(command: Any, tmp_path: Path) -> None:
    fitted = hornbeam.C45Classifier().fit(hornbeam.read("iris"))
    for parameters in ({"decision_threshold": "x"}, {"decision_threshold": [1]}, {"costs": 5}, {"costs": {"a": 1}}):
        hornbeam.save(fitted.model_, tmp_path / "model", {"parameters": parameters})
        assert command("predict", tmp_path / "model", "iris").code == 0  # the decision is part of the model
        members = members_of((tmp_path / "model").read_bytes())
        plain = json.loads(members["model.json"])
        del plain["decision"]  # as in files of earlier versions, whose parameters decide
        (tmp_path / "model").write_bytes(pack({**members, "model.json": json.dumps(plain).encode()}))
        outcome = command("predict", tmp_path / "model", "iris")
        assert outcome.code == 2
        assert "internal error" not in outcome.err
