"""scikit-learn's boosting by histograms."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from benchmarks.boosted import LEARNING_RATE, ROUNDS, boosted, matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.data import Rows
    from benchmarks.peer import Learner


def why_absent() -> str | None:
    """Never absent: hornbeam needs it."""
    return None


def boost_31(threads: int) -> Learner:
    """Trees of 31 leaves."""
    return _learner(threads, 31)


def boost_255(threads: int) -> Learner:
    """Trees of 255 leaves."""
    return _learner(threads, 255)


def _learner(threads: int, leaves: int) -> Learner:
    from threadpoolctl import threadpool_limits  # noqa: PLC0415 - scikit-learn brings it along

    def fit(rows: Rows) -> Any:  # noqa: ANN401 - scikit-learn has no types
        numbers = matrix(rows)
        nominal = [j >= rows.numbers.shape[1] for j in range(numbers.shape[1])] if rows.n_categories else None
        kind = HistGradientBoostingClassifier if rows.n_classes else HistGradientBoostingRegressor
        learner = kind(
            learning_rate=LEARNING_RATE,
            max_iter=ROUNDS,
            max_leaf_nodes=leaves,
            early_stopping=False,
            categorical_features=nominal,
            random_state=0,
        )
        with threadpool_limits(threads) if threads else nullcontext():
            return learner.fit(numbers, rows.target)

    def predict(model: Any, rows: Rows) -> NDArray[np.float64]:  # noqa: ANN401
        return np.asarray(model.predict_proba(matrix(rows)) if rows.n_classes else model.predict(matrix(rows)))

    return boosted(
        fit, predict, lambda model: {"leaves": sum(t.get_n_leaf_nodes() for i in model._predictors for t in i)}
    )
