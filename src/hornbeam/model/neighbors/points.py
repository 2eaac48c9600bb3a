"""Rows prepared for distances, and the neighbors found among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.indices import offsets

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats, Ints8, Ints32, Ints64


@dataclass(frozen=True, eq=False)
class Points:
    """Prepared rows: scaled numbers, and codes, stored by column."""

    numbers: Floats  # (columns, rows); NaN: missing
    codes: Ints32  # (columns, rows); the number of categories: missing
    complete: Ints8  # by feature: whether no value is missing

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.numbers.shape[1])

    def take(self, rows: Any) -> Points:  # noqa: ANN401 - whatever indexes an array
        """Some of the rows, in the order given."""
        return Points(
            np.ascontiguousarray(self.numbers[:, rows]), np.ascontiguousarray(self.codes[:, rows]), self.complete
        )

    def parts(self) -> tuple[Floats, Ints32, Ints8]:
        """The arguments of the kernels."""
        return self.numbers, self.codes, self.complete


@dataclass(frozen=True, eq=False)
class Neighbors:
    """The nearest rows of every query row: those of row i are at ``start[i]:start[i + 1]``, nearest first."""

    start: Ints64
    rows: Ints64
    distances: Floats

    def __len__(self) -> int:
        return len(self.start) - 1

    def of(self, row: int) -> tuple[Ints64, Floats]:
        """The nearest rows of one row, and their distances."""
        part = slice(self.start[row], self.start[row + 1])
        return self.rows[part], self.distances[part]

    @property
    def counts(self) -> Ints64:
        """The number of neighbors of each row."""
        return np.diff(self.start)


def joined(pieces: list[Neighbors]) -> Neighbors:
    """Join the neighbors of several runs of rows."""
    counts = np.concatenate([np.empty(0, np.int64), *(piece.counts for piece in pieces)])
    return Neighbors(
        offsets(counts),
        np.concatenate([np.empty(0, np.int64), *(piece.rows for piece in pieces)]),
        np.concatenate([np.empty(0), *(piece.distances for piece in pieces)]),
    )
