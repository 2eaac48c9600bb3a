"""Support vector machines in the races: what all peers share."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from benchmarks.peer import Learner

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from benchmarks.data import Rows

C = 1.0
GAMMA = 0.05
TOLERANCE = 1e-3
CACHE = 200  # MB
FEW_ROWS = 20_000  # of more, the objective takes too long to compute
BINS, NOISE_COLUMNS, NOISE_VALUES = 400, 2_000, 60  # 20 columns in bins, and noise: 10,000 sparse columns


def sparse_rows(rows: Rows) -> Any:  # noqa: ANN401 - SciPy has no types
    """10,000 columns, 80 of them not zero in every row: one for the bin of each number, and 60 that say nothing.

    Every row is scaled to length 1, as texts are.
    """
    numbers = rows.numbers
    n, columns = numbers.shape
    bins = np.clip(((numbers + 4) * (BINS / 8)).astype(np.int64), 0, BINS - 1) + BINS * np.arange(columns)
    random = np.random.default_rng(n)
    noise = random.integers(0, NOISE_COLUMNS, (n, NOISE_VALUES)) + BINS * columns
    places = np.hstack([bins, noise])
    values = random.random(places.shape) + 0.5
    values /= np.sqrt((values**2).sum(axis=1, keepdims=True))
    start = np.arange(n + 1) * places.shape[1]
    found = sparse.csr_matrix((values.ravel(), places.ravel(), start), (n, BINS * columns + NOISE_COLUMNS))
    found.sum_duplicates()
    return found


def machine(
    fit: Callable[[Any], Any],
    predict: Callable[[Any, Rows], NDArray[Any]],
    facts: Callable[[Any], dict[str, Any]],
    ready: Callable[[Rows], Any] = lambda rows: rows,
) -> Learner:
    """A learner whose predictions are timed too, by CPU time: `predict_us` is in microseconds per row."""
    spent = {"predict_us": 0.0}

    def timed(model: Any, rows: Rows) -> NDArray[Any]:  # noqa: ANN401 - whatever the peer has
        start = time.process_time()
        predictions = predict(model, rows)
        spent["predict_us"] = 1e6 * (time.process_time() - start) / len(rows)
        return predictions

    return Learner(fit, timed, lambda model: {**facts(model), **spent}, ready)
