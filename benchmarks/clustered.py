"""What the races of clusters share: rows around fifty places, given starts, a fixed number of steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.peer import Learner

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from benchmarks.data import Rows

COLUMNS = 16
PLACES = 50
STEPS = 20


def matrix(rows: Rows) -> NDArray[np.float64]:
    """The first columns, moved to one of the places each."""
    random = np.random.default_rng(10)
    places = 2 * random.normal(size=(PLACES, COLUMNS))
    return np.ascontiguousarray(rows.numbers[:, :COLUMNS] + places[random.integers(0, PLACES, len(rows))], np.float64)


def clustered(fit: Callable[[NDArray[np.float64]], Any], figure: Callable[[Any], float]) -> Learner:
    """A learner of clusters: its figure is the error, or the likelihood, that it ends with."""
    return Learner(
        fit=fit,
        predict=lambda _, rows: np.zeros(len(rows), np.int32),  # there is nothing to be right about
        facts=lambda model: {"figure": float(figure(model))},
        ready=matrix,
    )
