"""Base of the clustering estimators: from a table without a target to the cluster of every row.

A table's target, if it has one, is left out of learning; `classes_to_clusters` compares it with the clusters
afterwards. Rows of weight zero are left out too, and are assigned to clusters as new rows are.
"""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.base import ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.validation import check_is_fitted

from hornbeam.data.as_table import label_text
from hornbeam.data.errors import warn
from hornbeam.data.in_words import plural
from hornbeam.data.indices import indices_below
from hornbeam.data.schema import Column, Nominal, SchemaError
from hornbeam.data.table import Table
from hornbeam.learn.base.estimator import TableEstimator, weighing_rows, with_weights
from hornbeam.learn.base.lazy import by_engine, engine_of, fit_lazily, is_lazy
from hornbeam.learn.base.limits import check_numbers, check_sample_weight
from hornbeam.learn.base.parameters import share, threads, whole
from hornbeam.model.clusters.clustering import Profile
from hornbeam.model.clusters.principal_axes import Axes
from hornbeam.model.clusters.projected import ProjectedClusters, numeric_features, project

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from sklearn.utils import Tags

    from hornbeam.model.clusters.clustering import ClusterDescription


def warn_of_few(wanted: int, different: int, becomes: str) -> None:
    """Warn that there are fewer different rows than requested clusters, and what happens then."""
    msg = f"{wanted} clusters were requested, and the table has only {plural(different, 'different row')}: {becomes}"
    warn(msg, ConvergenceWarning)


@dataclass(frozen=True, eq=False)
class ClassesToClusters:
    """Clusters compared with classes that were not used in learning.

    Parameters
    ----------
    classes : tuple of str
        Names of the classes.
    counts : array of shape (clusters, classes)
        The weight of the rows of each class in each cluster.
    assigned : array
        The class assigned to every cluster, such that as few rows as possible are of another class and no two clusters
        have the same class; -1 for clusters without a class, if there are more clusters than classes.
    wrong : float
        The fraction of rows whose class is not that of their cluster.
    adjusted_rand : float
        The adjusted Rand index: 1 if the two partitions are the same, 0 for agreement by chance. Counts rows, not
        weights.
    """

    classes: tuple[str, ...]
    counts: NDArray[np.float64]
    assigned: NDArray[np.int64]
    wrong: float
    adjusted_rand: float

    @property
    def purity(self) -> float:
        """The fraction of rows of the most frequent class of their cluster; clusters may have the same class."""
        total = float(self.counts.sum())
        return float(self.counts.max(axis=1).sum()) / total if total > 0 else math.nan


def kept_axes(pca: Any) -> float | None:
    """The number of principal axes to keep, or the fraction of the variance; None: columns as they are."""
    if pca is None:
        return None
    if isinstance(pca, numbers.Integral):
        return whole("pca", pca, 1)
    kept = share("pca", pca)
    if not kept:
        msg = "pca is 0; expected a number of axes, or a fraction of the variance"
        raise ValueError(msg)
    return kept


