"""The bootstrap lesson: what the example program finds, and that the documentation shows it."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "bootstrap.py"


@pytest.fixture(scope="module")
def lesson() -> dict[str, Any]:
    found = runpy.run_path(str(EXAMPLE))
    found["train"] = found["draw_rows"](300, found["SEED"])
    found["test"] = found["draw_rows"](5000, found["SEED"] + 1)
    found["found"] = found["errors"](found["train"], found["test"])
    return found


def test_rows_are_mixtures_of_two_waves(lesson: dict[str, Any]) -> None:
    train = lesson["train"]
    assert train.n_rows == 300
    assert np.bincount(train.target_values()).min() > 80
    middles = {7: (0, 1), 15: (0, 2), 11: (1, 2)}  # where a wave peaks, the classes that have it are highest
    for peak, classes in middles.items():
        heights = [train.column(f"x{peak}")[train.target_values() == label].mean() for label in range(3)]
        assert np.argmin(heights) not in classes


def test_many_trees_beat_one_and_out_of_bag_comes_near_the_test(lesson: dict[str, Any]) -> None:
    for name in ("bagging", "forest"):
        test, out_of_bag = (lesson["found"][f"{name}, {part}"] for part in ("test", "out of bag"))
        assert test[-1] < test[0] - 8
        assert abs(out_of_bag[-1] - test[-1]) < 4
    assert lesson["found"]["forest, test"][-1] < lesson["found"]["bagging, test"][-1] + 0.5


def test_one_tree_is_unstable(lesson: dict[str, Any]) -> None:
    trees = lesson["resampled"](lesson["train"], 20)
    roots = {tree.schema.names[int(tree.splits.column[tree.split[0]])] for tree in trees}
    assert len(roots) >= 4
    assert 0.2 < lesson["disagreement"](trees, lesson["test"]) < 0.5
    assert lesson["disagreement"]([trees[0], trees[0]], lesson["test"]) == 0.0


def test_the_documentation_shows_what_the_program_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    page = (EXAMPLE.parents[1] / "docs" / "forests" / "index.md").read_text(encoding="utf-8")
    shown = page.partition("```text\n")[2].partition("```")[0]
    assert shown.count("\n") > 15
    printed = capsys.readouterr().out.splitlines()[: shown.count("\n")]
    for line, expected in zip(printed, shown.splitlines(), strict=True):
        if not expected.strip()[:1].isdigit() or "trees" in expected:
            assert line == expected
            continue
        # A row of the table: trees, and errors of bagging and forest. What a forest draws may change with its kernels.
        figures, wanted = ([float(word) for word in text.split()] for text in (line, expected))
        assert figures[:3] == wanted[:3]
        assert figures[3:] == pytest.approx(wanted[3:], abs=8)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "bootstrap-errors.svg",
        "bootstrap-roots.svg",
        "bootstrap-tree-1.svg",
        "bootstrap-tree-2.svg",
    ]
