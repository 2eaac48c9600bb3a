"""Linear regression: one equation for all rows, with a ridge and selection of terms."""

from __future__ import annotations

from dataclasses import KW_ONLY  # noqa: TC003 - `dataclass` looks it up in this module
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.limits import MOST_INDICATORS, check_indicators
from hornbeam.learn.base.parameters import at_least, one_of, whole
from hornbeam.learn.base.regressor import TableRegressor
from hornbeam.learn.linear.few_rows import warn_of_few_rows
from hornbeam.learn.linear.least_squares import Selection, moments, solve
from hornbeam.learn.linear.row_by_row import by_quicksort, solve_row_by_row
from hornbeam.learn.linear.terms import by_rising_value, columns_of, equation_terms, factors_of, pseudo_attributes
from hornbeam.model.linear.linear import LinearModel

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table
    from hornbeam.learn.linear.least_squares import Fit, Moments
    from hornbeam.model.linear.linear import Factor

LARGE = 1e140
MOST_TERMS = 5_000  # selection holds the sums of products of all pairs of terms
SELECTIONS: dict[str | None, Selection | None] = {"m5": "smallest", "greedy": "greedy", None: None}


@estimator(kw_only=False)
class LinearRegressor(TableRegressor):
    """Linear regression for mixed columns and missing values.

    A nominal column becomes ordered indicators, such as ``maker in {asia, europe}``: its categories are sorted by their
    mean target. Missing numbers are replaced by the mean; a missing category counts as every category by its frequency.

    Parameters
    ----------
    selection : {"m5", "greedy", None}
        Which terms to remove, one by one, as long as Akaike's criterion falls: the one with the smallest standardized
        coefficient ("m5"), or the one without which the criterion is lowest ("greedy"). None removes none.
    ridge : float
        Added to the sums of squares of the standardized columns; larger values shrink coefficients towards zero.
    compat : {None, "weka"}
        "weka": first remove terms with a standardized coefficient above 1.5, the largest first, as WEKA does against
        collinear columns, and add numbers in WEKA's order; row weights count in the sums, but not in the selection of
        terms. By default a term that is a combination of earlier ones is removed before others are selected; without
        selection such terms share their weight.
    degree : int
        The highest degree of a term. Above 1 the equation also has pseudo-attributes: powers of numeric columns, such
        as ``x^2``, and their products, such as ``x * y``. They are selected like any other term.
    products : bool
        Whether different columns are multiplied; if not, the only pseudo-attributes are powers of single columns.

    Attributes
    ----------
    model_ : LinearModel
        The equation.
    standardized_coefficients_ : dict of str to float
        The coefficient of every term if its standard deviation and that of the target were 1: which terms matter most.

    Examples
    --------
    >>> import hornbeam
    >>> model = LinearRegressor().fit(hornbeam.read("cpu"))
    >>> print(hornbeam.show.text(model))
    class = -56.075         standardized
          + 0.049113 MYCT         0.0795
          +  0.01518 MMIN          0.366
          + 0.005562 MMAX          0.406
          +  0.62982 CACH          0.159
          +   1.4599 CHMAX         0.236
    <BLANKLINE>
    5 terms, learned from rows of weight 209; root mean squared error there 58.99

    With pseudo-attributes:

    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=(100, 2))
    >>> model = LinearRegressor(degree=2).fit(x, 1 + 2 * x[:, 0] * x[:, 1] - 3 * x[:, 1] ** 2)
    >>> {name: round(value, 6) for name, value in model.model_.coefficients().items()}
    {'intercept': 1.0, 'x0 * x1': 2.0, 'x1^2': -3.0}
    """

    model_: LinearModel

    selection: str | None = "m5"
    _: KW_ONLY
    ridge: float = 1e-8
    compat: str | None = None
    degree: int = 1
    products: bool = True

    def _learn(self, table: Table) -> tuple[LinearModel, None]:  # type: ignore[override]
        selection = SELECTIONS[one_of("selection", self.selection, tuple(SELECTIONS))]
        ridge = at_least("ridge", self.ridge, 0)
        degree = whole("degree", self.degree, 1)
        check_indicators(table, type(self).__name__, MOST_INDICATORS)
        reference = one_of("compat", self.compat, (None, "weka")) is not None
        exactly = reference and _squares_are_numbers(table)
        order = by_quicksort if exactly else by_rising_value
        places = table.schema.features
        kept = {"keep_alike": reference, "row_by_row": exactly}
        factors = [f for place in places for f in factors_of(table, place, order, **kept)]
        terms = self._terms(table, factors, degree)
        columns, target = columns_of(terms, table), table.target_values()
        if exactly:
            fit = solve_row_by_row(columns, target, ridge, selection, drop_collinear=True, weights=table.weights)
            weight = float(table.n_rows if table.weights is None else table.weights.sum())
            return self._equation(table.schema, terms, fit, weight, table.n_rows), None
        return self._from_moments(table.schema, terms, moments(columns, target, table.weights), table.n_rows), None

    def _check_scanned(self) -> None:
        """Raise an error for parameters that cannot be used with sums over partitions."""
        for name, expected in (("degree", 1), ("compat", None)):
            if getattr(self, name) != expected:
                given = f"{name}={getattr(self, name)!r}"
                msg = f"{type(self).__name__} with {given} cannot learn from scanned data; expected {name}={expected!r}"
                raise ValueError(msg)

    def _from_moments(
        self, schema: Schema, terms: list[tuple[Factor, ...]], found: Moments, n_rows: int
    ) -> LinearModel:
        """The model for the moments of its terms."""
        selection = SELECTIONS[one_of("selection", self.selection, tuple(SELECTIONS))]
        fit = solve(found, at_least("ridge", self.ridge, 0), selection, drop_collinear=self.compat is not None)
        return self._equation(schema, terms, fit, found.weight, n_rows)

    def _equation(
        self, schema: Schema, terms: list[tuple[Factor, ...]], fit: Fit, weight: float, n_rows: int
    ) -> LinearModel:
        selection = SELECTIONS[self.selection]
        degree = whole("degree", self.degree, 1)
        model = LinearModel(
            schema,
            fit.intercept,
            equation_terms(terms, fit),
            tuple(fit.standardized.tolist()),
            weight,
            fit.error,
            {"ridge": at_least("ridge", self.ridge, 0), "selection": selection, "degree": degree},
        )
        advice = "fewer columns or more rows" if degree == 1 else "a smaller degree or more rows"
        warn_of_few_rows(type(self).__name__, n_rows, model.n_parameters, advice)
        return model

    def _terms(self, table: Table, factors: list[Factor], degree: int) -> list[tuple[Factor, ...]]:
        """All single factors, in the order of the columns, then the pseudo-attributes."""
        alone: list[tuple[Factor, ...]] = [(factor,) for factor in factors]
        if degree == 1:
            return alone
        every = pseudo_attributes(table, factors, degree, multiply=bool(self.products), most=MOST_TERMS)
        return alone + [term for term in every if sum(factor.power for factor in term) > 1]

    @property
    def standardized_coefficients_(self) -> dict[str, float]:
        """Standardized coefficients by the text of their terms."""
        model = self.model_
        words = [term.describe(model.schema) for term in model.terms]
        return dict(zip(words, model.standardized or (), strict=True))


def _squares_are_numbers(table: Table) -> bool:
    """Whether sums of squares in row order are finite."""
    columns = [table.columns[i] for i in (*table.schema.features, table.schema.target) if i is not None]
    return all(
        np.abs(values[~np.isnan(values)]).max(initial=0) < LARGE for values in columns if values.dtype.kind == "f"
    )
