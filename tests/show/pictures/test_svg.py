"""The picture of a tree."""

from __future__ import annotations

import itertools
import re
from random import Random
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from show.planting import Fork, Leaf, Other, plant, read_classic
from show.texts.test_classic import IRIS

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model.trees.split import CODES, CUTS
from hornbeam.model.trees.tree import FRACTIONAL, STOP, Tree
from hornbeam.show import svg
from hornbeam.show.pictures import palette
from hornbeam.show.pictures.svg_parts import safe, text_width
from hornbeam.show.pictures.tree_rows import rows_at_nodes

SVG = "{http://www.w3.org/2000/svg}"


def two_classes(*columns: Numeric | Nominal, name: str = "table") -> Schema:
    return Schema((*columns, Nominal("y", ("a", "b"))), ("feature",) * len(columns) + ("target",), name)


def numbers(*columns: Numeric | Nominal) -> Schema:
    return Schema((*columns, Numeric("y")), ("feature",) * len(columns) + ("target",))


def words(picture: str) -> list[str]:
    """All texts that are drawn, without tooltips."""
    return [element.text or "" for element in ET.fromstring(picture).iter(f"{SVG}text")]  # noqa: S314 - our own


def tooltips(picture: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(picture).iter(f"{SVG}title")]  # noqa: S314 - our own


def boxes(picture: str) -> list[tuple[float, float, float, float]]:
    """Corners of everything that must not overlap: boxes and labels of branches."""
    found = []
    for element in ET.fromstring(picture).iter(f"{SVG}rect"):  # noqa: S314 - our own
        if element.get("stroke"):
            x, y, wide, high = (float(element.get(key, "nan")) for key in ("x", "y", "width", "height"))
            found.append((x, x + wide, y, y + high))
    return found


def overlapping(picture: str) -> int:
    return sum(
        one[0] < two[1] and two[0] < one[1] and one[2] < two[3] and two[2] < one[3]
        for one, two in itertools.combinations(boxes(picture), 2)
    )


def test_iris_says_what_the_tree_says() -> None:
    drawn = words(svg(read_classic(IRIS)))
    assert drawn[:2] == ["table: the class", "5 leaves, size 9, depth 4; 3 of 150 wrong in training"]
    for expected in ("petalwidth", "≤ 0.6", "> 0.6", "Iris-setosa", "50 rows", "48 rows · 1 wrong", "petallength"):
        assert expected in drawn
    assert drawn.count("petalwidth") == 3


@pytest.mark.parametrize("direction", ["down", "right"])
def test_nothing_overlaps_and_everything_is_inside(direction: str) -> None:
    wide: Leaf | Fork = Leaf([3, 1])
    for _ in range(4):
        wide = Fork(0, CODES, [0, 1, 2, 3], [Leaf([5, 0]), wide, Leaf([1, 1]), Leaf([0, 2])])
    tree = plant(two_classes(Nominal("a column with a long name", ("p", "quite long", "r", "s" * 60))), wide)
    picture = svg(tree, direction=direction)
    assert len(boxes(picture)) == 2 * tree.n_nodes - 1
    assert overlapping(picture) == 0
    root = ET.fromstring(picture)  # noqa: S314 - our own
    _, _, width, height = map(float, root.get("viewBox", "").split())
    assert all(left >= 0 and right <= width and top >= 0 and low <= height for left, right, top, low in boxes(picture))


def test_the_overlap_test_can_fail() -> None:
    picture = svg(read_classic(IRIS))
    assert overlapping(re.sub(r'rect x="[\d.]+"', 'rect x="100"', picture)) > 0


def test_a_large_tree_is_drawn_to_the_right() -> None:
    chain: Leaf | Fork = Leaf([1, 0])
    for _ in range(12):
        chain = Fork(0, CUTS, [1.0], [chain, Leaf([0, 1])])
    tree = plant(two_classes(Numeric("x")), chain)
    assert svg(tree) == svg(tree, direction="right")
    assert svg(tree) != svg(tree, direction="down")
    assert svg(read_classic(IRIS)) == svg(read_classic(IRIS), direction="down")


