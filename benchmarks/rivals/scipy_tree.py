"""SciPy's k-d tree."""

from __future__ import annotations

from scipy.spatial import cKDTree

from benchmarks.queries import NEIGHBORS, Predictor, mean_distance


def why_absent() -> str | None:
    """Never absent: hornbeam needs it."""
    return None


def neighbors(threads: int) -> Predictor:
    """The nearest rows."""
    return Predictor(
        lambda rows: cKDTree(rows.numbers),
        lambda tree, rows: tree.query(rows.numbers, NEIGHBORS, workers=threads)[1],
        mean_distance,
    )
