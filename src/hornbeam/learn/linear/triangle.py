"""Least squares from rows by orthogonal triangles, for columns too nearly collinear for sums of products.

The powers of a column are such: a Gram matrix would square their condition number. Here rows are folded, a block at a
time, into a triangular matrix R with the same least-squares solution (R'R is the Gram matrix that is never formed). The
penalty is on coefficients in the columns' own units, as in the textbook: squared error + ridge * (sum of w * w).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import linalg

from hornbeam.learn.linear.least_squares import BLOCK_ROWS, Fit, check_units, spread, standardized

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hornbeam.learn.linear.least_squares import Sliceable

    Vector = NDArray[np.float64]


def solve_by_triangle(
    columns: Sequence[Sliceable],
    target: Vector,
    weights: Vector | None = None,
    ridge: float = 0.0,
    *,
    penalize_intercept: bool = False,
) -> Fit:
    """Fit a linear equation to complete columns of numbers.

    Parameters
    ----------
    columns : sequence of arrays
        One a term, without missing values; anything that gives slices of numbers will do.
    target : array
        What is to be predicted.
    weights : array, optional
        Row weights above zero.
    ridge : float
        What a squared coefficient costs, in squared error.
    penalize_intercept : bool
        Whether the intercept's square costs as much.

    Returns
    -------
    Fit
        Of all solutions, where collinear columns allow for several, the one with the least standardized coefficients.
        Columns that do not vary have no coefficient.

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
    system, answer = triangle[:, :-1], triangle[:, -1]
    pull = weight * ridge / (weight + ridge) if penalize_intercept and ridge > 0 else 0.0
    if ridge > 0:
        # An intercept left to itself goes through the means; one that costs something is drawn to 0 from there, which
        # is what one more row at the means with a target of 0 for the intercept would do.
        rows = [system, np.diag(np.sqrt(ridge) / scale), np.sqrt(pull) * (center / scale)[None, :]]
        answers = [answer, np.zeros(len(kept)), np.array([np.sqrt(pull) * mean / unit])]
        coefficients = _least(np.vstack(rows), np.concatenate(answers))
    else:
        coefficients = _least(system, answer)
    residual = answer - system @ coefficients
    shift = mean - float((coefficients * (center / scale)).sum()) * unit
    intercept = shift * weight / (weight + ridge) if pull else shift
    with np.errstate(over="ignore", under="ignore"):
        in_units = coefficients / scale * unit
    check_units(in_units, intercept, scale, unit)
    error = float(residual @ residual) * unit**2 + weight * (shift - intercept) ** 2 if unit < 1e150 else 0.0  # noqa: PLR2004 - its square is finite
    return Fit(intercept, kept, in_units, coefficients, error)


def _triangle(parts: Sequence[tuple[Sliceable, float, float]], weights: Vector | None, n_rows: int) -> Vector:
    """Fold standardized rows into a triangle, a block of them at a time."""
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


def _least(system: Vector, answer: Vector) -> Vector:
    """The smallest least-squares solution, directions in which there is nothing but rounding left out."""
    if not system.shape[1]:
        return np.zeros(0)
    noise = 10 * max(system.shape) * np.finfo(float).eps
    solution: Vector = linalg.lstsq(system, answer, cond=noise, check_finite=False)[0]
    return solution
