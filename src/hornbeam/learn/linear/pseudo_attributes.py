"""Pseudo-attributes: powers and products of numeric columns, as further terms of an equation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.learn.linear.terms import products
from hornbeam.model.linear.linear import MOST_DEGREE

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.model.linear.linear import Factor

LARGEST_EXPONENT = 500


def pseudo_attributes(
    table: Table, factors: list[Factor], degree: int, *, multiply: bool, most: int
) -> list[tuple[Factor, ...]]:
    """Give every term of an equation up to a degree: numeric factors, their powers and products, then indicators.

    Parameters
    ----------
    table : Table
        Training rows.
    factors : list of Factor
        What the columns stand for; indicators are not multiplied.
    degree : int
        The highest degree of a term; 0 gives no terms.
    multiply : bool
        Whether different columns are multiplied; if not, there are the powers of each column only.
    most : int
        How many terms there may be.

    Raises
    ------
    ValueError
        Where the degree is too high, the terms are too many, or a power is too large for a number.
    """
    if degree > MOST_DEGREE:
        msg = f"degree is {degree}; expected {MOST_DEGREE} at most"
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
    """Powers of each numeric factor, one after the other, without products of different ones."""
    found: list[tuple[Factor, ...]] = []
    for factor in factors:
        found += products([factor], degree if factor.codes is None else 1)
    return found


def _check_powers(table: Table, factors: list[Factor], degree: int) -> None:
    """Refuse columns whose powers are not finite, by name and row."""
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
