"""Limits of row weights: their sum must be finite, and the smallest weight must still count in it.

Weights matter only relative to each other, so these limits exclude nothing that a constant factor cannot repair,
except weights so far apart that floating-point sums would lose the small ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Bools, Floats

LARGEST_TOTAL = 2.0**100
SMALLEST_TOTAL = 2.0**-100
NEGLIGIBLE = 2.0**-52  # a smaller part of a sum is lost to rounding


def positive_weights(weights: Floats) -> Bools:
    """Check row weights, and return which are above zero.

    Examples
    --------
    >>> positive_weights(np.array([1.0, 0.0, 2.0])).tolist()
    [True, False, True]
    >>> positive_weights(np.array([1.0, 1e300]))
    Traceback (most recent call last):
    ValueError: row 2 has the weight 1e+300, and the weights add up to 1e+300; ...
    """
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        msg = f"row {row + 1} has the weight {weights[row]}; expected a finite number of at least 0"
        raise ValueError(msg)
    positive: Bools = weights > 0
    if positive.any():
        _check_sum(weights, positive)
    return positive


def _check_sum(weights: Floats, positive: Bools) -> None:
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if not SMALLEST_TOTAL <= total <= LARGEST_TOTAL:
        row = int(np.argmax(weights))
        msg = (
            f"row {row + 1} has the weight {weights[row]:.3g}, and the weights add up to {total:.3g}; expected a sum "
            f"between {SMALLEST_TOTAL:.2g} and {LARGEST_TOTAL:.2g}: multiply all weights by a constant (weights of "
            "rows and of classes are multiplied)"
        )
        raise ValueError(msg)
    row = int(np.argmin(np.where(positive, weights, np.inf)))
    if weights[row] < total * NEGLIGIBLE:
        msg = (
            f"row {row + 1} has the weight {weights[row]:.3g}, which is lost in the sum of all weights, {total:.3g}; "
            "expected weights that are less far apart: give the row the weight 0, or a larger one (weights of rows "
            "and of classes are multiplied)"
        )
        raise ValueError(msg)
