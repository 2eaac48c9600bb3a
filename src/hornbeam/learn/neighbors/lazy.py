"""Learners whose model is all rows seen: more rows may come at any time, with `partial_fit`.

Rows in several pieces give the same model as all rows at once: the rows are joined, and what little is computed from
them (scales, class weights, a search tree) is computed again. `ThreadedClassifier` and `ThreadedRegressor` use `n_jobs`
for prediction, not for learning.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from hornbeam.data.as_table import refuse_target
from hornbeam.data.schema import Nominal, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.learn.base.estimator import TableEstimator, usable, with_weight_column, with_weights
from hornbeam.learn.base.incremental import IncrementalClassifier
from hornbeam.learn.base.limits import check_sample_weight
from hornbeam.learn.base.parameters import require_target
from hornbeam.learn.base.regressor import TableRegressor
from hornbeam.learn.base.several_targets import refuse_more_rows
from hornbeam.model.base.align import align

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class LazyLearner(TableEstimator):
    """Base of lazy learners for classes and for numbers; see `LazyClassifier` and `LazyRegressor`."""

    _seen: Table  # the given rows, before class weights are applied

    def _weighted(self, table: Table) -> Table:
        self._seen = usable(table)
        return super()._weighted(self._counted(self._seen))

    def _counted(self, table: Table) -> Table:
        """The rows with all weights applied."""
        return table

    def _learn_all(self, table: Table) -> Self:
        """Learn from a table with a target, as `fit` does."""
        table = usable(self._weighted(table))
        self._note_target(table)
        model, self.trace_ = self._learn(table)
        self.model_ = self._deciding(model)
        self.schema_ = self.model_.schema
        self._fingerprint = table.fingerprint()
        return self

    def _add(self, given: Table, sample_weight: ArrayLike | None) -> Self:
        """Learn from the earlier rows and from these."""
        if sample_weight is not None:
            given = with_weights(given, check_sample_weight(sample_weight, np.empty(given.n_rows), dtype=np.float64))
        if not hasattr(self, "_seen"):  # a model read from a file
            if getattr(self, "class_weight", None) is not None:
                msg = (
                    "the model was not learned by this estimator: its rows already have the weights of their classes, "
                    "so class_weight must be None in partial_fit"
                )
                raise ValueError(msg)
            self._seen = self.model_.kept
        return self._learn_all(joined(self._seen, usable(given)))


class LazyClassifier(LazyLearner, IncrementalClassifier):
    """A classifier that keeps all rows."""

    def partial_fit(
        self, X: Any, y: Any = None, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Add rows; the model is that of one `fit` to all rows added so far, and a call takes as long.

        Columns are those of the first call; categories may be new. Rows of calls without weights count once.

        Parameters
        ----------
        X, y, sample_weight
            See `fit`.
        classes : array, optional
            All possible classes; needed in the first call if the first rows do not have them all.

        Returns
        -------
        self
        """
        refuse_more_rows(self)
        if not hasattr(self, "model_"):
            return self._learn_all(self._first_rows(X, y, classes, sample_weight))
        return self._add(self._given(X, y), sample_weight)


class LazyRegressor(LazyLearner, TableRegressor):
    """A regressor that keeps all rows."""

    def partial_fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Add rows; the model is that of one `fit` to all rows added so far, and a call takes as long.

        Columns are those of the first call; categories may be new. Rows of calls without weights count once.

        Parameters
        ----------
        X, y, sample_weight
            See `fit`.

        Returns
        -------
        self
        """
        refuse_more_rows(self)
        if not hasattr(self, "model_"):
            return self.fit(X, y, sample_weight)
        if isinstance(X, Table):
            refuse_target(y)
            self._check_target(X.schema.target_column)
            return self._add(X, sample_weight)
        require_target(self, y)
        features = self._features(X, reset=False)
        target, values = self._target_of(y, self.schema_.target_column.name)
        if len(values) != features.n_rows:
            msg = f"y has {len(values)} numbers for {features.n_rows} rows; expected one per row"
            raise ValueError(msg)
        schema = Schema((*features.schema.columns, target), (*features.schema.roles, "target"))
        return self._add(Table(schema, [*features.columns, values]), sample_weight)


def joined(known: Table, new: Table) -> Table:
    """The rows of two tables, the second with the columns of the first, found by name.

    New categories come after the known ones. If only one of the tables has weights, rows of the other count once.
    """
    if known.weights is None and new.weights is not None:
        known = known.extended(with_weight_column(known.schema), np.ones(known.n_rows))
    schema = replace(known.schema, columns=tuple(_with_new_categories(known.schema, new.schema)))
    arrays = list(align(schema, new).columns)
    weight = schema.with_role("weight")
    if weight is not None:
        arrays[weight] = new.row_weights
    pairs = zip(known.columns, arrays, strict=True)
    return Table(schema, [np.concatenate(pair) for pair in pairs], known.notes)


def _with_new_categories(known: Schema, new: Schema) -> list[Any]:
    """The columns of a schema, its nominal features with the categories of another added."""
    columns: list[Any] = list(known.columns)
    for place in known.features:
        column = columns[place]
        if not isinstance(column, Nominal) or column.name not in new.names:
            continue
        other = new.columns[new.position(column.name)]
        added = [name for name in getattr(other, "categories", ()) if name not in set(column.categories)]
        if added and column.ordered:
            msg = (
                f"column {column.name!r} is ordered and has the new category {added[0]!r}, whose place is not known; "
                f"expected {', '.join(map(repr, column.categories))}: declare all categories in the first call"
            )
            raise SchemaError(msg)
        columns[place] = replace(column, categories=(*column.categories, *added))
    return columns
