"""Equations and classifiers of intervals on the command line: learned, saved, shown, used."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
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
    ("scheme", "title"),
    [
        (("linear", "--selection", "none", "--ridge", "1"), "Linear equation for class"),
        (("linear", "--degree", "2", "--selection", "greedy"), "Linear equation for class"),
        (("polynomial", "--degree", "2", "--no-products"), "Polynomial equation for class"),
        (("discretized", "--classifier", "cart", "--bins", "4"), "Discretized classifier for class"),
    ],
)
def test_learned_saved_shown_and_used(scheme: tuple[str, ...], title: str, tmp_path: Path) -> None:
    path = str(tmp_path / "model.hornbeam")
    told = run("learn", "cpu", "--cv", "3", "--save", path, "--hints", "--scheme", *scheme)
    assert told.startswith(title)
    assert "--why" not in told
    shown = run("show", path)
    assert shown.strip() in told
    answers = run("predict", path, "cpu").splitlines()
    assert len(answers) == 210
    assert all(float(answer) < 2000 for answer in answers[1:])


def test_products_of_the_columns_of_a_csv_are_selected(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    rows = random.normal(size=(100, 2))
    target = 1 + 2 * rows[:, 0] * rows[:, 1]
    lines = ["a,b,y", *(f"{x},{z},{t}" for (x, z), t in zip(rows, target, strict=True))]
    (tmp_path / "points.csv").write_text("\n".join(lines), encoding="utf-8")
    told = run("learn", str(tmp_path / "points.csv"), "--scheme", "linear", "--degree", "2", "--cv", "0")
    assert "+ 2 a * b" in told
    assert "1 term," in told
    powers = run("learn", str(tmp_path / "points.csv"), "--scheme", "linear", "--degree", "2", "--no-products")
    assert "a * b" not in powers


def test_json_counts_terms_and_intervals() -> None:
    told = json.loads(run("learn", "cpu", "--scheme", "linear", "--cv", "0", "--json"))
    assert told["terms"] == 5
    assert "leaves" not in told
    told = json.loads(run("learn", "cpu", "--scheme", "discretized", "--bins", "4", "--cv", "0", "--json"))
    assert told["intervals"] == 4
    assert told["leaves"] > 1


def test_an_equation_as_json(tmp_path: Path) -> None:
    path = str(tmp_path / "model.hornbeam")
    run("learn", "cpu", "--scheme", "linear", "--cv", "0", "--save", path)
    told = json.loads(run("show", path, "--json"))
    assert [term["factors"][0]["column"] for term in told["terms"]] == ["MYCT", "MMIN", "MMAX", "CACH", "CHMAX"]


def test_intervals_as_json(tmp_path: Path) -> None:
    path = str(tmp_path / "model.hornbeam")
    run("learn", "cpu", "--scheme", "discretized", "--bins", "3", "--cv", "0", "--save", path)
    told = json.loads(run("show", path, "--json"))
    assert [one["name"] for one in told["intervals"]] == ["(-inf, 387.333]", "(387.333, 768.667]", "(768.667, inf)"]
    assert told["intervals"][1]["value"] == pytest.approx(578)
    assert told["classifier"]["kind"] == "tree"


def test_what_is_for_trees_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "model.hornbeam")
    run("learn", "cpu", "--scheme", "linear", "--cv", "0", "--save", path)
    for words in (
        ("learn", "cpu", "--scheme", "linear", "--why"),
        ("learn", "iris", "--scheme", "linear"),
        ("show", path, "--to", "svg"),
        ("show", path, "--style", "rpart"),
        ("show", path, "--max-depth", "2"),
        ("show", path, "--why"),
        ("show", path, "--to", "space", "-o", str(tmp_path / "a.png")),
        ("audit", path, "cpu"),
    ):
        result = CliRunner().invoke(app, words)
        assert result.exit_code != 0, words
        assert isinstance(result.exception, ValueError | TypeError | SystemExit), words
