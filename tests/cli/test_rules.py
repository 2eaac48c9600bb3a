"""Rules on the command line: learned, saved, shown in every form, used and explained."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Command


@pytest.mark.parametrize(
    ("scheme", "line"),
    [
        ("one-r", "1. if outlook = sunny then play = no"),
        ("prism", "1. if outlook = overcast then play = yes"),
        ("induct", "1. if outlook = sunny and humidity = high then play = no"),
        ("exceptions", "default: yes  (14/5)"),
    ],
)
def test_learned_saved_shown_and_used(command: Command, scheme: str, line: str, tmp_path: Path) -> None:
    path = tmp_path / "model.hornbeam"
    told = command("learn", "weather", "--scheme", scheme, "--cv", 3, "--save", path)
    assert told.code == 0, told.err
    assert line in told.out
    assert command("show", path).out.strip() in told.out
    assert len(command("predict", path, "weather").out.splitlines()) == 15
    assert command("show", path, "--json").json["kind"] == "rules"
    assert command("predict", path, "weather", "--explain", 1).out.startswith("row 1:\n")


def test_styles_and_figures(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "model.hornbeam"
    command("learn", "weather", "--scheme", "prism", "--cv", 0, "--save", path)
    assert command("show", path, "--style", "if-then").out.startswith("IF outlook = overcast THEN play = yes (4)\n")
    assert command("show", path, "--style", "table").out.startswith("rule  prediction  covered")
    assert command("show", path, "--style", "weka").out.startswith("If outlook = overcast then yes\n")
    held = command("show", path, "--to", "rules", "--data", "weather")
    assert "rules 1 and 2 hold together" in held.out
    without = command("show", path, "--to", "rules")
    assert without.code != 0
    assert "--data" in without.err


def test_a_tree_is_held_against_rows_by_its_rules(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "model.hornbeam"
    command("learn", "weather", "--cv", 0, "--save", path)
    assert "if outlook = overcast then yes" in command("show", path, "--to", "rules", "--data", "weather").out


def test_options_of_a_rule_learner(command: Command) -> None:
    told = command(
        "learn", "labor", "--scheme", "prism", "--class-order", "smallest-first", "--missing-values", "value", "--cv", 0
    )
    assert told.code == 0, told.err
    assert "otherwise class = good" in told.out
