"""`SVMRegressor`: the flattest function with errors of at most epsilon, or a penalty; see `model/svm/svm.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import at_least
from hornbeam.learn.base.regressor import TableRegressor
from hornbeam.learn.svm.learner import SVMLearner, Training, vectors_of
from hornbeam.learn.svm.problem import solve
from hornbeam.model.svm.svm import SVM

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats


@estimator
class SVMRegressor(SVMLearner, TableRegressor):
    """Support vector regression: the flattest function that keeps errors beyond epsilon small.

    Parameters
    ----------
    C : float
        Cost of an error beyond epsilon; infinity allows none.
    epsilon : float
        Errors up to this, in units of the target, cost nothing.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("cpu")
    >>> svm = hornbeam.SVMRegressor(kernel="linear", C=1000).fit(table)
    >>> svm.score(table) > 0.7
    True
    """

    C: float = 1.0
    epsilon: float = 0.1
    kernel: str = "rbf"
    degree: int = 3
    gamma: float | str | None = None
    coef0: float = 1.0
    scale: str | None = "normalize"
    products: int = 1
    tol: float = 1e-3
    max_iter: int = -1
    cache_size: float = 200
    shrinking: bool = True
    warm_start: bool = False
    n_jobs: int | None = None

    def _model(self, training: Training) -> SVM:
        settings, price, epsilon = self._settings(training), self._cost(), at_least("epsilon", self.epsilon, 0)
        limit = price * training.weights
        target = np.ascontiguousarray(training.target, np.float64)
        solution = solve(
            training.points, target, (-limit, limit), settings, epsilon=epsilon, start=self._start(price, len(target))
        )
        self._before = (price, solution.coefficients) if self.warm_start else None
        vectors = np.flatnonzero(solution.coefficients)
        self.support_, self.n_iter_, self.solutions_ = vectors, np.array([solution.steps]), [solution]
        return SVM(
            training.schema,
            settings.kernel,
            solution.coefficients[np.newaxis, vectors],
            np.array([solution.intercept]),
            limit[vectors],
            np.empty((0, 2), np.int32),
            np.array([[0, len(vectors), 0, 0]], np.int64),
            **vectors_of(training, vectors),
            recipe={**self._recipe(settings.kernel), "epsilon": epsilon},
        )

    def _start(self, C: float, n: int) -> Floats | None:
        before: Any = getattr(self, "_before", None)
        if not self.warm_start or before is None or len(before[1]) != n or not np.isfinite([C, before[0]]).all():
            return None
        return np.asarray(before[1] * (C / before[0]))

    def predict(self, X: Any) -> Floats:
        """Predict the number of every row."""
        return self._decisions(X)[:, 0]
