"""Principal axes of the normal columns of a mixture: along them, all rows together are uncorrelated.

Axes that are not kept have one normal distribution for all components, so that the density is still one of the columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hornbeam.model.base.plain import ModelError
from hornbeam.model.base.stored import Stored, declared
from hornbeam.model.clusters.components import LOG_TWO_PI, Places

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats, Ints64


@dataclass(frozen=True, eq=False)
class Axes(Stored):
    """Principal axes of some of the numbers."""

    NOUN: ClassVar = "axes"
    FINITE: ClassVar = True
    ARRAYS: ClassVar = declared("""
        <i8[columns] columns
        <f8[columns] middle scale
        <f8[columns, columns] directions
        <f8[rest] rest
    """)

    columns: Ints64  # which of the numbers are projected
    # middle, scale: what is subtracted from each of them, and then divided by
    middle: Floats
    scale: Floats
    directions: Floats  # of shape (axes, columns): orthonormal, by descending variance
    rest: Floats  # variances of the last axes, which are not kept

    @classmethod
    def of(cls, numbers: Floats, weights: Floats, keep: float, least: float) -> Axes:
        """Return the axes of columns without missing values; `keep`: their number, or a fraction of the variance."""
        columns = np.flatnonzero(~np.isnan(numbers).any(axis=0))
        if len(columns) < 2:  # noqa: PLR2004 - one column has no direction but its own
            msg = f"pca needs two or more normal columns without missing values; there are {len(columns)}"
            raise ValueError(msg)
        some, total = numbers[:, columns], float(weights.sum())
        middle = weights @ some / total
        scale = np.sqrt(weights @ (some - middle) ** 2 / total)
        scale = np.where(scale > 0, scale, 1.0)
        placed = (some - middle) / scale
        values, vectors = np.linalg.eigh((placed * weights[:, np.newaxis]).T @ placed / total)
        values, directions = np.maximum(values[::-1], 0.0), vectors.T[::-1]
        largest = np.abs(directions).argmax(axis=1)[:, np.newaxis]
        directions = directions * np.sign(np.take_along_axis(directions, largest, axis=1))  # the same on every machine
        if isinstance(keep, int):
            kept = keep
        else:
            reached = np.cumsum(values) >= (keep - 1e-12) * values.sum()
            kept = int(np.argmax(reached)) + 1
        if kept > len(columns):
            msg = f"pca is {keep}; expected at most {len(columns)} axes, the number of columns"
            raise ValueError(msg)
        return cls(
            columns, middle, scale, directions, np.maximum(values[kept:], max(least**2, np.finfo(np.float64).tiny))
        )

    @property
    def kept(self) -> int:
        """The number of kept axes."""
        return len(self.columns) - len(self.rest)

    @property
    def n_figures(self) -> int:
        """The number of free parameters: of the rotation, and of means and variances of axes that are not kept."""
        return len(self.columns) * (len(self.columns) - 1) // 2 + 2 * len(self.rest)

    def turn(self, places: Places) -> Places:
        """Rows with the other numbers first and then the axes; NaN if a projected column is missing."""
        placed = (places.numbers[:, self.columns] - self.middle) / self.scale @ self.directions.T
        kept, others = placed[:, : self.kept], placed[:, self.kept :]
        beside = (others**2 / self.rest + np.log(self.rest) + LOG_TWO_PI).sum(axis=1) / 2 + np.log(self.scale).sum()
        numbers = np.hstack([np.delete(places.numbers, self.columns, axis=1), kept])
        return Places(np.ascontiguousarray(numbers), places.codes, places.counts, places.constant - beside)

    def matrix(self, n_numbers: int) -> tuple[Floats, Floats]:
        """The matrix and the shift that convert other numbers, kept axes and remaining axes back to the numbers."""
        others = np.delete(np.arange(n_numbers), self.columns)
        matrix, shift = np.zeros((n_numbers, n_numbers)), np.zeros(n_numbers)
        matrix[others, np.arange(len(others))] = 1.0
        matrix[np.ix_(self.columns, np.arange(len(others), n_numbers))] = (self.directions * self.scale).T
        shift[self.columns] = self.middle
        return matrix, shift

    def validate(self, n_numbers: int) -> None:
        """Check sizes and values."""
        n = len(self.columns)
        self.check_arrays(columns=n)
        places = self.columns.tolist()
        fits = places == sorted(set(places)) and all(0 <= place < n_numbers for place in places) and len(self.rest) < n
        if (
            not fits
            or not (self.scale > 0).all()
            or not (self.rest > 0).all()
            or not np.allclose(self.directions @ self.directions.T, np.eye(n), atol=1e-8)
        ):
            raise ModelError("the axes of the mixture do not fit its columns, or are not orthogonal")
