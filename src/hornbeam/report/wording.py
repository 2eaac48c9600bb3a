"""Numbers and names as text, for every section of a report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hornbeam.show.texts.wording import printable, short_number

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST_P = 0.0001  # smaller p-values are written as "< 0.0001"


def number_text(value: float) -> str:
    """Write a number with a few digits, or a dash for NaN."""
    if math.isnan(value):
        return "-"
    return "infinite" if math.isinf(value) else short_number(value)


def p_text(p_value: float) -> str:
    """Write a p-value.

    Examples
    --------
    >>> p_text(0.0312), p_text(1e-9), p_text(1.0)
    ('0.031', '< 0.0001', '1.000')
    """
    if math.isnan(p_value):
        return "-"
    if p_value < LEAST_P:
        return f"< {LEAST_P:.4f}"
    return f"{p_value:.4f}" if p_value < 0.001 else f"{p_value:.3f}"  # noqa: PLR2004 - one more digit for small values


def distinct(names: Sequence[str], room: int) -> list[str]:
    """Shorten names to `room` characters, and number those that become the same.

    Examples
    --------
    >>> distinct(["a long name", "a long gone one", "short"], 7)
    ['a long…', 'a long… (2)', 'short']
    """
    seen: dict[str, int] = {}
    shortened = []
    for name in names:
        short = printable(name, room)
        seen[short] = seen.get(short, 0) + 1
        shortened.append(short if seen[short] == 1 else f"{short} ({seen[short]})")
    return shortened
