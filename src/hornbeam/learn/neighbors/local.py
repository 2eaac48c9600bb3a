"""Locally weighted learning: a model for every row to predict, in which near rows count more.

`LocallyWeightedRegressor` solves linear regressions in compiled code; its model is `model/neighbors/local.py`.
`LocallyWeightedClassifier` lets any classifier of this package learn from the weighted rows.
"""

from __future__ import annotations

from dataclasses import KW_ONLY  # noqa: TC003 - `dataclass` looks it up in this module
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from hornbeam.learn.base.classifier import TableClassifier
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.limits import NOT_BY_RANGE, check_indicators
from hornbeam.learn.base.parameters import at_least, between, one_of, seeded, threads, whole
from hornbeam.learn.neighbors.lazy import LazyClassifier, LazyLearner, LazyRegressor
from hornbeam.model.neighbors.distance import Distance
from hornbeam.model.neighbors.local import KERNELS, LocalModel, Near
from hornbeam.model.neighbors.local_learner import LocalLearner
from hornbeam.model.neighbors.scales import NUMERIC
from hornbeam.schemes import find

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.data.table import Table

MOST_ROWS = 2**53
MOST_LOCAL = 200  # maximum number of columns from categories: every row to predict has its own equations


class LocallyWeighted(LazyLearner):
    """Base of both learners: weights of kept rows; a mixin for `LazyClassifier` or `LazyRegressor`.

    Parameters
    ----------
    kernel : {"uniform", "inverse", "gaussian", "triangular", "epanechnikov", "tricube"}
        Weight of a row at distance u, as a fraction of the reach: 1 up to the reach; 1 / u; exp(-u² / 2); and, up to
        the reach, 1 - u; 1 - u²; (1 - u³)³.
    n_neighbors : int or None
        The reach is the distance of the nearest row of this rank (with row weights: the distance within which rows
        weigh this much), at most that of the farthest row.
    bandwidth : float or None
        The reach as a distance. With neither this nor `n_neighbors`, it is the distance of the farthest row.
    scale : {"range", "deviation", "rank", "as-is"}
        How numbers are scaled before distances are computed.
    """

    _counts_weights = False

    kernel: str
    n_neighbors: int | None
    bandwidth: float | None
    scale: str
    n_jobs: int | None

    def _squares_features(self) -> bool:
        return self.scale in NOT_BY_RANGE

    def _near(self, table: Table) -> Near:
        """Weights by distance for the parameters."""
        threads(self.n_jobs)
        if self.n_neighbors is not None and self.bandwidth is not None:
            msg = (
                "both n_neighbors and bandwidth are given; expected one of them, or neither: the bandwidth is then the "
                "distance to the farthest row"
            )
            raise ValueError(msg)
        reach = 0.0 if self.bandwidth is None else between("bandwidth", self.bandwidth, 0.0, np.inf)
        # with neither, up to the farthest row: no set of rows weighs more than all
        k = MOST_ROWS if self.n_neighbors is None else whole("n_neighbors", self.n_neighbors, 1)
        scale = one_of("scale", self.scale, NUMERIC)
        return Near(Distance.of(table, numeric=scale), one_of("kernel", self.kernel, KERNELS), reach, k)


@estimator
class LocallyWeightedRegressor(LocallyWeighted, LazyRegressor):
    """A linear regression for every query row, in which near rows weigh more.

    Parameters
    ----------
    ridge : float
        Added to the variances of the columns among the weighted rows, on their scale; larger values give smaller
        slopes. It keeps slopes from growing without bound if few rows are near or columns are nearly collinear.

    Attributes
    ----------
    model_ : LocalModel
        The kept rows.

    Notes
    -----
    Categories other than a column's first become columns of 0 and 1. A missing value is the column's mean in the
    regression and has the largest possible distance. If no row is within the bandwidth, all rows weigh the same.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("cpu")
    >>> local = hornbeam.LocallyWeightedRegressor(n_neighbors=50).fit(table)
    >>> bool(local.score(table) > 0.95)
    True
    """

    model_: LocalModel

    kernel: str = "tricube"
    n_neighbors: int | None = None
    bandwidth: float | None = None
    ridge: float = 1e-3
    scale: str = "range"
    n_jobs: int | None = None

    def _learn(self, table: Table) -> tuple[Any, None]:
        near = self._near(table)
        check_indicators(table, type(self).__name__, MOST_LOCAL, lists_others=False)
        recipe = {"kernel": self.kernel, "k": self.n_neighbors, "bandwidth": self.bandwidth, "scale": self.scale}
        return LocalModel(table.schema, table, near, at_least("ridge", self.ridge, 0.0), recipe=recipe), None


@estimator(kw_only=False)
class LocallyWeightedClassifier(LocallyWeighted, LazyClassifier):
    """A classifier learned for every query row when it is predicted, in which near rows weigh more.

    Weights are scaled to a mean of 1 over the rows that count.

    Parameters
    ----------
    estimator : classifier or str, optional
        A classifier of hornbeam that takes weights, or the name of a scheme, such as "c45". None: a tree with one
        split.
    random_state : int or None
        Seed for the random draws of the estimator, the same for every row; None keeps the estimator's own.

    Attributes
    ----------
    model_ : LocalLearner
        The kept rows and the learner. A model file holds the learner as its scheme and parameters; with an ensemble as
        the learner the model cannot be saved.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("iris")
    >>> local = hornbeam.LocallyWeightedClassifier().fit(table)
    >>> local.predict(table.take([0, 60, 120])).tolist()
    ['Iris-setosa', 'Iris-versicolor', 'Iris-virginica']
    """

    model_: LocalLearner

    estimator: Any = None
    _: KW_ONLY
    kernel: str = "triangular"
    n_neighbors: int | None = None
    bandwidth: float | None = None
    scale: str = "range"
    class_weight: Mapping[Any, float] | str | None = None
    costs: Any = None
    decision_threshold: float | None = None
    n_jobs: int | None = None
    random_state: Any = None

    def _learn(self, table: Table) -> tuple[Any, None]:
        return LocalLearner(table.schema, table, self._near(table), self._learner()), None

    def _learner(self) -> TableClassifier:
        wanted = self.estimator
        if wanted is None:
            wanted = one_split()
        elif isinstance(wanted, str):
            wanted = find(wanted, "category").load()()
        if not isinstance(wanted, TableClassifier):
            msg = f"estimator is {wanted!r}; expected a classifier of hornbeam, the name of a scheme, or None"
            raise TypeError(msg)
        if not has_fit_parameter(wanted, "sample_weight"):
            msg = f"estimator is {wanted!r}, which takes no weights; expected a classifier that does"
            raise TypeError(msg)
        learner: TableClassifier = clone(wanted)
        return seeded(learner, self.random_state)


LIGHTEST = 1e-5  # minimum weight of a leaf: lighter ones have only rows that hardly count


def one_split() -> TableClassifier:
    """A tree of one split by information gain; a missing value is a branch of its own."""
    from hornbeam.learn.trees.tree_classifier import TreeClassifier  # noqa: PLC0415 - only where no other is asked for

    return TreeClassifier(
        criterion="information-gain",
        nominal="one-vs-rest",
        missing="own-category",
        max_depth=1,
        min_samples_leaf=LIGHTEST,
        min_samples_split=0.0,
    )
