"""Rows of a table as points: each number is an axis, and each category is an indicator axis.

Columns with two categories have one axis. A missing number is replaced by the column's mean, a missing category by the
most frequent one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.model.base.plain import ModelError
from hornbeam.model.base.stored import Stored, declared
from hornbeam.model.linear.linear import Factor, Term
from hornbeam.model.neighbors.scales import is_number, numbers_of, scale_of
from hornbeam.model.svm.products import (
    MOST_FACTORS,
    MOST_PRODUCTS,
    count_products,
    exponents,
    product_weights,
    products,
)

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats, Ints32, Ints64
    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table
    from hornbeam.model.neighbors.scales import NumericScale


AxisScale = Literal["normalize", "standardize"]
SCALES: dict[str | None, NumericScale] = {"normalize": "range", "standardize": "deviation", None: "as-is"}
TWO = 2


@dataclass(frozen=True, eq=False)
class Axes(Stored):
    """The axes: (factor - shift) / width for each, and the number of axes that are multiplied with each other."""

    NOUN: ClassVar = "axes"
    ARRAYS: ClassVar = declared("<f8[axes] shift width")

    factors: tuple[Factor, ...]  # a column's number, or the indicator of a category
    shift: Floats
    width: Floats
    n_factors: int = 1  # 1: the axes as they are; n: all weighted products of n axes (see `products.py`)

    @classmethod
    def of(cls, table: Table, scale: str | None, n_factors: int = 1, *, centered: bool = False) -> Axes:
        """Learn the axes of a table's features; constant columns have none.

        Parameters
        ----------
        table : Table
        scale : {"normalize", "standardize", None}
            Numbers from 0 to 1, or with mean 0 and standard deviation 1, or as they are.
        n_factors : int
            The number of axes that are multiplied with each other.
        centered : bool
            Whether unscaled numbers may be shifted, since only differences count.
        """
        factors: list[Factor] = []
        shift: list[float] = []
        width: list[float] = []
        weights = table.weights
        for place in table.schema.features:
            column, values = table.schema.columns[place], table.columns[place]
            if not is_number(column):
                for factor in _indicators(place, column, values, weights):
                    factors.append(factor)
                    shift.append(0.0)
                    width.append(1.0)
                continue
            numbers = numbers_of(column, values)
            known = ~np.isnan(numbers)
            if not known.any() or numbers[known].min() == numbers[known].max():
                continue
            held = None if weights is None else weights[known]
            mean = float(np.average(numbers[known], weights=held))
            learned = scale_of(numbers, weights, SCALES[scale], squared=True)
            if not learned.width > 0:
                continue
            factors.append(Factor(place, fill=mean))
            shift.append(mean if centered and scale is None else learned.center)
            width.append(learned.width)
        return cls(tuple(factors), np.array(shift), np.array(width), n_factors)

    def __len__(self) -> int:
        return len(self.factors) if self.n_factors == 1 else count_products(len(self.factors), self.n_factors)

    def matrix(self, aligned: Table) -> Floats:
        """The points of rows, of shape (rows, axes); the table has the model's columns."""
        points = np.empty((aligned.n_rows, len(self.factors)))
        for axis, factor in enumerate(self.factors):
            column = aligned.schema.columns[factor.column]
            if isinstance(column, Nominal) and factor.codes is None:  # ordered: codes are used as numbers
                values = factor.of(numbers_of(column, aligned.columns[factor.column]))
            else:
                values = factor.values(aligned)
            points[:, axis] = (values - self.shift[axis]) / self.width[axis]
        return products(points, self.n_factors)

    def terms(self, weights: Floats) -> tuple[float, tuple[Term, ...]]:
        """Convert a weighted sum of the axes to an equation over the columns: its constant, and its terms.

        For products of axes, the terms are products of scaled axes.
        """
        if self.n_factors == 1:
            slopes = weights / self.width
            found = (Term(float(slope), (factor,)) for slope, factor in zip(slopes, self.factors, strict=True) if slope)
            return -float(slopes @ self.shift), tuple(found)
        terms = []
        for weight, powers in zip(weights * self._product_weights, self._exponents.tolist(), strict=True):
            chosen = [(axis, power) for axis, power in enumerate(powers) if power]
            factors = tuple(
                Factor(self.factors[a].column, self.factors[a].codes, self.factors[a].fill, power)
                for a, power in chosen
            )
            if weight:
                terms.append(Term(float(weight), factors))
        return 0.0, tuple(terms)

    @cached_property
    def _exponents(self) -> Ints64:
        return exponents(len(self.factors), self.n_factors)

    @cached_property
    def _product_weights(self) -> Floats:
        return product_weights(len(self.factors), self.n_factors)

    def validate(self, schema: Schema) -> None:
        """Check that the axes are those of the schema's features; raise a `ModelError` if not."""
        self.check_arrays(axes=len(self.factors))
        if not np.isfinite(self.shift).all():
            raise ModelError("the shift of an axis is not a finite number")
        if not ((self.width > 0) & np.isfinite(self.width)).all():
            raise ModelError("an axis has no width above zero")
        if not isinstance(self.n_factors, int) or not 1 <= self.n_factors <= MOST_FACTORS:
            msg = f"{self.n_factors!r} axes are multiplied; expected a whole number from 1 to {MOST_FACTORS}"
            raise ModelError(msg)
        if len(self) > MOST_PRODUCTS:
            msg = f"there are {len(self)} products of {self.n_factors} axes; expected at most {MOST_PRODUCTS}"
            raise ModelError(msg)
        for factor in self.factors:
            if factor.column not in schema.features or factor.power != 1 or not np.isfinite(factor.fill):
                msg = f"an axis measures column {factor.column}, which is not a feature, or its power {factor.power}"
                raise ModelError(msg)
            column = schema.columns[factor.column]
            codes = factor.codes
            if codes is not None and not (
                isinstance(column, Nominal) and all(0 <= code < len(column.categories) for code in codes)
            ):
                msg = f"an axis measures categories {codes} of the column {column.name!r}, which has no such"
                raise ModelError(msg)
            if codes is None and not is_number(column):
                msg = f"an axis measures the number of the column {column.name!r}, which is not numeric"
                raise ModelError(msg)


def _indicators(place: int, column: object, codes: Ints32, weights: Floats | None) -> list[Factor]:
    """An axis per category that occurs; one for two categories. A missing one is replaced by the most frequent."""
    assert isinstance(column, Nominal)
    known = codes >= 0
    held = np.bincount(codes[known], None if weights is None else weights[known], minlength=len(column.categories))
    there = np.flatnonzero(held > 0).tolist()
    if len(there) < TWO:
        return []
    common = int(held.argmax())
    chosen = there[1:] if len(there) == TWO else there
    return [Factor(place, (code,), float(code == common)) for code in chosen]
