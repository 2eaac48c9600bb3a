"""The gallery: a picture of every scheme and lesson, drawn as the page says, and none that is not shown."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from hornbeam.schemes import SCHEMES
from hornbeam.schemes.clusters import CLUSTER_SCHEMES

ROOT = Path(__file__).resolve().parents[2]
NAMES = {scheme.name for scheme in (*SCHEMES, *CLUSTER_SCHEMES)}


@pytest.fixture(scope="module")
def gallery() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "gallery.py"))


def test_every_scheme_is_drawn_once(gallery: dict[str, Any]) -> None:
    drawn = [name for names in gallery["grouped"]().values() for name in names]
    assert sorted(drawn) == sorted(NAMES)


def test_the_page_is_what_the_program_writes(gallery: dict[str, Any]) -> None:
    assert gallery["PAGE"].read_text(encoding="utf-8") == gallery["page"](), "stale: python docs/gallery.py"


def test_pictures_are_what_the_program_draws(gallery: dict[str, Any]) -> None:
    for place, now in gallery["pictures"]():
        assert not gallery["stale"](place, now), f"{place.name} is stale: python docs/gallery.py"


def test_every_picture_is_shown_on_the_page(gallery: dict[str, Any]) -> None:
    shown = set(re.findall(r"\]\((images/[^)]+)\)", gallery["page"]()))
    kept = {f"images/{place.parent.name}/{place.name}" for place in (ROOT / "docs" / "images").glob("*/*.svg")}
    assert kept <= shown
    assert all((ROOT / "docs" / image).exists() for image in shown)


def test_every_lesson_has_a_page_that_shows_its_picture(gallery: dict[str, Any]) -> None:
    titles = {lesson.title for lesson in gallery["LESSONS_SHOWN"]}
    assert titles == {"Overfitting", "Pruning", "Bias and variance", "Restarts", "The kernel trick", "The bootstrap"}
    for lesson in gallery["LESSONS_SHOWN"]:
        page = (ROOT / "docs" / lesson.page).read_text(encoding="utf-8")
        assert all(Path(picture).name in page for picture in lesson.pictures), lesson.title
        assert f"examples/{lesson.program}.py" in page


def test_another_picture_is_noticed_and_rounding_is_not(gallery: dict[str, Any]) -> None:
    lines = [f'<rect y="{line}"/>' for line in range(100)]
    other = [*lines[:50], '<rect y="50.01"/>', *lines[51:]]
    assert gallery["alike"]("\n".join(lines), "\n".join(other))
    assert not gallery["alike"]("\n".join(lines), "\n".join(lines[::-1]))
    place = ROOT / "docs" / "images" / "gallery" / "id3.svg"
    assert gallery["stale"](place, (place.parent / "k-means.svg").read_text(encoding="utf-8"))