def test_a_node_at_the_depth_limit_says_what_is_left_out() -> None:
    drawn = words(svg(read_classic(IRIS), max_depth=1))
    assert "… 4 more leaves" in drawn
    assert "100 rows · 3 wrong" in drawn
    assert "petallength" not in drawn
    assert "… 5 more leaves" in words(svg(read_classic(IRIS), max_depth=0))


def test_names_cannot_become_markup() -> None:
    hostile = "<script>alert('x')</script>&\"\x1b\x00\u202e"
    schema = Schema(
        (Nominal(hostile, (hostile, "]]>")), Nominal("y", (f"{hostile}1", f"{hostile}2"))),
        ("feature", "target"),
        hostile,
    )
    tree = plant(schema, Fork(0, CODES, [0, 1], [Leaf([3, 1]), Leaf([0, 2])]))
    for picture in (svg(tree), svg(tree, title=hostile)):
        assert "<script" not in picture
        assert "\x1b" not in picture
        assert not list(ET.fromstring(picture).iter(f"{SVG}script"))  # noqa: S314 - our own
        assert any("<script>alert('x')" in text for text in words(picture))


def test_long_lists_of_categories_are_shortened_and_told_in_full() -> None:
    color = Nominal("color", tuple(f"shade {n}" for n in range(100)))
    picture = svg(plant(two_classes(color), Fork(0, CODES, [0, 0, *[1] * 98], [Leaf([1, 0]), Leaf([0, 1])])))
    assert "shade 0, shade 1" in words(picture)
    assert any(text.endswith("more") and len(text) < 45 for text in words(picture))
    assert any("shade 99" in text for text in tooltips(picture))


def test_bars_show_the_shares_of_the_classes() -> None:
    schema = Schema((Numeric("x"), Nominal("y", ("a", "b", "c"))), ("feature", "target"))
    picture = svg(plant(schema, Fork(0, CUTS, [1.0], [Leaf([10, 30, 0]), Leaf([0, 0, 60])])))
    rects = list(ET.fromstring(picture).iter(f"{SVG}rect"))  # noqa: S314 - our own
    bars = [
        (bar.get("fill"), float(bar.get("width", "")))
        for bar in rects
        if bar.get("height") == "5" and bar.get("fill") in palette.CATEGORIES
    ]
    blue, orange, green = palette.CATEGORIES[:3]
    assert [color for color, _ in bars] == [blue, orange, green, blue, orange, green]
    widths = [width for _, width in bars]
    assert widths[1] / widths[0] == pytest.approx(3, rel=1e-2)
    assert widths[2] / widths[0] == pytest.approx(6, rel=1e-2)
    assert widths[4] / widths[3] == pytest.approx(3, rel=1e-2)


def test_more_classes_than_colors_share_gray() -> None:
    schema = Schema((Numeric("x"), Nominal("y", tuple("abcdefghij"))), ("feature", "target"))
    drawn = words(svg(plant(schema, Leaf([float(n) for n in range(10)]))))
    assert "2 other classes" in drawn  # class a has no rows
    assert "j" in drawn
    assert "b" not in drawn


def regression(**changes: object) -> Tree:
    fork = Fork(0, CUTS, [2.5], [Leaf([10, 3.25, 40.0]), Leaf([30, 8.0, 30.0])], **changes)  # type: ignore[arg-type]
    return plant(numbers(Numeric("x"), Nominal("c", ("p", "q"))), fork)


def test_a_number_is_shown_by_its_mean() -> None:
    drawn = words(svg(regression()))
    for expected in ("3.25", "10 rows · sd 2", "8", "30 rows · sd 1", "40 rows · mean 6.812"):
        assert expected in drawn
    circles = [float(e.get("cx", "")) for e in ET.fromstring(svg(regression())).iter(f"{SVG}circle")]  # noqa: S314
    assert len(circles) == 4  # the legend's, the root's, two leaves'


