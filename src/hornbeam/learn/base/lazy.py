"""Rows that are not in memory: an estimator hands itself to them, and they give back a model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, TypeVar

from hornbeam.data.as_table import refuse_target
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema
    from hornbeam.learn.base.estimator import TableEstimator

E = TypeVar("E", bound="TableEstimator")


class LazyRows(ABC):
    """A source of rows from which an estimator learns without a Table of them."""

    @property
    @abstractmethod
    def schema(self) -> Schema:
        """Columns, kinds and roles."""

    @abstractmethod
    def learn(self, estimator: Any) -> tuple[Any, str]:
        """The model that an estimator learns from all rows, or a Table if they are few; and a digest of the data."""

    def teach(self, estimator: E, y: Any, sample_weight: Any) -> E:
        """Fit an estimator to all rows.

        Parameters
        ----------
        estimator : TableEstimator
            It gets its model.
        y, sample_weight : None
            The target is a column, and weights are not available.

        Returns
        -------
        The estimator.
        """
        refuse_target(y)
        if sample_weight is not None:
            raise ValueError("sample_weight is not available for scanned data; read the data with hornbeam.read")
        estimator._check_target(self.schema.target_column)
        estimator._name_features(self.schema)
        learned, digest = self.learn(estimator)
        if isinstance(learned, Table):
            estimator.fit(learned)
        else:
            estimator.model_, estimator.trace_, estimator.schema_ = learned, None, learned.schema
            object.__setattr__(learned, "decision", estimator._decision())
        estimator._fingerprint = digest
        return estimator
