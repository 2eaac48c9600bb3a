"""Differences and their intervals in words: rows of a hundred, percentages, with as many digits as needed."""

from __future__ import annotations

import math

MOST_DIGITS = 6
FEW_ROWS = 100


def digits_for(*values: float, within: tuple[float, float] = (0.0, 1.0)) -> int:
    """How many decimals to print so that no value that is not zero prints as zero, and no part as the whole.

    Parameters
    ----------
    *values : float
        Values such as a difference and the ends of its interval.
    within : tuple of float
        A part and the whole, such as rows that are right and all rows.

    Examples
    --------
    >>> digits_for(12.2, 9.6, 15.1), digits_for(0.42, 0.04, 0.8), digits_for(12.0, within=(99.6, 100))
    (0, 2, 1)
    """
    small = min((abs(value) for value in values if value and math.isfinite(value)), default=1.0)
    part, whole = within
    digits = 0
    while digits < MOST_DIGITS and (
        float(f"{small:.{digits}f}") == 0 or (part < whole and float(f"{part:.{digits}f}") >= whole)
    ):
        digits += 1
    return digits


def number(value: float, digits: int) -> str:
    """Write a number, zero without a minus sign.

    Examples
    --------
    >>> number(-1.25, 1), number(-0.01, 1)
    ('-1.2', '0.0')
    """
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text


def span(interval: tuple[float, float], scale: float, digits: int, unit: str = "") -> str:
    """Write an interval, such as ``9 to 15``.

    Examples
    --------
    >>> span((0.09, 0.15), 100, 0), span((-0.02, 0.15), 100, 0, "%")
    ('9 to 15', '-2% to 15%')
    """
    low, high = (number(scale * end, digits) + unit for end in interval)
    return f"{low} to {high}"
