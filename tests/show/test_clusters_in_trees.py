"""Dendrograms and concepts as text and pictures: what is told is so, and names from data do no harm."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pytest

import hornbeam
from hornbeam import Cobweb, HierarchicalClustering, Nominal, Numeric, Schema, Table
from hornbeam.show import dendrogram_svg, dendrogram_text


def small() -> Table:
    columns = (Numeric("size <b>"), Nominal("colour\x1b[31m", ("red & dark", "blue")))
    arrays = [np.array([1.0, 1.2, 1.1, 9.0, 9.5, 20.0]), np.array([0, 0, 0, 1, 1, -1], np.int32)]
    return Table(Schema(columns, ("feature", "feature")), arrays)


def test_a_dendrogram_as_text() -> None:
    model = HierarchicalClustering(2, linkage="single", numeric="as-is").fit(small()).model_
    lines = hornbeam.show.text(model, style="ascii").splitlines()
    assert lines[0] == "6 rows, single linkage; cut: 2 clusters"
    assert lines[2].startswith("6 rows, height 10.5")
    assert sum(line.count("1 row,") for line in lines) == 6
    assert any("3 rows" in line and "cluster 0" in line and " elsewhere)" in line for line in lines)
    assert "\x1b" not in "\n".join(lines)
    assert all(line.isascii() for line in lines)
    assert "├─ " in hornbeam.show.text(model)


def test_a_dendrogram_cut_by_height_says_so_and_can_be_shortened() -> None:
    model = HierarchicalClustering(None, height=5.0, linkage="single", numeric="as-is").fit(small()).model_
    assert dendrogram_text.write(model, leaves=2).splitlines()[0].endswith("cut at height 5: 3 clusters")
    assert len(dendrogram_text.write(model, leaves=2).splitlines()) == 5
    assert "parted top-down" in hornbeam.show.text(HierarchicalClustering(2, direction="top-down").fit(small()))
    with pytest.raises(ValueError, match="model of clusters"):
        hornbeam.show.text(model, max_depth=2)


def test_a_node_s_columns_by_mean_and_beside_the_rest() -> None:
    model = HierarchicalClustering(2, linkage="average").fit(hornbeam.read("iris")).model_
    written = dendrogram_text.columns(model, int(model.pairs[-1][1])).splitlines()
    assert written[0].split() == ["by", "mean", "relative", "to", "the", "rest"]
    left = [float(line.split()[0]) for line in written[1:]]
    assert left == sorted(left, reverse=True)
    assert len(written) == 5


def test_a_dendrogram_as_a_picture() -> None:
    model = HierarchicalClustering(None, height=5.0, linkage="single", numeric="as-is").fit(small()).model_
    picture = hornbeam.show.svg(model)
    root = ET.fromstring(picture)  # noqa: S314 - our own
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f".//{space}path")) == 5  # one for every joining
    texts = [element.text for element in root.iter(f"{space}text")]
    assert {"1", "2", "3", "4", "5", "6"} <= set(texts)
    assert "<b>" not in picture
    assert "\x1b" not in picture
    assert "stroke-dasharray" in picture  # the cut
    many = HierarchicalClustering(3).fit(hornbeam.read("iris")).model_
    drawn = ET.fromstring(dendrogram_svg.draw(many, leaves=8))  # noqa: S314 - our own
    ends = [e.text or "" for e in drawn.iter(f"{space}text") if (e.text or "").startswith("(")]
    assert len(ends) == 8
    assert sum(int(text.strip("()")) for text in ends) == 150
    assert "<title>" not in dendrogram_svg.draw(many, leaves=8, tooltips=False).replace("<title>150 rows", "")


def test_one_row_has_a_picture_too() -> None:
    model = HierarchicalClustering(1).fit(np.array([[1.0]])).model_
    assert hornbeam.show.svg(model).startswith("<svg")
    assert hornbeam.show.text(model).splitlines()[-1] == "1 row, cluster 0"


def test_concepts_as_text() -> None:
    fitted = Cobweb(0.05).fit(small())
    whole = hornbeam.show.text(fitted, style="ascii")
    assert whole.splitlines()[0].startswith("6 rows in ")
    assert whole.isascii()
    assert "\x1b" not in whole
    fitted = Cobweb().fit(hornbeam.read("weather.numeric"))
    top = hornbeam.show.text(fitted, max_depth=1)
    assert len(top.splitlines()) == 3 + fitted.model_.n_children[0]
    assert " below" in top
    rows = [int(line.lstrip("├└│─ ").split()[0]) for line in top.splitlines()[3:]]
    assert sum(rows) == 14
