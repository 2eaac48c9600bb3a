"""fastcluster, an optional peer: joinings by Ward's criterion from vectors, without a matrix of distances."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.peer import Learner

if TYPE_CHECKING:
    from benchmarks.data import Rows


def why_absent() -> str | None:
    """Why it cannot take part, or None."""
    found = importlib.util.find_spec("fastcluster")
    return "fastcluster was not found (pip install fastcluster)" if found is None else None


def ward(threads: int) -> Learner:
    """Its way that takes rows."""
    del threads
    import fastcluster  # noqa: PLC0415 - optional

    def fit(rows: Rows) -> Any:  # noqa: ANN401 - an array
        return fastcluster.linkage_vector(np.asarray(rows.numbers, np.float64), "ward")

    return Learner(
        fit, lambda _, rows: np.zeros(len(rows), np.int32), lambda tree: {"height": float(np.sum(tree[:, 2]))}
    )
