"""Expectation and maximisation: rows are shared out among components, and components fitted to their shares of rows.

Both steps are sums over rows of (1, x, products of columns): where all numbers are known, each is one matrix product a
block of rows, whatever the form of the covariance. Where values are missing, or variances are so small that squares
would drown them, the steps are taken around the means, pattern by pattern of known columns (Ghahramani and Jordan,
1994). Dempster, Laird and Rubin, "Maximum likelihood from incomplete data via the EM algorithm", 1977.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.model.mixture import LOG_TWO_PI, Components, log_sum, patterns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.model.centres import Crew

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int32]

BLOCK = 512  # rows whose products are under way at a time
SMALL = 1e-3  # deviations below this share of a column's: products of large numbers lose their digits


@dataclass(frozen=True)
class Choices:
    """What a fit is asked for.

    Parameters
    ----------
    form : str
        Of the covariances.
    variance : float
        The one of the form "fixed".
    equal : bool
        Whether components weigh the same.
    least : float
        The least standard deviation.
    added : float
        What is added to every variance.
    pseudo_count : float
        Rows that every category of every component has beforehand.
    """

    form: str
    variance: float
    equal: bool
    least: float
    added: float
    pseudo_count: float


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows made ready: numbers, centred and scaled, and codes."""

    numbers: Floats
    codes: Codes
    n_codes: tuple[int, ...]
    weights: Floats
    middle: Floats
    scale: Floats
    complete: bool

    @classmethod
    def of(cls, numbers: Floats, codes: Codes, n_codes: tuple[int, ...], weights: Floats, form: str) -> Rows:
        """Centre every column, and scale it by its deviation (all by one number where a variance is shared)."""
        known = ~np.isnan(numbers)
        held = np.maximum((weights[:, np.newaxis] * known).sum(axis=0), np.finfo(np.float64).tiny)
        filled = np.where(known, numbers, 0.0)
        middle = (weights @ filled) / held
        spread = np.sqrt(weights @ np.where(known, numbers - middle, 0.0) ** 2 / held)
        spread = np.where(spread > 0, spread, 1.0)
        if form in ("spherical", "fixed") and len(spread):
            spread = np.full(len(spread), float(np.exp(np.log(spread).mean())))
        placed = np.ascontiguousarray((numbers - middle) / spread)
        return cls(placed, codes, n_codes, weights, middle, spread, bool(known.all()))


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over rows, shared out among components: around a point of each component."""

    around: Floats  # (k, d)
    held: Floats  # (k,)
    known: Floats  # (k, d)
    first: Floats  # (k, d)
    second: Floats  # (k, d), or (k, d, d) where columns are correlated
    codes: tuple[Floats, ...]


class Fit:
    """EM on some rows.

    Parameters
    ----------
    rows : Rows
        What is fitted.
    choices : Choices
        How.
    crew : Crew
        Who does the work; blocks of rows, and the order of sums, do not depend on it.
    """

    def __init__(self, rows: Rows, choices: Choices, crew: Crew) -> None:
        self.rows, self.choices, self.crew = rows, choices, crew
        self.correlated = choices.form in ("tied", "full")
        d = rows.numbers.shape[1]
        self.pairs = np.triu_indices(d) if self.correlated else (np.arange(d), np.arange(d))
        self.jacobian = float(np.log(rows.scale).sum())

    # ---- steps ----

    def start(self, shares: Floats) -> Components:
        """Components fitted to given shares of rows."""
        return self.fitted(self._around(shares, np.zeros((shares.shape[1], self.rows.numbers.shape[1])), None))

    def step(self, components: Components) -> tuple[Components, float]:
        """One step; the new components, and the log-likelihood of the old ones."""
        moments, likelihood = self._fast(components) if self._may_be_fast(components) else self._slow(components)
        return self.fitted(moments), likelihood

    def log_likelihood(self, components: Components) -> float:
        """Of all rows, in the units of the table."""
        total = log_sum(components.log_densities(self.rows.numbers, self.rows.codes))
        return float(self.rows.weights @ total) - self._lost()

    def log_prior(self, components: Components) -> float:
        """What the pseudo-counts add to the logarithm of the posterior."""
        if not self.choices.pseudo_count:
            return 0.0
        return self.choices.pseudo_count * float(sum(np.log(shares).sum() for shares in components.shares))

    def _lost(self) -> float:
        """What scaling adds to log-densities."""
        if self.rows.complete:
            return float(self.rows.weights.sum()) * self.jacobian
        return float(self.rows.weights @ (~np.isnan(self.rows.numbers) @ np.log(self.rows.scale)))

    def _may_be_fast(self, components: Components) -> bool:
        if not self.rows.complete or not self.rows.numbers.shape[1]:
            return False
        if self.correlated:
            matrices = components.covariances if components.form == "full" else components.covariances[np.newaxis]
            return bool(np.linalg.eigvalsh(matrices).min() > SMALL**2)
        return bool(components.variances.min() > SMALL**2)

    # ---- by products: all numbers known ----

    def _fast(self, components: Components) -> tuple[Moments, float]:
        rows, k, d = self.rows, *components.means.shape
        coefficients = self._coefficients(components)
        n_sums = 1 + d + len(self.pairs[0])
        left, right = self.pairs

        def part(_number: int, first: int, last: int) -> tuple[Floats, float, list[Floats]]:
            sums, likelihood = np.zeros((k, n_sums)), 0.0
            counts = [np.zeros((k, size)) for size in rows.n_codes]
            room = np.empty((BLOCK, n_sums))
            for begin in range(first, last, BLOCK):
                some = slice(begin, min(begin + BLOCK, last))
                x = rows.numbers[some]
                products = room[: len(x)]
                products[:, 0] = 1.0
                products[:, 1 : d + 1] = x
                if self.correlated:
                    place = d + 1
                    for j in range(d):
                        np.multiply(x[:, j:], x[:, j : j + 1], out=products[:, place : place + d - j])
                        place += d - j
                else:
                    np.multiply(x, x, out=products[:, d + 1 :])
                shares = coefficients.T @ products.T  # by component: rows lie side by side
                if rows.n_codes:
                    shares += components.log_shares(rows.codes[some]).T
                likelihood += _share_out(shares, rows.weights[some])
                sums += shares @ products
                _count(counts, shares.T, rows.codes[some])
            return sums, likelihood, counts

        parts = self.crew.run(part, len(rows.numbers))
        sums = sum((one[0] for one in parts), np.zeros((k, n_sums)))
        held, first = sums[:, 0], sums[:, 1 : d + 1]
        second = sums[:, d + 1 :]
        if self.correlated:
            square = np.zeros((k, d, d))
            square[:, left, right] = square[:, right, left] = second
            second = square
        counts = tuple(sum((one[2][j] for one in parts), np.zeros((k, size))) for j, size in enumerate(rows.n_codes))
        moments = Moments(np.zeros((k, d)), held, np.tile(held[:, np.newaxis], (1, d)), first, second, counts)
        return moments, sum(one[1] for one in parts) - self._lost()

    def _coefficients(self, components: Components) -> Floats:
        """What (1, x, products of columns) is multiplied with to give log-densities."""
        k, d = components.means.shape
        left, right = self.pairs
        made = np.empty((1 + d + len(left), k))
        with np.errstate(divide="ignore"):
            logs = np.log(components.weights) if not self.rows.codes.shape[1] else np.zeros(k)
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
            made[0, c] = logs[c] - 0.5 * (d * LOG_TWO_PI + logarithm + mean @ slope)
            made[1 : d + 1, c] = slope
            made[d + 1 :, c] = quadratic
        return made

    # ---- around the means: anything ----

    def _slow(self, components: Components) -> tuple[Moments, float]:
        shares = components.log_densities(self.rows.numbers, self.rows.codes)
        likelihood = _share_out(shares.T, self.rows.weights)
        return self._around(shares, components.means, components), likelihood - self._lost()

    def _around(self, shares: Floats, around: Floats, components: Components | None) -> Moments:
        """Moments around points; what is missing is expected, given the rest and the components."""
        rows, k, d = self.rows, *around.shape
        known_all = ~np.isnan(rows.numbers)
        counts = [np.zeros((k, size)) for size in rows.n_codes]
        _count(counts, shares, rows.codes)
        held = shares.sum(axis=0)
        if not self.correlated:
            filled = np.where(known_all, rows.numbers, 0.0)
            known = shares.T @ known_all
            first, second = np.empty((k, d)), np.empty((k, d))
            for c in range(k):
                apart = np.where(known_all, filled - around[c], 0.0)
                first[c] = shares[:, c] @ apart
                second[c] = shares[:, c] @ apart**2
            return Moments(around, held, known, first, second, tuple(counts))
        first, second = np.zeros((k, d)), np.zeros((k, d, d))
        for there, some in patterns(rows.numbers):
            for c in range(k):
                apart = np.zeros((len(some), d))
                apart[:, there] = rows.numbers[np.ix_(some, there)] - around[c, there]
                part = shares[some, c]
                if not there.all():
                    absent = ~there
                    if components is None:  # the start: as the average row, with its spread
                        second[c][np.ix_(absent, absent)] += part.sum() * np.eye(int(absent.sum()))
                    else:
                        matrix = components.matrix(c)
                        across = matrix[np.ix_(absent, there)]
                        slope = np.linalg.solve(matrix[np.ix_(there, there)], across.T).T if there.any() else across
                        apart[:, absent] = apart[:, there] @ slope.T
                        left = matrix[np.ix_(absent, absent)] - slope @ across.T
                        second[c][np.ix_(absent, absent)] += part.sum() * left
                first[c] += part @ apart
                second[c] += (apart * part[:, np.newaxis]).T @ apart
        return Moments(around, held, np.tile(held[:, np.newaxis], (1, d)), first, second, tuple(counts))

    # ---- both ----

    def fitted(self, moments: Moments) -> Components:
        """The components that make given shares of rows most probable."""
        choices, (k, d) = self.choices, moments.around.shape
        held = moments.held
        tiny = np.finfo(np.float64).tiny
        weights = np.full(k, 1 / k) if choices.equal else held / held.sum()
        known = np.maximum(moments.known, tiny)
        shift = moments.first / known
        means = np.where(moments.known > 0, moments.around + shift, 0.0)
        least, added = (choices.least / self.rows.scale) ** 2, choices.added / self.rows.scale**2
        if self.correlated:
            each = moments.second - held[:, np.newaxis, np.newaxis] * shift[:, :, np.newaxis] * shift[:, np.newaxis, :]
            if choices.form == "tied":
                covariances = _floored(each.sum(axis=0) / held.sum() + np.diag(added), least)
            else:
                over = np.maximum(held, tiny)[:, np.newaxis, np.newaxis]
                covariances = np.array([_floored(one + np.diag(added), least) for one in each / over]).reshape(k, d, d)
        elif choices.form == "fixed":
            covariances = np.array(choices.variance / (float(self.rows.scale[0]) ** 2 if d else 1.0))
        else:
            squares = np.maximum(moments.second - known * shift**2, 0.0)
            if choices.form == "spherical":
                over = np.maximum(moments.known.sum(axis=1), tiny)
                floor, more = (float(least[0]), float(added[0])) if d else (1.0, 0.0)
                covariances = np.maximum(squares.sum(axis=1) / over + more, floor)
            else:
                spread = np.where(moments.known > 0, squares / known, 1.0)
                covariances = np.maximum(spread + added, least)
        shares = []
        for counts in moments.codes:
            smooth = counts + choices.pseudo_count
            total = smooth.sum(axis=1, keepdims=True)
            shares.append(np.where(total > 0, smooth / np.maximum(total, tiny), 1 / max(counts.shape[1], 1)))
        return Components(choices.form, weights, means, covariances, tuple(shares))

    def in_units(self, components: Components) -> Components:
        """The same components in the units of the table."""
        scale, form = self.rows.scale, components.form
        one = float(scale[0]) if len(scale) else 1.0
        square = np.outer(scale, scale)
        factors: dict[str, Floats] = {"diagonal": scale**2, "tied": square, "full": square}
        means = components.means * scale + self.rows.middle
        covariances = np.asarray(components.covariances * factors.get(form, np.array(one**2)))
        return Components(form, components.weights, means, covariances, components.shares)


def _share_out(densities: Floats, weights: Floats) -> float:
    """Make log-densities, by component and row, shares times the rows' weights; the log-likelihood."""
    most = densities.max(axis=0)
    np.subtract(densities, most, out=densities)
    np.exp(densities, out=densities)
    total = densities.sum(axis=0)
    likelihood = float(weights @ (np.log(total) + most))
    np.multiply(densities, weights / total, out=densities)
    return likelihood


def _count(counts: list[Floats], shares: Floats, codes: Codes) -> None:
    """Add shares of rows to the categories they have."""
    for j, held in enumerate(counts):
        there = codes[:, j] >= 0
        for c in range(len(held)):
            held[c] += np.bincount(codes[there, j], shares[there, c], minlength=held.shape[1])


def _floored(matrix: Floats, least: Floats) -> Floats:
    """A covariance matrix no deviation of which, in any direction, is below the least (on the columns' scales)."""
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
