"""Least squares with sums in row order, for programs whose selection of terms depends on rounding.

If columns are collinear, or there are few more rows than terms, the last digits of sums decide which terms are kept.
This is slower than `least_squares.py`, and holds all columns in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.core.rows.presort import sort_rows
from hornbeam.core.trees.model_tree.rows import Regression
from hornbeam.learn.linear.least_squares import Fit, Selection, select

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.core.base.arrays import Floats, Indices
    from hornbeam.learn.linear.least_squares import Sliceable


def by_quicksort(means: Floats) -> Indices:
    """The order of numbers; the order of equal numbers depends on the algorithm."""
    order = np.arange(len(means))
    sort_rows(order, np.ascontiguousarray(means))
    return order


class RowSystem:
    """A system that is solved again for every selection of terms."""

    def __init__(self, regression: Regression, kept: Indices, weight: float, ridge: float) -> None:
        self.regression, self.kept, self.weight, self.ridge = regression, kept, weight, ridge
        self._deviations = regression.column_deviations
        chosen = np.zeros(len(self._deviations), np.uint8)
        chosen[kept] = 1
        self.raw = regression.solve(chosen, ridge)
        self.coefficients: Floats = self.raw[kept] * self._deviations[kept] / regression.target_deviation

    @property
    def error(self) -> float:
        """Squared error."""
        return self.regression.squared_error(self.raw)

    def without(self, place: int, *, afresh: bool = False) -> RowSystem:
        """The same without one of the remaining terms."""
        del afresh  # it is always solved again
        return RowSystem(self.regression, np.delete(self.kept, place), self.weight, self.ridge)

    def errors_without_each(self) -> Floats:
        """The squared error without each of the terms."""
        return np.array([self.without(place).error for place in range(len(self.kept))])


def solve_row_by_row(
    columns: Sequence[Sliceable],
    target: Floats,
    ridge: float,
    selection: Selection | None,
    *,
    drop_collinear: bool,
    weights: Floats | None = None,
) -> Fit:
    """Fit a linear equation as `least_squares.solve` does, from rows; see there.

    Terms are selected by the number of rows and unweighted squared errors.
    """
    matrix = np.empty((max(len(columns), 1), len(target)))
    for place, column in enumerate(columns):
        matrix[place] = column[:]
    regression = Regression(
        np.arange(len(target)), matrix, np.ascontiguousarray(target), np.arange(len(columns)), weights
    )
    varying = np.flatnonzero(regression.column_deviations > 0)
    if not regression.target_deviation > 0:
        varying = varying[:0]
    system = select(RowSystem(regression, varying, len(target), ridge), selection, drop_collinear=drop_collinear)
    kept = system.kept
    return Fit(float(system.raw[-1]), kept, system.raw[kept], system.coefficients, system.error)
