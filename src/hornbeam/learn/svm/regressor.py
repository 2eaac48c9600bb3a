"""`SVMRegressor`: the flattest function that is off by no more than epsilon, or pays for it; `model/svm/svm.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.learn.base.parameters import at_least
from hornbeam.learn.base.regressor import TableRegressor
from hornbeam.learn.svm.learner import SVMLearner, Training, vectors_of
from hornbeam.learn.svm.problem import solve
from hornbeam.model.svm.svm import SVM

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class SVMRegressor(SVMLearner, TableRegressor):
    """Support vector regression: the flattest function whose errors beyond epsilon cost least.

    Parameters
    ----------
    C : float, default=1.0
        What an error beyond epsilon costs; infinity allows none.
    epsilon : float, default=0.1
        Errors up to this, in units of the target, cost nothing.
    kernel : {"rbf", "linear", "polynomial", "sigmoid", "precomputed"}, default="rbf"
        exp(-gamma |x - y|²), x·y, (gamma x·y + coef0)^degree, tanh(gamma x·y + coef0), or kernel values given as X.
    degree : int, default=3
        Of the polynomial kernel.
    gamma : float, "scale", "auto" or None, default=None
        "scale": 1 / (columns times variance); "auto": 1 / columns. None is "scale", and 1 for the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial and sigmoid kernels.
    scale : {"normalize", "standardize", None}, default="normalize"
        Numbers from 0 to 1, or with mean 0 and deviation 1, or as they are. The target is left as it is.
    products : int, default=1
        Linear kernel: all products of so many columns in place of the columns.
    tol : float, default=0.001
        By how much a pair of rows may violate the conditions of an optimum.
    max_iter : int, default=-1
        Steps; -1 for no limit. With fewer than needed the best so far is kept, with a warning.
    cache_size : float, default=200
        Megabytes of kernel values held.
    shrinking : bool, default=True
        Whether rows that are out of the question are set aside.
    warm_start : bool, default=False
        Whether to begin with the coefficients of the last fit, where rows are as many as then.
    n_jobs : int or None, default=None
        Threads; None is one, -1 all cores. Results do not depend on it.

    Attributes
    ----------
    model_ : SVM
        Support vectors and coefficients.
    schema_ : Schema
    support_ : array
        Numbers of the training rows that are support vectors, of those that were learned from.
    n_iter_ : array
        Steps.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("cpu")
    >>> svm = hornbeam.SVMRegressor(kernel="linear", C=1000).fit(table)
    >>> svm.score(table) > 0.7
    True
    """

    def __init__(
        self,
        C: float = 1.0,
        epsilon: float = 0.1,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str | None = None,
        coef0: float = 1.0,
        scale: str | None = "normalize",
        products: int = 1,
        tol: float = 1e-3,
        max_iter: int = -1,
        cache_size: float = 200,
        shrinking: bool = True,
        warm_start: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.scale = scale
        self.products = products
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.shrinking = shrinking
        self.warm_start = warm_start
        self.n_jobs = n_jobs

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
