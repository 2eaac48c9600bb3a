"""Expectation-maximization: rows are assigned to components in part, and components are fitted to them.

Both steps are sums over rows of (1, x, products of columns, counts): if all numbers are known, each is one matrix
product per block of rows, whatever the form of the covariance. If values are missing, or variances are so small that
squares would lose them, the steps are taken around the means, pattern by pattern of known columns (Ghahramani and
Jordan, 1994). Dempster, Laird and Rubin, "Maximum likelihood from incomplete data via the EM algorithm", 1977.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.learn.clusters.mixture_prior import Prior, Statistics, completed_cells, log_completed
from hornbeam.model.clusters.components import LOG_TWO_PI, Components, Places, patterns

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.core.base.arrays import Floats, Ints32
    from hornbeam.model.clusters.centers import Crew


BLOCK = 512  # the minimum number of rows whose products are in memory at a time
PRODUCTS = 2**16  # the number of products in memory at a time
MOST_PRODUCTS = 2**27  # of products in memory: 1 GiB
SMALL = 1e-3  # with smaller deviations, relative to the column's, sums of products would be inaccurate
TINY = float(np.finfo(np.float64).tiny)
CORRELATED = ("tied", "full")  # forms with a covariance for every pair of columns
MOST_BYTES = 2**29


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over rows by component, around a point of each component."""

    around: Floats  # (k, d)
    held: Floats  # (k,)
    known: Floats  # (k, d)
    first: Floats  # (k, d)
    second: Floats  # (k, d), or (k, d, d) where columns are correlated
    cells: tuple[Floats, ...]
    counted: Floats  # (k, p)
    total: Floats  # (k, p)


