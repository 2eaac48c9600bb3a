"""`hornbeam report` from the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import hornbeam
from hornbeam.cli.main import app, run

if TYPE_CHECKING:
    from pathlib import Path


def test_a_page_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["report", "weather", "--schemes", "one-r,id3", "--cv", "3"])
    assert result.exit_code == 0, result.output
    assert "accuracy: " in result.output
    assert "written to report.html" in result.output
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    command = "hornbeam report weather --target play --schemes one-r,id3 --max-size 30 --cv 3 --repeats 1 --seed 1"
    assert command in page


@pytest.mark.parametrize(
    ("options", "start"), [(["-o", "a.md"], "# Report on"), (["-o", "a.txt", "--markdown"], "# Report on")]
)
def test_markdown_by_name_or_by_option(
    options: list[str], start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["report", "cpu", "--schemes", "linear", "--cv", "3", *options])
    assert result.exit_code == 0, result.output
    assert (tmp_path / options[1]).read_text("utf-8").startswith(start)


def test_markdown_and_json_on_the_terminal() -> None:
    result = CliRunner().invoke(
        app, ["report", "weather", "--scheme", "id3", "--cv", "3", "--schemes", "one-r", "--markdown"]
    )
    assert result.stdout.startswith("# Report on weather.nominal: play")
    result = CliRunner().invoke(
        app, ["report", "weather", "--scheme", "ID3", "--cv", "3", "--schemes", "one-r", "--json"]
    )
    plain = json.loads(result.stdout)
    assert plain["choice"]["scheme"] == "id3"
    assert plain["origin"]["commands"][0].startswith("hornbeam report weather")


def test_the_command_told_makes_the_same_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shlex

    hornbeam.read("labor").write(tmp_path / "two words.csv")
    monkeypatch.chdir(tmp_path)
    first = ["report", "two words.csv", "--ignore", "vacation", "--seed", "4", "--cv", "3", "--examples", "5"]
    result = CliRunner().invoke(app, [*first, "--schemes", "one-r", "--schemes", "ripper", "-o", "first.html"])
    assert result.exit_code == 0, result.output
    plain = CliRunner().invoke(app, [*first, "--schemes", "one-r,ripper", "--json"])
    command = shlex.split(json.loads(plain.stdout)["origin"]["commands"][0])
    assert command[-1] == "report.html"
    assert CliRunner().invoke(app, command[1:]).exit_code == 0
    assert (tmp_path / "report.html").read_bytes() == (tmp_path / "first.html").read_bytes()
    learn = shlex.split(json.loads(plain.stdout)["origin"]["commands"][1])
    assert CliRunner().invoke(app, learn[1:]).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-o", "report.pdf"], "ends in '.pdf'"),
        (["-o", "nowhere/report.html"], "there is no folder"),
        (["--schemes", "no-such"], "no scheme is called 'no-such'"),
        (["--schemes", "m5"], "does not predict categories"),
        (["--schemes", "forest", "--cv", "3"], "none of the schemes compared is readable"),
        (["--markdown", "--json"], "expected one of them"),
    ],
)
def test_what_cannot_be_done_is_told(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["report", "weather", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_options_of_the_scheme_are_taken_and_told(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    words = ["report", "credit-g", "--scheme", "cart", "--schemes", "cart", "--cp", "0.02", "--cv", "3"]
    result = CliRunner().invoke(app, [*words, "-o", str(page)])
    assert result.exit_code == 0, result.output
    assert "5 leaves" in result.output
    assert "--cp 0.02" in page.read_text(encoding="utf-8")


def test_options_of_a_scheme_need_its_name(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["report", "credit-g", "--cp", "0.02", "-o", str(tmp_path / "page.html")])
    assert result.exit_code == 2
    assert "--cp needs --scheme" in result.output


def test_the_hint_for_folds_names_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["report", "iris", "--folds", "3"], ["compare", "iris", "--schemes", "c45", "--folds", "3"]):
        assert run(words) == 2
        message = capsys.readouterr().err
        assert "--folds" in message
        assert "--cv" in message


def test_help_needs_no_scheme() -> None:
    result = CliRunner().invoke(app, ["report", "--help"])
    assert result.exit_code == 0, result.output
    assert "--cp" not in result.output
    assert "--cp" in CliRunner().invoke(app, ["report", "--scheme", "cart", "--help"]).output


def test_a_tree_chosen_by_cross_validation_is_chosen_so_in_a_report(tmp_path: Path) -> None:
    words = ["report", "credit-g", "--scheme", "cart", "--schemes", "cart", "--choose", "1-se", "--cv", "3"]
    page = tmp_path / "page.json"
    result = CliRunner().invoke(app, [*words, "-o", str(page)])
    assert result.exit_code == 0, result.output
    made = hornbeam.CartClassifier(choose="1-se", random_state=1).fit(hornbeam.read("credit-g"))
    assert f"({made.model_.n_leaves} leaves)" in result.output


def test_a_target_too_small_to_be_squared_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "\n".join(f"{i % 7},{i * 1e-321!r}" for i in range(60))
    (tmp_path / "tiny.csv").write_text(f"a,y\n{rows}\n")
    arguments = ["report", str(tmp_path / "tiny.csv"), "--target", "y", "-o", str(tmp_path / "tiny.html")]
    assert run(arguments) == 2
    assert "the target 'y' is at most" in capsys.readouterr().err


def test_who_made_it_and_when_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["report", "weather", "--schemes", "one-r", "--cv", "3", "--title", "To play <or> not", "--author", "A & B"]
    words += ["--date", "1 May 2026", "--notes", "first part", "--intended-use", "planning games"]
    assert CliRunner().invoke(app, words).exit_code == 0
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "<h1>To play &lt;or&gt; not</h1>" in page
    assert "<title>To play &lt;or&gt; not</title>" in page
    for text in ("A &amp; B, 1 May 2026</p>", '<p class="about">first part</p>'):
        assert text in page
    assert "planning games" in page
    plain = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert plain["about"]["date"] == "1 May 2026"
    import shlex

    first = (tmp_path / "report.html").read_bytes()
    assert CliRunner().invoke(app, shlex.split(plain["origin"]["commands"][0])[1:]).exit_code == 0
    assert (tmp_path / "report.html").read_bytes() == first


def test_no_date_unless_given(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    assert (
        CliRunner().invoke(app, ["report", "weather", "--schemes", "one-r", "--cv", "3", "-o", str(page)]).exit_code
        == 0
    )
    assert "not stated (--date)" in page.read_text("utf-8").replace("\\", "")


def test_the_verdict_and_serious_alerts_are_printed(tmp_path: Path) -> None:
    rows = "\n".join(f"{i % 7},{i % 2},{'yes' if i % 2 else 'no'}" for i in range(200))
    (tmp_path / "leak.csv").write_text(f"a,same,y\n{rows}\n")
    words = ["report", str(tmp_path / "leak.csv"), "--nominal", "same", "--cv", "3", "-o", str(tmp_path / "leak.html")]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "see the alert" in result.stdout
    assert "Do not trust this score yet: 'same' alone determines the target." in result.stdout
    assert "warning: 'same' alone determines the target 'y'" in result.stderr


def test_the_size_is_limited_from_the_command_line(tmp_path: Path) -> None:
    page = tmp_path / "page.json"
    words = ["report", "credit-g", "--cv", "3", "--max-size", "4", "-o", str(page)]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert json.loads(page.read_text("utf-8"))["model"]["size"]["count"] <= 4
    assert run(["report", "credit-g", "--max-size", "0"]) == 2


@pytest.mark.parametrize("words", [["--no-header"], ["--header", "--skip-rows", "0"], ["--skip-bad-rows"]])
def test_how_the_file_was_read_is_in_the_command(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("\n".join(f"{i % 5},{'ab'[i % 2]}" for i in range(60)) + "\n")
    command = ["report", str(tmp_path / "rows.csv"), "--schemes", "one-r", "--cv", "2", *words, "--json"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert f" {' '.join(words)} " in json.loads(result.stdout)["origin"]["commands"][0]
