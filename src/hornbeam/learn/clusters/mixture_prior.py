"""Conjugate priors of mixtures, and the evidence for a number of components.

Priors are conjugate: they act like additional rows. Probabilities of categories have pseudo-counts (Laplace), rates of
counts as many rows with the average; normal columns, if requested, have the prior of Fraley and Raftery ("Bayesian
regularization for normal mixture estimation and model-based clustering", 2007), and weights have one row in total, as
in AutoClass. The evidence is the approximation of Cheeseman and Stutz ("Bayesian classification (AutoClass): theory and
results", 1996): that of rows completed by their expected components, corrected by the ratio of the likelihoods of the
rows and of the completed rows.

All columns are centered and scaled, so the prior mean is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma, log, pi
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import gammaln, multigammaln

from hornbeam.model.clusters.components import LOG_TWO_PI, with_margins

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats
    from hornbeam.model.clusters.components import Components


MEAN_ROWS = 0.01  # rows that the prior mean counts as
FREEDOM = 2  # prior degrees of freedom of a variance, in addition to one per column


@dataclass(frozen=True, eq=False)
class Statistics:
    """Sums over rows by component, to which components are fitted."""

    held: Floats  # of shape (components,): the weight of the rows
    known: Floats  # of shape (components, numbers): the weight of known numbers
    mean: Floats  # of shape (components, numbers): their means
    # of shape (components, numbers), or (components, numbers, numbers): sums of squares, or of products, around
    # the means
    scatter: Floats
    cells: tuple[Floats, ...]  # by group of nominal columns: the weight of rows in each cell, by component
    # counted, total: of shape (components, counts): the weight of known counts, and their sums
    counted: Floats
    total: Floats


@dataclass(frozen=True, eq=False)
class Prior:
    """A prior, as the equivalent of additional rows."""

    form: str  # of the covariances
    weight: float  # rows of every component
    cell: float  # rows of every category of a component
    rate: float  # rows of every rate of a component, with the average count
    rates: Floats  # these averages
    mean: float  # rows of every mean, at the mean of the column
    # prior sums of squares around means, by column; empty if normal columns have no prior
    scatter: Floats

    @classmethod
    def of(cls, form: str, pseudo_count: float, rates: Floats, spread: Floats | None, k: int) -> Prior:
        """Make the prior from the columns' variances (None: none for normal columns and weights) and the components."""
        if spread is None:
            return cls(form, 0.0, pseudo_count, pseudo_count, rates, 0.0, np.empty(0))
        scatter = spread / k ** (2 / max(len(spread), 1))
        if form == "spherical" and len(scatter):
            scatter = scatter.mean(keepdims=True)
        return cls(form, 1 / k, pseudo_count, pseudo_count, rates, MEAN_ROWS, scatter)

    @property
    def is_conjugate(self) -> bool:
        """Whether normal columns have a prior."""
        return self.mean > 0

    def freedom(self, d: int) -> int:
        """Prior degrees of freedom of variances, or of a matrix of d columns."""
        return FREEDOM + (d if self.form in ("tied", "full") else 1)

    def more_rows(self, d: int, k: int) -> float:
        """The number added to the rows by which a variance, or a matrix, is divided."""
        if not self.is_conjugate:
            return 0.0
        means = {"spherical": d, "tied": k}.get(self.form, 1)
        size = d + 1 if self.form in ("tied", "full") else 2
        return float(self.freedom(d) + size + means)

    def shrunk(self, statistics: Statistics) -> tuple[Floats, Floats]:
        """Means shrunk towards the prior mean, and the scatter that this adds."""
        rows = statistics.known
        if not self.is_conjugate:
            return statistics.mean, statistics.scatter
        pull = self.mean * rows / (rows + self.mean)
        means = statistics.mean * rows / (rows + self.mean)
        if statistics.scatter.ndim == 2:  # noqa: PLR2004 - by column
            return means, statistics.scatter + pull * statistics.mean**2
        outer = statistics.mean[:, :, np.newaxis] * statistics.mean[:, np.newaxis, :]
        return means, statistics.scatter + pull[:, :1, np.newaxis] * outer

    # ---- its term of the log-posterior ----

    def logarithm(self, components: Components) -> float:
        """The logarithm of its density, up to terms that do not depend on the components."""
        total = self.cell * float(sum(np.log(shares).sum() for shares in components.shares)) if self.cell else 0.0
        if self.rate and components.rates.size:
            total += self.rate * float((self.rates * np.log(components.rates) - components.rates).sum())
        if not self.is_conjugate:
            return total
        total += self.weight * float(np.log(components.weights).sum())
        k, d = components.means.shape
        if not d:
            return total
        more = self.more_rows(d, k)
        if self.form in ("tied", "full"):
            matrices = components.covariances if self.form == "full" else components.covariances[np.newaxis]
            inverse = np.linalg.inv(matrices)
            pulls = np.einsum("ki,kij,kj->", components.means, np.broadcast_to(inverse, (k, d, d)), components.means)
            expected = float((inverse.diagonal(axis1=1, axis2=2) * self.scatter).sum())
            logarithms = float(np.linalg.slogdet(matrices)[1].sum())
            return total - 0.5 * (more * logarithms + self.mean * float(pulls) + expected)
        squares = self.mean * components.means**2
        if self.form == "fixed":
            return total - 0.5 * float(squares.sum() / components.covariances)
        if self.form == "spherical":
            squares = squares.sum(axis=1)
        spread = components.covariances
        return total - 0.5 * float((more * np.log(spread) + (squares + self.scatter) / spread).sum())

    # ---- evidence ----

    def log_evidence(self, statistics: Statistics, *, equal: bool, variance: float) -> float:
        """The logarithm of the marginal probability of rows with given fractions of components.

        `equal`: whether weights are equal; `variance`: the variance for the form "fixed".
        """
        k, held = len(statistics.held), statistics.held
        total = -float(held.sum()) * log(k) if equal else _dirichlet(held, 1 + self.weight)
        for cells in statistics.cells:
            total += sum(_dirichlet(one.ravel(), 1 + self.cell) for one in cells)
        shape, rows = 1 + self.rate * self.rates, self.rate
        if len(self.rates):
            after = shape + statistics.total
            total += float((gammaln(after) - after * np.log(rows + statistics.counted)).sum())
            total += k * float((shape * np.log(rows) - gammaln(shape)).sum())
        return total + self._normal_evidence(statistics, variance)

    def _normal_evidence(self, statistics: Statistics, variance: float) -> float:
        d = statistics.mean.shape[1]
        if not d:
            return 0.0
        rows, (_, scatter) = statistics.known, self.shrunk(statistics)
        total = 0.5 * float(np.log(self.mean / (self.mean + rows)).sum())
        if self.form == "fixed":
            return total - 0.5 * float((rows * (LOG_TWO_PI + log(variance)) + scatter / variance).sum())
        total -= 0.5 * log(pi) * float(rows.sum())
        freedom = self.freedom(d)
        if self.form in ("tied", "full"):
            seen, sums = statistics.held, scatter
            if self.form == "tied":
                seen, sums = seen.sum(keepdims=True), sums.sum(axis=0, keepdims=True)
            for n, one in zip(seen, sums, strict=True):
                after = float(np.linalg.slogdet(one + np.diag(self.scatter))[1])
                total += multigammaln((freedom + n) / 2, d) - multigammaln(freedom / 2, d)
                total += freedom / 2 * float(np.log(self.scatter).sum()) - (freedom + n) / 2 * after
            return float(total)
        if self.form == "spherical":
            rows, scatter = rows.sum(axis=1, keepdims=True), scatter.sum(axis=1, keepdims=True)
        total += float((gammaln((freedom + rows) / 2) - lgamma(freedom / 2)).sum())
        before = freedom / 2 * np.log(self.scatter)
        return total + float((before - (freedom + rows) / 2 * np.log(self.scatter + scatter)).sum())


