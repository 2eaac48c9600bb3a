"""Nearest neighbors: a row is predicted by the most similar rows.

Almost nothing is computed from the rows before prediction. The distance handles numbers, categories and missing values.
Cover and Hart, "Nearest neighbor pattern classification", 1967.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal
from hornbeam.learn.base.classifier import DecidingClassifier
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.estimator import unweighted
from hornbeam.learn.base.limits import NOT_BY_RANGE
from hornbeam.learn.base.parameters import one_of, threads, whole
from hornbeam.learn.base.several_targets import SeveralTargets
from hornbeam.learn.neighbors.lazy import LazyClassifier, LazyLearner, LazyRegressor
from hornbeam.learn.neighbors.search import ALGORITHMS, Search, Searching, SearchingClassifier
from hornbeam.model.neighbors.distance import MISSING, NOMINAL, Distance
from hornbeam.model.neighbors.instances import WEIGHTINGS, Instances
from hornbeam.model.neighbors.points import Neighbors
from hornbeam.model.neighbors.scales import NUMERIC

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from hornbeam.data.table import Table


METRICS = ("euclidean", "manhattan")
TIES = ("all", "first")
AS_GOOD = 1e-9


@estimator
class _LastParameters(SeveralTargets, LazyLearner):
    """Parameters of both estimators that are listed after their own.

    Parameters
    ----------
    compat : {None, "weka"}
        "weka": as in WEKA, the ranges of columns also include the query rows, one after another. IB1 is
        ``n_neighbors=1`` with ``ties="first"``, IBk is ``ties="all"``. IB1 ignores row weights; in IBk `n_neighbors`
        is a number of rows.
    n_jobs : int or None
        Number of threads: None is one, -1 all cores. Predictions do not depend on it.
    """

    compat: str | None = None
    n_jobs: int | None = None


@estimator(kw_only=False)
class NeighborsLearner(Searching, _LastParameters):
    """Base of neighbors for classes and for numbers; a mixin for `LazyClassifier` or `LazyRegressor`.

    Parameters
    ----------
    n_neighbors : int
        Number of neighbors. If rows have weights: as many neighbors as together weigh this much. With fewer rows than
        this, all of them.
    weights : {"uniform", "inverse", "similarity"}
        Weight of a neighbor: 1, 1 / (d + 0.001), or 1 - d, where d is its distance as a fraction of the distance
        between rows that differ by 1 in every column.
    choose_k : bool
        Whether to choose the best number of neighbors up to `n_neighbors` by leave-one-out cross-validation; the
        smallest of those that are equally good.
    ties : {"all", "first"}
        Whether all rows exactly as far away as the k-th neighbor count too, or only the first of them in row order.
    metric : {"euclidean", "manhattan"}
        The root of the sum of squared differences, or the sum of absolute differences.
    numeric : {"range", "deviation", "rank", "as-is"}
        How numbers are scaled before they are compared.
    nominal : {"overlap", "value-difference"}
        Different categories differ by 1, or by how differently the target is distributed among their rows.
    missing : {"farthest", "ignore", "average"}
        The difference to a missing value is the largest possible one, is not counted, or is the average difference
        between two rows.
    column_weights : mapping, optional
        Weights of columns by name, 1 if not named; 0 leaves a column out.
    algorithm : {"auto", "kd-tree", "ball-tree", "brute"}
        How neighbors are searched for; the neighbors are the same. Trees need numbers without missing values.

    Attributes
    ----------
    model_ : Instances
    """

    model_: Instances

    n_neighbors: int = 5
    _: KW_ONLY
    weights: str = "uniform"
    choose_k: bool = False
    ties: str = "all"
    metric: str = "euclidean"
    numeric: str = "range"
    nominal: str = "overlap"
    missing: str = "farthest"
    column_weights: Mapping[str, float] | None = None
    algorithm: str = "auto"

    def _counted(self, table: Table) -> Table:
        """The one-neighbor scheme of the reference program ignores row weights."""
        alone = self.compat is not None and self.ties == "first"
        return unweighted(table) if alone else table

    def _squares_features(self) -> bool:
        return self.numeric in NOT_BY_RANGE

    def _learn(self, table: Table) -> tuple[Any, None]:
        k = whole("n_neighbors", self.n_neighbors, 1)
        follows = one_of("compat", self.compat, (None, "weka")) is not None
        all_tied = one_of("ties", self.ties, TIES) == "all"
        way = one_of("algorithm", self.algorithm, ALGORITHMS)
        n_threads = threads(self.n_jobs)
        distance = Distance.of(
            table,
            numeric=one_of("numeric", self.numeric, NUMERIC),
            nominal=one_of("nominal", self.nominal, NOMINAL),
            missing=one_of("missing", self.missing, MISSING),
            squared=one_of("metric", self.metric, METRICS) == "euclidean",
            weights=self.column_weights,
        )
        model = Instances(
            table.schema,
            table,
            distance,
            k,
            all_tied,
            one_of("weights", self.weights, WEIGHTINGS),
            widened=follows and self.numeric == "range",
            pseudo_count=1 / table.n_rows if follows and isinstance(table.schema.target_column, Nominal) else 0.0,
            count_rows=follows and table.weights is not None,
            recipe={"kept": "all"},
        )
        self._search = Search(distance, model.points, way, all_tied=all_tied, rooted=model.rooted, n_threads=n_threads)
        if self.choose_k:
            model, self.k_errors_ = _with_best_k(model, self._search)
        else:
            self.__dict__.pop("k_errors_", None)  # of an earlier fit
        return model, None

    def neighbors(self, X: Any, n_neighbors: int | None = None) -> Neighbors:
        """The nearest rows of every row of X, and their distances.

        Parameters
        ----------
        X : Table, array or frame
            The query rows.
        n_neighbors : int, optional
            The number of neighbors; by default as in prediction.

        Returns
        -------
        Neighbors
            ``of(row)`` returns the numbers of the kept rows (rows of weight zero or without a target are not counted)
            and their distances, nearest first.
        """
        self._check_fitted()
        k = None if n_neighbors is None else whole("n_neighbors", n_neighbors, 1)
        return self.model_.neighbors(self._table(X), k, **self._way())


@estimator
class NeighborsClassifier(SearchingClassifier, NeighborsLearner, LazyClassifier, DecidingClassifier):
    """k-nearest neighbors for classes. Of classes with equal probabilities, the first in `classes_` is predicted.

    Attributes
    ----------
    k_errors_ : array
        With `choose_k`: the error rate for every number of neighbors from 1.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("glass")
    >>> neighbors = hornbeam.NeighborsClassifier(n_neighbors=10, choose_k=True).fit(table)
    >>> neighbors.model_
    Instances('glass': 214 rows kept, 1 nearest predict)
    """


@estimator
class NeighborsRegressor(NeighborsLearner, LazyRegressor):
    """k-nearest neighbors for numbers: the mean of the neighbors is predicted.

    Attributes
    ----------
    k_errors_ : array
        With `choose_k`: the mean squared error for every number of neighbors from 1.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("cpu")
    >>> neighbors = hornbeam.NeighborsRegressor(n_neighbors=3, weights="inverse").fit(table)
    >>> neighbors.neighbors(table.take([0])).of(0)[0].tolist()
    [0, 19, 169]
    """

    def _codes(self, rows: Table | NDArray[Any]) -> NDArray[Any]:
        return self._outputs(rows)[:, 0]


def _with_best_k(model: Instances, search: Search) -> tuple[Instances, NDArray[np.float64]]:
    """The model with the number of neighbors, up to its own, with the least leave-one-out error.

    Of a row with a weight above one, weight one is left out.
    """
    kept = model.kept
    truth, weights = kept.target_values(), kept.row_weights
    wanted = int(min(np.ceil(model.k / min(1.0, weights.min())) + 1, kept.n_rows))
    found = search.nearest(model.points, wanted)
    asking = np.repeat(np.arange(len(found)), found.counts)
    left = weights[found.rows] - np.where(found.rows == asking, weights[found.rows] if model.count_rows else 1.0, 0.0)
    keep = left > 0
    start = offsets(np.bincount(asking[keep], minlength=len(found)))
    others = Neighbors(start, found.rows[keep], found.distances[keep])
    if not others.counts.all():  # a row without neighbors
        return replace(model, k=1), np.zeros(1)
    errors = np.empty(min(model.k, max(1, int(weights.sum()) - 1)))
    for k in range(1, len(errors) + 1):
        nearest, influence = model.nearest_of(others, k, left[keep])
        predictions = model.combined(nearest, influence)
        if model.task == "classification":
            wrong = (predictions.argmax(axis=1) != truth).astype(np.float64)
        else:
            wrong = (predictions[:, 0] - truth) ** 2
        errors[k - 1] = np.average(wrong, weights=weights)
    # sums in another order may differ in the last digits: the smallest of those that equal the best, up to rounding
    best = int(np.flatnonzero(errors <= errors.min() * (1 + AS_GOOD))[0])
    return replace(model, k=best + 1), errors
