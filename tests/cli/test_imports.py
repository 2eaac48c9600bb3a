"""A command imports only the modules that it needs."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import hornbeam

if TYPE_CHECKING:
    from pathlib import Path

COUNT = """
import sys
from hornbeam.cli.main import run

code = run(sys.argv[1:])
ours = [name for name in sys.modules if name.partition(".")[0] == "hornbeam"]
print(code, len(ours) - ours.count("hornbeam.core._cython"))  # which is Cython's own code, compiled once
"""


def modules_of(*arguments: str) -> int:
    """Run a command in a new process, and count the modules of this package that it imported."""
    result = subprocess.run([sys.executable, "-c", COUNT, *arguments], capture_output=True, text=True, check=True)
    code, count = result.stdout.split()[-2:]
    assert code == "0", result.stderr
    return int(count)


@pytest.fixture
def rows(tmp_path: Path) -> str:
    hornbeam.read("weather").write(tmp_path / "rows.csv")
    return str(tmp_path / "rows.csv")


def test_learn_imports_one_kind_of_model(rows: str) -> None:
    assert modules_of("learn", rows, "--target", "play", "--cv", "0") < 120


def test_learn_of_a_table_with_warnings_imports_one_kind_of_model(tmp_path: Path) -> None:
    hornbeam.read("iris").write(tmp_path / "rows.csv")  # some of its rows are duplicates
    assert modules_of("learn", str(tmp_path / "rows.csv"), "--target", "class", "--cv", "0") < 120


def test_learn_of_numbers_imports_one_kind_of_model(tmp_path: Path) -> None:
    hornbeam.read("cpu").write(tmp_path / "numbers.csv")
    target = hornbeam.read("cpu").schema.target_column.name
    assert modules_of("learn", str(tmp_path / "numbers.csv"), "--target", target, "--cv", "0") < 120


def test_predict_imports_one_kind_of_model(rows: str, tmp_path: Path) -> None:
    model = str(tmp_path / "tree.hornbeam")
    hornbeam.C45Classifier().fit(hornbeam.read("weather")).save(model)
    assert modules_of("predict", model, rows) < 63  # with the target: the verdict needs the scores, but no ROC curves
    unknown = tmp_path / "new.csv"
    unknown.write_text("outlook,temperature,humidity,windy\nsunny,hot,high,FALSE\n", encoding="utf-8")
    assert modules_of("predict", model, str(unknown)) < 50


def test_help_imports_little() -> None:
    assert modules_of("--help") < 45
