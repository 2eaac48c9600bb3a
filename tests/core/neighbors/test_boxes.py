"""Boxes in compiled code do what they do when written out box by box and column by column."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam.core.neighbors.boxes import Boxes

START = [0, 3, 5]  # two nominal columns, of two categories and one; their last places are for missing values


@dataclass
class Box:
    """One box, or a row: a box of one row."""

    numbers: list[set[float]]  # by column, the numbers in it; None in `gaps`: a missing one
    gaps: list[bool]
    places: set[int]
    label: int

    def range(self, c: int) -> tuple[float, float]:
        return (min(self.numbers[c]), max(self.numbers[c])) if self.numbers[c] else (math.inf, -math.inf)

    def meets(self, other: Box) -> bool:
        for c in range(2):
            (low, high), (least, most) = self.range(c), other.range(c)
            if not (low <= most and least <= high) and not (self.gaps[c] and other.gaps[c]):
                return False
        return all(self.places & other.places & set(range(a, b)) for a, b in pairwise(START))

    def within(self, other: Box) -> bool:
        for c in range(2):
            (low, high), (least, most) = self.range(c), other.range(c)
            if (self.numbers[c] and not least <= low <= high <= most) or (self.gaps[c] and not other.gaps[c]):
                return False
        return self.places <= other.places

    def holds(self, row: Row) -> bool:
        for c, value in enumerate(row.values):
            low, high = self.range(c)
            if not (self.gaps[c] if math.isnan(value) else low <= value <= high):
                return False
        return set(row.codes) <= self.places

    def away(self, row: Row, width: list[float], weight: list[float]) -> float:
        total = 0.0
        for c, value in enumerate(row.values):
            low, high = self.range(c)
            if math.isnan(value):
                continue
            if not self.numbers[c]:
                total += weight[c]
            elif width[c] > 0:
                total += weight[c] * (max(low - value, value - high, 0.0) / width[c]) ** 2
        for c, code in enumerate(row.codes):
            if code != START[c + 1] - 1 and code not in self.places:
                total += weight[2 + c]
        return total

    def around(self, other: Box) -> Box:
        numbers = [mine | theirs for mine, theirs in zip(self.numbers, other.numbers, strict=True)]
        gaps = [mine or theirs for mine, theirs in zip(self.gaps, other.gaps, strict=True)]
        return Box(numbers, gaps, self.places | other.places, self.label)


@dataclass
class Row:
    values: list[float]
    codes: list[int]

    def box(self, label: int) -> Box:
        numbers: list[set[float]] = [set() if math.isnan(value) else {value} for value in self.values]
        return Box(numbers, [math.isnan(value) for value in self.values], set(self.codes), label)


def rows() -> Any:
    number = st.one_of(st.integers(0, 4).map(float), st.just(math.nan))
    codes = st.tuples(st.integers(0, 2), st.integers(3, 4)).map(list)
    return st.builds(Row, st.lists(number, min_size=2, max_size=2), codes)


@st.composite
def boxes(draw: Any) -> list[Box]:
    found = []
    for _ in range(draw(st.integers(1, 6))):
        label = draw(st.integers(-1, 2))
        box = draw(rows()).box(label)
        for row in draw(st.lists(rows(), max_size=3)):
            box = box.around(row.box(label))
        found.append(box)
    return found


WIDTH, WEIGHT = [4.0, 0.0], [1.0, 0.5, 0.25, 2.0]


def compiled(found: list[Box]) -> tuple[Boxes, dict[str, Any]]:
    arrays: dict[str, Any] = {
        "low": np.array([[box.range(c)[0] for c in range(2)] for box in found]),
        "high": np.array([[box.range(c)[1] for c in range(2)] for box in found]),
        "gap": np.array([box.gaps for box in found], np.uint8),
        "place": np.array([[place in box.places for place in range(START[-1])] for box in found], np.uint8),
        "label": np.array([box.label for box in found], np.int32),
    }
    kernel = Boxes(
        *arrays.values(), np.array(START, np.intp), np.array(WIDTH), np.array(WEIGHT[:2]), np.array(WEIGHT[2:])
    )
    return kernel, arrays


def as_arrays(row: Row) -> tuple[Any, Any]:
    return np.array(row.values), np.array(row.codes, np.intp)


@given(boxes(), rows(), st.integers(0, 2), st.integers(1, 4))
def test_rows_and_boxes(found: list[Box], row: Row, label: int, most: int) -> None:
    kernel, _ = compiled(found)
    number, code = as_arrays(row)
    alive = [place for place, box in enumerate(found) if box.label >= 0]
    away = [box.away(row, WIDTH, WEIGHT) for box in found]
    extent = np.array([float(len(box.places)) - 2 for box in found])
    holding = [place for place in alive if found[place].holds(row)]
    assert kernel.holding(number, code, label) == [place for place in holding if found[place].label != label]
    own = sorted((place for place in alive if found[place].label == label), key=lambda place: (away[place], place))
    assert kernel.nearest(number, code, label, most) == own[:most]
    order = sorted(alive, key=lambda place: (away[place], extent[place], place))
    assert kernel.deciding(number, code, extent) == (order[0] if order else -1)
    same = [place for place in holding if found[place].label == label and extent[place] == 0]
    assert kernel.same(number, code, label, extent) == (same[0] if same else -1)
    rank = np.arange(len(found), 0, -1).astype(float)
    decided = np.full(1, -9, np.intp)
    for factors in (np.ones(len(found)), np.array([0.25, 1.0, 3.0])[np.arange(len(found)) % 3]):
        kernel.decide(number[np.newaxis], code[np.newaxis], rank, factors, 0, 1, decided)
        assert decided[0] == min(range(len(found)), key=lambda k: (away[k] * factors[k], rank[k]))


@given(boxes(), rows(), st.data(), st.booleans(), st.booleans())
def test_a_box_is_enlarged_where_none_is_in_the_way(
    found: list[Box], row: Row, data: Any, overlap: bool, nested: bool
) -> None:
    kernel, arrays = compiled(found)
    place = data.draw(st.integers(0, len(found) - 1))
    box = found[place]
    larger = box.around(row.box(box.label))
    others = [other for other in found if other.label >= 0 and other.label != box.label and other.meets(larger)]
    bad = [other for other in others if not (nested and (other.within(larger) or larger.within(other)))]
    may = overlap or not bad or box.holds(row)
    assert kernel.enlarge(place, *as_arrays(row), overlap, nested) == may
    changed = list(found)
    changed[place] = larger if may else box
    for name, array in compiled(changed)[1].items():
        assert np.array_equal(arrays[name], array)


@given(boxes(), st.data())
def test_boxes_are_joined_where_none_is_in_the_way(found: list[Box], data: Any) -> None:
    kernel, arrays = compiled(found)
    one, other = (data.draw(st.integers(0, len(found) - 1)) for _ in range(2))
    larger = found[one].around(found[other])
    may = not any(box.label >= 0 and box.label != found[one].label and box.meets(larger) for box in found)
    assert kernel.join(one, other) == may
    changed = list(found)
    changed[one] = larger if may else found[one]
    for name, array in compiled(changed)[1].items():
        assert np.array_equal(arrays[name], array)


@pytest.mark.parametrize("numbers", [True, False])
def test_tables_of_one_kind_of_column(numbers: bool) -> None:
    p, start = (1, [0]) if numbers else (0, [0, 2])
    empty = np.zeros((1, p))
    kernel = Boxes(
        empty, empty.copy(), np.zeros((1, p), np.uint8), np.ones((1, start[-1]), np.uint8), np.zeros(1, np.int32),
        np.array(start, np.intp), np.ones(p), np.ones(p), np.ones(len(start) - 1),
    )  # fmt: skip
    number, code = np.zeros(p), np.zeros(len(start) - 1, np.intp)
    assert kernel.holding(number, code, 1) == [0]
    assert kernel.nearest(number, code, 0, 5) == [0]
    assert kernel.enlarge(0, number, code, False, False)