class Fit:
    """The EM algorithm for some rows.

    Parameters
    ----------
    rows : Rows
        The rows.
    choices : Choices
        The settings.
    crew : Crew
        The threads; blocks of rows, and the order of sums, do not depend on them.
    k : int
        The number of components.
    """

    def __init__(self, rows: Rows, choices: Choices, crew: Crew, k: int) -> None:
        self.rows, self.choices, self.crew, self.k = rows, choices, crew, k
        self.correlated = choices.form in CORRELATED
        self.n_numbers, self.n_counts = rows.places.numbers.shape[1], rows.places.counts.shape[1]
        d = self.n_numbers
        self.pairs = np.triu_indices(d) if self.correlated else (np.arange(d), np.arange(d))
        with np.errstate(over="ignore"):
            self.least = (choices.least / rows.scale) ** 2
        if not np.isfinite(self.least).all():
            msg = (
                f"min_deviation is {choices.least:g}, and a numeric column has the deviation {rows.scale.min():.3g}: "
                "too far apart to compute with; give the column another unit, or use a smaller min_deviation"
            )
            raise ValueError(msg)
        spread = np.maximum(rows.spread, np.maximum(self.least, TINY)) if choices.conjugate else None
        self.prior = Prior.of(choices.form, choices.pseudo_count, rows.rates, spread, k)
        logarithms = np.log(rows.scale)
        lost = logarithms.sum() if rows.complete else ~np.isnan(rows.places.numbers) @ logarithms
        self.beside = float(rows.weights @ (rows.places.constant - lost))  # the change of log-densities by scaling

    # ---- steps ----

    def start(self, shares: Floats) -> Components:
        """Fit components to given fractions of rows."""
        if self.rows.complete and self.n_numbers + self.n_counts:
            made = self.fitted(self._summed(lambda _, some: (shares[some].T, 0.0))[0], None)
            if self._may_be_fast(made):
                return made
        return self.fitted(self._around(shares, np.zeros((self.k, self.n_numbers)), None), None)

    def step(self, components: Components) -> tuple[Components, float]:
        """Make one step: return the new components, and the log-likelihood of the old ones."""
        moments, likelihood = self._shared_out(components)
        return self.fitted(moments, components), likelihood

    def log_likelihood(self, components: Components) -> float:
        """The log-likelihood of all rows, in the units of the table."""
        return self._shared_out(components)[1]

    def log_evidence(self, components: Components) -> float:
        """The logarithm of the marginal probability of the rows, approximated at the most probable components."""
        moments, likelihood = self._shared_out(components)
        statistics = self._statistics(moments, components)
        equal, variance = self.choices.equal, float(components.covariances) if components.form == "fixed" else 1.0
        evidence = self.prior.log_evidence(statistics, equal=equal, variance=variance)
        return evidence + likelihood - log_completed(components, statistics)

    def _shared_out(self, components: Components) -> tuple[Moments, float]:
        return self._fast(components) if self._may_be_fast(components) else self._slow(components)

    def _may_be_fast(self, components: Components) -> bool:
        if not self.rows.complete or not self.n_numbers + self.n_counts:
            return False
        if self.correlated and self.n_numbers:
            matrices = components.covariances if components.form == "full" else components.covariances[np.newaxis]
            return bool(np.linalg.eigvalsh(matrices).min() > SMALL**2)
        return bool(components.variances.min(initial=1.0) > SMALL**2)

    # ---- with products: all numbers are known ----

    def _fast(self, components: Components) -> tuple[Moments, float]:
        coefficients, rows = self._coefficients(components), self.rows

        def share(products: Floats, some: slice) -> tuple[Floats, float]:
            shares = coefficients.T @ products.T  # by component: rows are contiguous
            if rows.sizes:
                shares += components.log_shares(rows.places.codes[some]).T
            return shares, _share_out(shares, rows.weights[some])

        return self._summed(share)

    def _summed(self, share: Callable[[Floats, slice], tuple[Floats, float]]) -> tuple[Moments, float]:
        """Sums over rows by component, block by block, and the log-likelihood."""
        rows, places, k, d = self.rows, self.rows.places, self.k, self.n_numbers
        left, right = self.pairs
        n_products = 1 + d + len(left)
        n_sums = n_products + self.n_counts
        n_cells = rows.n_cells
        size = max(1, min(max(BLOCK, PRODUCTS // n_sums), MOST_PRODUCTS // n_sums, len(places)))

        def part(_number: int, first: int, last: int) -> tuple[Floats, float, list[Floats]]:
            sums, likelihood = np.zeros((k, n_sums)), 0.0
            cells = [np.zeros((k, size)) for size in n_cells]
            room = np.empty((size, n_sums))
            for begin in range(first, last, size):
                some = slice(begin, min(begin + size, last))
                x = places.numbers[some]
                products = room[: len(x)]
                products[:, 0] = 1.0
                products[:, 1 : d + 1] = x
                if self.correlated:
                    place = d + 1
                    for j in range(d):
                        np.multiply(x[:, j:], x[:, j : j + 1], out=products[:, place : place + d - j])
                        place += d - j
                else:
                    np.multiply(x, x, out=products[:, d + 1 : n_products])
                if self.n_counts:
                    products[:, n_products:] = places.counts[some]
                shares, more = share(products, some)
                likelihood += more
                sums += shares @ products
                _count(cells, shares.T, places.codes[some])
            return sums, likelihood, cells

        parts = self.crew.run(part, len(places))
        sums = sum((one[0] for one in parts), np.zeros((k, n_sums)))
        held, first, total = sums[:, 0], sums[:, 1 : d + 1], sums[:, n_products:]
        second = sums[:, d + 1 : n_products]
        if self.correlated:
            square = np.zeros((k, d, d))
            square[:, left, right] = square[:, right, left] = second
            second = square
        cells = tuple(sum((one[2][j] for one in parts), np.zeros((k, size))) for j, size in enumerate(n_cells))
        known, counted = np.tile(held[:, np.newaxis], (1, d)), np.tile(held[:, np.newaxis], (1, self.n_counts))
        moments = Moments(np.zeros((k, d)), held, known, first, second, cells, counted, total)
        return moments, sum(one[1] for one in parts) + self.beside

    def _coefficients(self, components: Components) -> Floats:
        """The factors of (1, x, products of columns, counts) that give log-densities."""
        k, d = components.means.shape
        left, right = self.pairs
        made = np.empty((1 + d + len(left) + self.n_counts, k))
        with np.errstate(divide="ignore"):
            logs = np.zeros(k) if self.rows.sizes else np.log(components.weights)  # part of the categories' terms
        for c in range(k):
            mean = components.means[c]
            if self.correlated:
                inverse = np.linalg.inv(components.matrix(c))
                logarithm = float(np.linalg.slogdet(components.matrix(c))[1])
                slope, quadratic = inverse @ mean, -0.5 * inverse[left, right] * np.where(left == right, 1.0, 2.0)
            else:
                variance = components.variances[c]
                logarithm = float(np.log(variance).sum())
                slope, quadratic = mean / variance, -0.5 / variance
            made[0, c] = logs[c] - 0.5 * (d * LOG_TWO_PI + logarithm + mean @ slope) - components.rates[c].sum()
            made[1 : d + 1, c] = slope
            made[d + 1 : d + 1 + len(left), c] = quadratic
            made[d + 1 + len(left) :, c] = np.log(components.rates[c])
        return made

    # ---- around the means: any values ----

    def _slow(self, components: Components) -> tuple[Moments, float]:
        shares = components.log_densities(self.rows.places)
        likelihood = _share_out(shares.T, self.rows.weights)
        return self._around(shares, components.means, components), likelihood + self.beside

    def _around(self, shares: Floats, around: Floats, components: Components | None) -> Moments:
        """Moments around points; missing values are replaced by their expectations, given the rest of the row."""
        numbers, counts, k, d = self.rows.places.numbers, self.rows.places.counts, *around.shape
        cells = [np.zeros((k, size)) for size in self.rows.n_cells]
        _count(cells, shares, self.rows.places.codes)
        held = shares.sum(axis=0)
        known = np.tile(held[:, np.newaxis], (1, d))
        is_count = ~np.isnan(counts)
        counted, total = shares.T @ is_count, shares.T @ np.where(is_count, counts, 0.0)
        if not self.correlated:
            is_known = ~np.isnan(numbers)
            filled = np.where(is_known, numbers, 0.0)
            known = shares.T @ is_known
            first, second = np.empty((k, d)), np.empty((k, d))
            for c in range(k):
                apart = np.where(is_known, filled - around[c], 0.0)
                first[c] = shares[:, c] @ apart
                second[c] = shares[:, c] @ apart**2
            return Moments(around, held, known, first, second, tuple(cells), counted, total)
        first, second = np.zeros((k, d)), np.zeros((k, d, d))
        for there, some in patterns(numbers):
            for c in range(k):
                apart = np.zeros((len(some), d))
                apart[:, there] = numbers[np.ix_(some, there)] - around[c, there]
                part = shares[some, c]
                if not there.all():
                    absent = ~there
                    left = np.eye(int(absent.sum()))  # at the start: the mean and variance of all rows
                    if components is not None:
                        slope, left = components.conditional(c, there)
                        apart[:, absent] = apart[:, there] @ slope.T
                    second[c][np.ix_(absent, absent)] += part.sum() * left
                first[c] += part @ apart
                second[c] += (apart * part[:, np.newaxis]).T @ apart
        return Moments(around, held, known, first, second, tuple(cells), counted, total)

    # ---- both ----

    def _statistics(self, moments: Moments, components: Components | None) -> Statistics:
        """Means, and sums around them; rows with partly known categories are divided among the possible cells."""
        known = np.maximum(moments.known, TINY)
        shift = moments.first / known
        if self.correlated:
            outer = shift[:, :, np.newaxis] * shift[:, np.newaxis, :]
            scatter = moments.second - moments.held[:, np.newaxis, np.newaxis] * outer
        else:
            scatter = np.maximum(moments.second - known * shift**2, 0.0)
        mean = np.where(moments.known > 0, moments.around + shift, 0.0)
        before = (None,) * len(moments.cells) if components is None else components.shares
        groups = zip(moments.cells, before, self.rows.sizes, strict=True)
        cells = tuple(completed_cells(*group) for group in groups)
        return Statistics(moments.held, moments.known, mean, scatter, cells, moments.counted, moments.total)

    def fitted(self, moments: Moments, before: Components | None) -> Components:
        """The most probable components, given fractions of rows."""
        choices, prior, statistics = self.choices, self.prior, self._statistics(moments, before)
        k, held = self.k, statistics.held + self.prior.weight
        weights = np.full(k, 1 / k) if choices.equal else held / held.sum()
        means, scatter = prior.shrunk(statistics)
        shares = []
        for counts in statistics.cells:
            smooth = counts + prior.cell
            total = smooth.sum(axis=tuple(range(1, counts.ndim)), keepdims=True)
            shares.append(np.where(total > 0, smooth / np.maximum(total, TINY), 1 / max(counts[0].size, 1)))
        counted, total = statistics.counted + prior.rate, statistics.total + prior.rate * prior.rates
        rates = np.where(counted > 0, total / np.maximum(counted, TINY), prior.rates)
        rates = np.maximum(rates, max(choices.least**2, TINY))
        covariances = self._covariances(statistics, scatter)
        return Components(choices.form, weights, means, covariances, tuple(shares), rates)

    def _covariances(self, statistics: Statistics, scatter: Floats) -> Floats:
        choices, prior, least, d = self.choices, self.prior, self.least, self.n_numbers
        if choices.form == "fixed":
            return np.array(choices.variance / (float(self.rows.scale[0]) ** 2 if d else 1.0))
        more, added, before = prior.more_rows(d, self.k), choices.added / self.rows.scale**2, prior.scatter
        if choices.form == "tied":
            whole = scatter.sum(axis=0) + (np.diag(before) if prior.is_conjugate else 0.0)
            return _floored(whole / (statistics.held.sum() + more) + np.diag(added), least)
        if choices.form == "full":
            each = scatter + (np.diag(before) if prior.is_conjugate else 0.0)
            over = np.maximum(statistics.held + more, TINY)[:, np.newaxis, np.newaxis]
            return np.array([_floored(one + np.diag(added), least) for one in each / over]).reshape(self.k, d, d)
        squares, rows = scatter, statistics.known
        if choices.form == "spherical":
            squares, rows = squares.sum(axis=1), rows.sum(axis=1)
            least, added = (least[:1], added[:1]) if d else (np.ones(1), np.zeros(1))
        if prior.is_conjugate and d:
            squares = squares + before
        over = rows + more
        spread = np.where(over > 0, squares / np.maximum(over, TINY), 1.0)
        return np.maximum(spread + added, least)

    def in_units(self, components: Components) -> Components:
        """Convert components to the units of the table."""
        scale, form = self.rows.scale, components.form
        one = float(scale[0]) if len(scale) else 1.0
        square = np.outer(scale, scale)
        factors: dict[str, Floats] = {"diagonal": scale**2, "tied": square, "full": square}
        means = components.means * scale + self.rows.middle
        covariances = np.asarray(components.covariances * factors.get(form, np.array(one**2)))
        return replace(components, means=means, covariances=covariances)


def _share_out(densities: Floats, weights: Floats) -> float:
    """Convert log-densities, by component and row, to probabilities times weights; return the log-likelihood."""
    most = densities.max(axis=0)
    np.subtract(densities, most, out=densities)
    np.exp(densities, out=densities)
    total = densities.sum(axis=0)
    likelihood = float(weights @ (np.log(total) + most))
    np.multiply(densities, weights / total, out=densities)
    return likelihood


def _count(cells: list[Floats], shares: Floats, codes: Ints32) -> None:
    """Add fractions of rows to their cells."""
    for j, held in enumerate(cells):
        for c in range(len(held)):
            held[c] += np.bincount(codes[:, j], shares[:, c], minlength=held.shape[1])


def _floored(matrix: Floats, least: Floats) -> Floats:
    """A covariance matrix with a minimum standard deviation in every direction (on the scales of the columns)."""
    matrix = (matrix + matrix.T) / 2
    if not len(matrix):
        return matrix
    stretch = np.sqrt(least)
    if not stretch.all():
        return matrix
    values, vectors = np.linalg.eigh(matrix / np.outer(stretch, stretch))
    if values[0] >= 1:
        return matrix
    raised = (vectors * np.maximum(values, 1.0)) @ vectors.T
    return np.asarray((raised + raised.T) / 2 * np.outer(stretch, stretch))


@dataclass(frozen=True)
class Choices:
    """The settings of a fit."""

    form: str  # of the covariances
    variance: float  # the variance for the form "fixed"
    equal: bool  # whether components have equal weights
    least: float  # the least standard deviation
    added: float  # added to every variance
    pseudo_count: float  # pseudo-count of every category and rate of a component
    conjugate: bool = False  # whether normal columns and weights also have a prior


@dataclass(frozen=True, eq=False)
class Rows:
    """Prepared rows: numbers (centered and scaled), cell numbers, and counts."""

    places: Places
    sizes: tuple[tuple[int, ...], ...]  # by group of nominal columns: the numbers of categories
    weights: Floats
    middle: Floats
    scale: Floats
    spread: Floats  # variances of the scaled columns
    rates: Floats  # means of the counts
    complete: bool

    @classmethod
    def of(cls, places: Places, sizes: tuple[tuple[int, ...], ...], weights: Floats, form: str) -> Rows:
        """Center every column, and scale it by its deviation (by the same number if all columns share a variance)."""
        numbers = places.numbers
        known = ~np.isnan(numbers)
        complete = bool(known.all())
        held = np.maximum(weights @ known, TINY)
        middle = (weights @ (numbers if complete else np.where(known, numbers, 0.0))) / held
        placed = numbers - middle
        squares = (placed if complete else np.where(known, placed, 0.0)) ** 2
        spread = np.sqrt(weights @ squares / held)
        scale = np.where(spread > 0, spread, 1.0)
        if form in ("spherical", "fixed") and len(scale):
            scale = np.full(len(scale), float(np.exp(np.log(scale).mean())))
        placed /= scale
        counted = ~np.isnan(places.counts)
        rates = weights @ np.where(counted, places.counts, 0.0) / np.maximum(weights @ counted, TINY)
        return cls(
            Places(placed, places.codes, places.counts, places.constant),
            sizes,
            weights,
            middle,
            scale,
            (spread / scale) ** 2,
            rates,
            complete and bool(counted.all()),
        )

    @property
    def n_cells(self) -> list[int]:
        """The number of cells of each group, including those with missing values."""
        return [math.prod(size + 1 for size in group) for group in self.sizes]


def check_memory(n_columns: int, form: str, k: int) -> None:
    """Raise an error if covariance matrices would need too much memory."""
    needed = 8 * n_columns**2 * (4 * k + 1)  # sums of products, covariances, inverses; room for eigenvectors
    if form in CORRELATED and needed > MOST_BYTES:
        msg = (
            f"covariance_type is {form!r}: covariances of {n_columns} columns in {k} components take about "
            f"{needed / 2**30:.1f} GiB, more than the {MOST_BYTES / 2**30:.1f} GiB allowed; expected fewer columns or "
            "components, covariance_type='diagonal', or pca"
        )
        raise ValueError(msg)
