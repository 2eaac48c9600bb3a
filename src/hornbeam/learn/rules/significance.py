"""How likely a random rule does as well: the significance of a rule.

A rule covers t of T rows, p of them of its class, of which there are P. A random rule picks t rows blindly;
`rule_significance` is the probability that at least p of them are of the class: by the hypergeometric distribution, or
by the binomial one, which puts every row back before the next is picked.

Weights need not be whole numbers: binomial coefficients are then those of the gamma function, and the sum goes up from
p in steps of one.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from scipy.special import gammaln, logsumexp

Distribution = Literal["hypergeometric", "binomial"]
DISTRIBUTIONS: tuple[Distribution, ...] = ("hypergeometric", "binomial")
MOST_EXACT = 1000  # up to so many rows, sums of whole numbers
NOTHING = 1e-9  # a weight up to this is what rounding leaves


def rule_significance(
    right: float, covered: float, of_class: float, total: float, distribution: Distribution = "hypergeometric"
) -> float:
    """Give the probability that a random rule does at least as well.

    Parameters
    ----------
    right, covered : float
        Weight that the rule covers of its class (p), and in all (t).
    of_class, total : float
        Weight of the class (P), and of all rows (T).
    distribution : {"hypergeometric", "binomial"}
        Without or with putting back. The sum ends at min(t, P) with both.

    Returns
    -------
    float
        From 0 to 1; the smaller, the more significant is the rule.

    Examples
    --------
    >>> round(rule_significance(2, 6, 3, 10), 5)
    0.66667
    >>> round(rule_significance(2, 6, 3, 10, "binomial"), 3)
    0.509
    """
    return math.exp(min(log_significance(right, covered, of_class, total, distribution), 0.0))


def log_significance(
    right: float, covered: float, of_class: float, total: float, distribution: Distribution = "hypergeometric"
) -> float:
    """Give the natural logarithm of `rule_significance`, which may be too small for a number itself."""
    if not (0 <= right <= covered + NOTHING and right <= of_class + NOTHING and of_class <= total + NOTHING):
        msg = (
            f"a rule covers {right} right of {covered}, where {of_class} of {total} are of its class; "
            "expected right <= covered, right <= of_class and of_class <= total"
        )
        raise ValueError(msg)
    if covered > total + NOTHING:
        msg = f"a rule covers {covered} of {total}; expected no more than there are"
        raise ValueError(msg)
    whole = all(float(number).is_integer() for number in (right, covered, of_class, total))
    if whole and total <= MOST_EXACT:
        return _exact(int(right), int(covered), int(of_class), int(total), distribution)
    # counted up to the last value that is not beyond min(t, P), rounding aside
    picks = right + np.arange(math.floor(min(covered, of_class) - right + NOTHING) + 1)
    picks = np.minimum(picks, min(covered, of_class))
    if distribution == "binomial":
        share = of_class / total
        if share >= 1.0:
            return 0.0
        terms = _log_choose(covered, picks) + picks * math.log(share) + (covered - picks) * math.log1p(-share)
    else:
        others = np.maximum(covered - picks, 0.0)
        possible = others <= total - of_class + NOTHING
        others = np.minimum(others[possible], total - of_class)
        if not possible.any():
            return 0.0
        terms = _log_choose(of_class, picks[possible]) + _log_choose(total - of_class, others)
        terms -= _log_choose(total, np.array([min(covered, total)]))
    return min(float(logsumexp(terms)), 0.0)


def _exact(right: int, covered: int, of_class: int, total: int, distribution: Distribution) -> float:
    """By whole numbers of any length."""
    picks = range(right, min(covered, of_class) + 1)
    if distribution == "binomial":
        above = sum(
            math.comb(covered, pick) * of_class**pick * (total - of_class) ** (covered - pick) for pick in picks
        )
        return _log_ratio(above, total**covered)
    above = sum(math.comb(of_class, pick) * math.comb(total - of_class, covered - pick) for pick in picks)
    return _log_ratio(above, math.comb(total, covered))


def _log_ratio(above: int, below: int) -> float:
    return (
        math.log(above / below) if above.bit_length() > below.bit_length() - 1000 else math.log(above) - math.log(below)
    )


def _log_choose(total: float, picks: np.ndarray) -> np.ndarray:
    """The logarithm of the binomial coefficient, of numbers that need not be whole."""
    found: np.ndarray = gammaln(total + 1) - gammaln(picks + 1) - gammaln(total - picks + 1)
    return found
