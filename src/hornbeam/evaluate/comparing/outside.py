"""Estimators of scikit-learn, which take arrays, made to learn from tables: so they can join a comparison.

What has to be learned about the columns (the median that stands for a missing number) is learned where the estimator
is fitted, on the same rows, so a cross-validation stays honest.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from hornbeam.data.schema import Nominal
from hornbeam.learn.base.estimator import TableEstimator, usable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table

MOST_CELLS = 500_000_000  # of an array: four gigabytes


def on_tables(estimator: Any) -> Any:  # noqa: ANN401 - any estimator
    """Give an estimator that learns from tables: itself if it does, else one that makes arrays of tables for it.

    What takes arrays only is told by its `fit`, which asks for y.

    Examples
    --------
    >>> import hornbeam
    >>> from sklearn.linear_model import LogisticRegression
    >>> on_tables(LogisticRegression(max_iter=1000)).fit(hornbeam.read("iris")).predict(hornbeam.read("iris"))[0]
    'Iris-setosa'
    """
    if isinstance(estimator, TableEstimator | FromArrays) or not hasattr(estimator, "fit"):
        return estimator
    return FromArrays(estimator) if "y" in inspect.signature(estimator.fit).parameters else estimator


class FromArrays(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """A scikit-learn classifier or regressor on tables.

    A nominal column becomes a column of zeros and ones for every category (all zero where it is missing), a number that
    is missing becomes the median of those learned from (0 where there are none). Nothing is scaled: put a scaler before
    an estimator that needs one, by scikit-learn's `make_pipeline`. Rows without a target or of weight zero are left
    out. Row weights are passed on; an estimator that does not take them refuses a table that has some.

    Parameters
    ----------
    estimator : estimator
        Not changed; a clone is fitted.
    random_state : int or None
        Takes the place of every `random_state` of the estimator and its parts that is None.

    Attributes
    ----------
    learner_ : estimator
        Fitted.
    classes_ : array
        Names of the classes, of a classifier.
    """

    def __init__(self, estimator: Any, random_state: int | None = None) -> None:  # noqa: ANN401 - any estimator
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, table: Table) -> Self:
        """Learn from a table with a target."""
        column = table.schema.target_column
        rows = usable(table)
        self.fills_ = {
            place: float(np.median(known)) if len(known := values[~np.isnan(values)]) else 0.0
            for place in rows.schema.features
            if (values := rows.columns[place]).dtype.kind == "f"
        }
        truth = rows.target_values()
        y = np.array(column.categories, object)[truth] if isinstance(column, Nominal) else truth
        learner = clone(self.estimator)
        if self.random_state is not None:
            states = [name for name in learner.get_params() if name.rpartition("__")[2] == "random_state"]
            open_states = {name: self.random_state for name in states if learner.get_params()[name] is None}
            learner.set_params(**open_states)
        weighted = {} if rows.weights is None else {self._weight_parameter(learner): rows.weights}
        self.learner_ = learner.fit(self._arrays(rows), y, **weighted)
        if hasattr(self.learner_, "classes_"):
            self.classes_ = self.learner_.classes_
        return self

    def predict(self, table: Table) -> NDArray[Any]:
        """Answer as the estimator does."""
        answers: NDArray[Any] = self.learner_.predict(self._arrays(table))
        return answers

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - a method
        """Give probabilities where the estimator does."""
        if name == "predict_proba" and hasattr(self.__dict__.get("learner_"), name):
            return lambda table: self.learner_.predict_proba(self._arrays(table))
        msg = f"{type(self).__name__!r} object has no attribute {name!r}"
        raise AttributeError(msg)

    def _arrays(self, table: Table) -> NDArray[np.float64]:
        """Make one matrix of the features."""
        columns = [table.schema.columns[place] for place in table.schema.features]
        widths = {column.name: len(column.categories) if isinstance(column, Nominal) else 1 for column in columns}
        if table.n_rows * sum(widths.values()) > MOST_CELLS:
            widest = max(widths, key=lambda name: widths[name])
            size = f"{table.n_rows} rows by {sum(widths.values())} columns"
            msg = (
                f"an array of {size} is too large; the column {widest!r} has {widths[widest]} categories: leave it out"
            )
            raise ValueError(msg)
        parts: list[NDArray[np.float64]] = []
        for place in table.schema.features:
            column, values = table.schema.columns[place], table.columns[place]
            if isinstance(column, Nominal):
                parts.append((values[:, np.newaxis] == np.arange(len(column.categories))).astype(np.float64))
            else:
                parts.append(np.where(np.isnan(values), self.fills_[place], values)[:, np.newaxis])
        return np.hstack(parts) if parts else np.zeros((table.n_rows, 0))

    def _weight_parameter(self, learner: Any) -> str:  # noqa: ANN401 - any estimator
        last, before = (
            (learner.steps[-1][1], f"{learner.steps[-1][0]}__") if isinstance(learner, Pipeline) else (learner, "")
        )
        if not has_fit_parameter(last, "sample_weight"):
            msg = f"{type(last).__name__} takes no weights, and the rows have some"
            raise ValueError(msg)
        return f"{before}sample_weight"
