"""The terms of an equation, without coefficients, from the columns of a table.

A numeric column is a term. A nominal column of k categories becomes k - 1 ordered indicators: its categories are sorted
by their mean target, and each indicator is 1 from one of them upward. Missing values are filled in. Pseudo-attributes
are powers and products of numeric columns.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.learn.linear.least_squares import spread, unit_of
from hornbeam.model.linear.linear import MOST_DEGREE, Factor, Term

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from hornbeam.core.base.arrays import Floats, Indices, Ints32
    from hornbeam.data.table import Table
    from hornbeam.learn.linear.least_squares import Fit

    Order = Callable[[Floats], Indices]

LARGEST_EXPONENT = 500
LOST = 1e-9  # of a sum of weights


class TermColumn:
    """The values of a term without its coefficient, computed for a slice of rows at a time."""

    __slots__ = ("_parts",)

    def __init__(self, term: Term, table: Table) -> None:
        self._parts = []
        for factor in term.factors:
            kind = table.schema.columns[factor.column]
            count = len(kind.categories) if isinstance(kind, Nominal) else 0
            self._parts.append((factor, table.columns[factor.column], count))

    def __getitem__(self, rows: slice) -> Floats:
        product: Floats | None = None
        for factor, column, count in self._parts:
            values = factor.of(column[rows], count)
            product = values if product is None else product * values
        assert product is not None
        return product


def by_rising_value(means: Floats) -> Indices:
    """The stable order of numbers."""
    return np.argsort(means, kind="stable")


def factors_of(
    table: Table, column: int, order: Order = by_rising_value, *, keep_alike: bool = False, row_by_row: bool = False
) -> list[Factor]:
    """The factors of one feature: the number itself, or ordered indicators.

    Parameters
    ----------
    table : Table
        Training rows, each with a target.
    column : int
        Position of the feature.
    order : callable
        How categories are sorted by their mean target; by default equal means are in the order of the codes. A category
        without rows has the mean of all rows.
    keep_alike : bool
        Keep indicators that only differ in a category without rows, and so are equal for every training row.
    row_by_row : bool
        Sum in row order for the means of numbers and indicators, and keep a constant number: whether it varies is then
        decided by the sums, with their rounding.

    Returns
    -------
    list of Factor
        Empty for a constant column. A missing number is replaced by the mean; for a missing category every indicator is
        its own mean, so that it counts as all categories in their proportions.
    """
    values, weights = table.columns[column], table.weights
    kind = table.schema.columns[column]
    known = ~kind.missing(values)
    if not known.all():
        values, weights = values[known], None if weights is None else weights[known]
    if not len(values):
        return []
    if not isinstance(kind, Nominal):
        if row_by_row:
            return [_with_mean(Factor(column), table)]
        mean, deviation = spread(values, weights)
        return [Factor(column, fill=mean)] if deviation > 0 else []
    target = table.target_values()[known]
    found = _indicators(column, len(kind.categories), values, target, weights, order, keep_alike=keep_alike)
    return [_with_mean(factor, table) for factor in found] if row_by_row else found


def _with_mean(factor: Factor, table: Table) -> Factor:
    """The factor with its mean, summed in row order: with few more rows than terms, its last digit matters."""
    known = table.known(factor.column)
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    total, own = np.cumsum(weights)[-1], np.cumsum(weights[known])[-1]
    rest = np.cumsum([total, *-weights[~known]])[-1]  # the same as `own`, but for rounding
    if abs(rest - own) > LOST * own:  # the weight of rows with a missing value rounds the other weights away
        rest = own
    return replace(factor, fill=float(np.cumsum((weights * factor.values(table))[known])[-1] / rest))


def _indicators(
    column: int,
    n_categories: int,
    codes: Ints32,
    target: Floats,
    weights: Floats | None,
    order: Order,
    *,
    keep_alike: bool,
) -> list[Factor]:
    counted = np.bincount(codes, weights, minlength=n_categories).astype(np.float64)
    unit = unit_of(target)  # keeps sums of the largest numbers finite
    weighted = target / unit if weights is None else target / unit * weights
    sums = np.bincount(codes, weighted, minlength=n_categories)
    overall = np.cumsum(sums)[-1] / counted.sum()  # one by one: the last digit may decide ties
    means = np.divide(sums, counted, out=np.full(n_categories, overall), where=counted > 0)
    rising = order(means)
    share_from = np.cumsum(counted[rising][::-1])[::-1] / counted.sum()
    found = []
    for first in range(1, n_categories):
        if 0 < share_from[first] < 1 and (keep_alike or counted[rising[first - 1]] > 0):
            group = tuple(int(code) for code in rising[first:])
            found.append(Factor(column, group, fill=float(share_from[first])))
    return found


def equation_terms(products: Sequence[tuple[Factor, ...]], fit: Fit) -> tuple[Term, ...]:
    """Make terms of the selected products of factors with their coefficients."""
    pairs = zip(fit.kept.tolist(), fit.coefficients.tolist(), strict=True)
    return tuple(Term(coefficient, products[place]) for place, coefficient in pairs)


def products(factors: Sequence[Factor], degree: int) -> list[tuple[Factor, ...]]:
    """Products of up to `degree` numeric factors, with repetition (pseudo-attributes); indicators are not multiplied.

    Examples
    --------
    >>> found = products([Factor(0), Factor(1)], 2)
    >>> [tuple((factor.column, factor.power) for factor in product) for product in found]
    [((0, 1),), ((1, 1),), ((0, 2),), ((0, 1), (1, 1)), ((1, 2),)]
    """
    numeric = [factor for factor in factors if factor.codes is None]
    found: list[tuple[Factor, ...]] = []
    for size in range(1, degree + 1):
        for chosen in combinations_with_replacement(range(len(numeric)), size):
            powers = np.bincount(chosen, minlength=len(numeric)) if chosen else np.empty(0, int)
            parts = [replace(numeric[place], power=int(p)) for place, p in enumerate(powers.tolist()) if p]
            found.append(tuple(parts))
    return found + [(factor,) for factor in factors if factor.codes is not None]


def columns_of(terms: Iterable[tuple[Factor, ...]], table: Table) -> list[Any]:
    """The values of products of factors as columns."""
    return [TermColumn(Term(1.0, factors), table) for factors in terms]


def pseudo_attributes(
    table: Table, factors: list[Factor], degree: int, *, multiply: bool, most: int
) -> list[tuple[Factor, ...]]:
    """Return every term of an equation up to a degree: numeric factors, their powers and products, then indicators.

    Parameters
    ----------
    table : Table
        Training rows.
    factors : list of Factor
        The factors of the columns; indicators are not multiplied.
    degree : int
        The highest degree of a term; 0 gives no terms.
    multiply : bool
        Whether different columns are multiplied; if not, there are the powers of each column only.
    most : int
        The maximum number of terms.

    Raises
    ------
    ValueError
        If the degree is too high, the terms are too many, or a power is too large for a number.
    """
    if degree > MOST_DEGREE:
        msg = f"degree is {degree}; expected at most {MOST_DEGREE}"
        raise ValueError(msg)
    if not degree:
        return []
    numeric = sum(factor.codes is None for factor in factors)
    count = math.comb(numeric + degree, degree) - 1 if multiply else numeric * degree
    if count > most:
        msg = (
            f"a polynomial of degree {degree} in {numeric} columns has {count} terms; expected {most} at "
            "most: a smaller degree, fewer columns, or products=False"
        )
        raise ValueError(msg)
    _check_powers(table, factors, degree)
    return products(factors, degree) if multiply else powers(factors, degree)


def powers(factors: list[Factor], degree: int) -> list[tuple[Factor, ...]]:
    """Powers of each numeric factor, without products of different ones."""
    found: list[tuple[Factor, ...]] = []
    for factor in factors:
        found += products([factor], degree if factor.codes is None else 1)
    return found


def _check_powers(table: Table, factors: list[Factor], degree: int) -> None:
    """Raise an error for a column whose powers overflow, with its name and row."""
    for factor in factors:
        if factor.codes is not None:
            continue
        size = np.abs(table.columns[factor.column])
        row = int(np.nanargmax(size))
        # Half of the largest exponent leaves room for products with other columns, and for coefficients.
        if degree * math.log2(max(float(size[row]), 1.0)) > LARGEST_EXPONENT:
            name = table.schema.columns[factor.column].name
            value = table.columns[factor.column][row]
            msg = (
                f"column {name!r}, row {row + 1}: {value:g} to the power {degree} is too large; "
                "give the column another unit"
            )
            raise ValueError(msg)
