"""Polynomials of numeric columns by least squares with a ridge: curve fitting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.learn.base.limits import MOST_INDICATORS, check_indicators
from hornbeam.learn.base.parameters import at_least, whole
from hornbeam.learn.base.regressor import TableRegressor
from hornbeam.learn.linear.few_rows import warn_of_few_rows
from hornbeam.learn.linear.pseudo_attributes import pseudo_attributes
from hornbeam.learn.linear.terms import columns_of, factors_of
from hornbeam.learn.linear.triangle import solve_by_triangle
from hornbeam.model.linear.linear import LinearModel, Term

if TYPE_CHECKING:
    from hornbeam.data.table import Table

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
        `LinearRegressor` it is on coefficients as they are, not on standardized ones, as textbooks have it.
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
        check_indicators(table, type(self).__name__, MOST_INDICATORS)
        factors = [factor for place in table.schema.features for factor in factors_of(table, place)]
        terms = pseudo_attributes(table, factors, degree, multiply=bool(self.products), most=MOST_TERMS)
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

    @property
    def coefficients_(self) -> dict[str, float]:
        """Coefficients by the words of their terms."""
        return self.model_.coefficients()
