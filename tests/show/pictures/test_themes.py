"""Pictures that are light and dark at once."""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from show.pictures.test_svg import numbers
from show.planting import Fork, Leaf, plant, read_classic
from show.texts.test_classic import IRIS

import hornbeam
from hornbeam.data.schema import Numeric
from hornbeam.model.trees.split import CUTS
from hornbeam.show.chart_svg import matrix_chart, scatter_chart
from hornbeam.show.charts.rank_diagram import rank_diagram
from hornbeam.show.pictures.svg_parts import document
from hornbeam.show.pictures.themes import in_theme

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.show.pictures.palette import Theme

RULE = re.compile(r':is\(\.([\w-]+),\.([\w-]+) \*\)\[(\w+)="(#\w+)"\]\{(\w+):light-dark\((#\w+),(#\w+)\)\}')


def pictures() -> dict[str, Callable[[str], str]]:
    """Pictures of all kinds, each drawn in the theme asked for."""
    iris = hornbeam.read("iris")
    clusters = hornbeam.KMeans(3, random_state=1).fit(iris)
    joined = hornbeam.HierarchicalClustering(3).fit(iris)
    number = plant(numbers(Numeric("x")), Fork(0, CUTS, [2.5], [Leaf([10, 3.25, 40.0]), Leaf([30, 8.0, 30.0])]))
    return {
        "classes": lambda theme: hornbeam.show.svg(read_classic(IRIS), theme=theme),
        "numbers": lambda theme: hornbeam.show.svg(number, theme=theme),
        "map": lambda theme: hornbeam.show.cluster_map(clusters, iris, theme=theme),
        "parallel": lambda theme: hornbeam.show.parallel_coordinates(clusters, iris, theme=theme),
        "dendrogram": lambda theme: hornbeam.show.dendrogram(joined, theme=theme),
        "matrix": lambda theme: matrix_chart("ab", "cde", [[0, 1, 2], [3, 4, 5]], title="t", theme=theme),
        "ranks": lambda theme: rank_diagram(["a", "b"], [1.2, 1.8], 1.5, [["a", "b"]], "t", theme=theme),
        "scatter": lambda theme: scatter_chart(
            [1, 2], [3, 4], groups="ab", title="t", x_label="", y_label="", theme=theme
        ),
    }


PICTURES = pictures()


def in_the_dark(picture: str) -> list[tuple[str, str]]:
    """The colors of a picture once its style is obeyed, as a dark page has it."""
    partners = {(attribute, color): dark for _, _, attribute, color, _, _, dark in RULE.findall(picture)}
    return [
        (key, partners.get((key, value), value))
        for element in ET.fromstring(picture).iter()  # noqa: S314 - our own
        for key, value in element.attrib.items()
        if value.startswith("#")
    ]


@pytest.mark.parametrize("name", PICTURES)
def test_the_style_makes_the_dark_picture(name: str) -> None:
    draw = PICTURES[name]
    assert in_the_dark(draw("auto")) == in_the_dark(draw("dark"))
    assert in_the_dark(draw("light")) != in_the_dark(draw("dark"))


@pytest.mark.parametrize("name", PICTURES)
def test_without_its_style_it_is_the_light_picture(name: str) -> None:
    """What a converter draws; a color may be a shade off that no eye sees."""
    both, light = PICTURES[name]("auto"), PICTURES[name]("light")
    plain = re.sub(r' class="hornbeam-\w+"|<style>.*</style>\n', "", both)
    color = re.compile(r'"#(\w{6})"')
    assert color.sub("", plain) == color.sub("", light)
    for one, other in zip(color.findall(plain), color.findall(light), strict=True):
        assert abs(int(one, 16) - int(other, 16)) <= 3


@pytest.mark.parametrize("name", PICTURES)
def test_no_style_leaves_its_picture(name: str) -> None:
    root = ET.fromstring(PICTURES[name]("auto"))  # noqa: S314 - our own
    (style,) = [element.text or "" for element in root.iter() if element.tag.endswith("style")]
    own = root.get("class", "")
    assert own.startswith("hornbeam-")
    inside = style.removeprefix("@supports (color:light-dark(#000,#fff)){").removesuffix("}")
    assert inside.startswith(f".{own}:root{{color-scheme:light dark}}")  # only where it is a document by itself
    rules = inside.split("}", 1)[1]
    found = RULE.findall(rules)
    assert RULE.sub("", rules) == ""
    assert {name for rule in found for name in rule[:2]} == {own}
    assert all(attribute == changed and color == light for _, _, attribute, color, changed, light, _ in found)


def test_one_light_color_may_have_two_dark_ones() -> None:
    def draw(theme: Theme) -> str:
        second = theme.ground if theme.ground == "#ffffff" else theme.ink
        lines = [f'<rect fill="{color}"/>' for color in (theme.ground, second, theme.ground)]
        return document(1, 1, "t", lines, theme)

    both = in_theme(draw, "auto")
    assert both.count('fill="#ffffff"') == 2 + 1 + 1  # the ground, two rectangles, one rule
    assert in_the_dark(both) == in_the_dark(in_theme(draw, "dark"))


def test_a_picture_that_differs_in_more_than_colors_is_a_mistake() -> None:
    counted = count()
    with pytest.raises(AssertionError, match="more than its colors"):
        in_theme(lambda theme: document(1, 1, str(next(counted)), [], theme), "auto")


def test_an_unknown_theme_is_refused() -> None:
    with pytest.raises(ValueError, match="theme is 'blue'; expected 'auto', 'light' or 'dark'"):
        hornbeam.show.svg(read_classic(IRIS), theme="blue")
