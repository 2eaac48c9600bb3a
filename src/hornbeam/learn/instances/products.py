"""Candidates for the nearest rows by products of matrices: where there are many columns, or categories and gaps.

A squared distance of two rows is, but for what depends on the row that asks alone, a number of the other row less the
product of two vectors, one of each row: twice the product of numbers, one where categories are the same, and so on,
also where values are missing. Products are taken in single precision, in blocks that stay in the cache; what may be
among the nearest, errors allowed for, is picked by a compiled kernel as the blocks come. Who asks takes distances
again, exactly.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from hornbeam.core.shortlist import shortlist, within
from hornbeam.data.schema import Nominal
from hornbeam.model.scales import is_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.model.distance import Distance
    from hornbeam.model.points import Points

    Floats = NDArray[np.float64]
    Candidates = tuple[NDArray[np.int64], NDArray[np.bool_]]

MOST_NEIGHBOURS = 64  # scores of the nearest are kept in order, one by one
ASKING, ROWS = 256, 2048  # rows of a block
ROOM = 256  # candidates of a row; beyond, it is not answered
MOST_WIDE = 400  # numbers of a vector; beyond, blocks are as quick
HALF_STEP = 2.0**-24  # by which a number may be off in single precision, as a share of it
MOST_ROWS = 2**31 - 1


def can_multiply(distance: Distance, n_rows: int) -> bool:
    """Whether distances are such products: squares, of values that are not left out where missing."""
    columns = [distance.schema.columns[place] for place in distance.schema.features]
    wide = sum(3 if is_number(c) or not isinstance(c, Nominal) else len(c.categories) + 1 for c in columns)
    return distance.squared and distance.missing != "ignore" and wide <= MOST_WIDE and n_rows <= MOST_ROWS


class Products:
    """Rows to choose from, made ready for products.

    Parameters
    ----------
    distance : Distance
        For which `can_multiply` holds.
    points : Points
        The rows.
    asked : array
        By feature: whether every row that asks has the value.
    """

    def __init__(self, distance: Distance, points: Points, asked: NDArray[np.int8]) -> None:
        self.distance, self.asked = distance, asked
        self.gaps = ~points.complete.astype(np.bool_)
        self.middle = np.zeros(len(points.numbers))  # small numbers have small errors
        if points.n_rows:
            known = ~np.isnan(points.numbers)
            self.middle = np.where(known, points.numbers, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
        alone, vectors = self._of_rows(points)
        self.rows = np.ascontiguousarray(np.array(vectors, np.float32).reshape(len(vectors), points.n_rows).T)
        self.alone = alone.astype(np.float32)
        squares = np.zeros(points.n_rows)
        for vector in vectors:
            squares += vector**2
        self.longest = float(np.sqrt(squares.max(initial=0.0)))
        self.greatest = float(alone.max(initial=0.0))

    def _of_rows(self, points: Points) -> tuple[Floats, list[Floats]]:
        """What a row's distances have alone, and its vector, by column."""
        alone, vectors = np.zeros(points.n_rows), []
        for f, place, column in _columns(self.distance):
            w = float(self.distance.weight[f])
            if not isinstance(column, Nominal) or column.ordered:
                there, x, far, both = self._number(f, place, points)
                alone += w * x * x
                vectors.append(x)
                if self.gaps[f]:
                    vectors.append((~there).astype(np.float64))
                if not self.asked[f]:
                    vectors.append(w * np.where(there, x * x - far, -both))
                continue
            codes, n = points.codes[place], len(column.categories)
            if self.distance.tables is None:
                vectors += [(codes == code).astype(np.float64) for code in range(n)]
                if self.gaps[f]:
                    vectors.append((codes == n).astype(np.float64))
            else:
                vectors += [-w * row[codes] ** 2 for row in self._table(f, n)]
        return alone, vectors

    def _of_asking(self, points: Points) -> Floats:
        """The vectors of rows that ask."""
        vectors: list[Floats] = []
        for f, place, column in _columns(self.distance):
            w = float(self.distance.weight[f])
            if not isinstance(column, Nominal) or column.ordered:
                there, q, far, _ = self._number(f, place, points)
                vectors.append(2 * w * q)
                if self.gaps[f]:
                    vectors.append(np.where(there, w * (q * q - far), 0.0))
                if not self.asked[f]:
                    vectors.append((~there).astype(np.float64))
                continue
            codes, n = points.codes[place], len(column.categories)
            if self.distance.tables is None:
                vectors += [w * (codes == code) for code in range(n)]
                if self.gaps[f]:  # as far as any other, or as on average
                    less = 0.0 if self.distance.missing == "farthest" else 1 - float(self.distance.expected[f]) ** 2
                    vectors.append(np.where(codes == n, 0.0, w * less))
            else:
                vectors += [(codes == code).astype(np.float64) for code in range(n + 1)]
        return np.array(vectors, np.float64).reshape(len(vectors), points.n_rows).T

    def _number(self, f: int, place: int, points: Points) -> tuple[NDArray[np.bool_], Floats, Floats, float]:
        """Which values are there; they, moved to the middle; squares of differences with a missing value."""
        distance, values = self.distance, points.numbers[place]
        there = ~np.isnan(values)
        moved = np.where(there, values - self.middle[place], 0.0)
        if distance.missing == "average":
            even = float(distance.expected[f]) ** 2
            return there, moved, np.full(len(values), even), even
        far = np.maximum(values - distance.least[f], distance.greatest[f] - values) ** 2
        return there, moved, np.where(there, far, 0.0), float(distance.greatest[f] - distance.least[f]) ** 2

    def _table(self, f: int, n: int) -> Floats:
        assert self.distance.tables is not None
        assert self.distance.table_start is not None
        start = int(self.distance.table_start[f])
        return self.distance.tables[start : start + (n + 1) ** 2].reshape(n + 1, n + 1)

    def candidates(self, asking: Points, k: int, n_threads: int) -> Candidates:
        """Rows that may be among the k nearest, -1 where there are no more, and whether they are all that may be."""
        starts = range(0, asking.n_rows, ASKING)

        def part(start: int) -> Candidates:
            return self._of_block(self._of_asking(asking.take(slice(start, start + ASKING))), k)

        with threadpool_limits(1, "blas"):
            if n_threads <= 1 or len(starts) == 1:
                found = [part(start) for start in starts]
            else:
                with ThreadPoolExecutor(n_threads) as pool:
                    found = list(pool.map(part, starts))
        joined = np.full((asking.n_rows, max(rows.shape[1] for rows, _ in found)), -1, np.int64)
        for start, (rows, _) in zip(starts, found, strict=True):
            joined[start : start + len(rows), : rows.shape[1]] = rows
        return joined, np.concatenate([sure for _, sure in found])

    def _of_block(self, asking: Floats, k: int) -> Candidates:
        lengths = np.sqrt(np.einsum("ij,ij->i", asking, asking))
        asking32 = np.ascontiguousarray(asking, np.float32)
        # Of products, rounded and added up, and of their parts, rounded before; half as much again to be safe.
        off = HALF_STEP * ((asking.shape[1] + 5) * lengths * self.longest + 2 * self.greatest)
        slack = (3.0 * off + np.finfo(np.float32).tiny).astype(np.float32)
        n = len(asking)
        least = np.full((n, k), np.inf, np.float32)
        rows, scores = np.empty((n, ROOM), np.int32), np.empty((n, ROOM), np.float32)
        counts = np.zeros(n, np.int32)
        buffer = np.empty(n * ROWS, np.float32)
        for first in range(0, len(self.rows), ROWS):
            block = self.rows[first : first + ROWS]
            products = buffer[: n * len(block)].reshape(n, len(block))
            np.matmul(asking32, block.T, out=products)
            shortlist(products, self.alone[first : first + ROWS], first, least, slack, rows, scores, counts)
        within(least, slack, rows, scores, counts)
        sure = (counts >= k) & np.isfinite(slack)
        widest = max(int(counts.max(initial=0)), 1)
        chosen = rows[:, :widest].astype(np.int64)
        chosen[np.arange(widest) >= np.maximum(counts, 0)[:, np.newaxis]] = -1
        return chosen, sure


def _columns(distance: Distance) -> list[tuple[int, int, object]]:
    """Every feature with a weight: its number, its place among numbers or codes, and the column."""
    found: list[tuple[int, int, object]] = []
    n_numbers = n_codes = 0
    for f, position in enumerate(distance.schema.features):
        column = distance.schema.columns[position]
        number = is_number(column)
        if distance.weight[f] > 0:
            found.append((f, n_numbers if number else n_codes, column))
        n_numbers, n_codes = n_numbers + number, n_codes + (not number)
    return found
