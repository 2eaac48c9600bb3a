"""Sums of numbers that do not depend on the order: every number is rounded to a multiple of 2 to the -60th."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.core.base.arrays import AnyArray, Floats, Ints64

    Counts = NDArray[np.object_]  # of integers of any size

HIGH, LOW = 20, 60  # bits after the binary point of the two parts of a number
BLOCK_ROWS = 1 << 16


def parts_of(values: Floats) -> tuple[Ints64, Ints64]:
    """Numbers as integers: multiples of 2 to the -20th, and what is left in multiples of 2 to the -60th."""
    high = np.rint(values * 2.0**HIGH)
    low = np.rint((values - high * 2.0**-HIGH) * 2.0**LOW)
    return high.astype(np.int64), low.astype(np.int64)


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
        high, low = parts_of(values[start : start + BLOCK_ROWS])
        total += (int(high.sum()) << (LOW - HIGH)) + int(low.sum())
    return total


def exact_sums(values: Floats, groups: AnyArray, n_groups: int) -> Counts:
    """The sums of numbers by group, in the same unit.

    Examples
    --------
    >>> import numpy as np
    >>> [as_number(total) for total in exact_sums(np.array([0.1, 0.2, 0.3]), np.array([0, 1, 0]), 2)]
    [0.4, 0.2]
    """
    totals = np.zeros(n_groups, object)
    for start in range(0, len(values), BLOCK_ROWS):
        own = groups[start : start + BLOCK_ROWS]
        for part, bits in zip(parts_of(values[start : start + BLOCK_ROWS]), (LOW - HIGH, 0), strict=True):
            sums = np.zeros(n_groups, np.int64)
            np.add.at(sums, own, part)
            here = np.flatnonzero(sums)
            totals[here] += sums[here].astype(object) * (1 << bits)
    return totals


def as_number(total: int, count: int = 1) -> float:
    """A sum divided by a count, rounded once."""
    return total / (count << LOW)
