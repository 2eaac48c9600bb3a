"""Regression by a classifier: the target is cut into intervals, whose numbers are averaged by class probabilities."""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from hornbeam.data.schema import Nominal, Numeric
from hornbeam.data.table import Table
from hornbeam.learn.base.classifier import TableClassifier
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import one_of, seeded, whole
from hornbeam.learn.base.regressor import TableRegressor
from hornbeam.learn.columns.discretize import column_cuts
from hornbeam.learn.columns.discretizer import interval_names
from hornbeam.model.linear.discretized import DiscretizedModel
from hornbeam.schemes import find

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats
    from hornbeam.data.schema import Schema
    from hornbeam.learn.columns.discretize import Method

METHODS = ("equal-width", "equal-frequency")


@estimator(kw_only=False)
class DiscretizedRegressor(TableRegressor):
    """Predict numbers with a classifier.

    The range of the target is cut into intervals, the classifier learns which interval a row falls into, and the
    prediction is the mean of the intervals' midpoints, weighted by the classifier's probabilities.

    Parameters
    ----------
    estimator : classifier or str, optional
        A classifier of hornbeam, or the name of a scheme, such as "cart"; if all columns are numbers without missing
        values, any classifier of scikit-learn with `predict_proba`. None: `C45Classifier()`.
    bins : int
        Number of intervals. Those without training rows are not used.
    method : {"equal-width", "equal-frequency"}
        Whether intervals are equally long, or hold equally many rows.
    value : {"midpoint", "mean"}
        The number that an interval stands for: its middle, or the mean of its training rows.
    random_state : int or None
        Seed for the random draws of the classifier; None keeps the classifier's own.

    Attributes
    ----------
    model_ : DiscretizedModel
        The classifier's model, and the numbers of the intervals.
    estimator_ : classifier
        The fitted classifier.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("cpu")
    >>> by_classes = DiscretizedRegressor(bins=5).fit(table)
    >>> by_classes.model_.values.round(1).tolist()
    [120.4, 349.2, 578.0, 806.8, 1035.6]
    """

    model_: DiscretizedModel

    estimator: Any = None
    _: KW_ONLY
    bins: int = 10
    method: str = "equal-width"
    value: str = "midpoint"
    random_state: Any = None

    def _learn(self, table: Table) -> tuple[DiscretizedModel, None]:  # type: ignore[override]
        whole("bins", self.bins, 1)
        method: Method = one_of("method", self.method, METHODS)
        one_of("value", self.value, ("midpoint", "mean"))
        target = table.target_values()
        cuts = column_cuts(method, target, None, table.weights, bins=self.bins) if self.bins > 1 else np.empty(0)
        codes = np.searchsorted(cuts, target, side="left")
        occupied, codes = np.unique(codes, return_inverse=True)
        weights = table.row_weights
        held = np.bincount(codes, weights)
        middle = float(np.average(target, weights=weights))
        if self.value == "mean":
            values = np.bincount(codes, weights * (target - middle)) / held + middle
        else:
            ends = np.concatenate([[target.min()], cuts, [target.max()]])
            values = (ends[:-1] / 2 + ends[1:] / 2)[occupied]
        names = np.array(interval_names(_readable(cuts), _numeric(table.schema)))[occupied]
        classes = _with_classes(table, tuple(names.tolist()), codes)
        named = "c45" if self.estimator is None else self.estimator
        if not isinstance(named, str) and not hasattr(named, "fit"):
            msg = f"estimator is {named!r}; expected a classifier, or the name of a scheme"
            raise TypeError(msg)
        base = find(named, "category").load()() if isinstance(named, str) else clone(named)
        self.estimator_ = seeded(base, self.random_state)
        classifier = _classified(self.estimator_, classes)
        return DiscretizedModel(table.schema, classifier, values, middle), None


def _readable(cuts: Floats) -> Floats:
    """Cuts with six digits, for names; unchanged if two would become equal."""
    rounded = np.array([float(f"{cut:.6g}") for cut in cuts.tolist()])
    return rounded if len(np.unique(rounded)) == len(cuts) else cuts


def _numeric(schema: Schema) -> Numeric:
    column = schema.target_column
    assert isinstance(column, Numeric)
    return column


def _with_classes(table: Table, names: tuple[str, ...], codes: AnyArray) -> Table:
    """The table with intervals as the target."""
    place = table.schema.target
    assert place is not None
    columns, arrays = list(table.schema.columns), list(table.columns)
    columns[place] = Nominal(columns[place].name, names)
    arrays[place] = codes
    return Table(replace(table.schema, columns=tuple(columns)), arrays, table.notes, copy=False)


def _classified(estimator: Any, table: Table) -> Any:
    """Fit a classifier, and return the object that predicts class probabilities from tables."""
    if isinstance(estimator, TableClassifier):
        return estimator.fit(table).model_
    model = ForeignClassifier(table.schema, estimator)
    matrix = model.matrix(table)
    weights = {} if table.weights is None else {"sample_weight": table.weights}
    if len(np.unique(table.target_values())) > 1:  # others refuse a single class, if there is nothing to learn
        estimator.fit(matrix, table.target_values(), **weights)
        if not hasattr(estimator, "predict_proba"):
            msg = f"{type(estimator).__name__} has no class probabilities, which are needed to average the intervals"
            raise TypeError(msg)
    return model


class ForeignClassifier:
    """A fitted classifier of another library as a model; it can predict, but not be saved or shown."""

    def __init__(self, schema: Schema, estimator: Any) -> None:
        self.schema, self.estimator = schema, estimator

    def matrix(self, table: Table) -> Floats:
        """The features as one matrix of numbers."""
        for place in self.schema.features:
            column = self.schema.columns[place]
            if not isinstance(column, Numeric):
                msg = (
                    f"column {column.name!r} is nominal, which {type(self.estimator).__name__} does not support; use a "
                    "classifier of hornbeam"
                )
                raise TypeError(msg)
        names = [self.schema.columns[place].name for place in self.schema.features]
        return np.column_stack([table.column(name) for name in names])

    def predict_proba(self, rows: Table | AnyArray) -> Floats:
        """Return class probabilities of every row of a table or a matrix."""
        matrix = self.matrix(rows) if isinstance(rows, Table) else rows
        target = self.schema.target_column
        assert isinstance(target, Nominal)
        if len(target.categories) == 1:
            return np.ones((len(np.asarray(matrix)), 1))
        shares: Floats = self.estimator.predict_proba(matrix)
        return shares

    def validate(self) -> None:
        """Raise an error, since the model cannot be saved."""
        msg = f"{type(self.estimator).__name__} is not a classifier of hornbeam: its model cannot be saved"
        raise TypeError(msg)
