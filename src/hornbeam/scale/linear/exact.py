"""Sums of numbers that do not depend on the order: every number is rounded to a multiple of 2 to the -60th."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats

HIGH, LOW = 20, 60  # bits after the binary point of the two parts of a number
BLOCK_ROWS = 1 << 16


def exact_sum(values: Floats) -> int:
    """The sum of numbers below 2 to the 40th, in units of 2 to the -60th.

    Examples
    --------
    >>> import numpy as np
    >>> as_number(exact_sum(np.array([0.1] * 10)))
    1.0
    """
    total = 0
    for start in range(0, len(values), BLOCK_ROWS):
        part = values[start : start + BLOCK_ROWS]
        high = np.rint(part * 2.0**HIGH)
        low = np.rint((part - high * 2.0**-HIGH) * 2.0**LOW)
        total += (int(high.astype(np.int64).sum()) << (LOW - HIGH)) + int(low.astype(np.int64).sum())
    return total


def as_number(total: int, count: int = 1) -> float:
    """A sum divided by a count, rounded once."""
    return total / (count << LOW)
