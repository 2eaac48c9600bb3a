"""scikit-learn's neighbors, by its trees and one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from benchmarks.queries import NEIGHBORS, Predictor, mean_distance, wrong_matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.data import Rows


def why_absent() -> str | None:
    """Never absent: hornbeam needs it."""
    return None


def neighbors_kd(threads: int) -> Predictor:
    """By its k-d tree."""
    return _predictor("kd_tree", threads)


def neighbors_ball(threads: int) -> Predictor:
    """By its ball tree."""
    return _predictor("ball_tree", threads)


def neighbors_brute(threads: int) -> Predictor:
    """By looking at every row."""
    return _predictor("brute", threads)


def neighbors_mixed(threads: int) -> Predictor:
    """By looking at every row, made ready before: means for missing numbers, a column of zeros and ones a category."""
    return Predictor(
        lambda matrix: _learner("brute", threads).fit(matrix),
        _predict,
        lambda train, queries, found: wrong_matrix(*_prepared(train, queries), found),
        ready=_prepared,
    )


def _prepared(train: Rows, queries: Rows) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    low, high = np.nanmin(train.numbers, axis=0), np.nanmax(train.numbers, axis=0)
    mean = np.nanmean(train.numbers, axis=0)

    def prepared(rows: Rows) -> NDArray[np.float32]:
        parts = [(np.where(np.isnan(rows.numbers), mean, rows.numbers) - low) / (high - low)]
        for column, n in enumerate(rows.n_categories):  # two categories differ by one
            parts.append((rows.codes[:, column, np.newaxis] == np.arange(n)) * np.sqrt(0.5))
        return np.hstack(parts).astype(np.float32)

    return prepared(train), prepared(queries)


def _learner(way: str, threads: int) -> Any:  # noqa: ANN401 - scikit-learn has no types
    return NearestNeighbors(n_neighbors=NEIGHBORS, algorithm=way, n_jobs=threads)


def _predict(model: Any, queries: NDArray[Any]) -> NDArray[Any]:  # noqa: ANN401
    return np.asarray(model.kneighbors(queries, return_distance=False))


def _predictor(way: str, threads: int) -> Predictor:
    return Predictor(
        lambda rows: _learner(way, threads).fit(rows.numbers),
        lambda model, rows: _predict(model, rows.numbers),
        mean_distance,
    )
