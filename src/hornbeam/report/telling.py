"""Figures in words, for every section of a report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hornbeam.show.texts.wording import printable, short_number

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST_P = 0.0001  # smaller ones are told as such


def figure_words(figure: float) -> str:
    """Write a figure with a few digits, or say that there is none, or no end to it."""
    if math.isnan(figure):
        return "-"
    return "infinite" if math.isinf(figure) else short_number(figure)


def p_words(p_value: float) -> str:
    """Write a p-value.

    Examples
    --------
    >>> p_words(0.0312), p_words(1e-9), p_words(1.0)
    ('0.031', '< 0.0001', '1.000')
    """
    if math.isnan(p_value):
        return "-"
    if p_value < LEAST_P:
        return f"< {LEAST_P:.4f}"
    return f"{p_value:.4f}" if p_value < 0.001 else f"{p_value:.3f}"  # noqa: PLR2004 - a digit more where it tells


def distinct(names: Sequence[str], room: int) -> list[str]:
    """Shorten names to some room, and number those that are then the same.

    Examples
    --------
    >>> distinct(["a long name", "a long gone one", "short"], 7)
    ['a long…', 'a long… (2)', 'short']
    """
    seen: dict[str, int] = {}
    found = []
    for name in names:
        short = printable(name, room)
        seen[short] = seen.get(short, 0) + 1
        found.append(short if seen[short] == 1 else f"{short} ({seen[short]})")
    return found
