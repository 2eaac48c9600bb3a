"""Small charts."""

from __future__ import annotations

import itertools
import re
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hornbeam.show.chart_svg import (
    bar_chart,
    histogram_chart,
    interval_chart,
    line_chart,
    matrix_chart,
    scatter_chart,
)

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>alert(1)</script>"; drop table\x00\x1b\u202e'
NUMBERS = st.floats(-1e6, 1e6)
WORDS: dict[str, Any] = {"title": HOSTILE, "x_label": HOSTILE, "subtitle": HOSTILE}


def parts(picture: str, tag: str) -> list[ET.Element]:
    return list(ET.fromstring(picture).iter(f"{SVG}{tag}"))  # noqa: S314 - our own


def texts(picture: str, tag: str = "text") -> list[str]:
    return [element.text or "" for element in parts(picture, tag)]


def hostile() -> dict[str, str]:
    return {
        "line": line_chart({HOSTILE: ([1, 2], [1, 2]), "b": ([1], [1])}, y_label=HOSTILE, **WORDS),
        "scatter": scatter_chart([1, 2], [1, 2], groups=[HOSTILE, "b"], y_label=HOSTILE, **WORDS),
        "bar": bar_chart([HOSTILE], [1], texts=[HOSTILE], **WORDS),
        "interval": interval_chart([HOSTILE], [1], [(0, 2)], **WORDS),
        "matrix": matrix_chart([HOSTILE], [HOSTILE], [[1]], texts=[[HOSTILE]], y_label=HOSTILE, **WORDS),
        "histogram": histogram_chart([1, 2], y_label=HOSTILE, **WORDS),
    }


@pytest.mark.parametrize("name", hostile())
def test_names_are_text_whatever_is_in_them(name: str) -> None:
    picture = hostile()[name]
    root = ET.fromstring(picture)  # noqa: S314 - our own
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg", "title", "desc", "style", "rect", "path", "text", "g", "polyline", "circle"
    }  # fmt: skip
    assert "<script" not in picture
    assert not re.search("[\x00\x1b\u202e]", picture)
    assert any('<script>alert(1)</script>"; drop table\\x00' in text for text in texts(picture))
    assert not [element for element in root.iter() if "id" in element.attrib]  # none could be twice on a page


@pytest.mark.parametrize("name", hostile())
def test_readers_who_do_not_see_are_told(name: str) -> None:
    root = ET.fromstring(hostile()[name])  # noqa: S314 - our own
    assert root.get("role") == "img"
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]


@pytest.mark.parametrize("name", hostile())
def test_the_same_figures_give_the_same_bytes(name: str) -> None:
    assert hostile()[name] == hostile()[name]


def points(picture: str) -> list[list[tuple[float, float]]]:
    return [
        [(float(x), float(y)) for x, y in (pair.split(",") for pair in (line.get("points") or "").split())]
        for line in parts(picture, "polyline")
    ]


@given(
    st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=3, max_size=30, unique_by=lambda p: p[0])
)
@settings(max_examples=50)
def test_a_line_lies_as_its_numbers_do(given_points: list[tuple[float, float]]) -> None:
    x, y = np.array(sorted(given_points)).T
    picture = line_chart({"a": (x, y)}, title="t", x_label="x", y_label="y")
    ((line),) = points(picture)
    across, up = np.array(line).T
    _, _, width, height = map(float, (ET.fromstring(picture).get("viewBox") or "").split())  # noqa: S314 - our own
    assert across.min() >= 0 <= up.min()
    assert across.max() <= width
    assert up.max() <= height
    assert across[-1] - across[0] == pytest.approx(384, abs=0.02)  # the whole field but for its margins
    assert across == pytest.approx(across[0] + 384 * (x - x[0]) / (x[-1] - x[0]), abs=0.02)
    if np.ptp(y) > 1e-3:
        slope = (up[y.argmax()] - up[y.argmin()]) / np.ptp(y)
        assert slope < 0
        assert up == pytest.approx(up[0] + slope * (y - y[0]), abs=0.05)


