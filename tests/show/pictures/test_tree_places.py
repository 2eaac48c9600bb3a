"""Where drawn nodes stand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hornbeam.show.pictures.tree_places import place_boxes


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[list[int]], list[float], list[float]]:
    n_boxes = draw(st.integers(1, 40))
    children: list[list[int]] = [[] for _ in range(n_boxes)]
    parents = [draw(st.integers(max(0, box // 3 - 1), box - 1)) for box in range(1, n_boxes)]
    for box, parent in enumerate(parents, start=1):
        children[parent].append(box)
    sizes = st.lists(st.floats(1, 100), min_size=n_boxes, max_size=n_boxes)
    return children, draw(sizes), draw(sizes)


@given(trees())
def test_no_boxes_overlap_and_parents_stand_amid_their_children(
    drawn: tuple[list[list[int]], list[float], list[float]],
) -> None:
    children, across, along = drawn
    middle, start = place_boxes(children, across, along, gap=5.0, level_gap=3.0)
    boxes = [(m - a / 2, m + a / 2, s, s + b) for m, a, s, b in zip(middle, across, start, along, strict=True)]
    assert abs(min(left for left, *_ in boxes)) < 1e-9
    for one in range(len(boxes)):
        for other in range(one):
            left, right, top, bottom = boxes[one]
            left_2, right_2, top_2, bottom_2 = boxes[other]
            beside = right + 4.999 <= left_2 or right_2 + 4.999 <= left
            assert beside or bottom <= top_2 or bottom_2 <= top
    for parent, below in enumerate(children):
        if below:
            assert abs(middle[parent] - (middle[below[0]] + middle[below[-1]]) / 2) < 1e-6
            assert [middle[child] for child in below] == sorted(middle[child] for child in below)
            assert all(start[child] >= start[parent] + along[parent] + 2.999 for child in below)


def test_a_small_subtree_moves_under_the_roof_of_a_large_one() -> None:
    # The left subtree is deep and narrow at its top; the right one is shallow: they are close where both have boxes.
    children = [[1, 2], [3, 4], [], [], []]
    middle, _ = place_boxes(children, [10.0] * 5, [10.0] * 5, gap=2.0, level_gap=5.0)
    assert middle[2] - middle[1] == 12.0


def test_a_deep_chain_is_no_problem() -> None:
    n_levels = 5_000
    children: list[list[int]] = [[] for _ in range(2 * n_levels + 1)]
    for level in range(n_levels):
        children[2 * level] = [2 * level + 1, 2 * level + 2]
    middle, start = place_boxes(children, [1.0] * len(children), [1.0] * len(children), gap=1.0, level_gap=1.0)
    assert max(start) == 2.0 * n_levels
    assert max(middle) == middle[-1]
