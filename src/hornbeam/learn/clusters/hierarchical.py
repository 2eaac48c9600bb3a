"""Hierarchical clustering: clusters are merged until one is left, or split until every row is alone.

Bottom-up, the two nearest clusters are merged; the linkage defines the distance between clusters. Top-down, the cluster
with the largest diameter is split: the row farthest from the others on average starts a new cluster, joined by rows
that are nearer to it than to the others (Macnaughton-Smith and others, 1964; DIANA by Kaufman and Rousseeuw).
"""

from __future__ import annotations

import heapq
from dataclasses import KW_ONLY  # noqa: TC003 - read by `dataclass`
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform

from hornbeam.core.clusters import agglomerate
from hornbeam.learn.base.clusterer import TableClusterer, warn_of_few
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.limits import NOT_BY_RANGE
from hornbeam.learn.base.parameters import number, one_of, threads, whole_or_none
from hornbeam.model.clusters.dendrogram import LINKAGES, Dendrogram
from hornbeam.model.neighbors.distance import MISSING, Distance
from hornbeam.model.neighbors.scales import NUMERIC, is_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import Bools, Floats, Ints32, Ints64
    from hornbeam.data.table import Table
    from hornbeam.model.neighbors.points import Points

    Joined = tuple[Ints64, Floats]

DIRECTIONS = ("bottom-up", "top-down")
METRICS = ("euclidean", "manhattan")
MOST_INDICATORS = 256  # the maximum number of columns and indicators with which Ward's centers are kept


@estimator(kw_only=False)
class HierarchicalClustering(TableClusterer):
    """Hierarchical clustering of rows of numbers, categories and missing values.

    Parameters
    ----------
    n_clusters : int, "auto" or None
        If the tree is cut for `labels_` and `predict`: at this many clusters; "auto": in the widest gap of heights,
        at 10 clusters or fewer; None if `height` is given.
    linkage : {"ward", "single", "complete", "average", "weighted", "centroid", "median"}
        The distance between two clusters: the increase of the sum of squared deviations from the center; the two
        nearest rows; the two farthest; the average over all pairs; the average of the two parts' averages; the two
        centers; or the two centers, each the midpoint of the centers of its parts.
    height : float, optional
        Cut at this height instead, with ``n_clusters=None``.
    direction : {"bottom-up", "top-down"}
        Merge clusters, or split them; with "top-down" the linkage is not used, and heights are diameters.
    metric : {"euclidean", "manhattan"}
        The root of the sum of squared differences, or the sum of absolute differences. Ward, centroid and median
        linkage need "euclidean".

    Attributes
    ----------
    model_ : Dendrogram
        The tree: `pairs`, `heights`, `cut(n_clusters=..., height=...)`.

    Notes
    -----
    Row weights count for Ward and average linkage; the others only leave out rows of weight zero. All but single
    linkage, and Ward linkage of rows without missing values, need the matrix of all distances: 8 bytes for every pair
    of rows.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("iris")
    >>> clusters = hornbeam.HierarchicalClustering(3, linkage="average").fit(table)
    >>> [cluster.rows for cluster in clusters.describe()]
    [50, 67, 33]
    """

    model_: Dendrogram

    n_clusters: int | str | None = 2
    _: KW_ONLY
    linkage: str = "ward"
    height: float | None = None
    direction: str = "bottom-up"
    metric: str = "euclidean"
    numeric: str = "range"
    missing: str = "average"
    column_weights: Mapping[str, float] | None = None
    pca: float | None = None
    n_jobs: int | None = None

    def _squares_features(self) -> bool:
        return self.numeric in NOT_BY_RANGE

    def _cluster(self, table: Table) -> tuple[Any, Ints32]:
        auto = isinstance(self.n_clusters, str) and one_of("n_clusters", self.n_clusters, ("auto",)) == "auto"
        count = 1 if auto else whole_or_none("n_clusters", self.n_clusters, 1)
        height = None if self.height is None else number("height", self.height)
        if (count is None) == (height is None):
            msg = f"n_clusters is {count} and height {height}; expected one of the two, and None for the other"
            raise ValueError(msg)
        if count is not None and count > table.n_rows:
            msg = f"n_clusters is {count}; expected no more than the rows, of which there are {table.n_rows}"
            raise ValueError(msg)
        linkage, metric = one_of("linkage", self.linkage, LINKAGES), one_of("metric", self.metric, METRICS)
        downward = one_of("direction", self.direction, DIRECTIONS) == "top-down"
        if metric != "euclidean" and linkage in ("ward", "centroid", "median") and not downward:
            msg = f"linkage {linkage!r} is about centers; expected metric 'euclidean' with it"
            raise ValueError(msg)
        distance = Distance.of(
            table,
            numeric=one_of("numeric", self.numeric, NUMERIC),
            missing=one_of("missing", self.missing, MISSING),
            squared=metric == "euclidean",
            weights=self.column_weights,
        )
        points, n_threads = distance.points(table), threads(self.n_jobs)
        _check_spread(distance, points)
        if downward:
            pairs, heights = parted(_matrix(distance, points, n_threads))
        else:
            pairs, heights = joined(distance, points, linkage, table.weights, n_threads)
        _check_heights(heights, table.weights)
        different = 1 + int(np.count_nonzero(heights))
        if count is not None and count > different:
            warn_of_few(count, different, "equal rows are in different clusters")
        name = "top-down" if downward else linkage
        model = Dendrogram(table.schema, table, distance, pairs, heights, name, count, height)
        if auto:
            model = model.at(count=model.suggested_count())
        return model, model.labels


