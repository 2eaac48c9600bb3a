"""The menu of the site has every page once, and the reference every public name once."""

from __future__ import annotations

import runpy
from collections import Counter
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAVIGATION = runpy.run_path(str(ROOT / "docs" / "site" / "navigation.py"))
MADE = {"changelog", "oracle", "api/index"}  # pages that building the site writes


def listed() -> Counter[str]:
    return Counter(page for below in NAVIGATION["BELOW"].values() for page in below)


def test_every_page_is_in_the_menu_once() -> None:
    pages = {page.relative_to(ROOT / "docs").with_suffix("").as_posix() for page in ROOT.glob("docs/**/*.md")}
    found = listed()
    assert set(found) | {"index"} == pages | MADE
    assert [page for page, times in found.items() if times > 1] == []
    assert set(NAVIGATION["BELOW"]) <= pages
    assert set(NAVIGATION["SHORT"]) <= pages | MADE


def test_the_menu_of_a_page_lists_the_pages_below_it() -> None:
    below = {"a/index": ("tutorial", "a/b")}
    assert NAVIGATION["menu"]("a/index", below).split() == [
        "```{toctree}",
        ":hidden:",
        "Start",
        "</tutorial>",
        "/a/b",
        "```",
    ]
    assert NAVIGATION["menu"]("a/b", below) == ""


def test_the_reference_has_every_public_name(tmp_path: Path) -> None:
    reference = runpy.run_path(str(ROOT / "docs" / "site" / "reference.py"))
    menu = reference["write"](tmp_path)
    pages = {Path(page).name for below in menu.values() for page in below}
    packages = (
        "hornbeam",
        "hornbeam.model",
        "hornbeam.evaluate",
        "hornbeam.show",
        "hornbeam.export",
        "hornbeam.report",
    )
    for package in packages:
        public = {f"{package}.{name}" for name in import_module(package).__all__ if not name.startswith("_")}
        assert public - set(packages) <= pages
    for name in pages | {"index"}:
        assert (tmp_path / f"{name}.md").is_file()
    row = next(
        line for line in (tmp_path / "trees.md").read_text(encoding="utf-8").split("\n") if "C45Classifier" in line
    )
    assert row == "| [C45Classifier](hornbeam.C45Classifier.md) | A C4.5 decision tree. |"
