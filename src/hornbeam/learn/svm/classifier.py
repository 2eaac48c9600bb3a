"""`SVMClassifier`: the widest margin between every pair of classes; the model is `model/svm/svm.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from hornbeam.learn.base.classifier import TableClassifier
from hornbeam.learn.base.parameters import one_of, threads
from hornbeam.learn.svm.learner import SVMLearner, Training, vectors_of
from hornbeam.learn.svm.machines import Pairs, learn_planes
from hornbeam.model.svm.svm import SVM

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from hornbeam.learn.svm.problem import Solution

    Floats = NDArray[np.float64]

MANY_ROWS = 50_000  # of a linear kernel, and fewer of sparse rows: planes are then found column by column
MANY_SPARSE_ROWS = 10_000


class SVMClassifier(SVMLearner, TableClassifier):
    """Support vector machines: the widest margin between classes.

    Parameters
    ----------
    C : float, default=1.0
        What a row on the wrong side of the margin costs; infinity allows none.
    kernel : {"rbf", "linear", "polynomial", "sigmoid", "precomputed"}, default="rbf"
        exp(-gamma |x - y|²), x·y, (gamma x·y + coef0)^degree, tanh(gamma x·y + coef0), or kernel values given as X.
    degree : int, default=3
        Of the polynomial kernel.
    gamma : float, "scale", "auto" or None, default=None
        "scale": 1 / (columns times variance); "auto": 1 / columns. None is "scale", and 1 for the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial and sigmoid kernels; 1 and 0 give (x·y + 1)^d and (x·y)^d.
    scale : {"normalize", "standardize", None}, default="normalize"
        Numbers from 0 to 1, or with mean 0 and deviation 1, or as they are. Categories are indicators, missing numbers
        are the mean, missing categories the commonest.
    products : int, default=1
        Linear kernel: all products of so many columns in place of the columns, weighted so that the answer is that of
        the polynomial kernel (x·y)^n.
    probability : bool, default=False
        Whether shares of classes are chances, by sigmoids fitted to rows held out in turn, coupled over pairs. Without,
        they are shares of the machines' votes.
    solver : {"auto", "pairs", "planes"}, default="auto"
        "pairs": steps on pairs of rows, exact. "planes": dual coordinate descent, linear kernel only, one class
        against all others, the intercept a column among others: for very many rows or columns. "auto": planes from
        50,000 rows on, or 10,000 sparse ones.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        Of planes.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes; they multiply C.
    costs : matrix or mapping, optional
        What it costs to answer the column's class where the row's is true; the answer is the class of least cost.
    decision_threshold : float or None, default=None
        Two classes: the second is predicted where its share is at least this.
    tol : float, default=0.001
        By how much a pair of rows may violate the conditions of an optimum.
    max_iter : int, default=-1
        Steps; -1 for no limit. With fewer than needed the best so far is kept, with a warning.
    cache_size : float, default=200
        Megabytes of kernel values held.
    shrinking : bool, default=True
        Whether rows that are out of the question are set aside.
    warm_start : bool, default=False
        Whether to begin with the coefficients of the last fit, where rows and classes are as many as then.
    n_jobs : int or None, default=None
        Threads; None is one, -1 all cores. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        Of the rows held out for chances, and the order of rows for planes.

    Attributes
    ----------
    model_ : SVM
        Support vectors and coefficients.
    classes_ : array
    schema_ : Schema
    support_ : array
        Numbers of the training rows that are support vectors, of those that were learned from.
    n_iter_ : array
        Steps of every machine.

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

    def __init__(
        self,
        C: float = 1.0,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str | None = None,
        coef0: float = 1.0,
        scale: str | None = "normalize",
        products: int = 1,
        probability: bool = False,
        solver: str = "auto",
        loss: str = "hinge",
        class_weight: Mapping[Any, float] | str | None = None,
        costs: Any = None,
        decision_threshold: float | None = None,
        tol: float = 1e-3,
        max_iter: int = -1,
        cache_size: float = 200,
        shrinking: bool = True,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.scale = scale
        self.products = products
        self.probability = probability
        self.solver = solver
        self.loss = loss
        self.class_weight = class_weight
        self.costs = costs
        self.decision_threshold = decision_threshold
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.shrinking = shrinking
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state

    def decision_function(self, X: Any) -> Floats:
        """How much speaks for the classes: of two, what the machine says, above zero for the second; else votes.

        Returns
        -------
        array of shape (rows,) or (rows, classes)
            Votes of machines are parted by how sure they are, which counts for less than one vote.
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
        solutions = pairs.solve()
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
        self._costs(), self._threshold()  # refused before the work, not after it
        by_class = self._class_weights(values)
        return weights if by_class is None else weights * by_class[values]

    # ---- answers ----

    def _codes(self, rows: Any) -> NDArray[Any]:
        return self.model_.codes(self.model_.decisions(rows, threads(self.n_jobs)))

    def _shares(self, rows: Any) -> Floats:
        return self.model_.told(self.model_.decisions(rows, threads(self.n_jobs)))
