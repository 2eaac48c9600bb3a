"""Counts and fractions in words, for messages and texts of every layer."""

from __future__ import annotations

import math
from string import ascii_lowercase


def plural(count: int, word: str, words: str = "") -> str:
    """Write a count with its noun; `words` is the plural, by default `word` with an s.

    Examples
    --------
    >>> plural(1, "leaf", "leaves"), plural(2, "leaf", "leaves"), plural(3, "row")
    ('1 leaf', '2 leaves', '3 rows')
    """
    return f"{count} {word if count == 1 else words or word + 's'}"


def percent(fraction: float, decimals: int = 1) -> str:
    """Write a fraction as a percentage, or a dash for NaN.

    Examples
    --------
    >>> percent(0.1234), percent(0.1234, 2), percent(float("nan"))
    ('12.3%', '12.34%', '-')
    """
    return "-" if math.isnan(fraction) else f"{100 * fraction:.{decimals}f}%"


def letter(place: int) -> str:
    """Name a position: a to z, then aa, ab and so on.

    Examples
    --------
    >>> letter(0), letter(25), letter(26), letter(53)
    ('a', 'z', 'aa', 'bb')
    """
    before, last = divmod(place, len(ascii_lowercase))
    return (letter(before - 1) if before else "") + ascii_lowercase[last]
