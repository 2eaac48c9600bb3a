"""Dendrograms and concepts as text and pictures: what is told is so, and names from data do no harm."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import hornbeam
from hornbeam import Cobweb, HierarchicalClustering, Nominal, Numeric, Schema, Table
from hornbeam.show.texts.clusters import dendrogram_text


def small() -> Table:
    columns = (Numeric("size <b>"), Nominal("color\x1b[31m", ("red & dark", "blue")))
    arrays = [np.array([1.0, 1.2, 1.1, 9.0, 9.5, 20.0]), np.array([0, 0, 0, 1, 1, -1], np.int32)]
    return Table(Schema(columns, ("feature", "feature")), arrays)


def test_a_dendrogram_as_text() -> None:
    model = HierarchicalClustering(2, linkage="single", numeric="as-is").fit(small()).model_
    lines = hornbeam.show.text(model, style="ascii").splitlines()
    assert lines[0] == "6 rows, single linkage; cut: 2 clusters"
    assert lines[2].startswith("node 10, 6 rows, height 10.5")
    assert sorted(line.split("row ")[1][0] for line in lines if " row " in line) == list("123456")
    assert any("3 rows" in line and "cluster 0" in line and " elsewhere)" in line for line in lines)
    assert "\x1b" not in "\n".join(lines)
    assert all(line.isascii() for line in lines)
    assert "├─ " in hornbeam.show.text(model)


def test_a_dendrogram_cut_by_height_says_so_and_can_be_shortened() -> None:
    model = HierarchicalClustering(None, height=5.0, linkage="single", numeric="as-is").fit(small()).model_
    assert dendrogram_text.write(model, leaves=2).splitlines()[0].endswith("cut at height 5: 3 clusters")
    assert len(dendrogram_text.write(model, leaves=2).splitlines()) == 5
    assert "divided top-down" in hornbeam.show.text(HierarchicalClustering(2, direction="top-down").fit(small()))
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
    joinings = [path for path in root.iter(f"{space}path") if path.get("d", "").count("V") == 2]
    assert len(joinings) == 5
    tips = {(path.findtext(f"{space}title") or "").split(",")[0] for path in joinings}
    assert tips == {f"node {node}" for node in range(6, 11)}
    assert all("relative to the rest" in (path.findtext(f"{space}title") or "") for path in joinings)
    texts = [element.text for element in root.iter(f"{space}text")]
    assert {"1", "2", "3", "4", "5", "6"} <= set(texts)
    assert "<b>" not in picture
    assert "\x1b" not in picture
    assert "stroke-dasharray" in picture  # the cut
    many = HierarchicalClustering(3).fit(hornbeam.read("iris")).model_
    drawn = ET.fromstring(hornbeam.show.dendrogram(many, leaves=8))  # noqa: S314 - our own
    ends = [e.text or "" for e in drawn.iter(f"{space}text") if (e.text or "").startswith("(")]
    assert len(ends) == 8
    assert sum(int(text.strip("()")) for text in ends) == 150
    assert hornbeam.show.dendrogram(many, leaves=8, tooltips=False).count("<title>") == 1  # the picture's own


def test_one_row_has_a_picture_too() -> None:
    model = HierarchicalClustering(1).fit(np.array([[1.0]])).model_
    assert hornbeam.show.svg(model).startswith("<svg")
    assert hornbeam.show.text(model).splitlines()[-1] == "row 1, cluster 0"


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
    rows = [int(re.search(r"\((\d+) rows\)", line)[1]) for line in top.splitlines()[3:]]  # type: ignore[index]
    assert sum(rows) == 14


def test_the_cut_is_drawn_where_it_is() -> None:
    matrix = np.array([[0.0], [1.0], [5.0], [7.0], [30.0]])
    model = HierarchicalClustering(2, linkage="single", numeric="as-is").fit(matrix).model_
    assert model.cut_height() == pytest.approx((4 + 23) / 2)
    for count in range(1, 6):
        cut = model.at(count=count).cut_height()
        if cut is None:
            assert count == 1
        else:
            assert np.array_equal(model.cut(height=cut), model.cut(n_clusters=count))
    assert model.at(height=3.0).cut_height() == 3.0
    tied = HierarchicalClustering(2).fit(np.zeros((3, 1))).model_
    assert tied.cut_height() is None  # no height gives two clusters
    assert "stroke-dasharray" not in hornbeam.show.dendrogram(tied)


def test_nodes_lie_in_clusters() -> None:
    model = HierarchicalClustering(4, linkage="average").fit(hornbeam.read("iris")).model_
    for node in range(model.n_rows, 2 * model.n_rows - 1):
        labels = set(model.labels[model.rows_of(node)].tolist())
        assert model.cluster_of_nodes[node] == (labels.pop() if len(labels) == 1 else -1)


def test_more_clusters_than_branches_are_all_drawn() -> None:
    model = HierarchicalClustering(60).fit(hornbeam.read("iris"))
    picture = hornbeam.show.dendrogram(model, leaves=5)
    assert all(f"cluster {number}: " in picture for number in range(60))
    with pytest.raises(TypeError, match="as a dendrogram"):
        hornbeam.show.dendrogram(Cobweb().fit(hornbeam.read("weather")))
    with pytest.raises(ValueError, match="theme is 'gray'"):
        hornbeam.show.dendrogram(model, theme="gray")
    assert hornbeam.show.dendrogram(model, theme="dark") != hornbeam.show.dendrogram(model)