def test_one_mean_alone_is_drawn() -> None:
    assert "7" in words(svg(plant(numbers(Numeric("x")), Leaf([5, 7.0, 0.0]))))


def test_missing_values_are_told_of() -> None:
    branch = svg(regression(missing=1))
    assert "> 2.5 or missing" in words(branch)
    assert any("A row with a missing value takes the branch x > 2.5." in text for text in tooltips(branch))
    surrogate = regression(missing=0, surrogates=[Other(1, CODES, [0, 1], agreement=0.875)])
    assert "if missing: 1 surrogate" in words(svg(surrogate))
    assert "≤ 2.5" in words(svg(surrogate))  # it asks the surrogate first
    told = "\n".join(tooltips(svg(surrogate)))
    assert "c = p  agrees 87.5%" in told
    assert "If all are missing, a row takes the branch x <= 2.5." in told
    pieces = plant(two_classes(Numeric("x")), Fork(0, CUTS, [1.0], [Leaf([2.5, 1]), Leaf([1.5, 2])], FRACTIONAL))
    assert "if missing: every branch, in fractions" in words(svg(pieces))
    stops = Fork(0, CUTS, [1.0], [Leaf([2, 1]), Leaf([1, 2])], STOP, counts=[4, 4])
    assert "if missing: stops here" in words(svg(plant(two_classes(Numeric("x")), stops)))


def test_a_known_or_missing_value_is_asked_for_in_words() -> None:
    fork = Fork(0, CUTS, [float("inf")], [Leaf([2, 1]), Leaf([1, 2])], missing=1)
    drawn = words(svg(plant(two_classes(Numeric("x")), fork)))
    assert {"known", "missing"} <= set(drawn)


def test_runner_up_splits_are_told_with_their_gap() -> None:
    others = [Other(1, CODES, [0, 1], score=0.4), Other(0, CUTS, [1.0, 2.0], n_branches=3, score=0.25)]
    picture = svg(regression(score=0.45, alternatives=others))
    assert "next: c = p, 0.0500 behind" in words(picture)
    told = "\n".join(tooltips(picture))
    assert "Split: x <= 2.5, score 0.4500" in told
    assert re.search(r"c = p +score 0\.4000, gap 0\.0500", told)
    assert re.search(r"x cut at 1, 2 +score 0\.2500, gap 0\.2000", told)


def deep(levels: int) -> Tree:
    found: Leaf | Fork = Leaf([1, 0])
    for level in range(levels):
        found = Fork(0, CUTS, [1.0], [found, Leaf([level % 3, 1])])
    return plant(two_classes(Numeric("x")), found)


def test_a_deep_tree_can_be_drawn() -> None:
    picture = svg(deep(300), detail="full")
    assert len(boxes(picture)) == 2 * 601 - 1
    assert len(picture) < 3_000_000


def nodes(picture: str) -> dict[int, ET.Element]:
    """The groups of nodes by their numbers."""
    groups = [group for group in ET.fromstring(picture).iter(f"{SVG}g") if group.get("class") == "node"]  # noqa: S314
    found = {int(group.get("data-node", "")): group for group in groups}
    assert len(found) == len(groups)
    return found


@pytest.mark.parametrize("direction", ["down", "right"])
def test_every_node_and_edge_can_be_found(direction: str) -> None:
    for tree in (read_classic(IRIS), deep(100)):
        picture = svg(tree, direction=direction)
        assert sorted(nodes(picture)) == list(range(tree.n_nodes))
        edges = [element.get("data-child") for element in ET.fromstring(picture).iter(f"{SVG}path")]  # noqa: S314
        assert sorted(int(child) for child in edges if child is not None) == list(range(1, tree.n_nodes))


