"""Pictures in a real browser: dark on dark pages, light on light ones, and nothing outside them changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from show.pictures.test_themes import PICTURES

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.integration

COLORS = """[...document.querySelectorAll('svg, svg [fill], svg [stroke]')].map(
    (part) => [getComputedStyle(part).fill, getComputedStyle(part).stroke])"""
OTHERS = '<svg id="other"><rect fill="#ffffff" stroke="#1F2933"/></svg><p id="words">words</p>'


def seen(open_page: Any, place: Path, content: str, scheme: str) -> list[list[str]]:
    """The colors of all shapes and letters, as the browser draws them."""
    place.write_text(content, encoding="utf-8")
    opened = open_page(place, color_scheme=scheme)
    opened.check_quiet()
    return opened.page.evaluate(COLORS)  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_follows_the_reader(open_page: Any, tmp_path: Path, name: str) -> None:
    draw, place = PICTURES[name], tmp_path / "picture.svg"
    dark = seen(open_page, place, draw("dark"), "light")  # one that does not follow
    assert len(dark) > 5
    assert seen(open_page, place, draw("auto"), "dark") == dark
    light = seen(open_page, place, draw("light"), "dark")
    assert light != dark
    assert len(light) == len(dark)
    for one, other in zip(seen(open_page, place, draw("auto"), "light"), light, strict=True):
        assert max(map(_apart, one, other)) <= 3


def _apart(one: str, other: str) -> int:
    """How far two colors are apart that may differ by a shade that no eye sees."""
    if one == other:
        return 0
    parts = ([int(part) for part in color.removeprefix("rgb(").removesuffix(")").split(",")] for color in (one, other))
    return max(abs(a - b) for a, b in zip(*parts, strict=True))


@pytest.mark.parametrize(("page", "follows"), [("light dark", True), ("light", False)])
def test_a_page_has_the_last_word_and_is_not_changed(open_page: Any, tmp_path: Path, page: str, follows: bool) -> None:
    draw, place = PICTURES["classes"], tmp_path / "page.html"
    head = f"<!doctype html><title>t</title><style>:root {{ color-scheme: {page}; }}</style>"
    alone = seen(open_page, place, head + OTHERS, "dark")
    drawn = seen(open_page, place, head + OTHERS + draw("auto") + PICTURES["numbers"]("auto"), "dark")
    assert drawn[: len(alone)] == alone
    plain = draw("dark" if follows else "light")
    wanted = seen(open_page, tmp_path / "one.svg", plain, "light")
    for one, other in zip(drawn[len(alone) :], wanted, strict=False):
        assert max(map(_apart, one, other)) <= 3
