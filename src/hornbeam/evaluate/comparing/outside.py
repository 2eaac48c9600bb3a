"""Wrappers that make other estimators usable in a comparison.

`on_tables` lets estimators of scikit-learn, which take arrays, learn from tables. Preprocessing (such as the median
that replaces a missing number) is fitted on the training rows only, so a cross-validation stays unbiased.

`ChosenThreshold` is critical-value pruning with a threshold chosen on held-out training rows, as in J. Mingers, *Expert
systems - rule induction with statistical data* (1987): of the trees for all critical values, the one that is best on
other rows.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from hornbeam.data.schema import Nominal
from hornbeam.learn.base.declare import ShownByModel
from hornbeam.learn.base.estimator import TableEstimator, usable
from hornbeam.learn.trees import prune
from hornbeam.learn.trees.tree_learner import held_out

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats
    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree

MOST_CELLS = 500_000_000  # maximum size of an array: four gigabytes
HELD_OUT = 3  # one in this many rows, as in reduced-error pruning
MOST_TREES = 50  # maximum number of trees that are tried, evenly spaced along the path


def on_tables(estimator: Any) -> Any:  # noqa: ANN401 - any estimator
    """Return an estimator that learns from tables: itself if it does, else a wrapper that converts tables to arrays.

    An estimator takes only arrays if its `fit` requires y.

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

    A nominal column becomes a column of zeros and ones for every category (all zero where it is missing), a missing
    number becomes the median of the training rows (0 if there are none). Nothing is scaled: use scikit-learn's
    `make_pipeline` to add a scaler if the estimator needs one. Rows without a target or of weight zero are left out.
    Row weights are passed on; an estimator without weights raises an error for a table that has some.

    Parameters
    ----------
    estimator : estimator
        Not changed; a clone is fitted.
    random_state : int or None
        Replaces every `random_state` of the estimator and its parts that is None.

    Attributes
    ----------
    learner_ : estimator
        Fitted.
    classes_ : array
        Names of the classes, for a classifier.
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

    def predict(self, table: Table) -> AnyArray:
        """Predict as the estimator does."""
        predictions: AnyArray = self.learner_.predict(self._arrays(table))
        return predictions

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - a method
        """Return `predict_proba` if the estimator has it."""
        if name == "predict_proba" and hasattr(self.__dict__.get("learner_"), name):
            return lambda table: self.learner_.predict_proba(self._arrays(table))
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _arrays(self, table: Table) -> Floats:
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
        parts: list[Floats] = []
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
            raise ValueError(f"{type(last).__name__} takes no weights, but the rows have weights")
        return f"{before}sample_weight"


class ChosenThreshold(ShownByModel, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Fits an estimator with the `prune_threshold` that is best on held-out training rows.

    Parameters
    ----------
    estimator : TreeClassifier or TreeRegressor
        With ``prune="critical-value"``.
    random_state : int or None
        Seed for the choice of held-out rows.

    Attributes
    ----------
    prune_threshold_ : float
        The threshold chosen.
    model_ : Tree
        Learned from all rows, with that threshold.
    """

    def __init__(self, estimator: Any, random_state: int | None = None) -> None:  # noqa: ANN401 - any tree estimator
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, table: Table) -> Self:
        """Choose the threshold, and learn with it."""
        if table.n_rows < HELD_OUT:
            need = "critical-value pruning without a threshold needs more rows"
            raise ValueError(f"{table.n_rows} rows cannot be held out in {HELD_OUT} parts; {need}")
        growing, rest = held_out(table, HELD_OUT, self.random_state)
        grown: Tree = clone(self.estimator).set_params(prune=None).fit(table.take(growing)).model_
        path = prune.critical_value(grown, threshold=0.0)
        tried = np.unique(np.linspace(0, len(path) - 1, min(len(path), MOST_TREES)).astype(int))
        other = table.take(rest)
        errors = np.array([_error(path.trees[step], other) for step in tried.tolist()])
        # The smallest of the best trees; its threshold is halfway to that of the next smaller tree.
        best = int(tried[np.flatnonzero(errors == errors.min())[-1]])
        self.prune_threshold_ = _between(path.strength, best)
        self.learner_ = clone(self.estimator).set_params(prune_threshold=self.prune_threshold_).fit(table)
        self.model_ = self.learner_.model_
        if hasattr(self.learner_, "predict_proba"):
            self.predict_proba, self.classes_ = self.learner_.predict_proba, self.learner_.classes_
        return self

    def predict(self, table: Table) -> AnyArray:
        """Predict with the estimator fitted with the chosen threshold."""
        predictions: AnyArray = self.learner_.predict(table)
        return predictions


def _error(tree: Tree, table: Table) -> float:
    """Fraction of the weight misclassified, or mean squared error."""
    predictions, truth = tree.predict_codes(table), table.target_values()
    wrong = predictions != truth if isinstance(table.schema.target_column, Nominal) else (predictions - truth) ** 2
    return float(np.average(wrong, weights=table.weights))


def _between(strength: Floats, step: int) -> float:
    """A threshold that gives this step of the path: above its own strength, and not above the next step's."""
    if step + 1 == len(strength):
        return float(np.nextafter(strength[step], np.inf)) if step else 0.0
    following = float(strength[step + 1])
    return following if step == 0 else (float(strength[step]) + following) / 2
