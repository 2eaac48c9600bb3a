"""The commands shown in the documentation give what is shown, and the example programs run."""

from __future__ import annotations

import doctest
import re
import runpy
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands() -> list[tuple[str, str, str]]:
    """Page, command and expected output of every command in a console block."""
    found = []
    for page in sorted([*ROOT.glob("docs/*.md")]):
        for block in BLOCK.findall(page.read_text(encoding="utf-8")):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, expected = part.partition("\n")
                found.append((page.name, command, expected))
    return found


def test_there_are_commands_to_try() -> None:
    assert commands()


@pytest.mark.parametrize(("page", "command", "expected"), commands())
def test_a_command_gives_what_the_page_shows(page: str, command: str, expected: str) -> None:
    from hornbeam.cli.main import app

    program, *arguments = shlex.split(command)
    assert program == "hornbeam", page
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    matches = doctest.OutputChecker().check_output(
        expected, result.stdout, doctest.ELLIPSIS | doctest.DONT_ACCEPT_BLANKLINE
    )
    assert matches, f"{page}: {command}\nexpected:\n{expected}\ngot:\n{result.stdout}"


@pytest.mark.parametrize("program", sorted(ROOT.glob("examples/*.py")), ids=lambda path: path.name)
def test_an_example_runs(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(program), run_name="__main__")
    assert capsys.readouterr().out.strip()
