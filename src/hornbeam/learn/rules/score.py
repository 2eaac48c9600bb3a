"""Scores of rules that cover t rows, p of them of their class, where P of T rows are of the class.

Conditions are chosen by `gain` or p/t (compiled, in `core/rules`); rules are pruned and chosen by a `worth`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from hornbeam.learn.rules.significance import log_significance

if TYPE_CHECKING:
    from collections.abc import Callable

Worth = Literal["margin", "share", "correct", "significance"]


def share(right: float, covered: float, of_class: float = 0.0, total: float = 0.0) -> float:  # noqa: ARG001
    """p/t, the accuracy on the covered rows; 0 if no row is covered.

    Examples
    --------
    >>> share(1, 1) > share(1000, 1001)
    True
    """
    return right / covered if covered > 0 else 0.0


def margin(right: float, covered: float, of_class: float = 0.0, total: float = 0.0) -> float:  # noqa: ARG001
    """(p - n)/t, the accuracy minus the error rate on the covered rows: 2 p/t - 1, which orders rules as p/t does.

    Examples
    --------
    >>> margin(3, 4)
    0.5
    """
    return (2.0 * right - covered) / covered if covered > 0 else -1.0


def correct(right: float, covered: float, of_class: float, total: float) -> float:
    """[p + (N - n)]/T: the fraction of all rows that the rule classifies correctly, including uncovered ones.

    Examples
    --------
    >>> correct(2000, 3000, 5000, 10000) > correct(1000, 1001, 5000, 10000)
    True
    """
    return (right + (total - of_class) - (covered - right)) / total if total > 0 else 0.0


def significance(right: float, covered: float, of_class: float, total: float) -> float:
    """-log m(R): minus the logarithm of the probability that a random rule of the same coverage does as well."""
    return -log_significance(right, covered, of_class, total) if total > 0 else 0.0


def gain(right: float, covered: float, of_class: float, total: float, added: float = 0.0) -> float:
    """Information gain of a condition, p (log p/t - log P/T), in bits.

    Parameters
    ----------
    right, covered : float
        With the condition.
    of_class, total : float
        Before it.
    added : float
        Added to every count, so that small counts matter less.

    Examples
    --------
    >>> gain(2, 2, 4, 8)
    2.0
    """
    if right <= 0:
        return 0.0
    rate, before = (right + added) / (covered + added), (of_class + added) / (total + added)
    return right * (math.log(rate) / math.log(2.0) - math.log(before) / math.log(2.0))


WORTHS: dict[str, Callable[[float, float, float, float], float]] = {
    "margin": margin,
    "share": share,
    "correct": correct,
    "significance": significance,
}