def log_completed(components: Components, statistics: Statistics) -> float:
    """The logarithm of the density of rows with given fractions of components."""
    k, d = components.means.shape
    total = float(statistics.held @ np.log(np.maximum(components.weights, np.finfo(np.float64).tiny)))
    for shares, cells in zip(components.shares, statistics.cells, strict=True):
        total += float((cells * np.log(np.where(cells > 0, shares, 1.0))).sum())
    if components.rates.size:
        total += float((statistics.total * np.log(components.rates) - statistics.counted * components.rates).sum())
    if not d:
        return total
    apart = statistics.mean - components.means
    if not components.is_correlated:
        spread, rows = components.variances, statistics.known
        squares = statistics.scatter + rows * apart**2
        return total - 0.5 * float((rows * (LOG_TWO_PI + np.log(spread)) + squares / spread).sum())
    for c in range(k):
        matrix, rows = components.matrix(c), statistics.held[c]
        sums = statistics.scatter[c] + rows * np.outer(apart[c], apart[c])
        logarithm = float(np.linalg.slogdet(matrix)[1])
        total -= 0.5 * float(rows * (d * LOG_TWO_PI + logarithm) + np.trace(np.linalg.solve(matrix, sums)))
    return total


def completed_cells(cells: Floats, shares: Floats | None, sizes: tuple[int, ...]) -> Floats:
    """Convert weights of cells, including those with missing values, to weights of combinations of categories.

    If only some columns of a group are known, the row is divided by the probabilities of the components (None: left
    out); if none is known, it is left out.
    """
    k = len(cells)
    counts = cells.reshape(k, *(size + 1 for size in sizes)).copy()
    nothing: tuple[Any, ...] = (slice(None), *(-1,) * len(sizes))
    counts[nothing] = 0.0
    if len(sizes) > 1 and np.any(counts):
        even = np.full((k, *sizes), 1 / max(int(np.prod(sizes)), 1)) if shares is None else shares
        probabilities = with_margins(even)
        for axis, size in enumerate(sizes, 1):
            there, gone = (np.take(probabilities, which, axis=axis) for which in (range(size), [size]))
            part = np.take(counts, [size], axis=axis) * there / np.maximum(gone, np.finfo(np.float64).tiny)
            counts = np.take(counts, range(size), axis=axis) + part
            probabilities = there
        return counts
    return counts[(slice(None), *(slice(size) for size in sizes))]


def _dirichlet(counts: Floats, pseudo: float) -> float:
    """The logarithm of the marginal probability of counts, for one order of rows."""
    n, size = float(counts.sum()), len(counts)
    return lgamma(size * pseudo) - lgamma(size * pseudo + n) + float((gammaln(pseudo + counts) - lgamma(pseudo)).sum())
