"""Rows that are not in memory: an estimator is passed to them, and they return a model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import hornbeam
from hornbeam.data.as_table import refuse_target
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.core.base.arrays import AnyArray, Floats
    from hornbeam.data.schema import Schema
    from hornbeam.learn.base.estimator import TableEstimator

E = TypeVar("E", bound="TableEstimator")


ENGINES = {"pyspark": "spark", "dask": "dask", "dask_expr": "dask"}  # by the package of a frame


def engine_of(rows: Any) -> str | None:
    """The engine that holds the rows of a DataFrame: "spark" or "dask"; None for anything else."""
    return ENGINES.get(type(rows).__module__.partition(".")[0]) if hasattr(rows, "columns") else None


def is_lazy(rows: Any) -> bool:
    """Whether rows are not in memory: the result of `hornbeam.scan`, or a frame of Spark or Dask."""
    return hasattr(rows, "fit_estimator") or engine_of(rows) is not None


def fit_lazily(estimator: E, rows: Any, y: Any, sample_weight: Any, fit: Callable[[Any, Table], Any]) -> E:
    """Fit an estimator to rows that are not in memory; the target of a frame is given by its name.

    `fit` is the method that called this function: it fits the estimator to a Table, if the rows are few.
    """
    if isinstance(rows, LazyRows):
        return rows.fit_estimator(estimator, y, sample_weight, fit)
    if y is not None and not isinstance(y, str):
        msg = f"y is {type(y).__name__}; expected the name of the target's column in the {engine_of(rows)} DataFrame"
        raise TypeError(msg)
    return hornbeam._on_engine("fit", estimator, rows, y, sample_weight, fit)  # type: ignore[return-value]


def by_engine(doing: str, estimator: TableEstimator, rows: Any) -> Any:
    """The frame of Spark or Dask with predictions or probabilities as more columns."""
    estimator._check_fitted()
    return hornbeam._on_engine(doing, estimator, rows)


class Predictions(NamedTuple):
    """Predictions for rows with a target, as columns hold them: codes of classes, or numbers."""

    truth: AnyArray
    predictions: AnyArray
    probabilities: Floats | None


class LazyRows(ABC):
    """A source of rows from which an estimator learns without a Table of them."""

    @property
    @abstractmethod
    def schema(self) -> Schema:
        """Columns, kinds and roles."""

    @abstractmethod
    def learn(self, estimator: Any) -> tuple[Any, str | None]:
        """The model that an estimator learns from all rows, or a Table if they are few; and a digest of the data."""

    @abstractmethod
    def folds(self, folds: int) -> Sequence[tuple[LazyRows, LazyRows]]:
        """The rows to learn from and the rows to predict, for every fold."""

    @abstractmethod
    def predicted(self, estimator: Any, *, probabilities: bool = False) -> Predictions:
        """Predictions for all rows with a target."""

    def fit_estimator(self, estimator: E, y: Any, sample_weight: Any, fit: Callable[[Any, Table], Any]) -> E:
        """Fit an estimator to all rows.

        Parameters
        ----------
        estimator : TableEstimator
            The estimator to fit.
        y, sample_weight : None
            The target is a column, and weights are not available.
        fit : callable
            Fits the estimator to a Table, if the rows are few.

        Returns
        -------
        The estimator.
        """
        refuse_target(y)
        if sample_weight is not None:
            raise ValueError("sample_weight is not available for scanned data; read the data with hornbeam.read")
        if estimator.__sklearn_tags__().target_tags.required:
            estimator._check_target(self.schema.target_column)
        estimator._name_features(self.schema)
        learned, digest = self.learn(estimator)
        if isinstance(learned, Table):
            fit(estimator, learned)
            digest = digest or estimator._fingerprint
        else:
            estimator.model_, estimator.trace_, estimator.schema_ = learned, None, learned.schema
            object.__setattr__(learned, "decision", estimator._decision())
        estimator._fingerprint = digest
        return estimator
