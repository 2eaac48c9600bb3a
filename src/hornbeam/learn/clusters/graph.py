"""Graphs of rows, each connected to its neighbors or to all others, and the eigenvectors of their Laplacian.

Equal rows are one node with their total weight: a row that occurs twice is the same as one of weight two, and copies do
not become each other's neighbors.

The normalized Laplacian is I - D^-1/2 W D^-1/2, where W has the weights of the edges and D their sums by row. Each
connected component has an eigenvalue of zero, so components are found first and solved one by one: an iterative solver
would miss repeated eigenvalues.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, splu

from hornbeam.learn.neighbors.search import Search

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.core.base.arrays import Floats, Ints32, Ints64
    from hornbeam.model.neighbors.distance import Distance
    from hornbeam.model.neighbors.points import Neighbors, Points


BLOCK = 2**22  # distances in memory at a time
FAINTEST = -700.0  # smaller powers of e count as zero: denormal numbers are slow
TIE, HALF_TIE = 1.0, 0.5  # weights of edges: both rows are neighbors of each other; only one is
FEW_ROWS = 500  # sizes up to which all eigenvalues are computed
LEAST_BASIS = 40  # vectors of the iterative solver
MOST_ROUNDS = 40  # its maximum number of iterations; if it needs more, factorization is used
DENSE_ROUNDS = 5  # the same for a graph of all pairs, whose products are expensive
PRECISION = 1e-10  # of its eigenvalues
SHIFT = 1e-6  # a shift that makes the Laplacian positive definite


def neighbor_graph(distance: Distance, points: Points, k: int, n_threads: int) -> Any:
    """The graph of nearest rows: weight 1 if both are neighbors of each other, otherwise 1/2; and 1 for the row itself.

    Parameters
    ----------
    distance : Distance
        The distance between rows.
    points : Points
        The distinct rows.
    k : int
        The number of neighbors.
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
    """The k + 1 nearest of every row, usually including the row itself."""
    search = Search(distance, points, all_tied=False, n_threads=n_threads)
    return search.nearest(points, min(k + 1, points.n_rows))


def _pairs(near: Neighbors, k: int) -> tuple[Ints64, Ints64]:
    """Pairs of rows and neighbors, without the row itself, and without neighbors that share no known value.

    A row with missing values may not be the nearest to itself.
    """
    asking = np.repeat(np.arange(len(near)), near.counts)
    others = (near.rows != asking) & np.isfinite(near.distances)
    asking, asked = asking[others], near.rows[others]
    counts = np.bincount(asking, minlength=len(near))
    place = np.arange(len(asking)) - np.repeat(np.cumsum(counts) - counts, counts)
    return asking[place < k], asked[place < k]


def reach_of(distance: Distance, points: Points, k: int, n_threads: int) -> Floats:
    """The distance of every row to its k-th nearest; if it is zero or unknown, the smallest of the others."""
    near = _nearest(distance, points, k, n_threads)
    known = np.where(np.isfinite(near.distances), near.distances, 0.0)
    reach = np.zeros(len(near))
    np.maximum.at(reach, np.repeat(np.arange(len(near)), near.counts), known)
    some = reach > 0
    return np.where(some, reach, reach[some].min() if some.any() else 1.0)


def bell_graph(distance: Distance, points: Points, gamma: float | Floats, n_threads: int) -> Floats:
    """The graph of all pairs, with weight exp(-gamma d²) for distance d; 0 for pairs that share no known value.

    Parameters
    ----------
    distance, points, n_threads
        As for `neighbor_graph`.
    gamma : float or array
        One number for all, or the scale of every row: gamma is then 1 divided by the product of the two scales
        (Zelnik-Manor and Perona, "Self-tuning spectral clustering", 2004).
    """
    ties: Floats = distance.between(points, points, n_threads=n_threads, rooted=False)
    if isinstance(gamma, np.ndarray):
        ties /= -gamma
        ties /= gamma[:, np.newaxis]
    else:
        ties *= -gamma
    tied = ties > FAINTEST  # 0 if it is unknown
    np.exp(ties, out=ties, where=tied)
    ties[~tied] = 0.0
    np.fill_diagonal(ties, TIE)
    return ties


def parts_of(graph: Any) -> tuple[int, Ints32]:
    """The number of connected components, and the component of every row, numbered in order of appearance."""
    if not sparse.issparse(graph) and graph.all():
        return 1, np.zeros(len(graph), np.int32)
    count, part = connected_components(sparse.csr_array(graph), directed=False)
    return int(count), np.asarray(part, np.int32)


def join_nearest(distance: Distance, points: Points, part: Ints32, wanted: int, n_threads: int) -> Ints32:
    """Merge the two components with the nearest rows until this many are left; numbered in order of appearance."""
    count = int(part.max()) + 1
    gaps = _gaps(distance, points, part, count, n_threads)
    held = np.arange(count)
    np.fill_diagonal(gaps, np.inf)
    for left in range(count, wanted, -1):
        one, other = np.unravel_index(int(np.argmin(gaps)), gaps.shape)
        if not np.isfinite(gaps[one, other]):  # their distance is unknown
            one, other = np.unique(held)[[0, left - 1]]
        gaps[one] = np.minimum(gaps[one], gaps[other])
        gaps[:, one] = gaps[one]
        gaps[one, one] = np.inf
        gaps[other], gaps[:, other] = np.inf, np.inf
        held[held == other] = one
    _, renamed = np.unique(held, return_inverse=True)
    return np.asarray(renamed[part], np.int32)


