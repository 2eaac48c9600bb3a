"""What every classifier shares: from what the caller has to a Table, and from codes back to the caller's classes.

`fit` takes a Table with a target, or X and y: NumPy arrays, pandas, polars and pyarrow frames with categories and
missing values as they are. `model_` is the plain model, `schema_` its schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags, check_consistent_length, column_or_1d, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from hornbeam.data.schema import Column, Nominal, Numeric, Role, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.model import storage

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike, NDArray

    from hornbeam.model.trace import Trace
    from hornbeam.model.tree import Tree


class TableClassifier(ClassifierMixin, BaseEstimator):
    """Base of the classifiers; a subclass has parameters and `_learn(table)`."""

    model_: Tree
    trace_: Trace | None
    schema_: Schema
    classes_: NDArray[Any]
    n_features_in_: int
    _takes_missing = True

    def _learn(self, table: Table) -> tuple[Tree, Trace | None]:
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from a table with a target, or from X and y.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features)
            A Table carries its own target and weights; frames may have categories and missing values.
        y : array of shape (rows,), optional
            The classes, for anything but a Table.
        sample_weight : array of shape (rows,), optional
            Row weights; rows of weight zero are left out.

        Returns
        -------
        self
        """
        table = self._from_table(X, y, sample_weight) if isinstance(X, Table) else self._from_frame(X, y, sample_weight)
        class_weights = self._class_weights(table)
        if class_weights is not None:
            table = _with_weights(table, class_weights[table.target_values()])
        table = _usable(table)
        self.model_, self.trace_ = self._learn(table)
        self.schema_ = self.model_.schema
        self._fingerprint: str | None = table.fingerprint()
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of every row.

        Where the model itself has no answer, the most frequent class of the nearest node that has one is given.
        """
        rows = self._rows(X)
        codes = self.model_.predict(rows) if isinstance(rows, Table) else self.model_.predict_matrix(rows)
        if len(codes) and codes.min() < 0:
            codes = np.where(codes < 0, self._shares(rows).argmax(axis=1), codes)
        return self.classes_.take(codes)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class shares of every row, in the order of `classes_`."""
        return self._shares(self._rows(X))

    def _shares(self, rows: Table | NDArray[Any]) -> NDArray[np.float64]:
        return self.model_.predict_proba(rows) if isinstance(rows, Table) else self.model_.predict_proba_matrix(rows)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that `hornbeam.load` and `from_model` read."""
        check_is_fitted(self)
        provenance = {
            "scheme": type(self).__name__,
            "parameters": {key: _plain(value) for key, value in self.get_params(deep=False).items()},
            "data": self._fingerprint,
        }
        storage.save(self.model_, path, provenance, self.trace_)

    @classmethod
    def from_model(cls, model: Tree, **parameters: Any) -> Self:
        """An estimator that predicts with a model made elsewhere, such as one read by `hornbeam.load`."""
        estimator = cls(**parameters)
        target = model.schema.target_column
        if not isinstance(target, Nominal):
            msg = f"the model predicts the numeric column {target.name!r}; {cls.__name__} predicts classes"
            raise SchemaError(msg)
        estimator.model_, estimator.trace_, estimator.schema_ = model, None, model.schema
        estimator.classes_ = np.array(target.categories, dtype=object).astype(str)
        estimator.n_features_in_ = len(model.schema.features)
        names = [model.schema.columns[i].name for i in model.schema.features]
        estimator.feature_names_in_ = np.array(names, dtype=object)
        estimator._fingerprint = None
        return estimator

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._takes_missing
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    # ---- training data in ----

    def _from_table(self, table: Table, y: Any, sample_weight: ArrayLike | None) -> Table:
        if y is not None:
            msg = "a Table carries its own target, so y must be None; use table.with_target(column) to change it"
            raise ValueError(msg)
        target = table.schema.target_column
        if not table.n_rows:
            msg = f"no rows to learn from: the table {table.schema.name!r} has none"
            raise ValueError(msg)
        if not isinstance(target, Nominal):
            msg = (
                f"the target {target.name!r} is numeric, and {type(self).__name__} predicts categories; "
                f"read it as nominal (nominal=[{target.name!r}]) or choose another target"
            )
            raise SchemaError(msg)
        if sample_weight is not None:
            table = _with_weights(table, _check_sample_weight(sample_weight, np.empty(table.n_rows), dtype=np.float64))
        self.classes_ = np.array(target.categories, dtype=object).astype(str)
        features = [table.schema.columns[i].name for i in table.schema.features]
        self.n_features_in_ = len(features)
        self.feature_names_in_ = np.array(features, dtype=object)
        return table

    def _from_frame(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Table:
        if y is None:
            msg = f"{type(self).__name__} requires y to be passed, but the target y is None"
            raise ValueError(msg)
        features = self._features(X, reset=True)
        self.classes_, codes = _class_codes(y)
        check_consistent_length(codes, range(features.n_rows))
        target = Nominal(_unused("target", features.schema.names), tuple(map(str, self.classes_)))
        columns: list[Column] = [*features.schema.columns, target]
        roles: list[Role] = [*features.schema.roles, "target"]
        arrays: list[Any] = [*features.columns, codes]
        table = Table(Schema(tuple(columns), tuple(roles), name=features.schema.name), arrays, features.notes)
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, np.empty(table.n_rows), dtype=np.float64)
            table = _with_weights(table, weights)
        return table

    def _features(self, X: Any, *, reset: bool) -> Table:
        """The features of a frame or array as a Table, checked as scikit-learn does."""
        if _is_frame(X):
            return self._features_of_frame(X, reset=reset)
        array = self._checked_array(X, reset=reset)
        names = None if reset else [self.schema_.columns[i].name for i in self.schema_.features]
        if array.dtype == object:
            from hornbeam.data.array import from_array  # noqa: PLC0415 - rarely needed

            return from_array(array, names=names)
        numeric = tuple(Numeric(name) for name in names or (f"x{i}" for i in range(array.shape[1])))
        by_column = np.ascontiguousarray(array.T, np.float64)
        return Table(Schema(numeric), list(by_column))

    def _features_of_frame(self, X: Any, *, reset: bool) -> Table:
        from hornbeam.data.frame import from_frame  # noqa: PLC0415 - pyarrow only for frames

        if hasattr(X, "columns"):
            validate_data(self, X, reset=reset, skip_check_array=True)
        table = from_frame(X)
        if not table.n_rows or not table.columns:
            shape = (table.n_rows, len(table.columns))
            what = "sample(s)" if not table.n_rows else "feature(s)"
            msg = f"Found array with 0 {what} (shape={shape}) while a minimum of 1 is required."
            raise ValueError(msg)
        if reset and not hasattr(X, "columns"):
            self.n_features_in_ = len(table.columns)
            self.feature_names_in_ = np.array(table.schema.names, dtype=object)
        return table

    def _checked_array(self, X: Any, *, reset: bool) -> NDArray[Any]:
        """A two-dimensional array of numbers, or of objects where some are texts."""
        finite = "allow-nan" if self._takes_missing else True
        checked: NDArray[Any]
        try:
            checked = validate_data(self, X, reset=reset, dtype="numeric", ensure_all_finite=finite)
        except ValueError:
            array = None if sparse.issparse(X) else np.asarray(X, dtype=object)
            if array is None or not any(isinstance(value, str) for value in array.ravel()):
                raise
            checked = validate_data(self, array, reset=reset, dtype=None, ensure_all_finite=False)
        return checked

    def _class_weights(self, table: Table) -> NDArray[np.float64] | None:
        wanted = getattr(self, "class_weight", None)
        if wanted is None:
            return None
        codes = table.target_values()
        known = codes[codes >= 0]
        weights = np.ones(len(self.classes_))
        present = np.unique(known)
        if isinstance(wanted, Mapping):
            weights[present] = [wanted.get(self.classes_[k], 1.0) for k in present]
        else:
            weights[present] = compute_class_weight(wanted, classes=present, y=known)
        return weights

    # ---- rows to predict in ----

    def _rows(self, X: Any) -> Table | NDArray[Any]:
        """What the model predicts from: a Table, or a matrix of numbers where every feature is numeric."""
        if not hasattr(self, "model_"):
            msg = f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments first."
            raise NotFittedError(msg)
        if isinstance(X, Table):
            return X
        if self._is_ready(X):
            matrix: NDArray[Any] = X
            return matrix
        if _is_frame(X) or not self.model_.all_numeric:
            return self._features(X, reset=False)
        return self._checked_array(X, reset=False)

    def _is_ready(self, X: Any) -> bool:
        """Whether an array can go to the model as it is, with nothing to complain of."""
        return (
            type(X) is np.ndarray
            and X.ndim == MATRIX
            and X.dtype in MATRIX_TYPES
            and X.shape[1] == self.n_features_in_
            and len(X) > 0
            and self.model_.all_numeric
            and not hasattr(self, "feature_names_in_")
            and bool(np.isfinite(X.sum()))
        )


MATRIX = 2
MATRIX_TYPES = (np.float32, np.float64)


def _is_frame(X: Any) -> bool:
    return hasattr(X, "__arrow_c_stream__") or hasattr(X, "__dataframe__") or hasattr(X, "iloc")


def _unused(name: str, taken: tuple[str, ...]) -> str:
    while name in taken:
        name += "_"
    return name


def _class_codes(y: Any) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """The sorted classes of a target, and the code of each row."""
    y = column_or_1d(np.asarray(y) if hasattr(y, "__arrow_c_array__") else y, warn=True)
    if y.dtype.kind == "f" and np.isnan(y).any():
        msg = f"Input y contains NaN: row {int(np.flatnonzero(np.isnan(y))[0]) + 1} has no class"
        raise ValueError(msg)
    if y.dtype == object:
        absent = [i for i, value in enumerate(y) if value is None or value != value]  # noqa: PLR0124 - NaN
        if absent:
            msg = f"Input y contains NaN: row {absent[0] + 1} has no class"
            raise ValueError(msg)
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.astype(np.int32)


def _with_weights(table: Table, weights: NDArray[np.float64]) -> Table:
    """The table with row weights, multiplied with those it has; left out where every row counts once."""
    if (weights < 0).any():
        msg = f"row {int(np.argmax(weights < 0)) + 1} has a negative weight, {weights.min()}"
        raise ValueError(msg)
    place = table.schema.with_role("weight")
    if place is None:
        if (weights == 1.0).all():
            return table
        column = Numeric(_unused("weight", table.schema.names))
        schema = replace(table.schema, columns=(*table.schema.columns, column), roles=(*table.schema.roles, "weight"))
        return table.extended(schema, weights)
    arrays = list(table.columns)
    arrays[place] = arrays[place] * weights
    return Table(table.schema, arrays, table.notes)


def _usable(table: Table) -> Table:
    """Rows with a class and a weight above zero."""
    keep = table.target_values() >= 0
    weights = table.weights
    if weights is not None:
        if np.isnan(weights).any() or (weights < 0).any():
            row = int(np.argmax(np.isnan(weights) | (weights < 0)))
            msg = f"row {row + 1} has the weight {weights[row]}; expected a number of at least 0"
            raise ValueError(msg)
        keep &= weights > 0
    if keep.all() and len(keep):
        return table
    if not keep.any():
        msg = (
            "no rows to learn from" if not len(keep) else "no rows to learn from: every row has weight zero or no class"
        )
        raise ValueError(msg)
    return table.take(keep)


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool | None) else repr(value)
