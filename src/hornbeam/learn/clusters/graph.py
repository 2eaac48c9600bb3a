"""Graphs of rows, each connected to its neighbors or to all others, and the eigenvectors of their Laplacian.

Equal rows are one node with their total weight: a row that occurs twice is the same as one of weight two, and copies
cannot fill up each other's neighborhood.

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


BLOCK = 2**22  # distances looked at together
FAINTEST = -700.0  # smaller powers of e count as zero: such numbers are slow to compute with
TIE, HALF_TIE = 1.0, 0.5  # of two rows that have each other among their neighbors; of which only one has
FEW_ROWS = 500  # solved whole
LEAST_BASIS = 40  # vectors of the iterative solver
MOST_ROUNDS = 40  # of it; where it needs more, rows lie along few directions, and factors have few entries
DENSE_ROUNDS = 5  # the same of a graph of all pairs, where products are dear beside factors
PRECISION = 1e-10  # of its eigenvalues
SHIFT = 1e-6  # what makes the Laplacian definite


def neighbor_graph(distance: Distance, points: Points, k: int, n_threads: int) -> Any:
    """Every row tied to its k nearest: by 1 if both have each other among these, else by 1/2; and to itself by 1.

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


def _pairs(near: Neighbors, k: int) -> tuple[Ints64, Ints64]:
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
    """How far every row is from its k-th nearest; if that is nothing, or not known, the least of all others'."""
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
    distance, points, n_threads
        As for `neighbor_graph`.
    gamma : float or array
        One for all, or the reach of every row: gamma is then one by the product of the two rows' (Zelnik-Manor and
        Perona, "Self-tuning spectral clustering", 2004).
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


def parts_of(graph: Any) -> tuple[int, Ints32]:
    """How many parts there are that no tie connects, and the part of every row, numbered as they appear."""
    if not sparse.issparse(graph) and graph.all():
        return 1, np.zeros(len(graph), np.int32)
    count, part = connected_components(sparse.csr_array(graph), directed=False)
    return int(count), np.asarray(part, np.int32)


def join_nearest(distance: Distance, points: Points, part: Ints32, wanted: int, n_threads: int) -> Ints32:
    """Join the two parts whose nearest rows are nearest, until this many are left; numbered as they appear."""
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


def _gaps(distance: Distance, points: Points, part: Ints32, count: int, n_threads: int) -> Floats:
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


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The least eigenvalues, ascending, and their waves over the rows."""

    values: Floats  # between 0 and 2; as many zeros as the graph has parts
    # of shape (rows, values): Eigenvectors of the random walk on the graph: those of the normalized Laplacian
    # divided by the root of what each row is tied by. The entry of a wave that is farthest from zero is positive.
    waves: Floats


def spectrum(graph: Any, weights: Floats, part: Ints32, count: int) -> Spectrum:
    """The `count` least eigenvalues and their waves; all where there are fewer rows.

    Parameters
    ----------
    graph : array or sparse array
        Ties of rows, symmetric.
    weights : array
        What each row weighs: it stands for this many.
    part : array
        The part of every row.
    count : int
        How many eigenvalues.
    """
    n, n_parts = len(weights), int(part.max()) + 1
    found: list[tuple[float, int, Ints64, Floats]] = []
    for number in range(n_parts):
        rows = np.flatnonzero(part == number)
        ties = graph[rows][:, rows] if n_parts > 1 else graph
        pull = np.asarray(ties @ weights[rows])  # what one row is tied by
        mass = np.sqrt(weights[rows] / pull)
        more = min(max(count - n_parts, 0), len(rows) - 1)
        values, vectors = [0.0], np.sqrt(weights[rows] * pull)[:, np.newaxis]
        vectors = vectors / np.linalg.norm(vectors)
        if more:
            values, vectors = _least(_scaled(ties, mass), more + 1)
            values[0] = 0.0  # but for rounding
        waves = vectors / np.sqrt(weights[rows] * pull)[:, np.newaxis]
        found += [(float(value), number, rows, wave) for value, wave in zip(values, waves.T, strict=True)]
    found.sort(key=lambda one: one[:2])  # stable: by value, then by part
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
    """The least eigenvalues of I - matrix, and their vectors."""
    n = matrix.shape[0]
    if n <= FEW_ROWS or 2 * count >= n:
        dense = matrix.toarray() if sparse.issparse(matrix) else matrix
        values, vectors = eigh(dense, subset_by_index=[n - count, n - 1])
        return np.maximum(1 - values[::-1], 0.0), vectors[:, ::-1]
    start = np.random.RandomState(0).uniform(-1, 1, n)  # the same always: the prediction is not to depend on a seed
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
    """The same by solving equations: quick where eigenvalues are close to zero and to each other."""
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


def likely_count(values: Floats, n_parts: int, most: int) -> int:
    """How many clusters the eigenvalues speak for.

    As many as the graph has parts, if it has several; else the number, from 2 to `most`, after which eigenvalues
    rise most, relative to where they rise to.
    """
    if n_parts > 1:
        return min(n_parts, most)
    if len(values) <= 2 or most < 2:  # noqa: PLR2004 - fewer than three rows, or no choice
        return min(len(values), most)
    until = min(most + 1, len(values))
    rises = np.divide(np.diff(values[1:until]), values[2:until], out=np.zeros(until - 2), where=values[2:until] > 0)
    return int(np.argmax(rises)) + 2
