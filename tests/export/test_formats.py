"""The list of formats agrees with the functions, the command and the documentation."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import hornbeam
from hornbeam.cli.main import app
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
    assert f"--to {one.name}" in PAGE.read_text("utf-8")


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.name)
def test_a_format_writes_as_its_function_does(one: Format) -> None:
    tree = hornbeam.C45Classifier().fit(hornbeam.read("weather"))
    assert one.write(tree) == getattr(hornbeam.export, one.name)(tree)


def test_a_name_that_is_not_a_format_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'yaml'"):
        _ = hornbeam.export.yaml


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("formats") / "play.hornbeam"
    hornbeam.C45Classifier().fit(hornbeam.read("weather")).save(path)
    return path


def _run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(each) for each in arguments])
    return result.exit_code, result.output + str(result.exception or "")


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.name)
def test_show_and_export_take_the_same_name(one: Format, saved: Path, tmp_path: Path) -> None:
    for command in ("show", "export"):
        ending = one.endings[0] if one.endings else ".txt"
        code, output = _run(command, saved, "--to", one.name, "-o", tmp_path / f"{command}{ending}")
        assert code == 0, output
        code, output = _run(command, saved, "--to", one.name, "-o", tmp_path / "wrong.js")
        if one.name != "javascript":
            assert code != 0
            assert ".js" in output
            assert f"--to {one.name}" in output
            assert not (tmp_path / "wrong.js").exists()
    written = [path.read_bytes() for path in sorted(tmp_path.glob("[es]*.*"))]
    assert written[0].rstrip() == written[-1].rstrip()


def test_pages_name_the_option_of_the_command() -> None:
    for page in PAGE.parent.rglob("*.md"):
        assert not re.search(r"--as \w", page.read_text("utf-8")), page.name


@pytest.mark.parametrize("name", ["excel", "onnx"])
def test_show_writes_binary_formats_to_files(name: str, saved: Path, tmp_path: Path) -> None:
    ending = next(one.endings[0] for one in FORMATS if one.name == name)
    written = tmp_path / f"play{ending}"
    code, output = _run("show", saved, "-o", written)
    assert code == 0, output
    assert written.read_bytes() == getattr(hornbeam.export, name)(hornbeam.load(saved))
    assert f"the format {name} is binary; name a file with -o FILE{ending}" in _run("show", saved, "--to", name)[1]
