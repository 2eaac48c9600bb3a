"""Candidates for the nearest rows by distances in single precision; only these are compared exactly.

Rows are stored in panels, by column, for the kernel, with centered numbers multiplied by column weights. Rows that may
be among the nearest, given the error bounds, become candidates. The caller computes their distances again, exactly.
With many query rows and few numeric columns, rows near each other are stored together, and distant chunks are skipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.core.base.threads import Threads
from hornbeam.core.neighbors.screen import LANES, ROWS, TILE, Panels, Queries, nearest_chunks, screen
from hornbeam.data.schema import Nominal
from hornbeam.model.neighbors.scales import is_number

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Bools, Floats, Floats32, Ints32, Ints64
    from hornbeam.model.neighbors.distance import Distance
    from hornbeam.model.neighbors.points import Points

    Candidates = tuple[Ints64, Bools]

MOST_NEIGHBORS = 64  # the maximum k: the scores of the nearest are kept sorted
ASKING = 256  # rows of a block
ROOM = 256  # candidates of a row; with more, screening fails
HALF_STEP = 2.0**-24  # the relative error of single precision
MOST_ROWS = 2**31 - 1
MOST_COLUMNS = 10  # columns with which chunks are skipped by their ranges
SAMPLED = 256  # sample of rows to find the widest column of a part
MOST_CATEGORIES = 2**24  # that single precision can distinguish


def can_screen(distance: Distance, n_rows: int) -> bool:
    """Whether the kernel can compare these rows; it needs at least one column."""
    features = [distance.schema.columns[place] for place in distance.schema.features]
    few = all(len(column.categories) < MOST_CATEGORIES for column in features if isinstance(column, Nominal))
    return few and 0 < n_rows <= MOST_ROWS and bool((distance.weight > 0).any())


@dataclass(frozen=True)
class _Column:
    """A column with a weight."""

    feature: int
    place: int  # index among numbers or codes
    kind: int  # numbers without and with missing values, categories, categories with a table
    n_categories: int


class Screen:
    """The rows to choose from, prepared for screening.

    Parameters
    ----------
    distance : Distance
        A distance for which `can_screen` is true.
    points : Points
        The rows.
    in_order : bool, default=False
        Whether rows near each other are stored together, so that most can be skipped by their ranges: worthwhile with
        many query rows. Only for up to 10 numeric columns without missing values and squared differences.
    """

    def __init__(self, distance: Distance, points: Points, *, in_order: bool = False) -> None:
        self.distance, self.points, self.in_order = distance, points, in_order
        self.columns = _columns(distance, points)
        kinds = [column.kind for column in self.columns]
        self.n_whole, self.n_numbers, self.n_overlap = kinds.count(0), kinds.count(0) + kinds.count(1), kinds.count(2)
        self.weight = distance.weight[[column.feature for column in self.columns]]
        self.stretch = np.sqrt(self.weight) if distance.squared else self.weight
        numbers = points.numbers[[column.place for column in self.columns[: self.n_numbers]]]
        self.middle = _middles(numbers)
        placed = self._placed(points)
        by_products = distance.squared and self.n_whole == len(kinds)
        self.order = _near_together(placed) if in_order and by_products and len(kinds) <= MOST_COLUMNS else None
        if self.order is not None:
            placed = placed[:, self.order]
        self.reach = np.fmax.reduce(np.abs(placed[: self.n_numbers]), axis=1, initial=0.0)  # of known values
        self.values = _panels(placed)
        norms = np.einsum("ij,ij->j", placed, placed) if by_products else np.empty(0)
        self.norms = _panels(norms[np.newaxis])
        self.ranges = _ranges(placed if self.order is not None else placed[:, :0])
        table = [self._table(column) for column in self.columns[self.n_numbers + self.n_overlap :]]
        self.tables = np.concatenate([np.zeros(1), *(each.ravel() for each in table)])
        self.table_start = np.cumsum([1, *(each.size for each in table)])[:-1]

    def _placed(self, points: Points) -> Floats:
        """Columns for the kernel: NaN is missing, except for columns with tables."""
        found = np.empty((len(self.columns), points.n_rows))
        for c, column in enumerate(self.columns):
            if c < self.n_numbers:
                found[c] = (points.numbers[column.place] - self.middle[c]) * self.stretch[c]
                continue
            codes = points.codes[column.place]
            found[c] = codes
            if c < self.n_numbers + self.n_overlap:
                found[c, codes == column.n_categories] = np.nan
        return found

    def _table(self, column: _Column) -> Floats:
        assert self.distance.tables is not None
        assert self.distance.table_start is not None
        start, size = int(self.distance.table_start[column.feature]), column.n_categories + 1
        square = self.distance.tables[start : start + size**2].reshape(size, size)
        return np.asarray(self.distance.weight[column.feature] * self._power(square))

    def _power(self, difference: Floats) -> Floats:
        return difference**2 if self.distance.squared else difference

    def _farthest(self, points: Points) -> Floats:
        """The terms of the numbers of every row if the other row has missing values: the largest possible."""
        found = np.empty((self.n_numbers, points.n_rows))
        for c, column in enumerate(self.columns[: self.n_numbers]):
            values, f = points.numbers[column.place], column.feature
            low, high = float(self.distance.least[f]), float(self.distance.greatest[f])
            far = np.where(np.isnan(values), high - low, np.maximum(values - low, high - values))
            found[c] = self.weight[c] * self._power(far)
        return found

    @cached_property
    def _far(self) -> tuple[Floats32, Floats]:
        """The same for the rows to choose from, as panels, and the maximum of each column."""
        found = self._farthest(self.points if self.order is None else self.points.take(self.order))
        return _panels(found), found.max(axis=1, initial=0.0)

    def candidates(self, asking: Points, k: int, n_threads: int) -> Candidates:
        """Rows that may be among the k nearest (-1: no more), and whether these are all such rows."""
        starts = range(0, asking.n_rows, ASKING)
        gaps = not all(asking.complete[column.feature] for column in self.columns[: self.n_numbers])
        if gaps and self.distance.missing == "farthest":
            _ = self._far  # once, before threads use it

        order, chunk = None, np.zeros(asking.n_rows, np.int32)
        if self.order is not None and not gaps:
            chunk = self._nearest_chunks(asking)
            order = np.argsort(chunk, kind="stable")  # rows of a tile skip the same chunks
            asking, chunk = asking.take(order), chunk[order]

        def part(start: int) -> Candidates:
            block = slice(start, start + ASKING)
            return self._of_block(asking.take(block), k, chunk[block], in_order=order is not None)

        if n_threads <= 1 or len(starts) == 1:
            found = [part(start) for start in starts]
        else:
            with Threads(n_threads) as pool:
                found = list(pool.map(part, starts))
        joined = np.full((asking.n_rows, max(rows.shape[1] for rows, _ in found)), -1, np.int64)
        sure = np.concatenate([sure for _, sure in found])
        for start, (rows, _) in zip(starts, found, strict=True):
            joined[start : start + len(rows), : rows.shape[1]] = rows
        if order is None:
            return joined, sure
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return joined[back], sure[back]

    def _nearest_chunks(self, asking: Points) -> Ints32:
        tiles = _tiles(self._placed(asking).astype(np.float32))
        found = np.zeros((len(tiles), TILE), np.int32)
        nearest_chunks(tiles, self.ranges, found)
        return found.ravel()[: asking.n_rows]

    def _of_block(self, asking: Points, k: int, chunk: Ints32, *, in_order: bool) -> Candidates:
        distance, n, m = self.distance, asking.n_rows, self.n_numbers
        missing = np.array([np.isnan(asking.numbers[column.place]) for column in self.columns[:m]]).reshape(m, n)
        ignore = distance.missing == "ignore" and not all(
            self.points.complete[column.feature] and asking.complete[column.feature] for column in self.columns
        )
        placed = self._placed(asking)
        fill, lack, weight = (np.zeros((len(self.columns), n)) for _ in range(3))
        expected = distance.expected[[column.feature for column in self.columns]]
        far, most = np.empty((0, m, LANES), np.float32), np.zeros(m)
        if distance.missing == "farthest":
            fill[:m] = np.where(missing, 0.0, self._farthest(asking))
            if missing.any():
                far, most = self._far
        elif distance.missing == "average":
            fill[:m] = np.where(missing, 0.0, (self.weight * self._power(expected))[:m, np.newaxis])
            lack[m:] = (self.weight * (1.0 - self._power(expected)))[m:, np.newaxis]
        table_row = np.zeros((len(self.columns), n), np.int64)
        for c, column in enumerate(self.columns):
            gone = missing[c] if c < m else asking.codes[column.place] == column.n_categories
            weight[c] = np.where(gone, 0.0, self.weight[c])
            lack[c, gone] = 0.0
            if c >= m + self.n_overlap:
                fill[c] = column.n_categories
                start = self.table_start[c - m - self.n_overlap]
                table_row[c] = start + asking.codes[column.place].astype(np.int64) * (column.n_categories + 1)
        slack = self._slack(placed[:m], fill[:m], most, ignore=ignore)
        least = np.full((n, k), np.inf, np.float32)
        rows, scores = np.zeros((n, ROOM), np.int32), np.empty((n, ROOM), np.float32)
        counts = np.zeros(n, np.int32)
        panels = Panels(
            self.values, self.norms, far, self.points.n_rows, (self.n_whole, m, self.n_overlap),
            (ignore, distance.squared, bool(lack.any())), self.tables.astype(np.float32),
            self.ranges if in_order else self.ranges[:0],
        )  # fmt: skip
        values, twice, fills, weights, lacks = (
            _tiles(each.astype(np.float32)) for each in (placed, -2.0 * placed, fill, weight, lack)
        )
        queries = Queries(values, twice, fills, weights, lacks, _tiles(table_row), n)
        screen(panels, queries, slack, np.ascontiguousarray(chunk[::TILE]), least, rows, scores, counts)
        sure = (counts >= k) & np.isfinite(slack)
        widest = max(int(counts.max(initial=0)), 1)
        chosen = rows[:, :widest].astype(np.int64) if self.order is None else self.order[rows[:, :widest]]
        chosen[np.arange(widest) >= np.maximum(counts, 0)[:, np.newaxis]] = -1
        return chosen, sure

    def _slack(self, placed: Floats, fill: Floats, most: Floats, *, ignore: bool) -> Floats32:
        """Twice the error bound of a distance, plus half as much for safety, for every query row."""
        n = placed.shape[1]
        greatest = np.empty((len(self.columns), n))  # the maximum term of a column
        reach = np.nan_to_num(np.abs(placed), nan=0.0) + self.reach[:, np.newaxis]
        greatest[: self.n_numbers] = np.maximum(np.maximum(self._power(reach), fill), most[:, np.newaxis])
        greatest[self.n_numbers :] = self.weight[self.n_numbers :, np.newaxis]
        if len(self.tables) > 1:
            greatest[self.n_numbers + self.n_overlap :] = self.tables.max()
        # Errors of the difference (rounded before and after), its square, and the sums; those of products are no
        # larger.
        if ignore:
            off = (2 * len(self.columns) + 9) * (greatest / self.weight[:, np.newaxis]).max(axis=0, initial=0.0)
        else:
            off = (len(self.columns) + 6) * greatest.sum(axis=0)
        with np.errstate(over="ignore"):
            return np.asarray(3.0 * HALF_STEP * off + np.finfo(np.float32).tiny, np.float32)


def _middles(numbers: Floats) -> Floats:
    """The mean of every column's known values; 0 if there are none."""
    sums = numbers.sum(axis=1)
    if not np.isnan(sums).any():
        return np.asarray(sums / max(numbers.shape[1], 1))
    known = ~np.isnan(numbers)
    return np.asarray(np.where(known, numbers, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1))


