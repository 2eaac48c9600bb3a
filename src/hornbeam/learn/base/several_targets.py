"""Several targets at once: a model for each, in one estimator, with scikit-learn's shapes.

`fit(X, y)` with several columns in `y` learns each column by itself. `outputs_` has the fitted estimators, one per
column, with everything that an estimator of one target has; `model_` has their models, to be shown and saved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from hornbeam.data.schema import Schema
from hornbeam.data.table import Table
from hornbeam.learn.base.estimator import TableEstimator

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from sklearn.utils import Tags

    from hornbeam.model.base.several import SeveralModels

SEVERAL = 2  # dimensions, and columns


class SeveralTargets(TableEstimator):
    """A mixin that goes before `TableClassifier` or `TableRegressor`.

    Attributes
    ----------
    outputs_ : list of estimators
        Only if `y` had several columns: the estimator of each. `model_` is then a `SeveralModels`.
    n_outputs_ : int
        The number of targets.
    """

    def _fit_each(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> bool:
        """Learn each target by itself, if there are several."""
        X, y = named_targets(X, y)  # noqa: N806 - the name of scikit-learn
        targets = None if isinstance(X, Table) else target_columns(y)
        if targets is None:
            self.__dict__.pop("outputs_", None)  # of an earlier fit
            self.n_outputs_ = 1
            return False
        outputs = []
        for number, target in enumerate(targets):
            learner = self._learner_of(number)
            weights = getattr(self, "class_weight", None)
            if isinstance(weights, list):
                learner.set_params(class_weight=_of_output(weights, number, len(targets)))
            if "_callbacks" in vars(self):
                learner.__dict__["_callbacks"] = self.__dict__["_callbacks"]
            outputs.append(self._fit_learner(learner, number, X, target, sample_weight))
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            del self.__dict__[name]  # of an earlier fit
        self.outputs_, self.n_outputs_ = outputs, len(outputs)
        self.n_features_in_ = outputs[0].n_features_in_
        if hasattr(outputs[0], "feature_names_in_"):
            self.feature_names_in_ = outputs[0].feature_names_in_
        if hasattr(outputs[0], "classes_"):
            self.__dict__["classes_"] = [learner.classes_ for learner in outputs]
        self.model_, self.trace_, self._fingerprint = _together(outputs), None, None
        self.schema_ = self.model_.schema
        return True

    def _learner_of(self, number: int) -> Any:  # noqa: ARG002 - see boosting
        """The estimator to learn one of several targets."""
        return clone(self)

    def _fit_learner(
        self,
        learner: Any,
        number: int,  # noqa: ARG002 - see boosting
        X: Any,
        target: Any,
        sample_weight: ArrayLike | None,
    ) -> Any:
        """Learn one of several targets."""
        return learner.fit(X, target, sample_weight)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the target of every row, or its targets.

        Parameters
        ----------
        X : Table, or array, frame or sparse matrix of shape (rows, features)

        Returns
        -------
        array of shape (rows,) or (rows, targets)
        """
        if "outputs_" not in self.__dict__:  # `hasattr` takes a tenth of the prediction of a row
            one: NDArray[Any] = super().predict(X)
            return one
        from hornbeam.model.base.several import stacked  # noqa: PLC0415 - only for several targets

        return stacked([learner.predict(X) for learner in self.outputs_])

    def _check_fitted(self) -> None:
        one_target(self)
        super()._check_fitted()

    if not TYPE_CHECKING:  # so that unknown attributes are still found by type checkers

        def __getattr__(self, name: str) -> Any:
            """Refuse what each of several targets has by itself, such as `n_iter_`; called for absent attributes."""
            outputs = self.__dict__.get("outputs_")
            if outputs and name.endswith("_") and not name.startswith("_") and hasattr(outputs[0], name):
                one_target(self)
            return super().__getattribute__(name)  # the error that there was

    def _deciding(self, model: Any) -> Any:
        """Return a model that chooses classes as the estimator does now; of several targets, each as its own does."""
        return _together(self.outputs_) if hasattr(self, "outputs_") else super()._deciding(model)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_label = True
        return tags


def named_targets(X: Any, y: Any) -> tuple[Any, Any]:
    """The features and the targets, where `y` is a list of names of columns of the frame X; else both as they are."""
    names = getattr(X, "column_names", getattr(X, "columns", None))  # of pyarrow, or of pandas and polars
    if (
        not isinstance(y, list | tuple)
        or not y
        or isinstance(X, Table)
        or names is None
        or len(y) == len(X)  # a class for each row
        or not all(isinstance(name, str) and name in list(names) for name in y)
    ):
        return X, y
    rest = [name for name in names if name not in y]
    return (X[rest], X[list(y)]) if hasattr(X, "iloc") else (X.select(rest), X.select(list(y)))


def target_columns(y: Any) -> list[Any] | None:
    """The columns of a target that has several; None if it has one."""
    if isinstance(y, list | tuple) and len(y) and isinstance(y[0], list | tuple | np.ndarray):
        y = np.asarray(y)
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if len(shape) != SEVERAL or shape[1] < SEVERAL:
        return None
    if hasattr(y, "iloc"):
        return [y.iloc[:, number] for number in range(shape[1])]
    if hasattr(y, "to_series"):  # polars
        return [y.to_series(number) for number in range(shape[1])]
    if hasattr(y, "column"):  # pyarrow
        return [y.column(number) for number in range(shape[1])]
    return list(np.asarray(y).T)


def _together(outputs: list[Any]) -> SeveralModels:
    """The models of the targets in one; the features are those that any of them has."""
    from hornbeam.model.base.several import SeveralModels  # noqa: PLC0415 - only for several targets

    models = [learner._deciding(learner.model_) for learner in outputs]
    features = {model.schema.columns[place].name: (model, place) for model in models for place in model.schema.features}
    columns = tuple(model.schema.columns[place] for model, place in features.values())
    return SeveralModels(Schema(columns, name=models[0].schema.name), tuple(models))


def _of_output(weights: list[Any], number: int, total: int) -> Any:
    """The class weights of one target, of those given for each."""
    if len(weights) != total:
        msg = f"class_weight has {len(weights)} entries; expected one for each of the {total} targets"
        raise ValueError(msg)
    return weights[number]


def one_target(learner: TableEstimator) -> bool:
    """True; an error if there are several targets, each with a model of its own."""
    if "outputs_" in learner.__dict__:
        msg = (
            f"this {type(learner).__name__} has learned {len(learner.outputs_)} targets, each with a model of its own; "
            "use each of outputs_"
        )
        raise AttributeError(msg)
    return True


def refuse_more_rows(learner: TableEstimator) -> None:
    """Refuse `partial_fit` after several targets."""
    if hasattr(learner, "outputs_"):
        msg = f"partial_fit is for one target; there are {len(learner.outputs_)}: call it for each of outputs_"
        raise ValueError(msg)