def box_of(group: ET.Element) -> tuple[float, float, float, float]:
    """The corners of a node, whatever it is drawn as."""
    for shape in group:
        if shape.tag == f"{SVG}circle":
            x, y, r = (float(shape.get(key, "nan")) for key in ("cx", "cy", "r"))
            return x - r, x + r, y - r, y + r
        if shape.tag == f"{SVG}rect":
            x, y, wide, high = (float(shape.get(key, "nan")) for key in ("x", "y", "width", "height"))
            return x, x + wide, y, y + high
    raise AssertionError(group)


@pytest.mark.parametrize("direction", ["down", "right"])
def test_a_large_tree_is_drawn_in_levels_of_detail(direction: str) -> None:
    random = Random(5)  # noqa: S311 - trees, not secrets

    def grow(levels: int) -> Leaf | Fork:
        if levels == 0 or random.random() < 0.1:
            return Leaf([random.randint(0, 9), random.randint(1, 9)])
        return Fork(0, CUTS, [levels], [grow(levels - 1), grow(levels - random.randint(1, 2) if levels > 1 else 0)])

    tree = plant(two_classes(Numeric("x")), grow(11))
    assert tree.n_leaves > 300
    picture = svg(tree, direction=direction)
    found = nodes(picture)
    assert sorted(found) == list(range(tree.n_nodes))
    words_of = {number: len(list(group.iter(f"{SVG}text"))) for number, group in found.items()}
    full = [number for number, count in words_of.items() if count >= 2]
    ticks = [number for number, count in words_of.items() if count == 0]
    assert len(full) == 70
    assert len(ticks) == tree.n_nodes - 320
    assert min(tree.weight[full]) >= max(tree.weight[number] for number in words_of if number not in full)
    for number in range(1, tree.n_nodes):  # none larger than its parent
        assert min(words_of[number], 2) <= min(words_of[int(tree.parent[number])], 2)
    assert "ticks in the color of their prediction" in "".join(words(picture))
    assert all(" row" in (found[number][0].text or "") for number in ticks)
    corners = sorted(box_of(group) for group in found.values())
    overlaps = 0
    for place, one in enumerate(corners):
        for two in itertools.takewhile(lambda two, end=one[1]: two[0] < end, corners[place + 1 :]):
            overlaps += one[2] < two[3] and two[2] < one[3]
    assert overlaps == 0
    assert svg(tree, direction=direction, detail="full").count("<text") > 3 * picture.count("<text")


def bushy(leaves: int) -> Tree:
    """A tree with so many leaves, half of its nodes to either side."""
    classes = 6
    schema = Schema(
        (Numeric("a column with a long name"), Nominal("y", tuple(f"class {n}" for n in range(classes)))),
        ("feature", "target"),
    )

    def grow(first: int, last: int) -> Leaf | Fork:
        if last - first == 1:
            return Leaf([float((first * place) % 7) for place in range(1, classes + 1)])
        middle = (first + last) // 2
        return Fork(0, CUTS, [middle + 0.123], [grow(first, middle), grow(middle, last)])

    return plant(schema, grow(0, leaves))


def test_a_thousand_leaves_fit_in_three_megabytes() -> None:
    tree = bushy(1000)
    assert tree.n_leaves == 1000
    assert len(svg(tree).encode()) < 1_500_000


def test_a_tree_beyond_all_measure_is_opened_by_weight() -> None:
    tree = bushy(2500)
    picture = svg(tree)
    assert len(nodes(picture)) == 3999  # 2000 leaves, some of them closed parts of the tree
    closed = re.findall(r"… (\d+) more lea", "".join(tooltips(picture)))
    assert sum(int(count) - 1 for count in closed) == 500
    assert len(picture) < 3_000_000


