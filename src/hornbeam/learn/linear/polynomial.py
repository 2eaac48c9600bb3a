"""Polynomials of numeric columns by least squares with a ridge: curve fitting.

Powers of a column are nearly collinear, and a Gram matrix would square their condition number. So rows are added, one
block at a time, to a triangular matrix R with the same least-squares solution (R'R is the Gram matrix, which is not
computed). The penalty applies to coefficients in the columns' own units: squared error + ridge * (sum of w * w).
"""

from __future__ import annotations

from dataclasses import KW_ONLY  # noqa: TC003 - `dataclass` looks it up in this module
from typing import TYPE_CHECKING

import numpy as np
from scipy import linalg

from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.limits import MOST_INDICATORS, check_indicators
from hornbeam.learn.base.parameters import at_least, whole
from hornbeam.learn.base.regressor import TableRegressor
from hornbeam.learn.linear.few_rows import warn_of_few_rows
from hornbeam.learn.linear.least_squares import BLOCK_ROWS, Fit, check_units, spread, standardized
from hornbeam.learn.linear.terms import columns_of, factors_of, pseudo_attributes
from hornbeam.model.linear.linear import LinearModel, Term

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.core.base.arrays import Floats
    from hornbeam.data.table import Table
    from hornbeam.learn.linear.least_squares import Sliceable


MOST_TERMS = 10_000
MOST_PENALTY = 1e150  # per column: larger factors overflow, and the coefficient is 0 in any case


@estimator(kw_only=False)
class PolynomialRegressor(TableRegressor):
    """Fit a polynomial: for one column ``w0 + w1 x + ... + wM x^M``.

    For several columns there is a term for every product of up to `degree` of them, repetitions included. Nominal
    columns enter as ordered indicators, which are not multiplied. Missing numbers are replaced by the mean.

    Parameters
    ----------
    degree : int
        The highest power, M; 0 fits the mean.
    ridge : float
        The penalty λ on large coefficients: squared error + λ (w1² + w2² + ...) is minimized. ItemDifference that of
        `LinearRegressor`, it applies to the coefficients themselves, not to standardized ones.
    penalize_intercept : bool
        Whether w0² is included in the penalty.
    products : bool
        Whether different columns are multiplied; if not, there are only the powers of each column.

    Attributes
    ----------
    model_ : LinearModel
        The equation.
    coefficients_ : dict of str to float
        Coefficients by the names of their terms, ``"intercept"`` first.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(0, 1, 50)
    >>> curve = PolynomialRegressor(degree=2).fit(x[:, None], 1 + x - 3 * x**2)
    >>> {name: round(value, 6) for name, value in curve.coefficients_.items()}
    {'intercept': 1.0, 'x0': 1.0, 'x0^2': -3.0}
    """

    model_: LinearModel

    degree: int = 2
    _: KW_ONLY
    ridge: float = 0.0
    penalize_intercept: bool = True
    products: bool = True

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
        """Coefficients by the text of their terms."""
        return self.model_.coefficients()


def solve_by_triangle(
    columns: Sequence[Sliceable],
    target: Floats,
    weights: Floats | None = None,
    ridge: float = 0.0,
    *,
    penalize_intercept: bool = False,
) -> Fit:
    """Fit a linear equation to complete columns of numbers.

    Parameters
    ----------
    columns : sequence of arrays
        One per term, without missing values; any object with slices of numbers.
    target : array
        The target.
    weights : array, optional
        Row weights above zero.
    ridge : float
        The penalty on squared coefficients.
    penalize_intercept : bool
        Whether the intercept is penalized, too.

    Returns
    -------
    Fit
        If columns are collinear, the solution with the smallest standardized coefficients. Constant columns have no
        coefficient.

    Examples
    --------
    >>> x = np.linspace(0, 1, 10)
    >>> fit = solve_by_triangle([x, x**2], 1 - 3 * x + 2 * x**2)
    >>> round(fit.intercept, 9), fit.coefficients.round(9).tolist()
    (1.0, [-3.0, 2.0])
    """
    places = [spread(column[:], weights) for column in columns]
    kept = np.array([place for place, (_, deviation) in enumerate(places) if deviation > 0], np.intp)
    center = np.array([places[place][0] for place in kept])
    scale = np.array([places[place][1] for place in kept])
    mean, deviation = spread(target, weights)
    weight = float(len(target) if weights is None else weights.sum())
    unit = deviation or 1.0
    parts = [(columns[place], *places[place]) for place in kept]
    triangle = _triangle([*parts, (target, mean, deviation)], weights, len(target))
    system, right_side = triangle[:, :-1], triangle[:, -1]
    pull = weight * ridge / (weight + ridge) if penalize_intercept and ridge > 0 else 0.0
    if ridge > 0:
        # Without a penalty the equation goes through the means; a penalty on the intercept acts like one more row at
        # the means with a target of 0 for the intercept.
        with np.errstate(over="ignore"):
            penalty = np.minimum(np.sqrt(ridge) / scale, MOST_PENALTY)
        rows = [system, np.diag(penalty), np.sqrt(pull) * (center / scale)[None, :]]
        right_sides = [right_side, np.zeros(len(kept)), np.array([np.sqrt(pull) * mean / unit])]
        coefficients = _least(np.vstack(rows), np.concatenate(right_sides))
    else:
        coefficients = _least(system, right_side)
    residual = right_side - system @ coefficients
    shift = mean - float((coefficients * (center / scale)).sum()) * unit
    intercept = shift * weight / (weight + ridge) if pull else shift
    with np.errstate(over="ignore", under="ignore"):
        in_units = coefficients / scale * unit
    check_units(in_units, intercept, scale, unit)
    error = float(residual @ residual) * unit**2 + weight * (shift - intercept) ** 2 if unit < 1e150 else 0.0  # noqa: PLR2004 - its square is finite
    return Fit(intercept, kept, in_units, coefficients, error)


def _triangle(parts: Sequence[tuple[Sliceable, float, float]], weights: Floats | None, n_rows: int) -> Floats:
    """Add standardized rows to the triangular matrix, a block at a time."""
    size = len(parts)
    held = np.zeros((0, size))
    step = max(BLOCK_ROWS, 2 * size)
    for start in range(0, n_rows, step):
        end = min(start + step, n_rows)
        block = np.empty((len(held) + end - start, size))
        block[: len(held)] = held
        for place, (values, center, scale) in enumerate(parts):
            block[len(held) :, place] = standardized(values[start:end], center, scale)
        if weights is not None:
            block[len(held) :] *= np.sqrt(weights[start:end, None])
        held = linalg.qr(block, mode="r", overwrite_a=True, check_finite=False)[0][:size]
    return held


def _least(system: Floats, right_side: Floats) -> Floats:
    """The least-squares solution of minimum norm; directions that are only rounding errors are left out."""
    if not system.shape[1]:
        return np.zeros(0)
    noise = 10 * max(system.shape) * np.finfo(float).eps
    solution: Floats = linalg.lstsq(system, right_side, cond=noise, check_finite=False)[0]
    return solution
