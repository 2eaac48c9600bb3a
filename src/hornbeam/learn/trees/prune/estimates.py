r"""Pessimistic error estimates: how many errors to expect, given how many were made in training.

Both functions take the upper end of a confidence interval for an error rate. `upper_limit` is the textbook formula;
`extra_errors` is the form that C4.5 uses, with half an error added (a continuity correction) and special cases for very
few and very many errors.

References
----------
J. R. Quinlan, *C4.5: Programs for Machine Learning*, Morgan Kaufmann (1993), section 4.2. I. H. Witten, E. Frank and
M. A. Hall, *Data Mining*, 3rd edition (2011), section 6.1.

Examples
--------
>>> round(upper_limit(2 / 6, 6, z=0.69), 2), round(upper_limit(1 / 2, 2, z=0.69), 2)
(0.47, 0.72)
>>> round(1 + extra_errors(6, 1), 3)
2.304
"""

from __future__ import annotations

import math
from statistics import NormalDist

DEFAULT_CONFIDENCE = 0.25
HALF = 0.5  # the correction for continuity


def upper_limit(rate: float, weight: float, z: float) -> float:
    r"""Upper end of the interval for an error rate, by the normal approximation.

    .. math:: \left(f + \frac{z^2}{2N} + z\sqrt{\frac{f}{N} - \frac{f^2}{N} + \frac{z^2}{4N^2}}\right) /
              \left(1 + \frac{z^2}{N}\right)

    Parameters
    ----------
    rate : float
        f, the observed error rate.
    weight : float
        N, the weight of the rows on which it was observed.
    z : float
        Standard deviations from the mean; 0.69 goes with a confidence of 25%.

    Returns
    -------
    float

    Examples
    --------
    A node with 5 errors in 14 rows, whose three leaves have 2 in 6, 1 in 2 and 2 in 6. The estimate of the leaves is
    0.51, that of the node itself 0.45, so it is made a leaf:

    >>> leaves = [upper_limit(2 / 6, 6, 0.69), upper_limit(1 / 2, 2, 0.69), upper_limit(2 / 6, 6, 0.69)]
    >>> round((6 * leaves[0] + 2 * leaves[1] + 6 * leaves[2]) / 14, 2)
    0.51
    >>> round(upper_limit(5 / 14, 14, 0.69), 2)
    0.45
    """
    if not 0.0 <= rate <= 1.0:
        msg = f"the error rate is {rate}; expected a number from 0 to 1"
        raise ValueError(msg)
    if not weight > 0.0:
        msg = f"the weight is {weight}; expected more than 0"
        raise ValueError(msg)
    spread = rate / weight - rate * rate / weight + z * z / (4.0 * weight * weight)
    return (rate + z * z / (2.0 * weight) + z * math.sqrt(spread)) / (1.0 + z * z / weight)


def normal_deviate(confidence: float) -> float:
    """The z of a confidence: the number of standard deviations that a normal variable exceeds with that probability.

    Examples
    --------
    >>> round(normal_deviate(0.25), 2)
    0.67
    """
    return NormalDist().inv_cdf(1.0 - _checked(confidence))


def extra_errors(weight: float, errors: float, confidence: float = DEFAULT_CONFIDENCE) -> float:
    r"""Errors to expect at a leaf beyond those it made in training.

    With no errors, :math:`N (1 - c^{1/N})`; between none and one, on the line between the two; with
    :math:`e + 1/2 \ge N`, the rest of the rows; otherwise N times `upper_limit` of :math:`(e + 1/2) / N`, less e.

    Parameters
    ----------
    weight : float
        N, the weight that reaches the leaf.
    errors : float
        e, the misclassified weight.
    confidence : float
        c; smaller values add more errors and prune more.

    Returns
    -------
    float
        0 for a leaf that no weight reaches.

    Examples
    --------
    >>> round(extra_errors(6, 0), 3), round(extra_errors(9, 0), 3), round(extra_errors(1, 0), 3)
    (1.238, 1.285, 0.75)
    """
    chance = _checked(confidence)
    if weight < 0.0 or errors < 0.0 or errors > weight * (1.0 + 1e-9):
        msg = f"{errors} errors of weight {weight}: expected errors from 0 up to the weight"
        raise ValueError(msg)
    if weight == 0.0:
        return 0.0
    if errors >= 1.0:
        return _from_one_error(weight, errors, chance)
    none = weight * (1.0 - math.pow(chance, 1.0 / weight))
    return none + errors * (_from_one_error(weight, 1.0, chance) - none)


def _from_one_error(weight: float, errors: float, chance: float) -> float:
    """Extra errors if there is at least one error; with a weight below one, one error is more than all of it."""
    if errors + HALF >= weight:
        return max(weight - errors, 0.0)
    return weight * upper_limit((errors + HALF) / weight, weight, normal_deviate(chance)) - errors


def _checked(confidence: float) -> float:
    if not 0.0 < confidence < 1.0:
        msg = f"the confidence is {confidence}; expected a number between 0 and 1"
        raise ValueError(msg)
    return confidence