def test_rows_of_a_table_are_drawn_in_the_nodes() -> None:
    schema = numbers(Numeric("x"))
    tree = plant(schema, Fork(0, CUTS, [2.5], [Leaf([10, 3.25, 40.0]), Leaf([30, 8.0, 30.0])]))
    table = Table(schema, [[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [0.0, 1.0, 1.0, 16.0, float("nan"), 16.0]])
    rows = rows_at_nodes(tree, table)
    assert rows.range == (0, 16)
    assert [line.nonzero()[0].tolist() for line in rows.weights] == [[0, 1, 15], [0, 1], [15]]
    assert rows.weights.sum(axis=1).tolist() == [5, 3, 2]
    picture = svg(tree, table=table)
    bars = [path.get("d", "").count("M") for path in ET.fromstring(picture).iter(f"{SVG}path") if path.get("fill")]  # noqa: S314
    assert bars == [3, 2, 1]
    assert any(text.endswith("histograms: the rows of table") for text in words(picture))
    assert svg(tree).count("<path") == picture.count("<path") - 3


def test_classes_of_a_table_are_drawn_in_the_nodes() -> None:
    schema = two_classes(Numeric("x"))
    tree = plant(schema, Fork(0, CUTS, [1.0], [Leaf([3, 1]), Leaf([0, 2])], FRACTIONAL))
    other = Schema((Nominal("y", ("b", "a", "new")), Numeric("x")), ("target", "feature"))  # other codes, other order
    rows = rows_at_nodes(tree, Table(other, [[0, 1, 1, 2], [0.0, 0.0, float("nan"), 0.0]]))
    share = 4 / 6  # of a row without the value
    assert rows.weights == pytest.approx(np.array([[2, 1], [1 + share, 1], [1 - share, 0]]))
    with pytest.raises(ValueError, match="has no column 'y'"):
        svg(tree, table=Table(other.select([1]), [[1.0]]))


def test_the_heading_has_room() -> None:
    schema = numbers(Numeric("x"))
    tree = plant(schema, Leaf([5, 7.0, 0.0]))
    table = Table(schema, [[1.0], [2.0]]).renamed("a table with a long name " * 3)
    for picture in (svg(tree, table=table), svg(tree, title="w" * 100)):
        wide = float(ET.fromstring(picture).get("width", ""))  # noqa: S314 - our own
        assert wide > max(text_width(told, 11.5) for told in words(picture)[:2])
        assert wide > text_width(words(picture)[0], 16, bold=True)


def test_notes_stand_in_the_boxes() -> None:
    assert "90%: <a>" in words(svg(read_classic(IRIS), notes={1: ["90%: <a>"]}))


def test_room_grows_with_text_and_size() -> None:
    assert text_width("mm", 10) > text_width("ii", 10) > 0
    assert text_width("abc", 12, bold=True) > text_width("abc", 12) > text_width("abc", 10)
    assert text_width("天気", 10) > 20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_depth": -1}, "max_depth is -1"),
        ({"direction": "up"}, "direction is 'up'; expected 'auto'"),
        ({"detail": "some"}, "detail is 'some'"),
    ],
)
def test_what_cannot_be_asked_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        svg(read_classic(IRIS), **arguments)


def test_what_is_no_tree_is_refused() -> None:
    with pytest.raises(TypeError, match="cannot draw a dict; expected a Tree"):
        svg({})


def test_a_name_cannot_leave_an_attribute() -> None:
    name = "x\" onmouseover=\"alert(1)' onclick='y"
    element = ET.fromstring(f"<a one=\"{safe(name)}\" two='{safe(name)}'>{safe(name)}</a>")  # noqa: S314 - our own
    assert dict(element.attrib) == {"one": name, "two": name}
    assert element.text == name


def test_long_names_of_classes_that_begin_alike_stay_different() -> None:
    classes = [f"a rather long name of the class number {i}" for i in range(3)]
    frame = {"x": [i / 4 for i in range(30)], "y": [classes[i // 10] for i in range(30)]}
    drawn = str(svg(hornbeam.C45Classifier().fit(hornbeam.read(frame, target="y"))))
    for number in range(3):
        name = f"a rather long n…class number {number}"
        assert words(drawn).count(name) == 2  # in the legend and in a leaf
