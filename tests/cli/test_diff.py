"""`hornbeam diff`: two model files side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Command


@pytest.fixture
def pair(good: Command, tmp_path: Path) -> tuple[Path, Path]:
    files = tmp_path / "old.hornbeam", tmp_path / "new.hornbeam"
    good("learn", "iris", "--cv", 0, "--no-hints", "--save", files[0])
    good("learn", "iris", "--cv", 0, "--no-hints", "--min-samples-leaf", 6, "--save", files[1])
    return files


def test_two_files(good: Command, pair: tuple[Path, Path]) -> None:
    out = good("diff", *pair).out
    assert "min_samples_leaf" in out
    assert "+       petallength > 4.9: Iris-virginica" in out
    assert "rows get a different prediction" not in out


def test_with_rows(good: Command, pair: tuple[Path, Path]) -> None:
    out = good("diff", *pair, "--data", "iris", "--rows", 2).out
    assert "3 of 150 rows get a different prediction" in out
    assert "the first 2 of 3" in out
    assert "McNemar" in out


def test_json(good: Command, pair: tuple[Path, Path]) -> None:
    found = good("diff", *pair, "--data", "iris", "--json").json
    assert found["a"] == {"name": str(pair[0]), "kind": "Tree"}
    assert found["learned"] == [{"name": "min_samples_leaf", "a": 2, "b": 6}]
    assert [row["row"] for row in found["predictions"]["changed_rows"]] == [78, 84, 130]
    assert found["models"]["counts"] == {"same": 6, "splits only in a": 1, "only in a": 2}


def test_a_file_and_itself(good: Command, pair: tuple[Path, Path]) -> None:
    assert good("diff", pair[0], pair[0], "--data", "iris").out.endswith("Nothing differs.\n")
    assert good("diff", pair[0], pair[0], "--json").json["same"]


def test_markdown(good: Command, pair: tuple[Path, Path]) -> None:
    assert "|---|---|---|" in good("diff", *pair, "--markdown").out


def test_a_column_that_only_the_second_model_has_is_read_as_it_was_learned(good: Command, tmp_path: Path) -> None:
    data = tmp_path / "rows.csv"
    data.write_text("code,x,y\n" + "\n".join(f"{row % 3},{row % 5},{'no' if row % 3 else 'yes'}" for row in range(30)))
    one, other = tmp_path / "a", tmp_path / "b"
    good("learn", data, "--target", "y", "--ignore", "code", "--cv", 0, "--save", one)
    good("learn", data, "--target", "y", "--nominal", "code", "--cv", 0, "--save", other)
    out = good("diff", one, other, "--data", data).out
    assert "only B uses code" in out
    assert "B has 30" in out or "and B 30" in out


def test_what_goes_wrong_is_one_line(bad: Command, good: Command, pair: tuple[Path, Path], tmp_path: Path) -> None:
    assert "nowhere" in bad("diff", pair[0], tmp_path / "nowhere").err
    (tmp_path / "text").write_text("no model")
    assert "text" in bad("diff", tmp_path / "text", pair[0]).err
    good("learn", "weather", "--cv", 0, "--save", tmp_path / "weather")
    assert "A predicts 'class', B 'play'" in bad("diff", pair[0], tmp_path / "weather").err
    assert "sepallength" in bad("diff", *pair, "--data", "weather").err
    assert "--data" in bad("diff", *pair, "--nominal", "x").err
