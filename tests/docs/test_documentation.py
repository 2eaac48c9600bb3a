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
ABSENT = "cannot be run on this machine"  # an export whose runtime is not there
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


PAGES = sorted(page for page in ROOT.glob("docs/**/*.md") if BLOCK.search(page.read_text(encoding="utf-8")))


def commands(page: Path) -> list[tuple[str, str]]:
    """Command and expected output of every command in the console blocks of a page."""
    blocks = "".join(BLOCK.findall(page.read_text(encoding="utf-8")))
    parts = re.split(r"^\$ ", blocks, flags=re.MULTILINE)[1:]
    return [(command, expected) for command, _, expected in (part.partition("\n") for part in parts)]


def test_there_are_pages_with_commands() -> None:
    assert PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_give_what_the_page_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hornbeam.cli.main import app

    monkeypatch.chdir(tmp_path)  # what one command saves the next can read
    absent = ""
    for command, expected in commands(page):
        program, *arguments = shlex.split(command)
        assert program == "hornbeam"
        result = CliRunner().invoke(app, arguments)
        if arguments[0] == "check" and ABSENT in str(result.exception):
            absent = str(result.exception)
            continue
        assert result.exit_code == 0, result.output
        # Tables may be padded on the right, which a page does not show.
        printed = re.sub(r" +$", "", result.stdout, flags=re.MULTILINE)
        matches = doctest.OutputChecker().check_output(
            expected, printed, doctest.ELLIPSIS | doctest.DONT_ACCEPT_BLANKLINE
        )
        assert matches, f"{command}\nexpected:\n{expected}\ngot:\n{printed}"
    if absent:
        pytest.skip(absent)


@pytest.mark.parametrize("program", sorted(ROOT.glob("examples/*.py")), ids=lambda path: path.name)
def test_an_example_runs(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)  # where pictures go
    runpy.run_path(str(program), run_name="__main__")
    assert capsys.readouterr().out.strip()
    gallery = runpy.run_path(str(ROOT / "docs" / "gallery.py"))
    for drawn in tmp_path.iterdir():  # those that a page shows are what the program draws
        shown = gallery["LESSONS"] / drawn.name
        assert not shown.exists() or not gallery["stale"](shown, drawn.read_text(encoding="utf-8")), shown.name


IMAGE = re.compile(r"!\[[^]]*\]\(([^)]+)\)")
DRAWN = re.compile(r"^hornbeam ((?:.* --(?:save-)?picture|learn .* --save) )(\S+)$", re.MULTILINE)
DRAWN_BY_EXAMPLE = re.compile(r"^python (examples/\S+) --pictures docs/images$", re.MULTILINE)
# Compared by tests of their own, or (schemes) drawn by `make docs-tables` from data beside the project.
DRAWN_ELSEWHERE = re.compile(r"(?:\.\./)?images/(gallery/|lessons/|bias-variance-|schemes-)")
RANK = re.compile(r"^\| (\S+) \| (\d\.\d\d) \|", re.MULTILINE)
NUMBER = re.compile(r"-?\d+\.?\d*")
WORDS = re.compile(r"<text[^>]*>([^<]+)</text>")


def test_pages_show_the_pictures_that_their_commands_draw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hornbeam.cli.main import app

    monkeypatch.chdir(tmp_path)  # what one command saves the next can read
    compared = 0
    for page in ROOT.glob("docs/**/*.md"):
        text = page.read_text(encoding="utf-8")
        drawn = DRAWN.findall(text)
        images = [image for image in IMAGE.findall(text) if not DRAWN_ELSEWHERE.match(image)]
        if not images or not drawn or DRAWN_BY_EXAMPLE.search(text):
            continue
        shown_here = iter(images)
        for command, name in drawn:
            result = CliRunner().invoke(app, [*shlex.split(command), name])
            assert result.exit_code == 0, result.output
            if not command.endswith("picture "):
                continue
            image = next(shown_here)
            shown, now = (path.read_text(encoding="utf-8") for path in (page.parent / image, tmp_path / name))
            compared += 1
            if "matplotlib" in now:  # whose versions draw the same otherwise
                assert WORDS.findall(shown) == WORDS.findall(now), image
                continue
            # The last digit may be another machine's.
            assert NUMBER.sub("", shown) == NUMBER.sub("", now), image
            figures = [[float(figure) for figure in NUMBER.findall(one)] for one in (shown, now)]
            assert figures[0] == pytest.approx(figures[1], abs=0.02), image
        assert not list(shown_here), page
    assert compared >= 9


def test_diagrams_of_ranks_are_those_of_their_tables() -> None:
    page = ROOT / "docs" / "evaluate" / "table-schemes.md"
    parts = page.read_text(encoding="utf-8").split("\n## ")[1:]
    assert len(parts) == 2
    for part in parts:
        (image,) = IMAGE.findall(part)
        words = WORDS.findall((page.parent / image).read_text(encoding="utf-8"))
        assert sorted(f"{name}  {rank}" for name, rank in RANK.findall(part)) == sorted(
            word for word in words if re.fullmatch(r"\S+  \d\.\d\d", word)
        )


def test_pages_show_the_pictures_that_examples_draw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    for page in ROOT.glob("docs/**/*.md"):
        text = page.read_text(encoding="utf-8")
        for program in DRAWN_BY_EXAMPLE.findall(text):
            monkeypatch.setattr("sys.argv", [program, "--pictures", str(tmp_path)])
            runpy.run_path(str(ROOT / program), run_name="__main__")
            for image in IMAGE.findall(text):
                shown, now = (
                    path.read_text(encoding="utf-8") for path in (page.parent / image, tmp_path / Path(image).name)
                )
                assert WORDS.findall(shown) == WORDS.findall(now) != [], image
                compared += 1
    assert compared >= 3
