"""`hornbeam learn --scheme svm`: shown, saved and used again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Command


def test_a_margin_is_shown_and_saved(command: Command, tmp_path: Path) -> None:
    file = str(tmp_path / "svm.hornbeam")
    result = command("learn", "weather.numeric", "--scheme", "svm", "--kernel", "linear", "--cv", "3", "--save", file)
    assert result.code == 0, result.err
    assert "margin" in result.out
    assert "humidity" in result.out
    shown = command("show", file)
    assert shown.code == 0, shown.err
    assert "support vectors" in shown.out
    predicted = command("predict", file, "weather.numeric")
    assert predicted.code == 0, predicted.err
    assert len(predicted.out.splitlines()) == 15


def test_numbers_have_their_own_options(command: Command) -> None:
    result = command("learn", "cpu", "--scheme", "svm", "--epsilon", "5", "--C", "100", "--cv", "0")
    assert result.code == 0, result.err
    assert "the flattest function" in result.out
    assert command("learn", "weather", "--scheme", "svm", "--epsilon", "5").code != 0
