from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from hornbeam.evaluate.comparing.significance import rank
from hornbeam.show.charts.rank_diagram import rank_diagram

SVG = "{http://www.w3.org/2000/svg}"
FIGURES = [
    [0.9, 0.8, 0.7, 0.2],
    [0.6, 0.5, 0.5, 0.1],
    [0.8, 0.9, 0.1, 0.05],
    [0.9, 0.8, 0.7, 0.1],
    [0.9, 0.8, 0.7, 0.3],
]


def test_ranks_stand_at_their_places() -> None:
    found = rank(FIGURES * 3, ["a", "b", "c", "d"])
    root = ET.fromstring(found.svg(title="Four"))  # noqa: S314 - ours
    groups = root.findall(f"{SVG}g")
    dots = [group.find(f"{SVG}circle") for group in groups if group.get("class") == "method"]
    places = [float(dot.get("cx", "")) for dot in dots if dot is not None]
    # Distances on the axis are those of the ranks; it goes from 1 to 4 in 440.
    for place, average in zip(places, found.average_ranks, strict=True):
        assert place - places[0] == pytest.approx((average - found.average_ranks[0]) * 440 / 3, abs=0.02)
    bars = [group for group in groups if group.get("class") == "group"]
    assert len(bars) == sum(len(group) > 1 for group in found.groups)
    assert found.svg(title="Four") == found.svg(title="Four")


def test_names_are_only_text() -> None:
    names = ["<script>alert(1)</script>", "\x1b[31mred", 'a"b & c']
    picture = rank_diagram(names, [1.0, 2.0, 3.0], 1.5, [names[:2], names[1:]], "<b>", "]]>")
    root = ET.fromstring(picture)  # noqa: S314 - ours
    assert "<script" not in picture
    assert not any(element.tag.endswith(("script", "b")) for element in root.iter())
    assert any(names[0] in (element.text or "") for element in root.iter(f"{SVG}text"))


def test_a_wide_critical_difference_has_room() -> None:
    picture = rank_diagram(["a", "b"], [1.4, 1.6], 9.0, [["a", "b"]], theme="dark")
    root = ET.fromstring(picture)  # noqa: S314 - ours
    assert float(root.get("width", "")) > 440 * 9
    with pytest.raises(ValueError, match="theme is 'pink'"):
        rank_diagram(["a", "b"], [1.4, 1.6], 1.0, [], theme="pink")
