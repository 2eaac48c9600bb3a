"""Golden figure G22: a tree learns the noise by heart; pruning takes the irrelevant column away.

The rows and the ways of pruning are those of the example program.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "overfitting.py"


@pytest.fixture(scope="module")
def lesson() -> dict[str, Any]:
    found = runpy.run_path(str(EXAMPLE))
    found["train"] = found["draw_rows"](200, found["SEED"], flipped=0.1)
    found["test"] = found["draw_rows"](10_000, found["SEED"] + 1)
    found["trees"] = found["prune_all"](found["train"])
    return found


def test_g22_the_rows_are_as_said(lesson: dict[str, Any]) -> None:
    train, test = lesson["train"], lesson["test"]
    assert (len(train), len(test)) == (200, 10_000)
    ideal = (train.column("X2") >= 0.5).astype(np.int32)
    assert (ideal != train.target_values()).sum() == 20
    assert ((test.column("X2") >= 0.5) == test.target_values()).all()


def test_g22_unpruned_it_is_perfect_on_what_it_learned_from(lesson: dict[str, Any]) -> None:
    grown = lesson["trees"]["as grown"]
    assert lesson["right"](grown, lesson["train"]) == 1.0
    assert lesson["columns_of"](grown) == ["X1", "X2"]


@pytest.mark.parametrize("way", ["chi-square, 95% for all cuts", "reduced-error, a third held out"])
def test_g22_pruned_it_is_better_on_new_rows_without_the_irrelevant_column(lesson: dict[str, Any], way: str) -> None:
    grown, pruned = lesson["trees"]["as grown"], lesson["trees"][way]
    assert lesson["right"](pruned, lesson["test"]) > lesson["right"](grown, lesson["test"]) + 0.05
    assert lesson["columns_of"](pruned) == ["X2"]
    assert pruned.n_leaves == 2
    assert pruned.splits.cuts[pruned.splits.cut_start[pruned.split[0]]] == pytest.approx(0.5, abs=0.03)


def test_g22_a_test_that_allows_for_one_cut_is_too_easy(lesson: dict[str, Any]) -> None:
    # Each split is the best of hundreds of cuts, so nearly all of them pass a test made for one.
    assert lesson["trees"]["chi-square, 95% for one cut"].n_leaves > 20


def test_g22_the_documentation_shows_what_the_program_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    page = (EXAMPLE.parents[1] / "docs" / "trees" / "pruning.md").read_text(encoding="utf-8")
    shown = page.partition("```text\n")[2].partition("```")[0]
    assert shown.count("\n") == 7
    assert capsys.readouterr().out.startswith(shown)