def test_powers_of_ten_lie_at_equal_steps() -> None:
    ((line),) = points(line_chart({"a": ([1, 10, 100], [0, 0, 1])}, title="t", x_label="x", y_label="y", x_log=True))
    assert line[1][0] - line[0][0] == pytest.approx(line[2][0] - line[1][0], abs=0.02)
    with pytest.raises(ValueError, match="given the number 0; expected numbers above 0"):
        line_chart({"a": ([0, 10], [0, 0])}, title="t", x_label="x", y_label="y", x_log=True)


def test_what_is_no_number_is_left_out() -> None:
    nan, inf = float("nan"), float("inf")
    ((line),) = points(line_chart({"a": ([1, 2, nan, 4], [1, inf, 3, 4])}, title="t", x_label="x", y_label="y"))
    assert len(line) == 2
    picture = bar_chart(["a", "b"], [nan, 1], title="t")
    assert [element.get("height") for element in parts(picture, "rect")[1:]] == ["15.64"]
    assert texts(picture).count("b") == 1
    assert len(parts(interval_chart(["a", "b"], [nan, 1], [(0, 1), (nan, 2)], title="t"), "circle")) == 1
    assert line_chart({}, title="t", x_label="x", y_label="y").startswith("<svg")
    assert scatter_chart([], [], title="t", x_label="x", y_label="y").startswith("<svg")
    assert histogram_chart([nan], title="t", x_label="x").startswith("<svg")
    assert bar_chart([], [], title="t").startswith("<svg")


def test_bars_are_as_long_as_their_figures() -> None:
    bars = parts(bar_chart(["a", "b", "c"], [1, 4, -2], title="t", x_label="x"), "rect")[1:]
    one, four, minus = (float(bar.get("width", "")) for bar in bars)
    assert four / one == pytest.approx(4, rel=1e-2)
    assert minus / one == pytest.approx(2, rel=1e-2)
    assert bars[0].get("x") == bars[1].get("x")
    assert float(bars[2].get("x", "")) + minus == pytest.approx(float(bars[0].get("x", "")), abs=0.02)


def test_dots_lie_in_their_intervals() -> None:
    picture = interval_chart(["a", "b"], [0.5, 0.75], [(0.25, 0.75), (0.5, 1.0)], title="t", level=0.5)
    first, second = (float(dot.get("cx", "")) for dot in parts(picture, "circle"))
    ways = [re.findall(r"-?[\d.]+", path.get("d", "")) for path in parts(picture, "path") if "H" in path.get("d", "")]
    (low, _, high), (low_b, _, high_b) = (tuple(map(float, way[:3])) for way in ways)
    assert first == pytest.approx((low + high) / 2, abs=0.02)
    assert second == pytest.approx((low_b + high_b) / 2, abs=0.02)
    assert second - first == pytest.approx((high - low) / 2, abs=0.02)
    assert "a: 0.5 (0.25 to 0.75)" in texts(picture, "title")


def test_a_matrix_reads_from_above() -> None:
    picture = matrix_chart(["first", "second"], ["x", "y"], [[1, 2], [3, 4]], title="t", y_label="true")
    heights = {element.text: float(element.get("y", "")) for element in parts(picture, "text")}
    assert heights["first"] < heights["second"]
    assert heights["1"] == heights["2"] == heights["first"]
    assert "second, x: 3" in texts(picture, "title")


def test_many_points_are_thinned_and_told() -> None:
    picture = scatter_chart(np.arange(5000), np.arange(5000) % 7, title="t", x_label="x", y_label="y", most=100)
    assert "100 of 5000 points" in texts(picture)
    assert len(picture) < 30_000


def test_histograms_count_every_number() -> None:
    told = texts(histogram_chart([0, 0.1, 0.9, 1.0, float("nan")], title="t", x_label="x", bars=2), "title")
    assert told[1:] == ["0 to 0.5: 2", "0.5 to 1: 2"]


@pytest.mark.parametrize("wide", [40.0, 84.0, 120.0, 400.0])
def test_labels_that_are_left_out_leave_even_steps(wide: float) -> None:
    drawn = bar_chart(["a"], [0.5], title="", texts=["half"], x_range=(0.0, 1.0), wide=wide)
    shown = [float(words) for words in re.findall(r">(\d(?:\.\d)?)</text>", drawn)]
    assert shown[0] == 0.0
    assert len({round(after - before, 9) for before, after in itertools.pairwise(shown)}) <= 1
    assert len(shown) > 2 or wide < 100