def _matrix(distance: Distance, points: Points, n_threads: int) -> Floats:
    """All distances; two rows without a known value in common have the largest one."""
    try:
        apart: Floats = distance.between(points, points, n_threads=n_threads)
    except MemoryError as error:
        n = points.n_rows
        msg = (
            f"the distances of {n} rows from each other take {n * n * 8 / 2**30:.1f} GB, too much; expected "
            "fewer rows, linkage 'single', or 'ward' without missing values, which need no matrix"
        )
        raise MemoryError(msg) from error
    unknown = np.isnan(apart)
    if unknown.any():
        apart[unknown] = np.nanmax(apart) if not unknown.all() else 0.0
    return apart


def _check_spread(distance: Distance, points: Points) -> None:
    """Raise an error for numbers so far apart that distances overflow."""
    numbers = points.numbers
    known = ~np.isnan(numbers)
    highest = np.max(numbers, axis=1, initial=-np.inf, where=known)
    with np.errstate(over="ignore", invalid="ignore"):
        apart = np.maximum(highest - np.min(numbers, axis=1, initial=np.inf, where=known), 0.0)
        terms = distance.weight[_numeric(distance)] * (apart * apart if distance.squared else apart)
        if np.isfinite(terms.sum() * 4.0 * points.n_rows):  # sums over the rows of a cluster must also be finite
            return
    columns = [distance.schema.columns[place] for place in distance.schema.features]
    names = [column.name for column, number in zip(columns, _numeric(distance), strict=True) if number]
    widest = int(np.argmax(apart))
    msg = (
        f"column {names[widest]!r}: its values are up to {apart[widest]:.3g} apart, so that distances between rows get "
        "too large to be numbers; use numeric='range', or scale the column"
    )
    raise ValueError(msg)


def _check_heights(heights: Floats, weights: Floats | None) -> None:
    """Raise an error for infinite heights, which are due to weights that are too large."""
    if np.isfinite(heights).all() or weights is None:
        return
    row = int(np.argmax(weights))
    msg = (
        f"row {row + 1} has the weight {weights[row]:g}, which is too large for distances between clusters; divide all "
        "weights by their mean"
    )
    raise ValueError(msg)


def joined(distance: Distance, points: Points, linkage: str, weights: Floats | None, n_threads: int) -> Joined:
    """Merge clusters bottom-up."""
    n = points.n_rows
    sizes = np.ones(n) if weights is None else np.ascontiguousarray(weights, np.float64)
    if n == 1:
        return np.empty((0, 2), np.int64), np.empty(0)
    if linkage == "ward":
        columns = _coordinates(distance, points)
        if columns is not None:
            pairs, heights, _ = agglomerate.in_order(*agglomerate.by_vectors(columns, sizes))
            return pairs, heights
    if linkage == "single":
        pairs, heights, _ = agglomerate.in_order(*_spanning(distance, points, n_threads))
        return pairs, heights
    apart = _matrix(distance, points, n_threads)
    if linkage in ("centroid", "median"):
        tree = scipy_linkage(squareform(apart, checks=False), linkage)
        return tree[:, :2].astype(np.int64), np.ascontiguousarray(tree[:, 2])
    if linkage == "ward":
        apart = apart**2  # twice the increase of squared deviations; for rows of weight w, 2 w w' / (w + w')
        if weights is not None:
            apart *= 2 * np.outer(sizes, sizes) / np.add.outer(sizes, sizes)
    np.fill_diagonal(apart, np.inf)
    found = agglomerate.by_matrix(np.ascontiguousarray(apart), sizes, LINKAGES.index(linkage))
    pairs, heights, _ = agglomerate.in_order(*found)
    return pairs, np.sqrt(np.maximum(heights, 0.0)) if linkage == "ward" else heights


