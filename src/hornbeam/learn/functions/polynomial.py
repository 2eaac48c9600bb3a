"""Polynomials of numeric columns by least squares with a ridge: curve fitting."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.learn.functions.few_rows import warn_of_few_rows
from hornbeam.learn.functions.terms import columns_of, factors_of, products
from hornbeam.learn.functions.triangle import solve_by_triangle
from hornbeam.learn.limits import MOST_INDICATORS, check_indicators
from hornbeam.learn.parameters import at_least, whole
from hornbeam.learn.regressor import TableRegressor
from hornbeam.model.linear import MOST_DEGREE, LinearModel, Term

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.model.linear import Factor

MOST_TERMS = 10_000


class PolynomialRegressor(TableRegressor):
    """Fit a polynomial: for one column ``w0 + w1 x + ... + wM x^M``.

    For several columns there is a term for every product of up to `degree` of them, a column as often as it will.
    Nominal columns enter as ordered indicators, which are not multiplied. Missing numbers are filled with the mean.

    Parameters
    ----------
    degree : int
        The highest power, M; 0 fits the mean.
    ridge : float
        The penalty λ on large coefficients: squared error + λ (w1² + w2² + ...) is made least. Unlike that of
        `LinearRegressor` it is on coefficients as they are, not on standardised ones, as textbooks have it.
    penalize_intercept : bool
        Whether w0² is in that sum.
    products : bool
        Whether different columns are multiplied; if not, there are the powers of each column only.

    Attributes
    ----------
    model_ : LinearModel
        The equation.
    coefficients_ : dict of str to float
        Coefficients by the words of their terms, ``"intercept"`` first.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(0, 1, 50)
    >>> curve = PolynomialRegressor(degree=2).fit(x[:, None], 1 + x - 3 * x**2)
    >>> {name: round(value, 6) for name, value in curve.coefficients_.items()}
    {'intercept': 1.0, 'x0': 1.0, 'x0^2': -3.0}
    """

    model_: LinearModel  # type: ignore[assignment]

    def __init__(
        self, degree: int = 2, ridge: float = 0.0, penalize_intercept: bool = True, products: bool = True
    ) -> None:
        self.degree = degree
        self.ridge = ridge
        self.penalize_intercept = penalize_intercept
        self.products = products

    def _learn(self, table: Table) -> tuple[LinearModel, None]:  # type: ignore[override]
        degree, ridge = whole("degree", self.degree, 0), at_least("ridge", self.ridge, 0)
        terms = self._terms(table, degree)
        fit = solve_by_triangle(
            columns_of(terms, table),
            table.target_values(),
            table.weights,
            ridge,
            penalize_intercept=bool(self.penalize_intercept),
        )
        pairs = zip(fit.kept.tolist(), fit.coefficients.tolist(), strict=True)
        model = LinearModel(
            table.schema,
            fit.intercept,
            tuple(Term(coefficient, terms[place]) for place, coefficient in pairs),
            None,
            float(table.n_rows if table.weights is None else table.weights.sum()),
            fit.error,
            {"degree": degree, "ridge": ridge, "penalize_intercept": bool(self.penalize_intercept)},
        )
        warn_of_few_rows(type(self).__name__, table.n_rows, model.n_parameters, "a smaller degree or more rows")
        return model, None

    def _terms(self, table: Table, degree: int) -> list[tuple[Factor, ...]]:
        """The products that get a coefficient; refused where they are too many, or too large for numbers."""
        if degree > MOST_DEGREE:
            msg = f"degree is {degree}; expected {MOST_DEGREE} at most"
            raise ValueError(msg)
        check_indicators(table, type(self).__name__, MOST_INDICATORS)
        factors = [factor for place in table.schema.features for factor in factors_of(table, place)]
        if not degree:
            return []
        numeric = sum(factor.codes is None for factor in factors)
        count = math.comb(numeric + degree, degree) - 1 if self.products else numeric * degree
        if count > MOST_TERMS:
            msg = (
                f"a polynomial of degree {degree} in {numeric} columns has {count} terms; expected {MOST_TERMS} at "
                "most: a smaller degree, fewer columns, or products=False"
            )
            raise ValueError(msg)
        self._check_powers(table, factors, degree)
        return products(factors, degree) if self.products else powers(factors, degree)

    @staticmethod
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

    @property
    def coefficients_(self) -> dict[str, float]:
        """Coefficients by the words of their terms."""
        return self.model_.coefficients()


LARGEST_EXPONENT = 500


def powers(factors: list[Factor], degree: int) -> list[tuple[Factor, ...]]:
    """Powers of each numeric factor, one after the other, without products of different ones."""
    found: list[tuple[Factor, ...]] = []
    for factor in factors:
        found += products([factor], degree if factor.codes is None else 1)
    return found
