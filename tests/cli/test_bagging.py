"""Ensembles of any scheme on the command line: learned, saved, shown, used."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from hornbeam.cli.main import app

if TYPE_CHECKING:
    from pathlib import Path


def run(*words: str) -> str:
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    return str(result.stdout)


@pytest.mark.parametrize(
    ("data", "estimator", "hint"),
    [("labor", "part", "a tree to read"), ("labor", "none", "a tree to read"), ("cpu", "m5", "a regression tree")],
)
def test_learned_saved_shown_and_used(data: str, estimator: str, hint: str, tmp_path: Path) -> None:
    path = str(tmp_path / "model.hornbeam")
    options = ("--scheme", "bagging", "--estimator", estimator, "--n-estimators", "3", "--max-features", "0.5")
    told = run("learn", data, "--cv", "3", "--save", path, "--hints", *options)
    assert told.startswith("Bagging ensemble for class")
    assert "the mean of 3 models" in told
    assert hint in told
    assert "--why" not in told
    assert run("show", path).strip() in told
    assert len(run("predict", path, data).splitlines()) == {"labor": 58, "cpu": 210}[data]
    assert json.loads(run("show", path, "--json"))["kind"] == "ensemble"


def test_json_counts_members() -> None:
    told = json.loads(run("learn", "iris", "--scheme", "bagging", "--cv", "0", "--json", "--seed", "7"))
    assert told["members"] == 10
    assert told["parameters"]["random_state"] == 7
    again = json.loads(run("learn", "iris", "--scheme", "bagging", "--cv", "0", "--json", "--seed", "7"))
    assert again["text"] == told["text"]