def _near_together(columns: Floats) -> Ints64:
    """An order of rows in which those of a chunk are near each other: halved repeatedly at the widest column."""
    order = np.arange(columns.shape[1])
    parts = [slice(0, len(order))]
    while parts:
        part = parts.pop()
        n_chunks = -(-(part.stop - part.start) // ROWS)
        if n_chunks <= 1:
            continue
        rows = order[part]
        middle = n_chunks // 2 * ROWS
        widest = int(np.argmax(columns[:, rows[:: max(len(rows) // SAMPLED, 1)]].std(axis=1)))
        order[part] = rows[np.argpartition(columns[widest, rows], middle)]
        parts += [slice(part.start, part.start + middle), slice(part.start + middle, part.stop)]
    return order


def _ranges(columns: Floats) -> Floats32:
    """Least and largest of the columns in every chunk of rows."""
    starts = np.arange(0, columns.shape[1], ROWS)
    if not len(starts):
        return np.empty((0, 2, len(columns)), np.float32)
    both = [end.reduceat(columns, starts, axis=1).T for end in (np.minimum, np.maximum)]
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(np.stack(both, axis=1), np.float32)


def _panels(columns: Floats) -> Floats32:
    """Columns of rows for the kernel: panels of rows, each stored by column."""
    n_columns, n = columns.shape
    padded = np.zeros((n_columns, -(-n // LANES) * LANES), np.float32)
    with np.errstate(over="ignore"):
        padded[:, :n] = columns
    return np.ascontiguousarray(padded.reshape(n_columns, -1, LANES).transpose(1, 0, 2))


def _tiles(columns: AnyArray) -> AnyArray:
    """The same for query rows; the last tile is padded with zeros."""
    n_columns, n = columns.shape
    padded = np.zeros((n_columns, -(-n // TILE) * TILE), columns.dtype)
    padded[:, :n] = columns
    return np.ascontiguousarray(padded.reshape(n_columns, -1, TILE).transpose(1, 0, 2))


def _columns(distance: Distance, points: Points) -> list[_Column]:
    """Every feature with a weight, by kind."""
    found: list[_Column] = []
    n_numbers = n_codes = 0
    for f, position in enumerate(distance.schema.features):
        column = distance.schema.columns[position]
        if is_number(column):
            if distance.weight[f] > 0:
                found.append(_Column(f, n_numbers, 0 if points.complete[f] else 1, 0))
            n_numbers += 1
        else:
            assert isinstance(column, Nominal)
            if distance.weight[f] > 0:
                found.append(_Column(f, n_codes, 2 if distance.tables is None else 3, len(column.categories)))
            n_codes += 1
    return sorted(found, key=lambda column: column.kind)
