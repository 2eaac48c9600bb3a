"""The list of formats agrees with the functions, the command and the documentation."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import hornbeam
from hornbeam.cli.show import BY_ENDING, FORMS
from hornbeam.export import FORMATS, Format

PAGE = Path(__file__).parents[2] / "docs" / "export.md"


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.name)
def test_a_format_is_offered_and_documented(one: Format) -> None:
    function = getattr(hornbeam.export, one.name)
    assert set(one.options) <= set(inspect.signature(function).parameters)
    assert one.module != one.name
    assert one.name in hornbeam.export.__all__
    assert FORMS[one.name].summary == one.summary
    assert all(BY_ENDING[ending] == one.name for ending in one.endings)
    assert f"--as {one.name}" in PAGE.read_text("utf-8")


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.name)
def test_a_format_writes_as_its_function_does(one: Format) -> None:
    tree = hornbeam.C45Classifier().fit(hornbeam.read("weather"))
    assert one.write(tree) == getattr(hornbeam.export, one.name)(tree)


def test_a_name_that_is_not_a_format_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'yaml'"):
        _ = hornbeam.export.yaml


@pytest.mark.parametrize("name", ["excel", "onnx"])
def test_show_writes_binary_formats_to_files(name: str, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from hornbeam.cli.main import app

    tree = hornbeam.C45Classifier().fit(hornbeam.read("weather"))
    tree.save(tmp_path / "play.hornbeam")
    ending = next(one.endings[0] for one in FORMATS if one.name == name)
    written = tmp_path / f"play{ending}"
    result = CliRunner().invoke(app, ["show", str(tmp_path / "play.hornbeam"), "-o", str(written)])
    assert result.exit_code == 0, result.output
    assert written.read_bytes() == getattr(hornbeam.export, name)(hornbeam.load(tmp_path / "play.hornbeam"))
    printed = CliRunner().invoke(app, ["show", str(tmp_path / "play.hornbeam"), "--as", name])
    assert f"the format {name} is binary; name a file with -o FILE{ending}" in str(printed.exception) + printed.output
