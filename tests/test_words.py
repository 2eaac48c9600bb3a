"""Texts are in plain English: words that readers stumble over stay out."""

from __future__ import annotations

from pathlib import Path

import pytest
from words import found

ROOT = Path(__file__).resolve().parent.parent
PAGES = [path for folder in ("src", "docs", "examples", "benchmarks") for path in (ROOT / folder).rglob("*")]
PAGES += [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md")]
TEXTS = sorted(
    path for path in PAGES if path.suffix in {".py", ".md", ".pyx", ".pxd", ".pxi", ".pyi", ".h", ".js", ".css"}
)


def test_texts_are_in_plain_english() -> None:
    assert len(TEXTS) > 400
    assert [line for path in TEXTS for line in found(path)] == []


@pytest.mark.parametrize(
    "line",
    [
        "# the answer of a leaf",
        "# it is told here",
        '"""What is no array."""'.replace("What is", "It is"),
        "# one row a node",
        '"5 leaves more"',
        "# so many trees",
        "# the colour of a class",
        '"rows that vouch for it"',
        '"expected {most} at most"',
        "# what the distances are divided by",
    ],
)
def test_the_rule_can_fail(line: str, tmp_path: Path) -> None:
    (tmp_path / "text.py").write_text(line + "\n", encoding="utf-8")
    assert found(tmp_path / "text.py")


@pytest.mark.parametrize("line", ["# there is no row", "# is no longer used", "# two more rows", "told = 1"])
def test_ordinary_words_are_left_alone(line: str, tmp_path: Path) -> None:
    (tmp_path / "text.py").write_text(line + "\n", encoding="utf-8")
    assert not found(tmp_path / "text.py")