class TableClusterer(ClusterMixin, TableEstimator):
    """Base of the learners of clusters; a subclass has parameters and `_cluster(table)`.

    Parameters
    ----------
    numeric : {"range", "deviation", "rank", "as-is"}
        How numbers are scaled before they are compared.
    missing : {"farthest", "ignore", "average"}
        The difference to a missing value is the largest possible one, is not counted, or is the average difference
        between two rows.
    column_weights : mapping, optional
        Weights of columns by name, 1 if not named; 0 leaves a column out.
    pca : int or float, optional
        Project numeric columns without missing values onto their principal axes first, after scaling them by their
        standard deviations: this many axes, or as many as explain this fraction of the variance. `model_` is then a
        `ProjectedClusters`, which describes clusters by the columns of the table; attributes of the estimator, such as
        centers, refer to the axes.
    random_state : int, RandomState or None
        Random seed.

    Attributes
    ----------
    labels_ : array
        The cluster of every row.
    """

    labels_: NDArray[np.int32]
    _turns_columns = False  # whether `_cluster` itself handles `pca`

    def _cluster(self, table: Table) -> tuple[Any, NDArray[np.int32]]:
        """A model of the rows (features and, with weights, a weight column), and the cluster of each row."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:  # noqa: ARG002 - scikit-learn passes it
        """Find clusters of rows.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features)
            Frames may have categories and missing values. The target of a Table is ignored.
        y : None
            Ignored: there is no target.
        sample_weight : array of shape (rows,), optional
            Row weights; rows of weight zero are not learned from, and get their cluster as new rows do.

        Returns
        -------
        self
        """
        if is_lazy(X):
            return fit_lazily(self, X, None, sample_weight, TableClusterer.fit)
        table = self._clustered(X, sample_weight)
        weighing = weighing_rows(table)
        if not weighing.any():
            msg = "no rows to learn from" + (": every row has weight zero" if len(weighing) else "")
            raise ValueError(msg)
        check_numbers(table, weighing, squared=self._squares_features())
        rows = table if weighing.all() else table.take(weighing)
        self.model_, labels = self._model_of(rows)
        self.trace_, self.schema_ = None, self.model_.schema
        if rows is not table:
            labels = self.model_.predict_codes(table, threads(getattr(self, "n_jobs", None)))
        self.labels_ = np.asarray(labels, np.int32)
        self._fingerprint = rows.fingerprint()
        return self

    def _model_of(self, rows: Table) -> tuple[Any, NDArray[np.int32]]:
        """The model of the rows, on principal axes if requested, and the cluster of each row."""
        keep = kept_axes(getattr(self, "pca", None))
        if keep is None or self._turns_columns:
            return self._cluster(rows)
        columns = [rows.columns[place] for place in numeric_features(rows.schema)]
        weights = rows.row_weights
        matrix = np.column_stack(columns) if columns else np.empty((rows.n_rows, 0))
        axes = Axes.of(matrix, weights, keep, 0.0)
        inner, labels = self._cluster(project(axes, rows))
        return ProjectedClusters(rows.schema, axes, inner, Profile.of(rows, labels, inner.n_clusters)), labels

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Predict the cluster of every row, counted from 0.

        For a frame of Spark or Dask, return the frame with the predictions as an added column.
        """
        if engine_of(X) is not None:
            return by_engine("predict", self, X)  # type: ignore[no-any-return]
        return self._codes(self._rows(X))

    def describe(self) -> list[ClusterDescription]:
        """Describe every cluster: its size, its typical values, and what distinguishes it."""
        check_is_fitted(self)
        descriptions: list[ClusterDescription] = self.model_.describe()
        return descriptions

    def classes_to_clusters(self, X: Any, y: Any = None, labels: ArrayLike | None = None) -> ClassesToClusters:
        """Compare clusters with classes that were not used in learning.

        Parameters
        ----------
        X : Table, array or frame
            Rows; a Table has its own target.
        y : array, optional
            Their classes, for anything but a Table.
        labels : array, optional
            The cluster of every row, such as `labels_`; by default that of `predict`.

        Returns
        -------
        ClassesToClusters
            Rows without a class are left out.
        """
        check_is_fitted(self)
        n_clusters: int = self.model_.n_clusters
        clusters = self.predict(X) if labels is None else indices_below("labels", labels, n_clusters)
        weights = np.ones(len(clusters))
        if isinstance(X, Table):
            target = X.schema.target_column
            if not isinstance(target, Nominal):
                msg = f"the target {target.name!r} is numeric; expected classes to compare clusters with"
                raise SchemaError(msg)
            names, codes = target.categories, X.target_values()
            weights = weights if X.weights is None else np.asarray(X.weights)
        else:
            classes, codes = np.unique(np.asarray(y), return_inverse=True)
            names = tuple(map(label_text, classes.tolist()))
        known = codes >= 0
        if len(clusters) != len(codes):
            msg = f"there are {len(clusters)} labels and {len(codes)} classes; expected one of each per row"
            raise ValueError(msg)
        counts = np.zeros((n_clusters, len(names)))
        np.add.at(counts, (clusters[known], codes[known]), weights[known])
        assigned = np.full(len(counts), -1)
        rows, columns = linear_sum_assignment(counts, maximize=True)
        assigned[rows] = columns
        total = float(counts.sum())
        wrong = 1 - float(counts[rows, columns].sum()) / total if total > 0 else float("nan")
        return ClassesToClusters(names, counts, assigned, wrong, adjusted_rand_score(codes[known], clusters[known]))

    @classmethod
    def from_model(cls, model: Any, **parameters: Any) -> Self:
        """An estimator that assigns rows by a model made elsewhere, such as one read by `hornbeam.load`."""
        estimator = cls(**parameters)
        estimator.model_, estimator.trace_, estimator.schema_ = model, None, model.schema
        estimator._name_features(model.schema)
        estimator._fingerprint = None
        return estimator

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags

    # ---- training data in ----

    def _clustered(self, X: Any, sample_weight: ArrayLike | None) -> Table:
        """The columns to cluster by, and the weights."""
        if isinstance(X, Table):
            place = X.schema.with_role("weight")
            table = X.select([*X.schema.features, *([] if place is None else [place])])
            if not table.schema.features:
                msg = f"the table {X.schema.name!r} has no columns to cluster by, besides its target"
                raise SchemaError(msg)
            self._name_features(table.schema)
        else:
            table = self._features(X, reset=True)
        if not table.n_rows:
            msg = f"no rows to learn from: the table {table.schema.name!r} has none"
            raise ValueError(msg)
        if sample_weight is None:
            return table
        return with_weights(table, check_sample_weight(sample_weight, np.empty(table.n_rows), dtype=np.float64))

    def _check_target(self, target: Column) -> None:
        """There is no target to check."""
