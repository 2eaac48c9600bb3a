"""Base of the classifiers: from classes to codes and back, class weights, and the decision by probabilities.

A classifier predicts the class of the greatest probability. With `costs` it predicts the class of least expected cost,
with `decision_threshold` (two classes) the second class where its probability reaches the threshold; the model is the
same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from hornbeam.data.as_table import label_text
from hornbeam.data.schema import Column, Nominal, SchemaError
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.estimator import TableEstimator, with_weights
from hornbeam.learn.base.lazy import LazyRows, by_engine, engine_of
from hornbeam.learn.base.parameters import at_least, share, threads
from hornbeam.model.base.decision import PARAMETERS, Decision, cost_matrix, text_array

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hornbeam.data.table import Table

BINARY = 2


class TableClassifier(ClassifierMixin, TableEstimator):
    """Base of the classifiers; a subclass has parameters and `_learn(table)`.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        Weights of the classes, which multiply the weights of their rows.
    costs : matrix or mapping, optional
        The cost of predicting the class of the column when the class of the row is true, or ``{true: {predicted:
        cost}}``. `predict` then returns the class of least expected cost; the model stays the same.
    decision_threshold : float or None
        For two classes: `predict` returns the second if its probability is at least this.

    Attributes
    ----------
    classes_ : array
        The classes, in the order of the columns of `predict_proba`.
    """

    classes_: NDArray[Any]
    _with_rows: NDArray[np.bool_] | None = None  # which classes have training rows; None: not known

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of every row.

        This is the most probable class; of equal ones the label of the leaf or rule that decides the row, or else the
        first. With `costs` it is the class of least expected cost, with `decision_threshold` the second class if its
        probability is at least that; a class without training rows is then never predicted. If the model itself
        predicts no class, the most frequent class of the nearest node with one is returned.

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
        rows = self._rows(X)
        if self._decides:
            return self.classes_.take(self._decision().codes(self._shares(rows)))
        codes = self._codes(rows)
        if len(codes) and codes.min() < 0:
            codes = np.where(codes < 0, self._shares(rows).argmax(axis=1), codes)
        return self.classes_.take(codes)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the class probabilities of every row.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features)

        Returns
        -------
        array of shape (rows, classes)
            In the order of `classes_`; every row adds up to 1. With several targets, a list of such arrays. For a frame
            of Spark or Dask: the frame with a column for every class.
        """
        if engine_of(X) is not None:
            return by_engine("predict_proba", self, X)  # type: ignore[no-any-return]
        if hasattr(self, "outputs_"):
            return [learner.predict_proba(X) for learner in self.outputs_]  # type: ignore[return-value]
        return self._shares(self._rows(X))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithms of the class probabilities of every row.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features)

        Returns
        -------
        array of shape (rows, classes)
            In the order of `classes_`; minus infinity where the probability is 0. With several targets, a list of such
            arrays.
        """
        if hasattr(self, "outputs_"):
            return [learner.predict_log_proba(X) for learner in self.outputs_]  # type: ignore[return-value]
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """The accuracy on a Table with its classes, or on X and y.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features), or the result of `hornbeam.scan`
        y : array of shape (rows,), or str, optional
            The true classes, for anything but a Table: their values, or the name of their column in X.
        sample_weight : array of shape (rows,), optional
            Row weights.

        Returns
        -------
        float
            The fraction of the rows that are predicted right.
        """
        if isinstance(X, LazyRows):
            found = X.predicted(self)
            return float(np.mean(found.truth == found.predictions))
        return float(super().score(*self._rows_to_score(X, y, sample_weight)))

    def _shares(self, rows: Table | NDArray[Any]) -> NDArray[np.float64]:
        shares: NDArray[np.float64] = self.model_.probabilities(rows, threads(getattr(self, "n_jobs", None)))
        return shares

    @property
    def _decides(self) -> bool:
        """Whether costs or a threshold decide, not the greatest probability."""
        return getattr(self, "costs", None) is not None or getattr(self, "decision_threshold", None) is not None

    def _decision(self) -> Decision:
        costs = self._costs()
        return Decision(
            tuple(map(label_text, self.classes_.tolist())),
            None if costs is None else tuple(map(tuple, costs.tolist())),
            self._threshold(),
            None if self._with_rows is None else tuple(self._with_rows.tolist()),
            {"i": "int", "u": "int", "f": "float", "b": "bool"}.get(self.classes_.dtype.kind),
        )

    def _decide_as(self, decision: Decision | None, given: Mapping[str, Any]) -> None:
        if decision is None:
            return
        self.classes_ = decision.classes()
        if decision.with_rows is not None:
            self._with_rows = np.array(decision.with_rows)
        if any(given.get(name) is not None for name in PARAMETERS):
            return
        costs = None if decision.costs is None else [list(row) for row in decision.costs]
        for name, value in (("costs", costs), ("decision_threshold", decision.threshold)):
            if value is not None and name in self.get_params(deep=False):
                setattr(self, name, value)

    def _note_target(self, table: Table, *, more: bool = False) -> None:
        found = np.bincount(table.target_values(), minlength=len(self.classes_)) > 0
        if not more:
            self._with_rows = found
        elif self._with_rows is not None:
            self._with_rows = self._with_rows | found

    @property
    def cost_matrix_(self) -> NDArray[np.float64] | None:
        """The costs by which classes are decided, in the order of `classes_`; None without costs."""
        check_is_fitted(self)
        return self._costs()

    def _costs(self) -> NDArray[np.float64] | None:
        """The parameter `costs` as a matrix: the cost of predicting the column's class when the row's is true."""
        wanted = getattr(self, "costs", None)
        return None if wanted is None else cost_matrix(wanted, list(map(label_text, self.classes_.tolist())))

    def _threshold(self) -> float | None:
        wanted = getattr(self, "decision_threshold", None)
        if wanted is None:
            return None
        if getattr(self, "costs", None) is not None:
            msg = "both costs and decision_threshold are given; expected one of them, since either decides alone"
            raise ValueError(msg)
        if len(self.classes_) != BINARY:
            msg = f"decision_threshold is for two classes; there are {len(self.classes_)}"
            raise ValueError(msg)
        return share("decision_threshold", wanted)

    # ---- classes in ----

    def _check_target(self, target: Column) -> None:
        if not isinstance(target, Nominal):
            msg = (
                f"the target {target.name!r} is numeric, and {type(self).__name__} predicts categories; "
                f"read it as nominal (nominal=[{target.name!r}]), choose another target, or learn it with a regressor"
            )
            raise SchemaError(msg)
        self.classes_ = text_array(target.categories)

    def _target_of(self, y: Any, name: str) -> tuple[Column, NDArray[Any]]:
        self.classes_, codes = _class_codes(y)
        self._with_rows = None
        return Nominal(name, tuple(map(label_text, self.classes_.tolist()))), codes

    def _weighted(self, table: Table) -> Table:
        self._costs(), self._threshold()  # checked before the work, not after it
        codes = table.target_values()
        weights = self._class_weights(np.bincount(codes[codes >= 0], minlength=len(self.classes_)))
        return table if weights is None else with_weights(table, weights[codes])

    def _class_weights(self, rows: NDArray[np.int64]) -> NDArray[np.float64] | None:
        """The weight of every class by the parameter `class_weight`; `rows` are the numbers of rows of the classes."""
        wanted = getattr(self, "class_weight", None)
        if wanted is None:
            return None
        if isinstance(wanted, Mapping):
            return _weights_by_class(wanted, self.classes_.tolist())
        if not isinstance(wanted, str) or wanted != "balanced":
            msg = f"class_weight is {wanted!r}; expected None, 'balanced' or {{class: weight}}"
            raise ValueError(msg)
        weights = np.ones(len(self.classes_))
        present = rows > 0
        weights[present] = rows.sum() / (present.sum() * rows[present].astype(np.float64))
        return weights


@estimator
class DecidingClassifier(TableClassifier):
    """Base of the classifiers with class weights and all ways to decide, as parameters that are given by name."""

    class_weight: object = None
    costs: Any = None
    decision_threshold: float | None = None


def _weights_by_class(wanted: Mapping[Any, Any], classes: list[Any]) -> NDArray[np.float64]:
    """The weights of all classes, by default 1; classes may be given as they are or as text."""
    place = {
        **{label_text(name): code for code, name in enumerate(classes)},
        **{name: k for k, name in enumerate(classes)},
    }
    weights = np.ones(len(classes))
    for name, weight in wanted.items():
        if name not in place:
            msg = f"class_weight names the class {name!r}; the classes are {', '.join(map(repr, classes))}"
            raise ValueError(msg)
        weights[place[name]] = at_least(f"the class_weight of {name!r}", weight, 0)
    return weights


def _class_codes(y: Any) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """The sorted classes of a target, and the code of each row."""
    y = column_or_1d(np.asarray(y) if hasattr(y, "__arrow_c_array__") else y, warn=True)
    if y.dtype.kind == "f" and np.isnan(y).any():
        msg = f"Input y contains NaN: row {int(np.flatnonzero(np.isnan(y))[0]) + 1} has no class"
        raise ValueError(msg)
    if y.dtype.kind == "f" and np.isinf(y).any():
        row = int(np.argmax(np.isinf(y)))
        msg = f"Input y contains infinity or a value too large for {y.dtype!r}. Row {row + 1} has no class"
        raise ValueError(msg)
    if y.dtype == object:
        absent = [i for i, value in enumerate(y) if value is None or value != value]  # noqa: PLR0124 - NaN
        if absent:
            msg = f"Input y contains NaN: row {absent[0] + 1} has no class"
            raise ValueError(msg)
    check_classification_targets(y)
    if y.dtype.kind in "iu" and y.dtype != np.uint64 and len(y):
        low, high = int(y.min()), int(y.max())
        if high - low < len(y):  # counted, not sorted
            places = y.astype(np.int64) - low
            occurs = np.bincount(places) > 0
            code_of = (np.cumsum(occurs) - 1).astype(np.int32)
            return (np.flatnonzero(occurs) + low).astype(y.dtype), code_of[places]
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.astype(np.int32)
