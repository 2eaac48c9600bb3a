"""Habits of a shell: quiet and verbose, settings by environment, colors, completion; names here and in Python."""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hornbeam
from hornbeam.cli.main import COMMANDS, app
from hornbeam.cli.options import variable, verbosity
from hornbeam.cli.reading import table_options

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def noted(tmp_path: Path) -> Path:
    """A table with notes and warnings."""
    path = tmp_path / "noted.csv"
    path.write_text("same,x,y\n" + "".join(f"1,{i},{'ab'[i % 2]}\n" for i in range(40)), encoding="utf-8")
    return path


def test_quiet_says_nothing_beside_the_result(good: Any, noted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = good("learn", noted, "--cv", "0")
    assert "warning: " in usual.err
    assert "the target is 'y'" in usual.err
    for quiet in (("learn", noted, "--cv", "0", "-q"), ("--quiet", "learn", noted, "--cv", "0")):
        outcome = good(*quiet)
        assert outcome.err == ""
        assert outcome.out == usual.out
    assert good("learn", noted, "--cv", "0").err == usual.err  # the next command is not quiet
    monkeypatch.setenv("HORNBEAM_QUIET", "1")
    assert good("learn", noted, "--cv", "0").err == ""


def test_quiet_holds_back_warnings_of_models(good: Any, tmp_path: Path) -> None:
    hornbeam.C45Classifier().fit(hornbeam.read("weather.nominal")).save(tmp_path / "model")
    rows = tmp_path / "new.csv"
    rows.write_text("outlook,temperature,humidity,windy\nfoggy,hot,high,TRUE\n", encoding="utf-8")
    assert "not seen in training" in good("predict", tmp_path / "model", rows).err
    assert good("predict", tmp_path / "model", rows, "-q").err == ""


def test_errors_are_never_quiet(bad: Any) -> None:
    assert "no column is called" in bad("learn", "iris", "-t", "x", "-q").err


def test_verbose_says_what_was_read_and_how_long_it_took(good: Any, bad: Any) -> None:
    outcome = good("learn", "iris", "--cv", "0", "-v")
    assert "read iris: 150 rows, 5 columns" in outcome.err
    assert re.search(r"hornbeam learn took \d+\.\d\d s", outcome.err)
    assert outcome.out == good("learn", "iris", "--cv", "0").out
    assert "took" not in good("learn", "iris", "--cv", "0").err
    assert "--quiet and --verbose were given" in bad("learn", "iris", "-q", "-v").err


def test_every_command_can_be_quiet(command: Any) -> None:
    for name in COMMANDS:
        shown = command(name, "--help").out
        assert "-q, --quiet" in shown
        assert "-v, --verbose" in shown
    command("learn", "--help", "-q")
    command("data", "iris")
    assert not verbosity.quiet


def test_options_come_from_the_environment(good: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HORNBEAM_LEARN_CV", "3")
    assert "3-fold cross-validation" in good("learn", "iris").out
    assert "2-fold cross-validation" in good("learn", "iris", "--cv", "2").out  # what is typed comes first
    monkeypatch.setenv("HORNBEAM_LEARN_SCHEME", "cart")
    monkeypatch.setenv("HORNBEAM_LEARN_MIN_SAMPLES_LEAF", "40")
    monkeypatch.setenv("HORNBEAM_LEARN_IGNORE", "petalwidth sepalwidth")
    plain = good("learn", "iris", "--json").json
    assert plain["scheme"] == "cart"
    assert plain["parameters"]["min_samples_leaf"] == 40
    assert "petalwidth" not in plain["text"]
    assert "petallength" in plain["text"]


def test_a_wrong_value_in_the_environment_is_an_error(bad: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HORNBEAM_LEARN_CV", "many")
    assert "'many' is not a valid integer" in bad("learn", "iris").err


def test_variables_differ() -> None:
    context = app.make_context("hornbeam", ["learn"], resilient_parsing=True)
    for name in COMMANDS:
        found = app.get_command(context, name)
        assert found is not None
        names = [variable(name, option) for option in found.params if option.param_type_name == "option"]
        assert len(names) == len(set(names))
    assert not any(option.envvar for option in app.params if option.name == "version")  # set for other purposes


def run_on_a_terminal(*arguments: str, **environment: str) -> str:
    """Give what a command writes to a pseudo-terminal."""
    program = "import pty, sys; sys.exit(pty.spawn([sys.executable, '-m', 'hornbeam', *sys.argv[1:]]) >> 8)"
    given = {
        **{k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")},
        "TERM": "xterm",
        **environment,
    }
    result = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        check=True,
        env=given,
        stdin=subprocess.DEVNULL,
    )
    return result.stdout.decode()


def test_colors_are_for_terminals_that_want_them(good: Any) -> None:
    assert "\x1b[" in run_on_a_terminal("schemes")
    assert "\x1b[" not in run_on_a_terminal("schemes", NO_COLOR="1")
    assert "\x1b[" not in good("schemes").out


def complete(words: str, place: int, shell: str = "bash") -> list[str]:
    """Give what a shell is told to complete; words are separated by spaces."""
    given = {**os.environ, "COMP_WORDS": words, "COMP_CWORD": str(place), "_HORNBEAM_COMPLETE": f"{shell}_complete"}
    result = subprocess.run(
        [sys.executable, "-c", "from hornbeam.cli.main import run; run()"], capture_output=True, check=True, env=given
    )
    return result.stdout.decode().splitlines()


def test_completion(tmp_path: Path) -> None:
    assert complete("hornbeam le", 1) == ["plain,learn"]
    assert "plain,--target" in complete("hornbeam learn iris --t", 3)
    assert complete("hornbeam learn iris --scheme ca", 4) == ["plain,cart"]
    assert complete("hornbeam learn iri", 2) == ["plain,iris", "file,iri"]
    assert complete("hornbeam learn iris --target petal", 4) == ["plain,petallength", "plain,petalwidth"]
    path = tmp_path / "loans.csv"
    path.write_text('amount;"home";default\n1;own;no\n', encoding="utf-8")
    assert complete(f"hornbeam learn {path} --ignore ho", 4) == ["plain,home"]
    assert complete(f"hornbeam learn {tmp_path / 'absent'} --ignore ho", 4) == [""]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_for_shells(good: Any, shell: str) -> None:
    script = good("completion", shell).out
    assert "_HORNBEAM_COMPLETE" in script
    assert f"{shell}_complete" in script


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("learn ir", ["iris", "irish.csv"]),  # example sets and files
        ("learn irish.csv -t ho", [r"home\ town"]),
        ("learn iris --scheme ca", ["cart"]),
        ("nothing of this kind", []),
    ],
)
def test_bash_completes_example_sets_files_and_names_with_spaces(
    good: Any, tmp_path: Path, words: str, found: list[str]
) -> None:
    (tmp_path / "irish.csv").write_text("home town,y\n1,2\n", encoding="utf-8")
    program = tmp_path / "bin" / "hornbeam"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -c "from hornbeam.cli.main import run; run()"\n')
    program.chmod(0o755)
    ask = (
        f"{good('completion', 'bash').out}\ncompopt() {{ :; }}\nCOMP_WORDS=(hornbeam {words})\n"
        'COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_hornbeam_completion hornbeam\nprintf "%s\\n" "${COMPREPLY[@]}"'
    )
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    result = subprocess.run(
        [str(shutil.which("bash")), "-c", ask],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert result.stdout.split("\n")[:-1] == (found or [""])


def test_other_shells_are_named(bad: Any) -> None:
    assert "'bash', 'zsh', 'fish'" in bad("completion", "tcsh").err


ROW = re.compile(r"^\| `(--[\w-]+)` \| `(\w+)` \| `hornbeam\.([\w.]+)` \|$", re.MULTILINE)


def test_the_table_of_names_is_true() -> None:
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    context = app.make_context("hornbeam", ["learn"], resilient_parsing=True)
    commands = [app.get_command(context, name) for name in COMMANDS]
    known = {flag for one in commands if one is not None for option in one.params for flag in option.opts}
    rows = ROW.findall(page)
    assert len(rows) >= 15
    told = {option for option, _, function in rows if function == "read"}
    wanted = {f"--{name.replace('_', '-')}" for name in table_options.names}
    assert wanted - told == {"--max-classes"}  # read() has no limit
    for option, argument, function in rows:
        assert option in known
        found: Any = hornbeam
        for part in function.split("."):
            found = getattr(found, part)
        assert argument in inspect.signature(found).parameters, (option, argument, function)
