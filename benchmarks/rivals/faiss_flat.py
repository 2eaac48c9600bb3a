"""The flat index of faiss, an optional peer: every row is looked at."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

from benchmarks.queries import NEIGHBORS, Predictor, mean_distance

if TYPE_CHECKING:
    from benchmarks.data import Rows


def why_absent() -> str | None:
    """Why it cannot take part, or None."""
    return None if importlib.util.find_spec("faiss") else "faiss is not installed (pip install faiss-cpu)"


def neighbors(threads: int) -> Predictor:
    """The nearest rows."""
    import faiss  # noqa: PLC0415 - optional

    faiss.omp_set_num_threads(threads)

    def fit(rows: Rows) -> Any:  # noqa: ANN401 - faiss has no types
        index = faiss.IndexFlatL2(rows.numbers.shape[1])
        index.add(rows.numbers)
        return index

    return Predictor(fit, lambda index, rows: index.search(rows.numbers, NEIGHBORS)[1], mean_distance)
