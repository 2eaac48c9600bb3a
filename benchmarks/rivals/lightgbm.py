"""LightGBM, an optional peer (``pip install lightgbm``): by row, by column, and with rounded gradients."""

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
    """Why LightGBM cannot take part, or None."""
    return None if importlib.util.find_spec("lightgbm") else "LightGBM is not installed (pip install lightgbm)"


def boost_31(threads: int) -> Learner:
    """Trees of 31 leaves, sums taken row by row."""
    return _learner(threads, 31, force_row_wise=True)


def boost_31_by_column(threads: int) -> Learner:
    """The same, sums taken column by column."""
    return _learner(threads, 31, force_col_wise=True)


def boost_31_rounded(threads: int) -> Learner:
    """The same with gradients rounded to a few levels."""
    return _learner(threads, 31, use_quantized_grad=True)


def boost_255(threads: int) -> Learner:
    """Trees of 255 leaves, sums taken row by row."""
    return _learner(threads, 255, force_row_wise=True)


def boost_255_by_column(threads: int) -> Learner:
    """The same, sums taken column by column."""
    return _learner(threads, 255, force_col_wise=True)


def boost_255_rounded(threads: int) -> Learner:
    """The same with gradients rounded to a few levels."""
    return _learner(threads, 255, use_quantized_grad=True)


def _learner(threads: int, leaves: int, **way: bool) -> Learner:
    import lightgbm  # type: ignore[import-untyped]  # noqa: PLC0415 - optional

    def fit(rows: Rows) -> Any:  # noqa: ANN401 - LightGBM's model
        n_classes = rows.n_classes
        loss = "regression" if not n_classes else "binary" if n_classes == 2 else "multiclass"  # noqa: PLR2004
        choices = {
            "objective": loss,
            "num_leaves": leaves,
            "learning_rate": LEARNING_RATE,
            "num_threads": threads,
        } | way
        choices |= {"verbosity": -1, "seed": 0} | ({"num_class": n_classes} if loss == "multiclass" else {})
        numbers = matrix(rows)
        nominal = list(range(rows.numbers.shape[1], numbers.shape[1]))
        data = lightgbm.Dataset(numbers, rows.target, categorical_feature=nominal, params=choices)
        return lightgbm.train(choices, data, ROUNDS)

    def predict(model: Any, rows: Rows) -> NDArray[np.float64]:  # noqa: ANN401
        return np.asarray(model.predict(matrix(rows), num_threads=threads))

    return boosted(fit, predict, lambda model: {"leaves": int(model.trees_to_dataframe().left_child.isna().sum())})
