"""LightGBM's forest mode, an optional peer (``pip install lightgbm``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.boosted import boosted, matrix
from benchmarks.peer import FOREST_LEAVES, LEAVES_TREES, forest_columns
from benchmarks.rivals.lightgbm import why_absent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.data import Rows
    from benchmarks.peer import Learner

__all__ = ["forest_leaves", "why_absent"]

DRAWN = 0.632  # of the rows, which is what a bootstrap draws; they are drawn once each


def forest_leaves(threads: int) -> Learner:
    """A random forest with the same number of leaves per tree as the others."""
    import lightgbm  # type: ignore[import-untyped]  # noqa: PLC0415 - optional

    def fit(rows: Rows) -> Any:  # noqa: ANN401 - LightGBM's model
        numbers = matrix(rows)
        n_classes = rows.n_classes
        choices = {
            "objective": "regression" if not n_classes else "binary" if n_classes == 2 else "multiclass",  # noqa: PLR2004
            "num_class": n_classes if n_classes > 2 else 1,  # noqa: PLR2004
            "boosting": "rf",
            "num_leaves": FOREST_LEAVES,
            "min_data_in_leaf": 1,
            "min_sum_hessian_in_leaf": 0.0,
            "bagging_fraction": DRAWN,
            "bagging_freq": 1,
            "feature_fraction_bynode": forest_columns(numbers.shape[1]) / numbers.shape[1],
            "num_threads": threads,
            "verbosity": -1,
            "seed": 0,
        }
        nominal = list(range(rows.numbers.shape[1], numbers.shape[1]))
        data = lightgbm.Dataset(numbers, rows.target, categorical_feature=nominal, params=choices)
        return lightgbm.train(choices, data, LEAVES_TREES)

    def predict(model: Any, rows: Rows) -> NDArray[np.float64]:  # noqa: ANN401
        return np.asarray(model.predict(matrix(rows), num_threads=threads))

    return boosted(fit, predict, lambda model: {"leaves": int(model.trees_to_dataframe().left_child.isna().sum())})
