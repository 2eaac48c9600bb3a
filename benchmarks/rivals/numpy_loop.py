"""Local regressions as one would write them with NumPy: a loop over the query rows, and `lstsq`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.queries import FEW_QUERIES, REACH, Predictor, numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.data import Rows

BEYOND = 1.0001  # the row that gives the reach counts too, if next to nothing, as with hornbeam


def why_absent() -> str | None:
    """Never absent: hornbeam needs NumPy."""
    return None


def lwr(_threads: int) -> Predictor:
    """Of the nearest rows."""
    return Predictor(
        lambda rows: rows, lambda train, queries: _predictions(train, queries, REACH), numbers, FEW_QUERIES
    )


def lwr_all(_threads: int) -> Predictor:
    """Of all rows."""
    return Predictor(
        lambda rows: rows, lambda train, queries: _predictions(train, queries, len(train)), numbers, FEW_QUERIES
    )


def _predictions(train: Rows, queries: Rows, k: int) -> NDArray[Any]:
    x = train.numbers.astype(np.float64)
    low, wide = x.min(axis=0), np.ptp(x, axis=0)
    x, q = (x - low) / wide, (queries.numbers - low) / wide
    design = np.column_stack([np.ones(len(x)), x])
    found = np.empty(len(q))
    for row in range(len(q)):
        far = np.sqrt(((x - q[row]) ** 2).sum(axis=1))
        share = far / (BEYOND * np.partition(far, k - 1)[k - 1])
        near = np.flatnonzero(share < 1)
        root = (1 - share[near] ** 3) ** 1.5
        slope = np.linalg.lstsq(design[near] * root[:, np.newaxis], train.target[near] * root, rcond=None)[0]
        found[row] = slope[0] + q[row] @ slope[1:]
    return found