def _spanning(distance: Distance, points: Points, n_threads: int) -> tuple[Ints64, Ints64, Floats]:
    """The minimum spanning tree (Prim), from which single linkage follows, without a matrix of distances.

    Rows with no known value in common have the largest distance.
    """
    n = points.n_rows
    nearest, joins = np.full(n, np.inf), np.zeros(n, np.int64)
    first, second, heights = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64), np.empty(n - 1)
    left, at, greatest = np.arange(1, n), 0, 0.0
    for i in range(n - 1):
        apart = distance.between(points.take([at]), points, n_threads=n_threads)[0]
        greatest = max(greatest, float(np.fmax.reduce(apart, initial=0.0)))
        nearer = apart[left] < nearest[left]  # never if it is unknown
        nearest[left[nearer]], joins[left[nearer]] = apart[left[nearer]], at
        place = int(np.argmin(nearest[left]))
        at = int(left[place])
        first[i], second[i], heights[i] = joins[at], at, nearest[at]
        left = np.delete(left, place)
    return first, second, np.where(np.isinf(heights), greatest, heights)


def _coordinates(distance: Distance, points: Points) -> Floats | None:
    """Rows as points with the same Euclidean distances; None if that is impossible, or needs too many columns."""
    if not distance.squared or distance.mean or distance.nominal != "overlap" or not points.complete.all():
        return None
    number = _numeric(distance)
    found = [points.numbers * np.sqrt(distance.weight[number])[:, np.newaxis]]
    n_columns = int(number.sum())
    for codes, weight in zip(points.codes, distance.weight[~number], strict=True):
        present = np.unique(codes)
        n_columns += len(present)
        if n_columns > MOST_INDICATORS:
            return None
        # Two different categories differ in two indicators.
        found.append((codes == present[:, np.newaxis]) * np.sqrt(weight / 2))
    return np.ascontiguousarray(np.concatenate(found), np.float64)


def _numeric(distance: Distance) -> Bools:
    """Which features are numeric."""
    return np.array([is_number(distance.schema.columns[place]) for place in distance.schema.features], np.bool_)


def parted(apart: Floats) -> Joined:
    """Split clusters top-down by the matrix of distances, the cluster with the largest diameter first."""
    n = len(apart)
    splits: list[tuple[float, Ints64, Ints64]] = []
    heap: list[tuple[float, int, Ints64]] = []

    def offer(rows: Ints64) -> None:
        if len(rows) > 1:
            heapq.heappush(heap, (-float(apart[np.ix_(rows, rows)].max()), int(rows[0]), rows))

    offer(np.arange(n))
    while heap:
        diameter, _, rows = heapq.heappop(heap)
        leaving = _leaving(apart[np.ix_(rows, rows)])
        one, other = rows[~leaving], rows[leaving]
        splits.append((-diameter, one, other))
        offer(one)
        offer(other)
    node = np.arange(n)  # the current node of each row, in the order of merging: the reverse of splitting
    pairs, heights = np.empty((n - 1, 2), np.int64), np.empty(n - 1)
    for i, (diameter, one, other) in enumerate(reversed(splits)):
        pairs[i] = sorted((node[one[0]], node[other[0]]))
        heights[i] = diameter
        node[one], node[other] = n + i, n + i
    return pairs, heights


def _leaving(apart: Floats) -> Bools:
    """The rows that leave a cluster: the farthest on average, and those nearer to the leaving rows than to the rest."""
    n = len(apart)
    leaving = np.zeros(n, np.bool_)
    to_stay, to_leave = apart.sum(axis=1), np.zeros(n)
    first = int(np.argmax(to_stay))
    while True:
        leaving[first] = True
        to_stay -= apart[first]
        to_leave += apart[first]
        gone = int(leaving.sum())
        if gone == n - 1:
            return leaving
        gain = np.where(leaving, -np.inf, to_stay / (n - gone - 1) - to_leave / gone)
        first = int(np.argmax(gain))
        if not gain[first] > 0:
            return leaving
