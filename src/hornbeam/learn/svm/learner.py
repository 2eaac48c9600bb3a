"""Base of support vector machines: parameters, rows as points, sparse rows and kernel values."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy import sparse

from hornbeam.data.schema import Numeric, Schema
from hornbeam.data.weights import positive_weights
from hornbeam.learn.base.estimator import TableEstimator
from hornbeam.learn.base.limits import (
    MOST_INDICATORS,
    NOT_BY_RANGE,
    check_indicators,
    check_sample_weight,
    validate_data,
)
from hornbeam.learn.base.parameters import at_least, number, one_of, require_target, threads, whole
from hornbeam.learn.base.sparse_input import checked_sparse, sparse_rows, sparse_take
from hornbeam.learn.svm.problem import Settings
from hornbeam.model.neighbors.axes import SCALES, Axes
from hornbeam.model.svm.kernel import KERNELS, MOST_DEGREE, Kernel
from hornbeam.model.svm.products import MOST_FACTORS, MOST_PRODUCTS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from sklearn.utils import Tags

    from hornbeam.data.table import Table
    from hornbeam.model.svm.svm import SVM

    Floats = NDArray[np.float64]

MEGABYTE = 1 << 20
UNEQUAL = 1e-5  # of the largest kernel value: the tolerance of symmetry


@dataclass(frozen=True)
class Training:
    """Prepared rows: points (a matrix, sparse rows, or kernel values), targets and weights."""

    schema: Schema
    points: Any
    target: NDArray[Any]
    weights: Floats
    table: Table | None = None
    axes: Axes | None = None

    @property
    def is_sparse(self) -> bool:
        """Whether the points are rows of a sparse matrix."""
        return isinstance(self.points, tuple)

    def take(self, rows: NDArray[np.int64], *, given: bool) -> Any:
        """The points of some rows; for kernel values, those of these rows with each other."""
        if self.is_sparse:
            return sparse_take(self.points, rows)
        return np.ascontiguousarray(self.points[np.ix_(rows, rows)] if given else self.points[rows])


class SVMLearner(TableEstimator):
    """Base of support vector machines; a subclass adds `TableClassifier` or `TableRegressor` and `_model(training)`.

    Parameters
    ----------
    kernel : {"rbf", "linear", "polynomial", "sigmoid", "precomputed"}
        ``exp(-gamma |x - y|²)``, ``x·y``, ``(gamma x·y + coef0)^degree``, ``tanh(gamma x·y + coef0)``, or kernel values
        given as X.
    degree : int
        Degree of the polynomial kernel.
    gamma : float, "scale", "auto" or None
        "scale": 1 / (columns times variance); "auto": 1 / columns. None is "scale", and 1 for the polynomial kernel.
    coef0 : float
        Constant of the polynomial and sigmoid kernels; 1 and 0 give (x·y + 1)^d and (x·y)^d.
    scale : {"normalize", "standardize", None}
        Scale numbers to the range 0 to 1, or to mean 0 and standard deviation 1, or not at all. The target is not
        scaled. Categories become indicators, missing numbers the mean, missing categories the most frequent one.
    products : int
        For the linear kernel: use all products of this many columns instead of the columns, weighted so that the model
        is that of the polynomial kernel (x·y)^n.
    tol : float
        By how much a pair of rows may violate the optimality conditions.
    max_iter : int
        Maximum number of steps; -1 for no limit. At the limit, the current solution is used, with a warning.
    cache_size : float
        Megabytes of kernel values kept in memory.
    shrinking : bool
        Whether rows that are unlikely to change are set aside.
    warm_start : bool
        Whether to start from the coefficients of the last fit, if there are as many rows (and classes) as then.

    Attributes
    ----------
    model_ : SVM
        Support vectors and coefficients.
    support_ : array
        Indices of the training rows that are support vectors.
    n_iter_ : array
        Number of steps of every machine.
    """

    model_: SVM
    n_iter_: NDArray[np.int64]
    C: float
    kernel: str
    degree: int
    gamma: float | str | None
    coef0: float
    scale: str | None
    products: int
    tol: float
    max_iter: int
    cache_size: float
    shrinking: bool
    warm_start: bool
    n_jobs: int | None

    def _model(self, training: Training) -> SVM:
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from a table with a target, or from X and y.

        Parameters
        ----------
        X : Table, or array, frame or sparse matrix of shape (rows, features)
            A Table carries its own target and weights; frames may have categories and missing values. Numbers of a
            sparse matrix are taken as they are, regardless of `scale`. For a precomputed kernel, the kernel values of
            all pairs of rows.
        y : array of shape (rows,), optional
            The target, for anything but a Table.
        sample_weight : array of shape (rows,), optional
            Row weights, which multiply C; rows of weight zero are left out.

        Returns
        -------
        self
        """
        if not sparse.issparse(X):
            return super().fit(X, y, sample_weight)
        require_target(self, y)
        training = self._sparse_training(X, y, sample_weight)
        self.model_, self.trace_ = self._deciding(self._model(training)), None
        self.schema_, self._fingerprint = self.model_.schema, None
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    # ---- rows in ----

    def _squares_features(self) -> bool:
        return self.kernel == "precomputed" or self.scale in NOT_BY_RANGE

    def _learn(self, table: Table) -> tuple[Any, None]:
        weights = table.row_weights
        if self.kernel == "precomputed":
            points, axes = self._given_values(table), None
        else:
            one_of("scale", self.scale, tuple(SCALES))
            check_indicators(table, type(self).__name__, MOST_INDICATORS, lists_others=False)
            axes = Axes.of(table, self.scale, self._n_factors(), centered=self.kernel == "rbf")
            if len(axes) > MOST_PRODUCTS:
                msg = f"there are {len(axes)} products of {axes.n_factors} columns; expected at most {MOST_PRODUCTS}"
                raise ValueError(msg)
            points = np.ascontiguousarray(axes.matrix(table))
        return self._model(Training(table.schema, points, table.target_values(), weights, table, axes)), None

    def _given_values(self, table: Table) -> Floats:
        values = np.column_stack([table.columns[place] for place in table.schema.features])
        if values.shape[0] != values.shape[1]:
            msg = (
                f"precomputed kernel values have the shape {values.shape}; expected a square matrix: every row with "
                "every other. (Rows of weight zero cannot be left out here.)"
            )
            raise ValueError(msg)
        if not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0].tolist()
            msg = f"the kernel value of row {row + 1} with row {column + 1} is {values[row, column]}; expected a number"
            raise ValueError(msg)
        most = UNEQUAL * float(np.abs(values).max())
        for row in range(len(values)):
            column = int(np.argmax(np.abs(values[row] - values[:, row])))
            if abs(values[row, column] - values[column, row]) > most:
                msg = (
                    f"the kernel value of row {row + 1} with row {column + 1} is {values[row, column]}, and of row "
                    f"{column + 1} with row {row + 1} {values[column, row]}; expected them to be the same"
                )
                raise ValueError(msg)
        return np.ascontiguousarray(values)

    def _sparse_training(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Training:
        if self.kernel == "precomputed":
            msg = "precomputed kernel values are given as a dense matrix; a sparse one was found"
            raise ValueError(msg)
        if self._n_factors() != 1:
            msg = "products of columns are made of dense rows; a sparse matrix was found (kernel='polynomial' takes it)"
            raise ValueError(msg)
        matrix = validate_data(self, checked_sparse(X), accept_sparse="csr", dtype=np.float64)
        target, values = self._target_of(y, "target")
        if len(values) != matrix.shape[0]:
            msg = f"Found input variables with inconsistent numbers of samples: {[matrix.shape[0], len(values)]}"
            raise ValueError(msg)
        features = tuple(Numeric(f"x{i}") for i in range(matrix.shape[1]))
        roles: Any = (*("feature",) * len(features), "target")
        weights = np.ones(len(values))
        if sample_weight is not None:
            weights = check_sample_weight(sample_weight, matrix, dtype=np.float64, ensure_non_negative=True)
        weights = self._sparse_weights(np.asarray(values), weights)
        kept = np.flatnonzero(positive_weights(weights))
        if not len(kept):
            msg = "no rows to learn from: every row has weight zero"
            raise ValueError(msg)
        points = sparse_rows(matrix)
        if len(kept) < len(values):
            points = sparse_take(points, kept)
        return Training(Schema((*features, target), roles), points, np.asarray(values)[kept], weights[kept])

    def _sparse_weights(self, values: NDArray[Any], weights: Floats) -> Floats:  # noqa: ARG002 - classes have their own
        return weights

    def _rows(self, X: Any) -> Any:
        if not sparse.issparse(X):
            return super()._rows(X)
        if not hasattr(self, "model_"):
            return super()._rows(X)  # raises an error
        if self.model_.axes is not None:
            return super()._rows(X)
        return sparse_rows(validate_data(self, checked_sparse(X), reset=False, accept_sparse="csr", dtype=np.float64))

    # ---- decision values ----

    def _decisions(self, X: Any) -> Floats:
        rows = self._rows(X)
        return self.model_.decisions(rows, threads(self.n_jobs))

    # ---- parameters ----

    def _settings(self, training: Training) -> Settings:
        if isinstance(self.max_iter, bool) or not isinstance(self.max_iter, numbers.Integral) or self.max_iter < -1:
            msg = f"max_iter is {self.max_iter!r}; expected a whole number of at least 0, or -1 for no limit"
            raise ValueError(msg)
        if not at_least("tol", self.tol, 0) > 0:
            msg = f"tol is {self.tol!r}; expected a number above zero"
            raise ValueError(msg)
        return Settings(
            self._kernel(training),
            float(self.tol),
            int(at_least("cache_size", self.cache_size, 0) * MEGABYTE),
            int(self.max_iter),
            bool(self.shrinking),
            threads(self.n_jobs),
        )

    def _kernel(self, training: Training) -> Kernel:
        name = one_of("kernel", self.kernel, KERNELS)
        degree = whole("degree", self.degree, 1)
        if degree > MOST_DEGREE:
            msg = f"degree is {degree}; expected at most {MOST_DEGREE}"
            raise ValueError(msg)
        gamma, coef0 = 1.0, 0.0
        if name in ("polynomial", "sigmoid"):
            coef0 = number("coef0", self.coef0)
        if name in ("polynomial", "sigmoid", "rbf"):
            gamma = self._gamma(training, name)
        return Kernel(name, degree if name == "polynomial" else 1, gamma, coef0)

    def _gamma(self, training: Training, name: str) -> float:
        wanted: Any = self.gamma
        if isinstance(wanted, str) or wanted is None:
            one_of("gamma", wanted, ("scale", "auto", None))
            if wanted is None and name == "polynomial":
                return 1.0
            n, varied = _spread(_unshifted(training, self.scale), training.weights)
            return 1.0 / max(1, n) if wanted == "auto" or not varied > 0 else 1.0 / (n * varied)
        if not number("gamma", wanted) > 0:
            msg = f"gamma is {wanted!r}; expected a number above zero, 'scale', 'auto' or None"
            raise ValueError(msg)
        return float(wanted)

    def _cost(self) -> float:
        wanted: Any = self.C
        if isinstance(wanted, bool) or not isinstance(wanted, numbers.Real) or math.isnan(wanted) or wanted <= 0:
            msg = f"C is {wanted!r}; expected a number above zero; infinity for a margin that no row may violate"
            raise ValueError(msg)
        return float(wanted)

    def _n_factors(self) -> int:
        n = whole("products", self.products, 1)
        if n > MOST_FACTORS:
            msg = f"products is {n}; expected at most {MOST_FACTORS}"
            raise ValueError(msg)
        if n > 1 and self.kernel != "linear":
            msg = f"products={n} makes columns for the linear kernel; the kernel is {self.kernel!r}"
            raise ValueError(msg)
        return n

    def _recipe(self, kernel: Kernel) -> dict[str, Any]:
        price = self._cost()
        return {
            "C": price if math.isfinite(price) else "inf",
            "kernel": kernel.name,
            "scale": self.scale,
            "products": int(self.products),
        }


def vectors_of(training: Training, rows: NDArray[np.int64]) -> dict[str, Any]:
    """The support vectors in the form of the model: rows of the table, sparse rows, or indices of kernel values."""
    if training.is_sparse:
        return {"sparse": sparse_take(training.points, rows)}
    if training.axes is None:
        return {"places": rows.astype(np.int64)}
    assert training.table is not None
    return {"kept": training.table.take(rows), "axes": training.axes}


def _unshifted(training: Training, scale: str | None) -> Any:
    """The points; unchanged if columns are used as they are."""
    return training.points if scale is not None or training.axes is None else training.points + training.axes.shift


def _spread(points: Any, weights: Floats) -> tuple[int, float]:
    """The number of columns, and the weighted variance of all their values together."""
    whole = float(weights.sum())
    if not isinstance(points, tuple):
        n = points.shape[1]
        sums, squares = float(np.sum(weights * points.sum(axis=1))), float(np.sum(weights * (points**2).sum(axis=1)))
    else:
        start, _, values, n = points
        by_value = np.repeat(weights, np.diff(start))
        sums, squares = float(np.sum(by_value * values)), float(np.sum(by_value * values**2))
    cells = max(whole * n, np.finfo(np.float64).tiny)
    return n, squares / cells - (sums / cells) ** 2
