"""Rows as a graph: each tied to its neighbors, or to all others by how near they are.

Rows that are alike are one node, which weighs what they weigh together: a row that is there twice is the same as one of
weight two, and copies cannot fill up each other's neighborhood.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hornbeam.learn.neighbors.search import Search

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.model.neighbors.distance import Distance
    from hornbeam.model.neighbors.points import Neighbors, Points

    Floats = NDArray[np.float64]

BLOCK = 2**22  # distances looked at together
FAINTEST = -700.0  # powers of e below this are no ties: numbers so small are slow, and soon not there at all
TIE, HALF_TIE = 1.0, 0.5  # of two rows that have each other among their neighbors; of which only one has


def neighbor_graph(distance: Distance, points: Points, k: int, n_threads: int) -> Any:
    """Every row tied to its k nearest: by 1 where both have each other among these, else by 1/2; and to itself by 1.

    Parameters
    ----------
    distance : Distance
        How far rows are apart.
    points : Points
        The rows, no two alike.
    k : int
        How many neighbors.
    n_threads : int
        The graph does not depend on it.

    Returns
    -------
    csr_array
        Symmetric.
    """
    n = points.n_rows
    asking, asked = _pairs(_nearest(distance, points, k, n_threads), k)
    one_way = sparse.csr_array((np.full(len(asking), HALF_TIE), (asking, asked)), shape=(n, n))
    return sparse.csr_array(one_way + one_way.T + TIE * sparse.eye_array(n, format="csr"))


def _nearest(distance: Distance, points: Points, k: int, n_threads: int) -> Neighbors:
    """The k nearest of every row and one to spare, which is most often the row itself."""
    search = Search(distance, points, all_tied=False, n_threads=n_threads)
    return search.nearest(points, min(k + 1, points.n_rows))


def _pairs(near: Neighbors, k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and their neighbors, themselves left out, and those of which no value is known with theirs.

    A row that lacks values need not be the nearest to itself.
    """
    asking = np.repeat(np.arange(len(near)), near.counts)
    others = (near.rows != asking) & np.isfinite(near.distances)
    asking, asked = asking[others], near.rows[others]
    counts = np.bincount(asking, minlength=len(near))
    place = np.arange(len(asking)) - np.repeat(np.cumsum(counts) - counts, counts)
    return asking[place < k], asked[place < k]


def reach_of(distance: Distance, points: Points, k: int, n_threads: int) -> Floats:
    """How far every row is from its k-th nearest; where that is nothing, or not known, the least of all others'."""
    near = _nearest(distance, points, k, n_threads)
    known = np.where(np.isfinite(near.distances), near.distances, 0.0)
    reach = np.zeros(len(near))
    np.maximum.at(reach, np.repeat(np.arange(len(near)), near.counts), known)
    some = reach > 0
    return np.where(some, reach, reach[some].min() if some.any() else 1.0)


def bell_graph(distance: Distance, points: Points, gamma: float | Floats, n_threads: int) -> Floats:
    """All rows tied to all, by exp(-gamma d²) of their distance d; not at all where no value is known of both.

    Parameters
    ----------
    distance : Distance
        How far rows are apart.
    points : Points
        The rows, no two alike.
    gamma : float or array
        One for all, or the reach of every row: gamma is then one by the product of the two rows' (Zelnik-Manor and
        Perona, "Self-tuning spectral clustering", 2004).
    n_threads : int
        The graph does not depend on it.
    """
    ties: Floats = distance.between(points, points, n_threads=n_threads, rooted=False)
    if isinstance(gamma, np.ndarray):
        ties /= -gamma
        ties /= gamma[:, np.newaxis]
    else:
        ties *= -gamma
    tied = ties > FAINTEST  # not where it is unknown
    np.exp(ties, out=ties, where=tied)
    ties[~tied] = 0.0
    np.fill_diagonal(ties, TIE)
    return ties


def parts_of(graph: Any) -> tuple[int, NDArray[np.int32]]:
    """How many parts there are that no tie connects, and the part of every row, numbered as they appear."""
    if not sparse.issparse(graph) and graph.all():
        return 1, np.zeros(len(graph), np.int32)
    count, part = connected_components(sparse.csr_array(graph), directed=False)
    return int(count), np.asarray(part, np.int32)


def join_nearest(
    distance: Distance, points: Points, part: NDArray[np.int32], wanted: int, n_threads: int
) -> NDArray[np.int32]:
    """Join the two parts whose nearest rows are nearest, until so many are left; numbered as they appear."""
    count = int(part.max()) + 1
    gaps = _gaps(distance, points, part, count, n_threads)
    held = np.arange(count)
    np.fill_diagonal(gaps, np.inf)
    for left in range(count, wanted, -1):
        one, other = np.unravel_index(int(np.argmin(gaps)), gaps.shape)
        if not np.isfinite(gaps[one, other]):  # nothing is known of how far they are apart
            one, other = np.unique(held)[[0, left - 1]]
        gaps[one] = np.minimum(gaps[one], gaps[other])
        gaps[:, one] = gaps[one]
        gaps[one, one] = np.inf
        gaps[other], gaps[:, other] = np.inf, np.inf
        held[held == other] = one
    _, renamed = np.unique(held, return_inverse=True)
    return np.asarray(renamed[part], np.int32)


def _gaps(distance: Distance, points: Points, part: NDArray[np.int32], count: int, n_threads: int) -> Floats:
    """How far the nearest rows of every two parts are apart."""
    n = points.n_rows
    order = np.argsort(part, kind="stable")
    starts = np.searchsorted(part[order], np.arange(count))
    sorted_points = points.take(order)
    gaps = np.full((count, count), np.inf)
    step = max(BLOCK // n, 1)
    for first in range(0, n, step):
        rows = slice(first, min(first + step, n))
        apart = distance.between(sorted_points.take(rows), sorted_points, n_threads=n_threads, rooted=False)
        apart[np.isnan(apart)] = np.inf
        to_parts = np.minimum.reduceat(apart, starts, axis=1)
        np.minimum.at(gaps, part[order[rows]], to_parts)
    nearest: Floats = np.minimum(gaps, gaps.T)
    return nearest
