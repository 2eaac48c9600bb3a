"""Spectral clustering: clusters of any shape, from a graph of nearest rows.

Rows are connected to nearby rows. The first eigenvectors of the graph's Laplacian are almost constant within densely
connected groups of rows, so that k-means finds them in the space of these eigenvectors. Shi and Malik, "Normalized cuts
and image segmentation", 2000; von Luxburg, "A tutorial on spectral clustering", 2007.
"""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY  # noqa: TC003 - `dataclass` looks it up in this module
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from hornbeam.data.errors import warn
from hornbeam.learn.base.clusterer import TableClusterer, warn_of_few
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.limits import NOT_BY_RANGE
from hornbeam.learn.base.parameters import at_least, one_of, threads, whole
from hornbeam.learn.clusters.graph import (
    bell_graph,
    join_nearest,
    neighbor_graph,
    parts_of,
    reach_of,
    spectrum,
    suggested_count,
)
from hornbeam.learn.clusters.kmeans import KMeans
from hornbeam.model.clusters.clustering import Profile, as_they_appear, sorted_rows
from hornbeam.model.clusters.graph_clusters import GraphClusters
from hornbeam.model.neighbors.distance import MISSING, Distance
from hornbeam.model.neighbors.scales import NUMERIC

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import Floats, Ints32, Ints64
    from hornbeam.data.table import Table
    from hornbeam.model.neighbors.points import Points


GRAPHS = ("neighbors", "rbf")


@estimator(kw_only=False)
class SpectralClustering(TableClusterer):
    """Spectral clustering: clusters of any shape, from a graph of nearest rows.

    Parameters
    ----------
    n_clusters : int or "auto"
        Number of clusters; "auto": the number of connected components of the graph if there are several, else the
        number of eigenvalues before the largest relative gap, from 2 up to `max_clusters`.
    graph : {"neighbors", "rbf"}
        Each row is connected to its nearest rows (weight 1 if both are neighbors of each other, else 1/2), or all rows
        to all, with weight exp(-gamma d²) for distance d.
    n_neighbors : int
        Number of nearest rows; all others if there are fewer.
    gamma : float, optional
        For "rbf"; by default 1 / (s t) for two rows, where s and t are their distances to their `n_neighbors`-th
        nearest row, so that rows in sparse regions reach farther.
    max_clusters : int
        The maximum number that "auto" may choose.
    n_init : int
        Number of runs of k-means on the eigenvectors.
    random_state : int, RandomState or None
        Seed for the starts of k-means.

    Attributes
    ----------
    model_ : GraphClusters
        Keeps the rows: a new row belongs to the cluster of the kept row nearest to it.
    labels_ : array
        The cluster of every row, numbered in order of appearance.
    eigenvalues_ : array
        The smallest eigenvalues of the normalized Laplacian; as many are zero as the graph has connected components.
    embedding_ : array of shape (rows, clusters)
        Coordinates of the rows in the space of the first eigenvectors.
    n_parts_ : int
        Number of connected components of the graph.

    Notes
    -----
    Equal rows are one row of more weight. If the graph has as many components as clusters were requested, they are the
    clusters; if it has more, the components whose nearest rows are nearest are merged, with a warning. With
    ``missing="ignore"`` a row without any value belongs to the largest cluster. A row with missing values may be nearer
    to another row than to itself, so that `predict` can differ from `labels_` there. The graph "rbf" needs 8 bytes for
    every pair of different rows.

    Examples
    --------
    >>> import hornbeam, numpy as np
    >>> turn = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    >>> ring = np.array([np.cos(turn), np.sin(turn)]).T
    >>> clusters = hornbeam.SpectralClustering("auto", random_state=1).fit(np.vstack([ring, 3 * ring]))
    >>> np.bincount(clusters.labels_).tolist()
    [100, 100]
    """

    n_clusters: int | str = 8
    _: KW_ONLY
    graph: str = "neighbors"
    n_neighbors: int = 10
    gamma: float | None = None
    max_clusters: int = 10
    n_init: int = 10
    numeric: str = "range"
    missing: str = "average"
    column_weights: Mapping[str, float] | None = None
    pca: float | None = None
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None

    def _squares_features(self) -> bool:
        return self.numeric in NOT_BY_RANGE

    def _cluster(self, table: Table) -> tuple[GraphClusters, Ints32]:
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
            warn_of_few(wanted, len(first), "that many clusters are made")
            wanted = len(first)
        kept = table.take(first)
        points = distance.points(kept)
        each = table.row_weights
        weights = np.asarray(np.bincount(node[node >= 0], each[node >= 0], len(first)), np.float64)
        graph, recipe = self._graph(distance, points, n_threads)
        n_parts, part = parts_of(graph)
        found = spectrum(graph, weights, part, (most if auto else wanted) + 1)
        count = suggested_count(found.values, n_parts, most) if auto else wanted
        waves = np.ascontiguousarray(found.waves[:, :count])
        if n_parts > count:
            msg = f"the graph has {n_parts} connected components for {count} clusters: the nearest components"
            msg += " were merged; more neighbors (n_neighbors), or a lower gamma, may connect them"
            warn(msg, ConvergenceWarning)
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
        """The graph of the rows, and its parameters."""
        k = whole("n_neighbors", self.n_neighbors, 1)
        if one_of("graph", self.graph, GRAPHS) == "neighbors":
            return neighbor_graph(distance, points, k, n_threads), {"graph": "neighbors", "n_neighbors": k}
        if self.gamma is None:
            reach = reach_of(distance, points, k, n_threads)
            return bell_graph(distance, points, reach, n_threads), {"graph": "rbf", "n_neighbors": k}
        gamma = at_least("gamma", self.gamma, 0.0)
        return bell_graph(distance, points, gamma, n_threads), {"graph": "rbf", "gamma": gamma}

    def _by_waves(self, waves: Floats, weights: Floats, count: int) -> Ints32:
        """Clusters of k-means in the space of the eigenvectors."""
        n_init = whole("n_init", self.n_init, 1)
        learner = KMeans(count, n_init=n_init, numeric="as-is", random_state=self.random_state, n_jobs=self.n_jobs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return learner.fit(waves, sample_weight=weights).labels_


def _nodes(distance: Distance, table: Table) -> tuple[Ints64, Ints64]:
    """The distinct rows in sorted order, and the index of each row among them; -1 for a row without known values.

    Such rows are only left out if missing values are ignored; if all rows are empty, one is kept.
    """
    points = distance.points(table)
    first, node = distance.distinct(points)
    order = sorted_rows(table.take(first))  # the graph does not depend on the order of rows
    first, node = first[order], np.argsort(order)[node]
    to_itself = distance.at_rows(points, points, np.arange(table.n_rows)[:, np.newaxis], rooted=False)
    known = np.isfinite(to_itself[first, 0])
    if known.all() or not known.any():
        return first, node
    place = np.where(known, np.cumsum(known) - 1, -1)
    return first[known], place[node]
