"""Optimal trees on numeric columns of the package pycontree (ConTree), an optional peer (``pip install pycontree``)."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.peer import Learner

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.data import Rows

LONG = 3600.0  # seconds


def why_absent() -> str | None:
    """Why it cannot take part, or None."""
    return None if importlib.util.find_spec("pycontree") else "not installed (pip install pycontree)"


def optimal_two(threads: int) -> Learner:
    """The tree of depth two with the fewest errors; it knows one thread only."""
    return _optimal(threads, 2)


def optimal_three(threads: int) -> Learner:
    """The tree of depth three."""
    return _optimal(threads, 3)


def _optimal(threads: int, depth: int) -> Learner:
    from pycontree import ConTree  # type: ignore[import-not-found]  # noqa: PLC0415 - optional

    assert threads == 1

    def fit(rows: Rows) -> Any:  # noqa: ANN401 - its model
        learner = ConTree(max_depth=depth, time_limit=LONG)
        learner.fit(rows.numbers.astype(np.float64), rows.target)
        return learner

    def predict(model: Any, rows: Rows) -> NDArray[Any]:  # noqa: ANN401
        return np.asarray(model.predict(rows.numbers.astype(np.float64)), np.int32)

    return Learner(fit, predict, lambda _model: {}, report_training_error=True)
