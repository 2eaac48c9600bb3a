"""`SVMClassifier`: the widest margin between every pair of classes; the model is `model/svm/svm.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from hornbeam.learn.base.classifier import TableClassifier
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import one_of, threads
from hornbeam.learn.base.progress import ReportsProgress
from hornbeam.learn.svm.learner import SVMLearner, Training, vectors_of
from hornbeam.learn.svm.machines import Pairs, learn_planes
from hornbeam.model.svm.svm import SVM

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from hornbeam.learn.svm.problem import Solution

    Floats = NDArray[np.float64]

MANY_ROWS = 50_000  # number of rows (fewer for sparse rows) from which planes are used for the linear kernel
MANY_SPARSE_ROWS = 10_000


@estimator
class SVMClassifier(SVMLearner, ReportsProgress, TableClassifier):
    """Support vector machines for classes: the widest margin between each pair of classes.

    Parameters
    ----------
    C : float
        Cost of a row on the wrong side of the margin; infinity allows none.
    probability : bool
        Whether to estimate class probabilities by sigmoids fitted in cross-validation and coupled over pairs of
        classes. Otherwise they are fractions of the machines' votes.
    solver : {"auto", "pairs", "planes"}
        "pairs": sequential minimal optimization, exact. "planes": dual coordinate descent, for the linear kernel only,
        one class against all others, with the intercept as one more column; for very many rows or columns. "auto":
        planes from 50,000 rows on, or 10,000 sparse rows.
    loss : {"hinge", "squared_hinge"}
        Loss of the solver "planes".
    class_weight : dict, "balanced" or None
        Weights of the classes, which multiply `C`.
    random_state : int, RandomState or None
        Seed for the cross-validation of probabilities, and for the order of rows with "planes".

    References
    ----------
    Platt, J. (1998). Sequential minimal optimization. Fan, R.-E., Chen, P.-H. and Lin, C.-J. (2005). Working set
    selection using second order information for training support vector machines. Hsieh, C.-J. et al. (2008). A dual
    coordinate descent method for large-scale linear SVM.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("iris")
    >>> svm = hornbeam.SVMClassifier(kernel="linear").fit(table)
    >>> svm.predict(table.take([0, 60, 120])).tolist()
    ['Iris-setosa', 'Iris-versicolor', 'Iris-virginica']
    """

    C: float = 1.0
    kernel: str = "rbf"
    degree: int = 3
    gamma: float | str | None = None
    coef0: float = 1.0
    scale: str | None = "normalize"
    products: int = 1
    probability: bool = False
    solver: str = "auto"
    loss: str = "hinge"
    class_weight: Mapping[Any, float] | str | None = None
    costs: Any = None
    decision_threshold: float | None = None
    tol: float = 1e-3
    max_iter: int = -1
    cache_size: float = 200
    shrinking: bool = True
    warm_start: bool = False
    n_jobs: int | None = None
    random_state: Any = None

    def decision_function(self, X: Any) -> Floats:
        """Scores of the classes: for two classes the decision value, above zero for the second; otherwise votes.

        Parameters
        ----------
        X : Table, or array, frame or sparse matrix of shape (rows, features)

        Returns
        -------
        array of shape (rows,) or (rows, classes)
            Ties of votes are broken by the decision values, which count less than one vote.
        """
        decisions = self._decisions(X)
        if len(self.classes_) == 2:  # noqa: PLR2004 - one machine
            return decisions[:, 0]
        return self.model_.scores(decisions)

    # ---- learning ----

    def _model(self, training: Training) -> SVM:
        settings, price = self._settings(training), self._cost()
        one_of("loss", self.loss, ("hinge", "squared_hinge"))
        if self._by_planes(training, settings.kernel.is_linear):
            model, self.n_iter_ = learn_planes(
                training, settings, price, self.loss == "squared_hinge", self._seed(), self._recipe(settings.kernel)
            )
            self.support_ = np.empty(0, np.int64)
            return model
        pairs = Pairs(training, settings, price, self._starts(price))
        solutions = pairs.solve(self._reported)
        vectors, coefficients, runs = pairs.joined(solutions)
        self._remember(price, solutions)
        self.support_, self.n_iter_ = vectors, np.array([solution.steps for solution in solutions])
        self.solutions_ = solutions
        return SVM(
            training.schema,
            settings.kernel,
            coefficients,
            np.array([solution.intercept for solution in solutions]),
            price * training.weights[vectors],
            pairs.pairs,
            runs,
            **vectors_of(training, vectors),
            slopes=pairs.slopes(self._seed()) if self.probability else None,
            recipe=self._recipe(settings.kernel),
        )

    def _by_planes(self, training: Training, linear: bool) -> bool:
        solver = one_of("solver", self.solver, ("auto", "pairs", "planes"))
        if solver == "planes" and (not linear or self.probability):
            msg = f"solver='planes' is for the linear kernel, without probability; the kernel is {self.kernel!r}"
            raise ValueError(msg)
        many = MANY_SPARSE_ROWS if training.is_sparse else MANY_ROWS
        large = linear and not self.probability and len(training.target) >= many
        return bool(solver == "planes" or (solver == "auto" and large))

    def _starts(self, C: float) -> list[Floats] | None:
        before: Any = getattr(self, "_before", None)
        if not self.warm_start or before is None or not np.isfinite(C) or not np.isfinite(before[0]):
            return None
        return [coefficients * (C / before[0]) for coefficients in before[1]]

    def _remember(self, C: float, solutions: list[Solution]) -> None:
        self._before = (C, [solution.coefficients for solution in solutions]) if self.warm_start else None

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(2**31))

    def _sparse_weights(self, values: NDArray[Any], weights: Floats) -> Floats:
        self._costs(), self._threshold()  # checked before the work, not after it
        by_class = self._class_weights(np.bincount(values, minlength=len(self.classes_)))
        return weights if by_class is None else weights * by_class[values]

    # ---- predictions ----

    def _codes(self, rows: Any) -> NDArray[Any]:
        return self.model_.codes(self.model_.decisions(rows, threads(self.n_jobs)))

    def _shares(self, rows: Any) -> Floats:
        return self.model_.combined(self.model_.decisions(rows, threads(self.n_jobs)))
