"""The significance of a rule: the probability that a random rule does as well.

A rule covers t of T rows, p of them of its class, of which there are P. A random rule draws t rows;
`rule_significance` is the probability that at least p of them are of the class: by the hypergeometric distribution, or
by the binomial one (with replacement).

Weights need not be whole numbers: binomial coefficients then use the gamma function, and the sum starts with p and has
steps of one.
"""

from __future__ import annotations

import math
from typing import Literal

from scipy.special import gammaln

Distribution = Literal["hypergeometric", "binomial"]
DISTRIBUTIONS: tuple[Distribution, ...] = ("hypergeometric", "binomial")
MOST_EXACT = 1000  # up to this many rows, exact integer sums
MOST_SUMMED = 1e9  # up to this weight, sums of terms
ROUNDED = 1e-4  # for larger weights, the accuracy of the logarithm
NOTHING = 1e-9  # smaller weights are rounding errors
NEGLIGIBLE = 1e-20  # of a sum


def rule_significance(
    right: float, covered: float, of_class: float, total: float, distribution: Distribution = "hypergeometric"
) -> float:
    """Return the probability that a random rule does at least as well.

    Parameters
    ----------
    right, covered : float
        Weight that the rule covers of its class (p), and in all (t).
    of_class, total : float
        Weight of the class (P), and of all rows (T).
    distribution : {"hypergeometric", "binomial"}
        Rows drawn without or with replacement. The sum ends at min(t, P) with both.

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
    """Return the natural logarithm of `rule_significance`, which itself may underflow."""
    slack = NOTHING * max(total, 1.0)
    if not (0 <= right <= covered + slack and right <= of_class + slack and of_class <= total + slack):
        msg = (
            f"a rule covers {right} right of {covered}, where {of_class} of {total} are of its class; "
            "expected right <= covered, right <= of_class and of_class <= total"
        )
        raise ValueError(msg)
    if covered > total + slack:
        msg = f"a rule covers {covered} of {total}; expected no more than there are"
        raise ValueError(msg)
    whole = all(float(number).is_integer() for number in (right, covered, of_class, total))
    if whole and total <= MOST_EXACT:
        return _exact(int(right), int(covered), int(of_class), int(total), distribution)
    # The number of terms is about the square root of the total; the logarithm is proportional to very large weights.
    factor = max(total / MOST_SUMMED, 1.0)
    found = min(_log_tail(right / factor, covered / factor, of_class / factor, total / factor, distribution), 0.0)
    return 0.0 if factor > 1 and found > -ROUNDED else factor * found


def _log_tail(right: float, covered: float, of_class: float, total: float, distribution: Distribution) -> float:
    """The sum from `right` up: from about its largest term in both directions, until terms are negligible."""
    greatest, others = min(covered, of_class), total - of_class
    if of_class >= total and distribution == "binomial":
        return 0.0
    odds = of_class / others if others > 0 else 0.0

    def ratio(pick: float) -> float:
        """The term of one more, divided by that of `pick`."""
        more = max(covered - pick, 0.0) / (pick + 1.0)
        if distribution == "binomial":
            return more * odds
        return more * max(of_class - pick, 0.0) / max(others - covered + pick + 1.0, NOTHING)

    # fewer of the class are impossible if there are not enough others, up to rounding
    first = 0 if distribution == "binomial" else max(math.ceil(covered - right - others - NOTHING), 0)
    last = math.floor(greatest - right + NOTHING)
    if first > last:
        return 0.0
    middle = min(max(round(covered * of_class / total - right), first), last)
    pick = min(right + middle, greatest)
    if distribution == "binomial":
        logarithm = _log_choose(covered, pick) + pick * math.log(of_class / total)
        logarithm += (covered - pick) * math.log1p(-of_class / total)
    else:
        rest = min(max(covered - pick, 0.0), others)
        logarithm = _log_choose(of_class, pick) + _log_choose(others, rest) - _log_choose(total, min(covered, total))
    together = term = 1.0
    for step in range(middle, last):
        term *= ratio(right + step)
        together += term
        if term < NEGLIGIBLE * together:
            break
    term = 1.0
    for step in range(middle - 1, first - 1, -1):
        term /= ratio(right + step)
        together += term
        if term < NEGLIGIBLE * together:
            break
    return logarithm + math.log(together)


def _exact(right: int, covered: int, of_class: int, total: int, distribution: Distribution) -> float:
    """With integers of any size."""
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


def _log_choose(total: float, picks: float) -> float:
    """The logarithm of the binomial coefficient, for real numbers."""
    return float(gammaln(total + 1) - gammaln(picks + 1) - gammaln(total - picks + 1))
