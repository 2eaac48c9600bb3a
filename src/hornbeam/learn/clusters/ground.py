"""A table's rows prepared for k-means: scaled numbers, codes and weights; and sums of them by cluster.

Numbers are multiplied by the square root of the column weight, so that the cost is the squared difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.core.clusters import kmeans as kernels
from hornbeam.data.indices import offsets

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats, Ints32, Ints64
    from hornbeam.data.table import Table
    from hornbeam.model.clusters.centers import Crew
    from hornbeam.model.clusters.partition import Measure


@dataclass(frozen=True, eq=False)
class Centers:
    """Centers: one row of numbers and codes each."""

    numbers: Floats
    codes: Ints32

    def __len__(self) -> int:
        return len(self.numbers)

    def copy(self) -> Centers:
        """A copy that can be changed."""
        return Centers(self.numbers.copy(), self.codes.copy())


@dataclass(frozen=True, eq=False)
class Ground:
    """Prepared rows."""

    numbers: Floats  # of shape (rows, numeric columns): scaled; NaN: missing
    codes: Ints32  # of shape (rows, nominal columns): -1: missing
    n_codes: Ints64  # categories of each nominal column
    code_weights: Floats  # the cost of a different category
    weights: Floats  # of the rows; empty if each counts once

    @classmethod
    def of(cls, table: Table, measure: Measure) -> Ground:
        """The rows of a table."""
        numbers, codes = measure.places(table)
        weights = np.empty(0) if table.weights is None else np.ascontiguousarray(table.weights)
        return cls(numbers, codes, measure.n_codes, measure.code_weights, weights)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.numbers)

    @cached_property
    def is_plain(self) -> bool:
        """Whether all values are known numbers."""
        return not self.codes.shape[1] and bool(self.numbers.shape[1]) and not np.isnan(self.numbers.min())

    @property
    def each_weight(self) -> Floats:
        """Weights of all rows; ones if there are none."""
        return self.weights if len(self.weights) else np.ones(self.n_rows)

    def take(self, rows: Ints64) -> Ground:
        """Some of the rows."""
        weights = self.weights[rows] if len(self.weights) else self.weights
        return Ground(
            np.ascontiguousarray(self.numbers[rows]),
            np.ascontiguousarray(self.codes[rows]),
            self.n_codes,
            self.code_weights,
            weights,
        )

    def at(self, rows: Ints64 | list[int]) -> Centers:
        """Rows as centers; missing values are replaced by means and modes."""
        centers = Centers(self.numbers[rows], self.codes[rows])
        overall = self.typical()
        np.copyto(centers.numbers, overall.numbers, where=np.isnan(centers.numbers))
        np.copyto(centers.codes, overall.codes, where=centers.codes < 0)
        return centers

    def typical(self) -> Centers:
        """The center of all rows: means and modes."""
        nothing = Centers(np.zeros((1, self.numbers.shape[1])), np.zeros((1, self.codes.shape[1]), np.int32))
        sums = Sums.empty(self, 1)
        sums.add(self, np.zeros(self.n_rows, np.int32))
        return sums.centers(nothing)

    def nearest(self, centers: Centers, crew: Crew) -> tuple[Ints32, Floats]:
        """The nearest center of every row, and its cost; missing values cost nothing."""
        found, costs = np.zeros(self.n_rows, np.int32), np.zeros(self.n_rows)
        number_centers = np.ascontiguousarray(centers.numbers.T)
        code_centers = np.ascontiguousarray(centers.codes.T)
        ones = np.ones(self.numbers.shape[1])

        def part(_number: int, first: int, last: int) -> None:
            room = np.empty(len(centers))
            kernels.assign_mixed(
                self.numbers, self.codes, ones, self.code_weights, number_centers, code_centers, room, found, costs,
                first, last,
            )  # fmt: skip

        crew.run(part, self.n_rows)
        return found, costs


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of rows by cluster, from which centers are computed; rows can be added step by step."""

    numbers: Floats  # (clusters, numeric columns)
    known: Floats  # weights of known numbers
    counts: Floats  # weights of categories, (clusters, all categories)
    start: Ints64  # the start of the categories of each nominal column

    @classmethod
    def empty(cls, ground: Ground, k: int) -> Sums:
        """Empty sums."""
        shape = (k, ground.numbers.shape[1])
        start = offsets(ground.n_codes)
        return cls(np.zeros(shape), np.zeros(shape), np.zeros((k, int(start[-1]))), start)

    @property
    def codes(self) -> list[Floats]:
        """The counts of each nominal column, (clusters, categories)."""
        return [self.counts[:, first:last] for first, last in pairwise(self.start.tolist())]

    def add(self, ground: Ground, labels: Ints32) -> None:
        """Add rows to their clusters."""
        kernels.add_mixed(
            ground.numbers, ground.codes, ground.each_weight, self.start, labels, self.numbers, self.known, self.counts
        )

    def centers(self, before: Centers) -> Centers:
        """Means and modes (on a tie the first); unchanged if no value is known."""
        made = before.copy()
        np.divide(self.numbers, self.known, out=made.numbers, where=self.known > 0)
        for j, counts in enumerate(self.codes):
            if counts.shape[1]:
                made.codes[:, j] = np.where(counts.max(axis=1) > 0, counts.argmax(axis=1), before.codes[:, j])
        return made
