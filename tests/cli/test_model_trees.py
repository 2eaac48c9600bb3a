"""Model trees on the command line: learned, saved, shown, used and explained."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Command

pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")


@pytest.mark.parametrize(("scheme", "title"), [("m5", "M5' tree for class"), ("m5-rules", "M5' rules for class")])
def test_learned_saved_shown_and_used(command: Command, scheme: str, title: str, tmp_path: Path) -> None:
    path = tmp_path / "model.hornbeam"
    told = command("learn", "cpu", "--scheme", scheme, "--min-samples-leaf", 20, "--cv", 3, "--save", path)
    assert told.code == 0
    assert told.out.startswith(title)
    assert command("show", path).out.strip() in told.out
    answers = command("predict", path, "cpu").out.splitlines()
    assert len(answers) == 210


def test_a_prediction_is_explained(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "model.hornbeam"
    command("learn", "cpu", "--scheme", "m5", "--min-samples-leaf", 20, "--cv", 0, "--save", path)
    told = command("predict", path, "cpu", "--explain", 1).out
    assert told.startswith("row 1:\n  CHMIN > 7.5: 16\nso class = ")
    assert "intercept" in told
    answer = float(command("predict", path, "cpu").out.splitlines()[1])
    assert f"{answer:.5g}" in told
    wrong = command("predict", path, "cpu", "--explain", 300)
    assert wrong.code != 0
    assert "--explain 300: the data have 209 rows" in wrong.err