def _gaps(distance: Distance, points: Points, part: Ints32, count: int, n_threads: int) -> Floats:
    """The distances between the nearest rows of every two components."""
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


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The smallest eigenvalues, ascending, and their eigenvectors."""

    values: Floats  # between 0 and 2; as many zeros as the graph has components
    # of shape (rows, values): eigenvectors of the random walk on the graph: those of the normalized Laplacian divided
    # by the square root of the degree of each row. The entry with the largest absolute value is positive.
    waves: Floats


def spectrum(graph: Any, weights: Floats, part: Ints32, count: int) -> Spectrum:
    """The `count` smallest eigenvalues and their eigenvectors; all if there are fewer rows.

    Parameters
    ----------
    graph : array or sparse array
        The symmetric weights of edges.
    weights : array
        The weight of each row.
    part : array
        The connected component of every row.
    count : int
        The number of eigenvalues.
    """
    n, n_parts = len(weights), int(part.max()) + 1
    found: list[tuple[float, int, Ints64, Floats]] = []
    for number in range(n_parts):
        rows = np.flatnonzero(part == number)
        ties = graph[rows][:, rows] if n_parts > 1 else graph
        pull = np.asarray(ties @ weights[rows])  # the degree of a row
        mass = np.sqrt(weights[rows] / pull)
        more = min(max(count - n_parts, 0), len(rows) - 1)
        values, vectors = [0.0], np.sqrt(weights[rows] * pull)[:, np.newaxis]
        vectors = vectors / np.linalg.norm(vectors)
        if more:
            values, vectors = _least(_scaled(ties, mass), more + 1)
            values[0] = 0.0  # up to rounding
        waves = vectors / np.sqrt(weights[rows] * pull)[:, np.newaxis]
        found += [(float(value), number, rows, wave) for value, wave in zip(values, waves.T, strict=True)]
    found.sort(key=lambda one: one[:2])  # stable: by value, then by component
    found = found[:count]
    waves = np.zeros((n, len(found)))
    for place, (_, _, rows, wave) in enumerate(found):
        waves[rows, place] = wave if wave[np.argmax(np.abs(wave))] >= 0 else -wave
    return Spectrum(np.array([value for value, *_ in found]), waves)


def _scaled(ties: Any, mass: Floats) -> Any:
    if not sparse.issparse(ties):
        return ties * mass * mass[:, np.newaxis]
    scale = sparse.diags_array(mass)
    return sparse.csr_array(scale @ ties @ scale)


def _least(matrix: Any, count: int) -> tuple[Any, Floats]:
    """The smallest eigenvalues of I - matrix, and their eigenvectors."""
    n = matrix.shape[0]
    if n <= FEW_ROWS or 2 * count >= n:
        dense = matrix.toarray() if sparse.issparse(matrix) else matrix
        values, vectors = eigh(dense, subset_by_index=[n - count, n - 1])
        return np.maximum(1 - values[::-1], 0.0), vectors[:, ::-1]
    start = np.random.RandomState(0).uniform(-1, 1, n)  # always the same, so that results do not depend on a seed
    try:
        basis = min(max(2 * count + 1, LEAST_BASIS), n - 1)
        rounds = MOST_ROUNDS if sparse.issparse(matrix) else DENSE_ROUNDS
        values, vectors = eigsh(matrix, count, which="LA", v0=start, ncv=basis, maxiter=rounds, tol=PRECISION)
        values = 1 - values
    except ArpackNoConvergence:
        values, vectors = _shifted(matrix, count, start)
    order = np.argsort(values, kind="stable")
    return np.maximum(values[order], 0.0), vectors[:, order]


def _shifted(matrix: Any, count: int, start: Floats) -> tuple[Floats, Floats]:
    """The same by shift-and-invert: fast if eigenvalues are close to zero and to each other."""
    n = matrix.shape[0]
    solve: Callable[[Floats], Floats]
    if sparse.issparse(matrix):
        laplacian = sparse.csc_array(sparse.eye_array(n) - matrix)
        shifted = sparse.csc_array(laplacian + SHIFT * sparse.eye_array(n))
        solve = splu(shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}).solve
    else:
        laplacian = np.eye(n) - matrix
        solve = partial(cho_solve, cho_factor(laplacian + SHIFT * np.eye(n), overwrite_a=True))
    values, vectors = eigsh(
        laplacian, count, sigma=-SHIFT, which="LM", v0=start, OPinv=LinearOperator((n, n), solve, dtype=np.float64)
    )
    return values, vectors


def suggested_count(values: Floats, n_parts: int, most: int) -> int:
    """The number of clusters suggested by the eigenvalues.

    The number of connected components if there are several; otherwise the number from 2 to `most` before the largest
    relative gap of eigenvalues.
    """
    if n_parts > 1:
        return min(n_parts, most)
    if len(values) <= 2 or most < 2:  # noqa: PLR2004 - fewer than three rows, or no choice
        return min(len(values), most)
    until = min(most + 1, len(values))
    rises = np.divide(np.diff(values[1:until]), values[2:until], out=np.zeros(until - 2), where=values[2:until] > 0)
    return int(np.argmax(rises)) + 2
