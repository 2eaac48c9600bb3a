"""Charts on matplotlib."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from show.planting import Fork, Leaf, plant

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model.trees.split import CODES, CUTS
from hornbeam.show import plot
from hornbeam.show.charts.space import rectangles
from hornbeam.show.pictures import palette

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.model.trees.tree import Tree

SCHEMA = Schema(
    (Numeric("x"), Numeric("y"), Nominal("c", ("p", "q", "r")), Nominal("class", ("a", "b"))),
    ("feature", "feature", "feature", "target"),
)


def tree(*, equal_low: bool = True) -> Tree:
    right = Fork(1, CUTS, [-1.0, 2.0], [Leaf([1, 9]), Leaf([8, 1]), Leaf([0, 5])], equal_low=equal_low)
    return plant(SCHEMA, Fork(0, CUTS, [4.0], [Leaf([9, 1]), right], equal_low=equal_low))


def test_lines_have_names_and_different_colors() -> None:
    axes = plot.line([1, 2], {"one": [1, 2], "two": [2, 1]}, title="t", x_label="x", y_label="y")
    assert [drawn.get_label() for drawn in axes.lines] == ["one", "two"]
    assert [drawn.get_color() for drawn in axes.lines] == list(palette.CATEGORIES[:2])
    assert (axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel()) == ("t", "x", "y")
    alone = plot.line([1, 2], [3, 4])
    assert alone.get_legend() is None
    assert plot.line([1, 2], {"three": [0, 0]}, axes=alone) is alone
    assert len(alone.lines) == 2


def test_groups_of_points_differ_in_color_and_shape() -> None:
    axes = plot.scatter([1, 2, 3], [1, 2, 3], ["a", "b", "a"])
    assert [len(points.get_offsets()) for points in axes.collections] == [2, 1]
    one, two = axes.collections
    assert one.get_facecolor().tolist() != two.get_facecolor().tolist()
    assert one.get_paths()[0].vertices.shape != two.get_paths()[0].vertices.shape
    many = plot.scatter(range(20), range(20), [str(n) for n in range(20)])
    assert len(many.collections) == 20


def test_many_bars_lie() -> None:
    few = plot.bar({"a": 1.0, "b": 2.0}, errors=[0.1, 0.2], y_label="height")
    assert [patch.get_height() for patch in few.patches] == [1.0, 2.0]
    assert few.get_ylabel() == "height"
    many = plot.bar({f"name {n}": float(n) for n in range(9)}, y_label="height")
    assert [patch.get_width() for patch in many.patches] == [float(n) for n in range(9)]
    assert (many.get_xlabel(), many.get_ylabel()) == ("height", "")
    assert [label.get_text() for label in many.get_yticklabels()][:2] == ["name 0", "name 1"]


def test_names_are_names_not_formulas(tmp_path: Path) -> None:
    axes = plot.scatter([1], [1], ["$\\frac{1}$\x1b"], title="100$ and $200", x_label="$x")
    path = tmp_path / "chart.svg"
    plot.save(axes, path)  # a formula that cannot be read would be an error here
    assert "100$ and $200" in path.read_text(encoding="utf-8")


def test_a_chart_is_written_whole_and_the_same_every_time(tmp_path: Path) -> None:
    for ending in ("png", "svg", "pdf"):
        one, two = tmp_path / f"one.{ending}", tmp_path / f"two.{ending}"
        plot.save(plot.line([1, 2], [3, 4]), one)
        plot.save(plot.line([1, 2], [3, 4]), two)
        assert one.read_bytes() == two.read_bytes() != b""
    with pytest.raises(ValueError, match=r"chart\.xyz: a chart is written as \.png"):
        plot.save(plot.line([1, 2], [3, 4]), tmp_path / "chart.xyz")

    class Broken:
        class figure:  # noqa: N801 - as matplotlib has it
            @staticmethod
            def savefig(file: object, **_: object) -> None:
                file.write(b"half")  # type: ignore[attr-defined]
                msg = "broken"
                raise RuntimeError(msg)

    with pytest.raises(RuntimeError, match="broken"):
        plot.save(Broken, tmp_path / "broken.png")
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".pdf", ".pdf", ".png", ".png", ".svg", ".svg"]


def test_without_matplotlib_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install hornbeam\[plot\]"):
        plot.line([1], [1])


# --- feature space ------------------------------------------------------------------------------------------------


def test_rectangles_are_the_trees() -> None:
    inf = float("inf")
    assert [(area.node, area.x, area.y) for area in rectangles(tree(), ("x", "y"))] == [
        (1, (-inf, 4.0), (-inf, inf)),
        (3, (4.0, inf), (-inf, -1.0)),
        (4, (4.0, inf), (-1.0, 2.0)),
        (5, (4.0, inf), (2.0, inf)),
    ]


@given(st.lists(st.tuples(st.floats(-10, 10), st.floats(-10, 10)), min_size=1), st.booleans())
def test_every_row_lies_in_the_rectangle_of_its_leaf(points: list[tuple[float, float]], equal_low: bool) -> None:
    cut = tree(equal_low=equal_low)
    values = np.array(points)
    table = Table(
        SCHEMA,
        [values[:, 0].copy(), values[:, 1].copy(), np.zeros(len(values), np.int32), np.zeros(len(values), np.int32)],
    )
    areas = {area.node: area for area in rectangles(cut, ("x", "y"))}
    for (x, y), node in zip(points, cut.apply(table).tolist(), strict=True):
        assert areas[node].x[0] <= x <= areas[node].x[1]
        assert areas[node].y[0] <= y <= areas[node].y[1]


def test_categories_are_as_wide_as_one() -> None:
    fork = Fork(2, CODES, [0, 1, 0], [Leaf([5, 1]), Fork(0, CUTS, [1.0], [Leaf([1, 3]), Leaf([4, 0])])])
    areas = rectangles(plant(SCHEMA, fork), ("c", "x"))
    assert [(area.node, area.x) for area in areas] == [
        (1, (-0.5, 0.5)),
        (3, (0.5, 1.5)),
        (4, (0.5, 1.5)),
        (1, (1.5, 2.5)),
    ]
    unseen = Fork(2, CODES, [0, 1, -1], [Leaf([5, 1]), Leaf([1, 3])], missing=1)
    assert [(area.node, area.x) for area in rectangles(plant(SCHEMA, unseen), ("c", "x"))] == [
        (1, (-0.5, 0.5)),
        (2, (0.5, 2.5)),
    ]


def test_other_columns_must_be_given() -> None:
    fork = Fork(2, CODES, [0, 1, 1], [Leaf([5, 1]), Fork(0, CUTS, [1.0], [Leaf([1, 3]), Leaf([4, 0])])])
    planted = plant(SCHEMA, fork)
    with pytest.raises(ValueError, match=r"also splits on 'c'; give its value, given=\{'c': …\}"):
        rectangles(planted, ("x", "y"))
    assert [area.node for area in rectangles(planted, ("x", "y"), {"c": "p"})] == [1]
    assert [area.node for area in rectangles(planted, ("x", "y"), {"c": "r"})] == [3, 4]
    with pytest.raises(ValueError, match="no category 'z'; it has 'p', 'q', 'r'"):
        rectangles(planted, ("x", "y"), {"c": "z"})
    assert [area.node for area in rectangles(tree(), ("y", "c"), {"x": 4.0})] == [1]
    assert [area.node for area in rectangles(tree(equal_low=False), ("y", "c"), {"x": 4.0})] == [3, 4, 5]


def test_the_plane_is_drawn_with_its_rows() -> None:
    values = [np.array([1.0, 5.0, 6.0, np.nan]), np.array([0.0, 0.0, 3.0, 1.0])]
    table = Table(SCHEMA, [*values, np.zeros(4, np.int32), np.array([0, 0, 1, 1], np.int32)])
    axes = plot.feature_space(tree(), table)
    assert len(axes.patches) == 4
    assert sum(len(points.get_offsets()) for points in axes.collections) == 3  # one row has no x
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x", "y")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b"]
    assert len(plot.feature_space(tree(), columns=("y", "x")).collections) == 0


def test_numbers_are_drawn_on_a_scale() -> None:
    schema = Schema((Numeric("x"), Numeric("y"), Numeric("z")), ("feature", "feature", "target"))
    planted = plant(
        schema, Fork(0, CUTS, [1.0], [Leaf([5, 2.0, 1]), Fork(1, CUTS, [0.0], [Leaf([5, 4.0, 1]), Leaf([5, 9.0, 1])])])
    )
    table = Table(schema, [np.array([0.0, 2.0]), np.array([1.0, -1.0]), np.array([2.0, 4.5])])
    axes = plot.feature_space(planted, table)
    assert len(axes.patches) == 3
    colors = {tuple(patch.get_facecolor()) for patch in axes.patches}
    assert len(colors) == 3


@pytest.mark.parametrize(
    ("columns", "message"),
    [(("x",), "1 columns were named; expected two"), (("x", "nothing"), "no column is called 'nothing'")],
)
def test_a_plane_has_two_columns(columns: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plot.feature_space(tree(), columns=columns)


def test_a_tree_of_one_column_must_be_told_the_other() -> None:
    planted = plant(SCHEMA, Fork(0, CUTS, [1.0], [Leaf([5, 2]), Leaf([5, 4])]))
    with pytest.raises(ValueError, match=r"splits on 1 columns \('x'\); name the two to draw"):
        plot.feature_space(planted)
    with pytest.raises(TypeError, match="cannot draw the feature space of a dict"):
        plot.feature_space({})
