"""Sums by cluster that do not depend on the order of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.scale.linear.exact import HIGH, LOW

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats, Ints32

BLOCK_ROWS = 1 << 13  # sums of this many parts of numbers are below 2 to the 53rd, and therefore exact


def sums_by(labels: Ints32, values: Floats, k: int) -> AnyArray:
    """Sums of numbers by label, as integers in units of 2 to the -60th; numbers are below 2 to the 19th, or NaN.

    Examples
    --------
    >>> import numpy as np
    >>> sums_by(np.array([0, 1, 0], np.int32), np.array([0.5, np.nan, 0.25]), 2) / 2**60
    array([0.75, 0.0], dtype=object)
    """
    total = np.zeros(k, object)
    total[:] = 0
    for start in range(0, len(values), BLOCK_ROWS):
        part, own = values[start : start + BLOCK_ROWS], labels[start : start + BLOCK_ROWS]
        known = ~np.isnan(part)
        if not known.all():
            part, own = part[known], own[known]
        high = np.rint(part * 2.0**HIGH)
        low = np.rint((part - high * 2.0**-HIGH) * 2.0**LOW)
        for parts, shift in ((high, LOW - HIGH), (low, 0)):
            found: list[Any] = np.bincount(own, parts, minlength=k).astype(np.int64).tolist()
            total += np.array([one << shift for one in found], object)
    return total


def as_numbers(totals: AnyArray, counts: AnyArray) -> Floats:
    """Sums divided by counts, each rounded once; 0 where the count is."""
    pairs = zip(totals.ravel().tolist(), counts.ravel().tolist(), strict=True)
    means = [total / (int(count) << LOW) if count else 0.0 for total, count in pairs]
    return np.array(means, np.float64).reshape(totals.shape)


def counts_by(labels: Ints32, codes: Ints32, k: int, n: int) -> AnyArray:
    """How often each of `n` codes occurs with each of `k` labels; codes below 0 are missing."""
    known = codes >= 0
    return np.bincount(labels[known].astype(np.int64) * n + codes[known], minlength=k * n).reshape(k, n)


def powers_above(sizes: Floats) -> Floats:
    """The powers of two that are not below these sizes."""
    return np.ldexp(1.0, np.frexp(np.where(sizes > 0, sizes, 1.0))[1])
