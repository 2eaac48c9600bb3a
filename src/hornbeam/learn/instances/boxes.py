"""Boxes under way: how exemplars are enlarged, kept apart, and divided, one row after another.

A row joins the nearest box of its class that can take it in; otherwise it is a box of its own. Where boxes must not
overlap, a box that would is not enlarged, and one that turns out to hold a row of another class is divided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.model.exemplars import Exemplars, Layout, outside

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table

    Floats = NDArray[np.float64]

FIRST_CAPACITY = 64


class Boxes:
    """Boxes and the rows in them.

    Parameters
    ----------
    schema : Schema
        Columns and nominal target.
    attempts : int
        How many boxes a row tries to join, nearest first.
    overlap, nested : bool
        Whether boxes of different classes may overlap in part, and whether one may lie within another.
    """

    def __init__(self, schema: Schema, attempts: int, *, overlap: bool, nested: bool) -> None:
        self.schema, self.layout = schema, Layout(schema)
        self.attempts, self.overlap, self.nested = attempts, overlap, nested
        self.starts = np.array(self.layout.start[:-1], np.intp)
        shape = len(self.layout.numbers), self.layout.start[-1]
        self.numbers, self.codes = np.empty((0, shape[0])), np.empty((0, len(self.layout.codes)), np.intp)
        self.classes, self.row_weight = np.empty(0, np.int32), np.empty(0)
        self.low, self.high = np.empty((0, shape[0])), np.empty((0, shape[0]))
        self.gaps, self.sets = np.empty((0, shape[0]), np.bool_), np.empty((0, shape[1]), np.bool_)
        self.label = np.empty(0, np.int32)  # -1: a box that is gone
        self.members: list[list[int]] = []
        self.n_added = 0
        self.width, self.column_weight = np.zeros(shape[0]), np.ones(len(schema.features))

    def take_in(self, table: Table) -> range:
        """Keep more rows, not yet in any box; their numbers among all rows are given."""
        numbers, codes = self.layout.rows(table)
        weights = np.ones(table.n_rows) if table.weights is None else table.weights
        first = len(self.classes)
        self.numbers, self.codes = np.concatenate([self.numbers, numbers]), np.concatenate([self.codes, codes])
        self.classes = np.concatenate([self.classes, table.target_values()])
        self.row_weight = np.concatenate([self.row_weight, weights])
        low = np.fmin.reduce(self.numbers, axis=0, initial=np.inf)
        high = np.fmax.reduce(self.numbers, axis=0, initial=-np.inf)
        self.width = np.maximum(high - low, 0.0)
        return range(first, len(self.classes))

    def add(self, row: int) -> None:
        """Put a row into a box."""
        taken_out: list[int] = []
        self.n_added = row
        if not (self.overlap or self.nested):
            for box in np.flatnonzero(self._holding(row) & (self.label != self.classes[row])):
                taken_out += self._divide(int(box), row)
        self._join(row)  # before those taken out, so that none of their boxes comes to hold it again
        for other in taken_out:
            self._join(other)

    def _join(self, row: int) -> None:
        """Enlarge the nearest box that can take a row in, or make it a box of its own."""
        away = self._away(row)
        if self.overlap or self.nested:  # a row that the boxes get wrong stays apart, or one would swallow all others
            extent = self._extent()
            deciding = np.lexsort((extent, away))[:1]
            own = deciding[self.label[deciding] == self.classes[row]]
            if not len(own):  # rows all the same add their weight
                same = self._holding(row) & (extent == 0) & (self.label == self.classes[row])
                own = np.flatnonzero(same)[:1]
        else:
            own = np.flatnonzero(self.label == self.classes[row])
            own = own[np.argsort(away[own], kind="stable")[: self.attempts]]
        for box in own:
            if self._enlarged(int(box), row):
                return
        self._new([row], int(self.classes[row]))

    def _enlarged(self, box: int, row: int) -> bool:
        """Whether a box could be enlarged by a row; it then is."""
        values, places = self.numbers[row], self.codes[row]
        low, high = np.fmin(self.low[box], values), np.fmax(self.high[box], values)
        gaps, sets = self.gaps[box] | np.isnan(values), self.sets[box].copy()
        sets[places] = True
        grown = (
            (low != self.low[box]).any() or (high != self.high[box]).any() or not np.array_equal(sets, self.sets[box])
            or not np.array_equal(gaps, self.gaps[box])
        )  # fmt: skip
        if (
            grown
            and not self.overlap
            and self._conflicts(low, high, gaps, sets, int(self.label[box]), nested=self.nested)
        ):
            return False
        self.low[box], self.high[box], self.gaps[box], self.sets[box] = low, high, gaps, sets
        self.members[box].append(row)
        return True

    def _extent(self) -> Floats:
        """How large each box is, as `Exemplars.sizes` has it."""
        return self.model({}, alive=False).sizes

    def _conflicts(
        self, low: Floats, high: Floats, gaps: NDArray[np.bool_], sets: NDArray[np.bool_], label: int, *, nested: bool
    ) -> bool:
        """Whether a box would overlap one of another class, as it must not; but for being nested, where that may be."""
        others = np.flatnonzero((self.label != label) & (self.label >= 0))
        if not len(others):
            return False
        their_low, their_high, their_gaps = self.low[others], self.high[others], self.gaps[others]
        meets = (((low <= their_high) & (high >= their_low)) | (gaps & their_gaps)).all(axis=1)
        others = others[meets]
        if len(self.starts) and len(others):
            common = np.logical_or.reduceat(self.sets[others] & sets, self.starts, axis=1).all(axis=1)
            others = others[common]
        if not nested or not len(others):
            return bool(len(others))
        # those that lie within it, or that it lies within, are exceptions
        there = self.low[others], self.high[others]
        empty, none = there[0] > there[1], low > high
        within = (empty | ((there[0] >= low) & (there[1] <= high))).all(axis=1)
        within &= ~(self.sets[others] & ~sets).any(axis=1) & ~(self.gaps[others] & ~gaps).any(axis=1)
        around = (none | ((there[0] <= low) & (there[1] >= high))).all(axis=1)
        around &= ~(sets & ~self.sets[others]).any(axis=1) & ~(gaps & ~self.gaps[others]).any(axis=1)
        return not (within | around).all()

    def _swallows(
        self, low: Floats, high: Floats, gaps: NDArray[np.bool_], sets: NDArray[np.bool_], label: int
    ) -> bool:
        """Whether a box would hold a row of another class that is in a box already."""
        others = np.flatnonzero(self.classes[: self.n_added] != label)
        values = self.numbers[others]
        with np.errstate(invalid="ignore"):
            held = np.where(np.isnan(values), gaps, (low <= values) & (values <= high)).all(axis=1)
        return bool((held & sets[self.codes[others]].all(axis=1)).any())

    def _divide(self, box: int, row: int) -> list[int]:
        """Divide a box in the column where that takes the fewest rows out, so that it does not hold a row any more.

        The rows taken out are given; they are in no box.
        """
        members = np.array(self.members[box])
        values = self.numbers[members]
        best: tuple[float, float, int] | None = None
        for c, feature in enumerate(self.layout.feature_of_number):
            same = self._same_number(values[:, c], self.numbers[row, c])
            if not same.all():
                key = (float(self.row_weight[members[same]].sum()), -self.column_weight[feature], c)
                best = key if best is None or key < best else best
        for c, feature in enumerate(self.layout.feature_of_code):
            same = self.codes[members, c] == self.codes[row, c]
            if not same.all():
                key = (float(self.row_weight[members[same]].sum()), -self.column_weight[feature], -1 - c)
                best = key if best is None or key < best else best
        if best is None:  # every row of the box is the same as this one
            return []
        c, label = best[2], int(self.label[box])
        if c >= 0:
            same = self._same_number(values[:, c], self.numbers[row, c])
            above = values[:, c] > self.numbers[row, c]
            parts = [members[~same & above], members[~same & ~above]]
        else:
            same = self.codes[members, -1 - c] == self.codes[row, -1 - c]
            parts = [members[~same]]
        self._forget(box)
        for part in parts:
            if len(part):
                self._new(part.tolist(), label)
        taken_out: list[int] = members[same].tolist()
        return taken_out

    @staticmethod
    def _same_number(values: Floats, value: float) -> NDArray[np.bool_]:
        same: NDArray[np.bool_] = np.isnan(values) if np.isnan(value) else values == value
        return same

    def _new(self, members: list[int], label: int) -> None:
        if (self.label >= 0).all():
            self._grow()
        box = int(np.argmax(self.label < 0))
        values = self.numbers[members]
        self.low[box] = np.fmin.reduce(values, axis=0, initial=np.inf)
        self.high[box] = np.fmax.reduce(values, axis=0, initial=-np.inf)
        self.gaps[box] = np.isnan(values).any(axis=0)
        self.sets[box] = False
        self.sets[box, self.codes[members].ravel()] = True
        self.label[box], self.members[box] = label, members

    def _grow(self) -> None:
        more = max(FIRST_CAPACITY, len(self.label))
        for name in ("low", "high", "gaps", "sets"):
            array = getattr(self, name)
            setattr(self, name, np.concatenate([array, np.zeros((more, *array.shape[1:]), array.dtype)]))
        self.label = np.concatenate([self.label, np.full(more, -1, np.int32)])
        self.members += [[] for _ in range(more)]

    def _forget(self, box: int) -> None:
        self.label[box], self.members[box] = -1, []

    def _holding(self, row: int) -> NDArray[np.bool_]:
        """Which boxes hold a row."""
        values = self.numbers[row]
        with np.errstate(invalid="ignore"):
            holds = np.where(np.isnan(values), self.gaps, (self.low <= values) & (values <= self.high)).all(axis=1)
        found: NDArray[np.bool_] = holds & self.sets[:, self.codes[row]].all(axis=1) & (self.label >= 0)
        return found

    def _away(self, row: int) -> Floats:
        """Distances, squared, from a row to every box; infinite to one that is gone."""
        values, places = self.numbers[row], self.codes[row]
        weight = self.column_weight[self.layout.feature_of_number] ** 2
        away = np.zeros(len(self.label))
        for c in range(len(values)):
            away += weight[c] * outside(values[c : c + 1], self.low[:, c], self.high[:, c], self.width[c])
        known = places < np.array(self.layout.start[1:], np.intp) - 1
        differs = ~self.sets[:, places] & known
        away += differs @ self.column_weight[self.layout.feature_of_code] ** 2
        away[self.label < 0] = np.inf
        return away

    def merge(self) -> None:
        """Join boxes of one class, smaller ones first, where the box around both overlaps none of another class."""
        for box in sorted(np.flatnonzero(self.label >= 0).tolist(), key=lambda b: (len(self.members[b]), b)):
            others = np.flatnonzero(self.label == self.label[box])
            others = others[others != box]
            apart = np.zeros(len(others))
            wide = np.where(self.width > 0, self.width, 1.0)
            gap = np.maximum(np.maximum(self.low[others] - self.high[box], self.low[box] - self.high[others]), 0.0)
            apart += (np.where(np.isfinite(gap), gap, 0.0) / wide).sum(axis=1)
            apart += (self.sets[others] ^ self.sets[box]).sum(axis=1)
            for other in others[np.argsort(apart, kind="stable")[: self.attempts]]:
                low, high = np.minimum(self.low[box], self.low[other]), np.maximum(self.high[box], self.high[other])
                gaps, sets = self.gaps[box] | self.gaps[other], self.sets[box] | self.sets[other]
                if not self._conflicts(low, high, gaps, sets, int(self.label[box]), nested=False):
                    self.low[other], self.high[other], self.gaps[other], self.sets[other] = low, high, gaps, sets
                    self.members[other] = self.members[other] + self.members[box]
                    self._forget(box)
                    break

    def model(self, recipe: dict[str, str | float | bool | None], *, alive: bool = True) -> Exemplars:
        """The boxes as they are now; with those that are gone, where asked for."""
        there = np.flatnonzero(self.label >= 0) if alive else np.arange(len(self.label))
        rows = np.array([self.row_weight[self.members[box]].sum() for box in there], np.float64)
        return Exemplars(
            self.schema, self.low[there], self.high[there], self.gaps[there], self.sets[there], self.label[there],
            rows, self.width.copy(), self.column_weight.copy(), recipe,
        )  # fmt: skip
