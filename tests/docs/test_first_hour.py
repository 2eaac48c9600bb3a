"""Where a parameter has another name on the command line, the documentation says so: number 25 of the first hour."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
OTHER_NAMES = [
    ("--nominal-splits", "nominal", "c45"),
    ("--nominal-tests", "nominal", "prism"),
    ("--numeric-splits", "numeric", "tree"),
    ("--numeric-cuts", "numeric", "forest"),
    ("--numeric-scale", "numeric", "neighbors"),
    ("--missing-values", "missing", "c45rules"),
    ("--cost", "costs", "cart"),
    ("--prior", "priors", "cart"),
]


@pytest.mark.parametrize(("option", "parameter", "scheme"), OTHER_NAMES)
def test_options_with_other_names_are_listed(option: str, parameter: str, scheme: str) -> None:
    program = Path(sys.executable).with_name("hornbeam")
    printed = subprocess.run(
        [program, "learn", "--scheme", scheme, "--help"], capture_output=True, text=True, check=False
    )
    assert option in printed.stdout
    rows = [line for page in DOCS.rglob("*.md") for line in page.read_text(encoding="utf-8").split("\n")]
    start = f"| `{option}` | `{parameter}` |"
    assert [row for row in rows if row.startswith(start) and f"`{scheme}`" in row]


def test_no_page_says_that_all_names_are_the_same() -> None:
    for page in DOCS.rglob("*.md"):
        text = " ".join(page.read_text(encoding="utf-8").split())
        for same in re.findall(r"[^.|]*(?:the same name|called the same) in Python[^.]*\.", text):
            assert "except" in same, f"{page.name}: {same}"
