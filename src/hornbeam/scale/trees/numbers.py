"""Numeric targets as counts, so that trees for numbers are grown from counts like trees for classes.

How much a split decreases the squared error depends only on the weights and the sums of its branches. So a row whose
target is a third of the way from the smallest to the largest counts as two thirds of a row with the smallest target and
one third of a row with the largest. These fractions are multiples of 2 to the -28th, and sums of them are exact.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hornbeam.scale.linear.exact import LOW, as_number, exact_sum
from hornbeam.scale.trees.coded import Tally

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import AnyArray, Floats, Ints64
    from hornbeam.model.trees.tree import Tree
    from hornbeam.scale.trees.coded import Way

BITS = 28
UNITS = 1 << BITS  # of a row
BLOCK_ROWS = 1 << 24  # sums of units of this many rows are below 2 to the 53rd, and therefore exact
EQUAL = 2.0 ** (1 - BITS)  # with a smaller deviation, as a fraction of the range, the numbers of a node are equal


class Span(NamedTuple):
    """The range of the target; its width is a power of two, so that whole numbers are multiples of a unit."""

    low: float
    width: float

    @classmethod
    def of(cls, least: float, greatest: float) -> Span:
        """The span of numbers between these two.

        Examples
        --------
        >>> Span.of(3.0, 8.0)
        Span(low=3.0, width=8.0)
        """
        return cls(least, float(np.ldexp(1.0, int(np.frexp(greatest - least)[1]))) if greatest > least else 1.0)

    def shares(self, target: Floats) -> Floats:
        """Where numbers are in the span, from 0 to 1."""
        return (target - self.low) / self.width

    @property
    def ends(self) -> Floats:
        """Both ends of the span."""
        return np.array([self.low, self.low + self.width])


class Sums(NamedTuple):
    """Sums at a node, over rows: of the target and of its square (in the span, in units of 2 to the -60th)."""

    rows: int
    first: int
    second: int
    least: float
    greatest: float

    def plus(self, other: Sums) -> Sums:
        """Sums of both."""
        return Sums(
            self.rows + other.rows, self.first + other.first, self.second + other.second,
            min(self.least, other.least), max(self.greatest, other.greatest),
        )  # fmt: skip

    def values(self, span: Span) -> tuple[float, float]:
        """The mean and the squared error around it."""
        if self.least == self.greatest:
            return self.least, 0.0
        apart = self.rows * (self.second << LOW) - self.first**2
        squares = max(apart, 0) / (self.rows << (2 * LOW)) * span.width**2
        return span.low + as_number(self.first, self.rows) * span.width, squares


def count_numbers(
    block: Mapping[str, AnyArray], way: Way, nodes: frozenset[int], codes: tuple[int, ...], span: Span
) -> dict[int, Tally]:
    """Count the rows of some nodes by column and code: units with the smallest target and with the largest."""
    found: dict[int, Tally] = {}
    for node, rows, _ in way.arrivals(block):
        if node not in nodes:
            continue
        everything = len(rows) == len(block["target"])
        target = block["target"] if everything else block["target"][rows]
        units = np.rint(span.shares(target) * UNITS)
        tables = []
        for feature, n_codes in enumerate(codes):
            column = block[f"f{feature}"]
            column = column if everything else column[rows]
            high = sums_by_code(column, units, n_codes)
            every = np.bincount(column, minlength=n_codes) * UNITS
            tables.append(np.stack([every - high, high], axis=1).ravel())
        counts: Ints64 = np.concatenate(tables) if tables else np.zeros(0, np.int64)
        found[node] = Tally(len(rows), counts, *moments(units.astype(np.int64))).compact()
    return found


def count_squares(
    block: Mapping[str, AnyArray], way: Way, nodes: frozenset[int], codes: tuple[int, ...], span: Span
) -> dict[int, Tally]:
    """Count the rows of some nodes by column and code: rows, and sums of the target and of its square in units."""
    found: dict[int, Tally] = {}
    for node, rows, _ in way.arrivals(block):
        if node not in nodes:
            continue
        units = np.rint(span.shares(block["target"][rows]) * UNITS)
        whole = units.astype(np.int64)
        squares = whole * whole
        high, low = (squares >> BITS).astype(np.float64), (squares & (UNITS - 1)).astype(np.float64)
        tables = []
        for feature, n_codes in enumerate(codes):
            column = block[f"f{feature}"][rows]
            sums = (sums_by_code(column, one, n_codes) for one in (units, high, low))
            tables.append(np.stack([np.bincount(column, minlength=n_codes), *sums], axis=1).ravel())
        found[node] = Tally(len(rows), np.concatenate(tables), *moments(whole)).compact()
    return found


def sums_by_code(column: AnyArray, units: Floats, n_codes: int) -> Ints64:
    """Sums of whole numbers below 2 to the 29th by code."""
    found = np.zeros(n_codes, np.int64)
    for start in range(0, len(column), BLOCK_ROWS):
        some = slice(start, start + BLOCK_ROWS)
        found += np.bincount(column[some], units[some], minlength=n_codes).astype(np.int64)
    return found


def moments(units: Ints64) -> tuple[int, int]:
    """The sum and the sum of squares, exactly."""
    squares = units * units
    high, low = int((squares >> BITS).sum()), int((squares & (UNITS - 1)).sum())
    return int(units.sum()), (high << BITS) + low


def error_of(tally: Tally, span: Span) -> float:
    """The squared error of a node around its mean, with targets rounded to units."""
    apart = tally.rows * tally.squares - tally.total**2
    return apart / (tally.rows << (2 * BITS)) * span.width**2


def sum_nodes(block: Mapping[str, AnyArray], way: Way, span: Span) -> dict[int, Sums]:
    """Sums of the target at every node."""
    found = {}
    for node, rows, _ in way.visits(block):
        target = block["target"][rows]
        if len(target):
            shares = span.shares(target)
            ends = float(target.min()), float(target.max())
            found[node] = Sums(len(target), exact_sum(shares), exact_sum(shares * shares), *ends)
    return found


def add_sums(one: dict[int, Sums], other: dict[int, Sums]) -> dict[int, Sums]:
    """Sums of both."""
    for node, sums in other.items():
        one[node] = one[node].plus(sums) if node in one else sums
    return one


def with_values(tree: Tree, sums: Mapping[int, Sums], n_top: int, span: Span) -> Tree:
    """The tree with the exact means and errors of its first nodes, which were split from counts."""
    value, error = tree.value.copy(), tree.error.copy()
    rows, weight = tree.rows.copy(), tree.weight.copy()
    for node in range(n_top):
        own = sums.get(node)
        rows[node] = weight[node] = 0 if own is None else own.rows
        mean, error[node] = (value[tree.parent[node], 1], 0.0) if own is None else own.values(span)
        value[node] = weight[node], mean, error[node]
    return replace(tree, value=value, error=error, rows=rows, weight=weight)
