"""XGBoost by histograms, an optional peer (``pip install xgboost``)."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.boosted import LEARNING_RATE, ROUNDS, boosted, matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.data import Rows
    from benchmarks.peer import Learner


def why_absent() -> str | None:
    """Why XGBoost cannot take part, or None."""
    return None if importlib.util.find_spec("xgboost") else "XGBoost is not installed (pip install xgboost)"


def boost_31(threads: int) -> Learner:
    """Trees of 31 leaves, the leaf that gains most split first."""
    return _learner(threads, 31)


def boost_255(threads: int) -> Learner:
    """Trees of 255 leaves."""
    return _learner(threads, 255)


def _learner(threads: int, leaves: int) -> Learner:
    import xgboost  # type: ignore[import-untyped]  # noqa: PLC0415 - optional

    def data(rows: Rows, *, learning: bool) -> Any:  # noqa: ANN401 - XGBoost's
        kinds = ["q"] * rows.numbers.shape[1] + ["c"] * len(rows.n_categories)
        kind = xgboost.QuantileDMatrix if learning else xgboost.DMatrix
        target = rows.target if learning else None
        return kind(matrix(rows), target, feature_types=kinds, enable_categorical=True, nthread=threads)

    def fit(rows: Rows) -> Any:  # noqa: ANN401
        n_classes = rows.n_classes
        loss = "reg:squarederror" if not n_classes else "binary:logistic" if n_classes == 2 else "multi:softprob"  # noqa: PLR2004
        choices = {
            "objective": loss,
            "tree_method": "hist",
            "grow_policy": "lossguide",
            "max_leaves": leaves,
            "max_depth": 0,
            "eta": LEARNING_RATE,
            "nthread": threads,
            "verbosity": 0,
        } | ({"num_class": n_classes} if loss == "multi:softprob" else {})
        return xgboost.train(choices, data(rows, learning=True), ROUNDS)

    def predict(model: Any, rows: Rows) -> NDArray[np.float64]:  # noqa: ANN401
        return np.asarray(model.predict(data(rows, learning=False)), np.float64)

    return boosted(fit, predict, lambda _: {})
