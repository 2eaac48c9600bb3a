"""Colors of pictures: read by everyone."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from show.colors import SIGHTS, contrast, difference

from hornbeam.show.chart_svg import matrix_chart
from hornbeam.show.pictures.palette import DARK, LIGHT, Theme, letters_on, mix

BOTH = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
TEXT = 4.5  # the contrast that guidelines ask of small letters


@BOTH
def test_letters_can_be_read_on_their_ground(theme: Theme) -> None:
    assert contrast(theme.ink, theme.ground) > 7
    assert contrast(theme.muted, theme.ground) > TEXT
    assert contrast(theme.other, theme.ground) > TEXT
    for color in theme.categories:  # leaves of trees
        assert contrast(theme.muted, mix(color, theme.ground, 0.86)) > TEXT
    for share in (0.3, 0.65, 1.0):
        assert contrast(theme.muted, mix(mix(theme.low, theme.high, share), theme.ground, 0.9)) > TEXT
    if theme is DARK:
        assert min(contrast(color, theme.ground) for color in theme.categories) > TEXT


@BOTH
@pytest.mark.parametrize("sight", SIGHTS)
def test_categories_can_be_told_apart(theme: Theme, sight: str) -> None:
    for one, other in combinations([*theme.categories, theme.other], 2):
        assert difference(one, other, sight) > 14


def test_the_sights_are_what_they_say() -> None:
    assert difference("#ff0000", "#00ff00") > 150
    assert difference("#a0a000", "#c08000", "deuteranopia") < difference("#a0a000", "#c08000") / 2
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert difference("#A3ADB8", "#CC79A7", "deuteranopia") < 14  # a gray that would not do


@given(st.integers(0, 0xFFFFFF))
def test_letters_can_be_read_on_any_color(color: int) -> None:
    ground = f"#{color:06x}"
    assert contrast(letters_on(ground), ground) > TEXT


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_can_be_read_in_their_cells(theme: str) -> None:
    picture = matrix_chart(["a"], [str(n) for n in range(21)], [list(range(21))], title="t", theme=theme)
    cells = re.findall(r'<rect [^>]*fill="(#\w+)"[^>]*/>\n<text [^>]*fill="(#\w+)"', picture)
    assert len(cells) == 21
    assert all(contrast(*pair) > TEXT for pair in cells)


@BOTH
def test_shades_of_numbers_grow_in_contrast(theme: Theme) -> None:
    shades = [contrast(mix(theme.low, theme.high, step / 8), theme.ground) for step in range(9)]
    assert shades == sorted(shades)
