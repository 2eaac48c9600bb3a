"""Base of the regressors: a numeric target in, float64 predictions out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import column_or_1d

from hornbeam.data.schema import Column, Numeric, SchemaError
from hornbeam.learn.base.estimator import TableEstimator
from hornbeam.learn.base.lazy import LazyRows, by_engine, engine_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

INFINITE = "infinity or a value too large for dtype('float64')."  # as in scikit-learn's messages


class TableRegressor(RegressorMixin, TableEstimator):
    """Base of the regressors; a subclass has parameters and `_learn(table)`."""

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the number of every row.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features)

        Returns
        -------
        array of shape (rows,)
            For a frame of Spark or Dask: the frame with a column of predictions.
        """
        if engine_of(X) is not None:
            return by_engine("predict", self, X)  # type: ignore[no-any-return]
        return self._codes(self._rows(X))

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """The coefficient of determination R² on a Table with its target, or on X and y.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features), or the result of `hornbeam.scan`
        y : array of shape (rows,), or str, optional
            The true numbers, for anything but a Table: their values, or the name of their column in X.
        sample_weight : array of shape (rows,), optional
            Row weights.

        Returns
        -------
        float
            1 if every row is predicted exactly, 0 if the errors are those of always predicting the mean.
        """
        if isinstance(X, LazyRows):
            found = X.predicted(self)
            return float(r2_score(found.truth, found.predictions))
        return float(super().score(*self._rows_to_score(X, y, sample_weight)))

    def _check_target(self, target: Column) -> None:
        if not isinstance(target, Numeric):
            msg = (
                f"the target {target.name!r} is nominal, and {type(self).__name__} predicts numbers; "
                f"read it as numeric (numeric=[{target.name!r}]), choose another target, or learn it with a classifier"
            )
            raise SchemaError(msg)

    def _target_of(self, y: Any, name: str) -> tuple[Column, NDArray[Any]]:
        return Numeric(name), _numbers(y)


def _numbers(y: Any) -> NDArray[np.float64]:
    """The numbers of a target; a value that is not a finite number is refused, with its row."""
    given = column_or_1d(np.asarray(y) if hasattr(y, "__arrow_c_array__") else y, warn=True)
    if given.dtype.kind == "c":
        msg = "Complex data not supported: y has complex numbers"
        raise ValueError(msg)
    values = np.empty(len(given))
    try:
        values[:] = given
    except (TypeError, ValueError):
        for row, value in enumerate(given):
            try:
                values[row] = value
            except (TypeError, ValueError):
                msg = f"y has {str(value)!r} in row {row + 1}; expected a number"
                raise ValueError(msg) from None
    for wrong, what in ((np.isnan(values), "NaN."), (np.isinf(values), INFINITE)):
        if wrong.any():
            msg = f"Input y contains {what} Row {int(np.argmax(wrong)) + 1} has no number to learn from"
            raise ValueError(msg)
    return values
