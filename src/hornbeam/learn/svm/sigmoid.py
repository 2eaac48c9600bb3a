"""Chances from a machine's values: a sigmoid fitted to values of rows that the machine did not learn from.

J. Platt, Probabilistic outputs for support vector machines (1999), with the targets and the damped Newton steps of
H.-T. Lin, C.-J. Lin and R. C. Weng, A note on Platt's probabilistic outputs (2007).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.model.svm.coupling import sigmoid

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MOST_ROUNDS = 100
DAMPING = 1e-12
NEAR = 1e-5
SHORTEST = 1e-10


def fit_sigmoid(values: Floats, second: NDArray[np.bool_], weights: Floats | None = None) -> tuple[float, float]:
    """Find a and b of the chance 1 / (1 + exp(a v + b)) that a row is of the second class.

    Parameters
    ----------
    values : array
        What the machine says of rows it did not learn from.
    second : array of bool
        Which rows are of the second class.
    weights : array, optional
        Weights of the rows.

    Returns
    -------
    a, b : float
    """
    held = np.ones(len(values)) if weights is None else weights
    many, few = float(held[second].sum()), float(held[~second].sum())
    aim = np.where(second, (many + 1) / (many + 2), 1 / (few + 2))  # not 1 and 0: that would be too sure
    a, b = 0.0, float(np.log((few + 1) / (many + 1)))
    loss = _loss(values, aim, held, a, b)
    for _ in range(MOST_ROUNDS):
        p = sigmoid(values[:, np.newaxis], np.array([[a, b]]))[:, 0]
        off, curve = held * (aim - p), held * p * (1 - p)
        ga, gb = float(values @ off), float(off.sum())
        if max(abs(ga), abs(gb)) < NEAR:
            break
        haa, hab = float((values**2) @ curve) + DAMPING, float(values @ curve)
        hbb = float(curve.sum()) + DAMPING
        size = haa * hbb - hab * hab
        if not size > 0:  # rounding leaves nothing to divide by
            break
        da, db = -(hbb * ga - hab * gb) / size, -(haa * gb - hab * ga) / size
        slope, step = ga * da + gb * db, 1.0
        while step >= SHORTEST:
            new = _loss(values, aim, held, a + step * da, b + step * db)
            if new < loss + 1e-4 * step * slope:
                break
            step /= 2
        if step < SHORTEST:
            break
        a, b, loss = a + step * da, b + step * db, new
    return a, b


def _loss(values: Floats, aim: Floats, held: Floats, a: float, b: float) -> float:
    """Minus the logarithm of the likelihood: the sum of aim z + log(1 + exp(-z))."""
    z = values * a + b
    return float(held @ (aim * z + np.where(z >= 0, 0.0, -z) + np.log1p(np.exp(-np.abs(z)))))
