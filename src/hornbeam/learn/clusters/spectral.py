"""Spectral clustering: clusters of any shape, by how rows hang together.

Rows are tied to those near them; the slow waves of a random walk along the ties are almost constant where rows hang
together, so that in their space clusters are round, and k-means finds them. Shi and Malik, "Normalized cuts and image
segmentation", 2000; von Luxburg, "A tutorial on spectral clustering", 2007.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from hornbeam.learn.base.clusterer import TableClusterer, warn_of_few
from hornbeam.learn.base.limits import NOT_BY_RANGE
from hornbeam.learn.base.parameters import at_least, one_of, threads, whole
from hornbeam.learn.clusters.graph import (
    bell_graph,
    join_nearest,
    likely_count,
    neighbor_graph,
    parts_of,
    reach_of,
    spectrum,
)
from hornbeam.learn.clusters.kmeans import KMeans
from hornbeam.model.clusters.clustering import Profile, as_they_appear
from hornbeam.model.clusters.graph_clusters import GraphClusters
from hornbeam.model.neighbors.distance import MISSING, Distance
from hornbeam.model.neighbors.scales import NUMERIC

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.model.neighbors.points import Points

    Floats = NDArray[np.float64]

GRAPHS = ("neighbors", "rbf")


class SpectralClustering(TableClusterer):
    """Clusters of any shape, by how rows hang together, over the distance of numbers, categories and missing values.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        How many; "auto": as many as the graph has parts, or else after which the eigenvalues rise most, relative to
        where they rise to, from 2 up to `max_clusters`.
    graph : {"neighbors", "rbf"}, default="neighbors"
        Every row tied to its nearest (by 1 where both are among each other's, else by 1/2), or all rows to all, by
        exp(-gamma d²) of their distance.
    n_neighbors : int, default=10
        How many are nearest; all others, where there are fewer.
    gamma : float, optional
        Of "rbf"; by default 1 / (s t) for two rows, s and t their distances from their `n_neighbors`-th nearest, so
        that rows in sparse regions reach farther.
    max_clusters : int, default=10
        The most that may be chosen.
    n_init : int, default=10
        Descents of k-means among the waves.
    numeric : {"range", "deviation", "rank", "as-is"}, default="range"
        What numbers are scaled by.
    missing : {"farthest", "ignore", "average"}, default="average"
        What a missing value differs by.
    column_weights : mapping, optional
        Weights of columns by name.
    pca : int or float, optional
        Turn numeric columns without missing values onto their principal axes first, once scaled by their deviations: so
        many axes, or as many as hold this part of the variance. `model_` is then a `ProjectedClusters`, which tells of
        the columns of the table; figures of the estimator, such as centers, are of the axes.
    random_state : int, RandomState or None, default=None
        Seed of the starts of k-means.
    n_jobs : int or None, default=None
        Threads; None is one, -1 all cores. The result does not depend on it.

    Attributes
    ----------
    model_ : GraphClusters
        Keeps the rows: a new row belongs to the cluster of the kept row nearest to it.
    labels_ : array
        The cluster of every row, numbered as they appear.
    eigenvalues_ : array
        The least of the normalized Laplacian: as many zeros as the graph has parts, then one after which they rise.
    embedding_ : array of shape (rows, clusters)
        Where rows are in the space of the first waves.
    n_parts_ : int
        How many parts of the graph no tie connects.

    Notes
    -----
    Rows that are alike are one row of more weight. Where the graph has as many parts as clusters were asked for, they
    are the clusters; where it has more, the parts whose nearest rows are nearest are joined, and a warning says so.
    With ``missing="ignore"`` a row without any value belongs to the largest cluster. A row that lacks values may be
    nearer to another than to itself, so that `predict` can differ from `labels_` there. The graph "rbf" takes 8 bytes
    for every pair of different rows.

    Examples
    --------
    >>> import hornbeam, numpy as np
    >>> turn = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    >>> ring = np.array([np.cos(turn), np.sin(turn)]).T
    >>> clusters = hornbeam.SpectralClustering("auto", random_state=1).fit(np.vstack([ring, 3 * ring]))
    >>> np.bincount(clusters.labels_).tolist()
    [100, 100]
    """

    def __init__(
        self,
        n_clusters: int | str = 8,
        graph: str = "neighbors",
        n_neighbors: int = 10,
        gamma: float | None = None,
        max_clusters: int = 10,
        n_init: int = 10,
        numeric: str = "range",
        missing: str = "average",
        column_weights: Mapping[str, float] | None = None,
        pca: float | None = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.graph = graph
        self.n_neighbors = n_neighbors
        self.gamma = gamma
        self.max_clusters = max_clusters
        self.n_init = n_init
        self.numeric = numeric
        self.missing = missing
        self.column_weights = column_weights
        self.pca = pca
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _squares_features(self) -> bool:
        return self.numeric in NOT_BY_RANGE

    def _cluster(self, table: Table) -> tuple[GraphClusters, NDArray[np.int32]]:
        auto = isinstance(self.n_clusters, str) and one_of("n_clusters", self.n_clusters, ("auto",)) == "auto"
        wanted = 0 if auto else whole("n_clusters", self.n_clusters, 1)
        most, n_threads = whole("max_clusters", self.max_clusters, 1), threads(self.n_jobs)
        if wanted > table.n_rows:
            msg = f"n_clusters is {wanted}; expected no more than the rows, of which there are {table.n_rows}"
            raise ValueError(msg)
        distance = Distance.of(
            table,
            numeric=one_of("numeric", self.numeric, NUMERIC),
            missing=one_of("missing", self.missing, MISSING),
            weights=self.column_weights,
        )
        first, node = _nodes(distance, table)
        if len(first) < wanted:
            warn_of_few(wanted, len(first), "so many clusters there are")
            wanted = len(first)
        kept = table.take(first)
        points = distance.points(kept)
        each = np.ones(table.n_rows) if table.weights is None else table.weights
        weights = np.asarray(np.bincount(node[node >= 0], each[node >= 0], len(first)), np.float64)
        graph, recipe = self._graph(distance, points, n_threads)
        n_parts, part = parts_of(graph)
        found = spectrum(graph, weights, part, (most if auto else wanted) + 1)
        count = likely_count(found.values, n_parts, most) if auto else wanted
        waves = np.ascontiguousarray(found.waves[:, :count])
        if n_parts > count:
            msg = f"no tie connects the {n_parts} parts of the graph, and there are {count} clusters: the nearest parts"
            msg += " were joined; more neighbors (n_neighbors), or a lower gamma, may connect them"
            warnings.warn(msg, ConvergenceWarning, stacklevel=3)
            label = join_nearest(distance, points, part, count, n_threads)
        else:
            label = part if n_parts == count else self._by_waves(waves, weights, count)
        label = as_they_appear(label)
        self.eigenvalues_, self.n_parts_ = found.values, n_parts
        self.embedding_ = np.where(node[:, np.newaxis] < 0, np.nan, waves[node])
        labels = np.where(node < 0, np.int32(np.bincount(label, weights).argmax()), label[node])
        profile = Profile.of(table, labels, int(label.max()) + 1)
        return GraphClusters(table.schema, kept, distance, label, found.values, waves, profile, recipe), labels

    def _graph(self, distance: Distance, points: Points, n_threads: int) -> tuple[Any, dict[str, Any]]:
        """The ties of rows, and how they were made."""
        k = whole("n_neighbors", self.n_neighbors, 1)
        if one_of("graph", self.graph, GRAPHS) == "neighbors":
            return neighbor_graph(distance, points, k, n_threads), {"graph": "neighbors", "n_neighbors": k}
        if self.gamma is None:
            reach = reach_of(distance, points, k, n_threads)
            return bell_graph(distance, points, reach, n_threads), {"graph": "rbf", "n_neighbors": k}
        gamma = at_least("gamma", self.gamma, 0.0)
        return bell_graph(distance, points, gamma, n_threads), {"graph": "rbf", "gamma": gamma}

    def _by_waves(self, waves: Floats, weights: Floats, count: int) -> NDArray[np.int32]:
        """Clusters of k-means in the space of the waves."""
        n_init = whole("n_init", self.n_init, 1)
        learner = KMeans(count, n_init=n_init, numeric="as-is", random_state=self.random_state, n_jobs=self.n_jobs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return learner.fit(waves, sample_weight=weights).labels_


def _nodes(distance: Distance, table: Table) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows that differ from all before, and which of them every row is; -1 where nothing is known of it.

    Only where missing values are ignored is there nothing to go by, and even then one row stays where all are blank.
    """
    points = distance.points(table)
    first, node = distance.distinct(points)
    to_itself = distance.at_rows(points, points, np.arange(table.n_rows)[:, np.newaxis], rooted=False)
    known = np.isfinite(to_itself[first, 0])
    if known.all() or not known.any():
        return first, node
    place = np.where(known, np.cumsum(known) - 1, -1)
    return first[known], place[node]
