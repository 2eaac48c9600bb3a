"""Random draws of the rows and columns of the members of an ensemble.

Draws depend on the seed and on the rows, not on the order of the rows, and a row of weight two is drawn like two rows.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.table import Table
from hornbeam.learn.base.estimator import with_weight_column
from hornbeam.learn.rules.row_order import own_order

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats, Indices, Ints64


@dataclass(frozen=True, eq=False)
class Draws:
    """The rows that members are drawn from."""

    # row numbers to draw from, in an order that does not depend on that of the table; with whole-number weights, each
    # row is listed as often as its weight
    rows: Indices
    n_rows: int  # the number of rows of the table
    weights: Floats | None  # the weight of a row that is drawn once; None: 1

    @classmethod
    def of(cls, table: Table) -> Draws:
        """Draws from the rows of a table, all of which have a target and a weight above zero."""
        rows, weights = own_order(table)
        return cls(rows, table.n_rows, None if weights is None else table.weights)

    def counts(self, random: np.random.Generator, size: int, *, replace: bool) -> Ints64:
        """How often each row is drawn, in `size` draws with or without replacement."""
        if replace:
            drawn = random.integers(0, len(self.rows), size)
        elif size == len(self.rows):
            drawn = np.arange(size)
        else:
            drawn = random.permutation(len(self.rows))[:size]
        return np.bincount(self.rows[drawn], minlength=self.n_rows)

    def weighed(self, table: Table, counts: Ints64) -> Table:
        """The table with the weight of each row multiplied by the number of times it was drawn."""
        weights = counts * (1.0 if self.weights is None else self.weights)
        place = table.schema.with_role("weight")
        if place is None:
            return table.extended(with_weight_column(table.schema), weights)
        arrays = list(table.columns)
        arrays[place] = weights
        other = Table(table.schema, arrays, table.notes, copy=False)
        for position in table.schema.features:
            order = table.known_order(position)
            if order is not None:
                other.keep_order(position, order)
        return other


def amount(name: str, value: Any, most: int) -> int:
    """The number that a parameter stands for: a fraction of `most`, at least one, or a whole number."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and 1 <= int(value) <= most:
        return int(value)
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral) and 0 < float(value) <= 1:
        return max(1, round(float(value) * most))
    msg = f"{name} is {value!r}; expected a fraction above 0 and up to 1.0, or a whole number from 1 to {most}"
    raise ValueError(msg)
