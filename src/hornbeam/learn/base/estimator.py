"""Base of all estimators: conversion of training data to a Table, and of rows to predict to the form of the model.

`fit` takes a Table with a target, or X and y: NumPy arrays, pandas, polars and pyarrow frames with categories and
missing values as they are. `model_` is the plain model, `schema_` its schema. Classes are handled in `classifier.py`,
numbers in `regressor.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags, check_consistent_length
from sklearn.utils.validation import check_is_fitted

from hornbeam.data.as_table import (
    as_table,
    is_frame,
    label_text,
    name_of,
    predicts_classes,
    refuse_target,
    unused,
    with_target_values,
)
from hornbeam.data.schema import Column, Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.data.weights import positive_weights
from hornbeam.learn.base.declare import NamedParameters, ShownByModel
from hornbeam.learn.base.lazy import fit_lazily, is_lazy
from hornbeam.learn.base.limits import check_numbers, check_sample_weight, validate_data, warn_of_small_weights
from hornbeam.learn.base.parameters import plain_value, require_target, threads
from hornbeam.model.trees.training import with_training_error
from hornbeam.model.trees.tree import Tree

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from hornbeam.model.base.decision import Decision
    from hornbeam.model.trees.node_figures import LeafCalibration
    from hornbeam.model.trees.trace import Trace


class TableEstimator(ShownByModel, NamedParameters):
    """Base of all learners; a subclass has parameters, `_learn(table)`, and the handling of its kind of target.

    Parameters
    ----------
    n_jobs : int or None
        Number of threads: None is one, -1 all cores. The model and its predictions do not depend on it.

    Attributes
    ----------
    schema_ : Schema
        The columns of the training table.
    n_features_in_ : int
    feature_names_in_ : array
        Only if the features had names.
    """

    model_: Any
    trace_: Trace | None
    schema_: Schema
    n_features_in_: int
    _n_without_target = 0  # training rows that were left out because they have no target
    _by_name = False  # fitted to a table: rows to predict may have more columns, such as the target
    _takes_missing = True
    _takes_sparse = True
    _counts_weights = True  # a weight of two counts as two rows; otherwise only proportions of weights matter

    def _learn(self, table: Table) -> tuple[Tree, Trace | None]:
        raise NotImplementedError

    def _learn_with_all(self, table: Table, given: Table) -> tuple[Tree, Trace | None]:  # noqa: ARG002 - see below
        """Learn from the rows with a target and a weight; `given` has all rows, for a learner that needs them."""
        return self._learn(table)

    def _check_target(self, target: Column) -> None:
        """Refuse a target of the wrong kind, and remember the kind of the predictions."""
        raise NotImplementedError

    def _target_of(self, y: Any, name: str) -> tuple[Column, NDArray[Any]]:
        """The target column that y stands for, and its values."""
        raise NotImplementedError

    def _note_target(self, table: Table, *, more: bool = False) -> None:
        """Note the targets of the rows to learn from: the first rows, or `more` of them."""

    def _weighted(self, table: Table) -> Table:
        """The table with the weights by the parameters."""
        return table

    def _fit_each(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> bool:  # noqa: ARG002 - see below
        """Learn several targets, if there are and the learner can; see `several_targets`."""
        return False

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from a table with a target, or from X and y.

        Parameters
        ----------
        X : Table, or array, frame (also of Spark or Dask) or sparse matrix, or the result of `hornbeam.scan`
            A Table carries its own target and weights; frames may have categories and missing values.
        y : array of shape (rows,), or str, optional
            The target, for anything but a Table: its values, or the name of its column in X. The name of a series is
            kept. Trees, forests, boosting and neighbors take several columns, or a list of their names in X.
        sample_weight : array of shape (rows,), optional
            Row weights; rows of weight zero are left out.

        Returns
        -------
        self
        """
        if is_lazy(X):
            return fit_lazily(self, X, y, sample_weight, TableEstimator.fit)  # see `lazy`
        X, y = self._with_target(X, y)  # noqa: N806 - the name of scikit-learn
        if self._fit_each(X, y, sample_weight):
            return self
        table = self._from_table(X, y, sample_weight) if isinstance(X, Table) else self._from_frame(X, y, sample_weight)
        self._n_without_target = int((~has_target(table)).sum())
        given = self._weighted(table)
        table = self._learnable(given)
        self._note_target(table)
        model, self.trace_ = self._learn_with_all(table, given)
        self.model_ = with_training_error(model, table) if isinstance(model, Tree) else model
        object.__setattr__(self.model_, "decision", self._decision())
        self.schema_ = self.model_.schema
        self._fingerprint: str | None = table.fingerprint()
        return self

    def save(
        self,
        path: str | os.PathLike[str],
        calibration: Iterable[LeafCalibration] | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the model to a file that `hornbeam.load` and `from_model` read.

        Parameters
        ----------
        path : path
            The file; an existing one is replaced.
        calibration : iterable of LeafCalibration, optional
            The set of classes or the interval at every leaf or rule: ``nodes`` of the result of
            `hornbeam.evaluate.conformal`.
        provenance : mapping, optional
            How the model was made, as plain data; by default the result of `provenance`.
        """
        from hornbeam.model.files import storage  # noqa: PLC0415 - not needed to learn

        storage.save(self._deciding(self.model_), path, provenance or self.provenance(), self.trace_, calibration)

    def _decision(self) -> Decision | None:
        """How classes are chosen; None for numbers and clusters."""
        return None

    def _deciding(self, model: Any) -> Any:
        """Return a model that chooses classes as the estimator does now."""
        decision = self._decision()
        return model if decision == model.decision else model.with_decision(decision)

    def _decide_as(self, decision: Decision | None, given: Mapping[str, Any]) -> None:
        """Use the decision of another estimator, except for parameters that were given."""

    def provenance(self) -> dict[str, Any]:
        """How the model was made, as plain data: scheme, parameters, fingerprint of the data."""
        check_is_fitted(self)
        return {
            "scheme": type(self).__name__,
            "parameters": {key: plain_value(value) for key, value in self.get_params(deep=False).items()},
            "data": self._fingerprint,
        }

    @classmethod
    def from_model(cls, model: Tree, **parameters: Any) -> Self:
        """An estimator that predicts with a model made elsewhere, such as one read by `hornbeam.load`.

        A file that an estimator saved also has the costs or the threshold by which it decided: they are used unless
        `parameters` has others.
        """
        estimator = cls(**parameters)
        estimator._check_target(model.schema.target_column)
        estimator.model_, estimator.trace_, estimator.schema_ = model, None, model.schema
        estimator._name_features(model.schema)
        estimator._fingerprint = None
        estimator._decide_as(model.decision, parameters)
        return estimator

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._takes_missing
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = self._takes_sparse
        tags.target_tags.required = True
        return tags

    def _name_features(self, schema: Schema) -> None:
        features = [schema.columns[i].name for i in schema.features]
        self.n_features_in_, self.feature_names_in_ = len(features), np.array(features, dtype=object)
        self._by_name = True

    # ---- training data in ----

    def _with_target(self, X: Any, y: Any) -> tuple[Any, Any]:
        """X and y as given; a Table where y is the name of a column of X."""
        return (as_table(X, target=y, classes=predicts_classes(self)), None) if isinstance(y, str) else (X, y)

    def _learnable(self, table: Table) -> Table:
        """The rows to learn from, after a check of their numbers."""
        used = usable_rows(table)
        check_numbers(table, used, squared=self._squares_features())
        if table.weights is not None and self._counts_weights and used.any():
            warn_of_small_weights(type(self).__name__, table.weights[used])
        return usable(table)

    def _squares_features(self) -> bool:
        """Whether features are squared as they are, so that large values must be refused."""
        return False

    def _from_table(self, table: Table, y: Any, sample_weight: ArrayLike | None) -> Table:
        refuse_target(y)
        target = table.schema.target_column
        if not table.n_rows:
            raise ValueError(f"no rows to learn from: the table {table.schema.name!r} has none")
        self._check_target(target)
        self._name_features(table.schema)
        return _weighed(table, sample_weight)

    def _from_frame(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Table:
        require_target(self, y)
        features = self._features(X, reset=True)
        target, values = self._target_of(y, name_of(y, features.schema.names))
        check_consistent_length(values, range(features.n_rows))
        table = with_target_values(features, target, values)
        if is_frame(X):
            from hornbeam.data.notices import warn_of_target  # noqa: PLC0415 - only for frames

            warn_of_target(table)
        return _weighed(table, sample_weight)

    def _features(self, X: Any, *, reset: bool) -> Table:
        """The features of a frame or array as a Table, checked as scikit-learn does."""
        if is_frame(X):
            return self._features_of_frame(X, reset=reset)
        array = self._checked_array(X, reset=reset)
        names = None if reset else [self.schema_.columns[i].name for i in self.schema_.features]
        if array.dtype == object:
            from hornbeam.data.array import from_array  # noqa: PLC0415 - rarely needed

            return from_array(array, names=names)
        numeric = tuple(Numeric(name) for name in names or (f"x{i}" for i in range(array.shape[1])))
        by_column = array.T if sparse.issparse(X) else _by_column(array)
        return Table(Schema(numeric), list(by_column), copy=False)

    def _features_of_frame(self, X: Any, *, reset: bool) -> Table:
        from hornbeam.data.read import read  # noqa: PLC0415 - only for frames

        if reset:
            self._by_name = False
        if hasattr(X, "columns") and not self._by_name:
            validate_data(self, X, reset=reset, skip_check_array=True)
        table = read(X) if reset else as_table(X, like=self.schema_)
        if not table.n_rows or not table.columns:
            what, shape = "feature(s)" if table.n_rows else "sample(s)", (table.n_rows, len(table.columns))
            raise ValueError(f"Found array with 0 {what} (shape={shape}) while a minimum of 1 is required.")
        if reset and (not hasattr(X, "columns") or len(table.schema.features) != self.n_features_in_):
            self._name_features(table.schema)
        return table

    def _checked_array(self, X: Any, *, reset: bool) -> NDArray[Any]:
        """A two-dimensional array of numbers, or of objects where some are texts."""
        finite = "allow-nan" if self._takes_missing else True
        if sparse.issparse(X) and self._takes_sparse:
            from hornbeam.learn.base.sparse_input import dense  # noqa: PLC0415 - rarely needed

            return dense(self, X, reset=reset, finite=finite)
        checked: NDArray[Any]
        try:
            checked = validate_data(self, X, reset=reset, dtype="numeric", ensure_all_finite=finite)
        except ValueError:
            array = np.asarray(X, dtype=object)
            if not any(isinstance(value, str) for value in array.ravel()):
                raise
            checked = validate_data(self, array, reset=reset, dtype=None, ensure_all_finite=False)
        return checked

    # ---- rows to predict in ----

    def _check_fitted(self) -> None:
        """As `check_is_fitted`, which takes longer than the prediction of a row."""
        if not hasattr(self, "model_"):
            msg = f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments first."
            raise NotFittedError(msg)

    def _rows(self, X: Any) -> Table | NDArray[Any]:
        """The rows as the model reads them: a Table, or a matrix of numbers if every feature is numeric."""
        self._check_fitted()
        if isinstance(X, Table):
            return X
        if self._is_ready(X):
            matrix: NDArray[Any] = X
            return matrix
        if is_frame(X) or not self.model_.all_numeric:
            return self._features(X, reset=False)
        return self._checked_array(X, reset=False)

    def _table(self, X: Any) -> Table:
        """The rows as a Table."""
        rows = self._rows(X)
        if isinstance(rows, Table):
            return rows
        table: Table = self.model_._table_of(rows)
        return table

    def _codes(self, rows: Table | NDArray[Any]) -> NDArray[Any]:
        """The kind of predictions: codes of classes, numbers, or clusters."""
        codes: NDArray[Any] = self.model_.predict_codes(rows, threads(getattr(self, "n_jobs", None)))
        return codes

    def _is_ready(self, X: Any) -> bool:
        """Whether an array can go to the model as it is, without further checks."""
        with np.errstate(over="ignore", invalid="ignore"):  # if the sum is not finite, the values are checked
            return self._is_plain(X) and bool(np.isfinite(X.sum()))

    def _is_plain(self, X: Any) -> bool:
        """Whether it is an array of numbers with one column per feature, all of which are numeric."""
        return (
            type(X) is np.ndarray
            and X.ndim == MATRIX
            and X.dtype in MATRIX_TYPES
            and X.shape[1] == self.n_features_in_
            and len(X) > 0
            and self.model_.all_numeric
            and not hasattr(self, "feature_names_in_")
        )

    def _rows_to_score(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> tuple[Any, Any, Any]:
        """X, y and weights as `score` needs them; of a table the rows with a known target, that target, and weights."""
        check_is_fitted(self)
        table, y = (as_table(X, target=y, like=self.schema_), None) if isinstance(y, str) else (X, y)
        if not isinstance(table, Table):
            return table, y, sample_weight
        refuse_target(y)
        name = self.schema_.target_column.name
        if name not in table.schema.names:
            from hornbeam._names import listed  # noqa: PLC0415 (only for messages)

            msg = f"the table has no column {name!r}, the target; its columns: {listed(table.schema.names)}"
            raise SchemaError(msg)
        target, values = table.schema.columns[table.schema.position(name)], table.column(name)
        self._check_kind(target)
        rows = table.take(known := ~target.missing(values))
        weights = rows.weights if sample_weight is None else np.asarray(sample_weight, np.float64)[known]
        truth = rows.column(name)
        if isinstance(target, Nominal):
            own = {label_text(label): label for label in self.classes_.tolist()}
            labels = np.array([own.get(name, name) for name in target.categories], object)[truth]
            truth = labels.astype(self.classes_.dtype if own.keys() >= {*target.categories} else str)
        return rows, truth, weights

    def _check_kind(self, target: Column) -> None:
        if type(target) is not type(self.schema_.target_column):
            kind = {Nominal: "nominal", Numeric: "numeric"}
            msg = (
                f"the column {target.name!r} is {kind[type(target)]}; "
                f"the model learned from a {kind[type(self.schema_.target_column)]} one"
            )
            raise SchemaError(msg)


MATRIX = 2
BLOCK_ROWS = 4096
MATRIX_TYPES = (np.float32, np.float64)


def _by_column(array: NDArray[Any]) -> NDArray[np.float64]:
    """The columns of a matrix, one after another; copied in blocks of rows, which stay in the cache."""
    columns = np.empty(array.shape[::-1], np.float64)
    for start in range(0, len(array), BLOCK_ROWS):
        columns[:, start : start + BLOCK_ROWS] = array[start : start + BLOCK_ROWS].T
    return columns


def with_weight_column(schema: Schema) -> Schema:
    """The schema with a column of weights at the end; as it is where it has one."""
    if schema.with_role("weight") is not None:
        return schema
    column = Numeric(unused("weight", schema.names))
    return replace(schema, columns=(*schema.columns, column), roles=(*schema.roles, "weight"))


def with_weights(table: Table, weights: NDArray[np.float64]) -> Table:
    """The table with row weights, multiplied by those it has; without a weight column if every row counts once."""
    positive_weights(weights)
    place = table.schema.with_role("weight")
    if place is None:
        if (weights == 1.0).all():
            return table
        return table.extended(with_weight_column(table.schema), weights)
    arrays = list(table.columns)
    weighing_rows(table)
    arrays[place] = arrays[place] * weights
    return Table(table.schema, arrays, table.notes, copy=False)


def unweighted(table: Table) -> Table:
    """The table with its weight column, if any, ignored: every row counts once."""
    return table if (place := table.schema.with_role("weight")) is None else table.assign({place: "ignored"})


def usable_rows(table: Table) -> NDArray[np.bool_]:
    """Which rows have a target and a weight above zero."""
    return has_target(table) & weighing_rows(table)


def has_target(table: Table) -> NDArray[np.bool_]:
    """Which rows have a target."""
    return ~table.schema.target_column.missing(table.target_values())


def weighing_rows(table: Table) -> NDArray[np.bool_]:
    """Which rows have a weight above zero."""
    return np.ones(table.n_rows, np.bool_) if table.weights is None else positive_weights(table.weights)


def usable(table: Table) -> Table:
    """The table of the rows with a target and a weight above zero."""
    keep = usable_rows(table)
    if keep.all() and len(keep):
        return table
    if not keep.any():
        lacking = f"weight zero or no {'class' if isinstance(table.schema.target_column, Nominal) else 'target'}"
        msg = "no rows to learn from" if not len(keep) else f"no rows to learn from: every row has {lacking}"
        raise ValueError(msg)
    return table.take(keep)


def _weighed(table: Table, weights: ArrayLike | None) -> Table:
    """The table with the weights given, if any."""
    if weights is None:
        return table
    return with_weights(table, check_sample_weight(weights, np.empty(table.n_rows), dtype=np.float64))
