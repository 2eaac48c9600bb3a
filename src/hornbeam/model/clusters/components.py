"""The component distributions of a mixture over prepared rows: numbers, counts and codes.

Numbers are normally distributed, with one of several forms of covariance; counts have Poisson distributions;
categories, or combinations of them, have probabilities. A missing value is left out of the density, not replaced.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.model.base.stored import Stored

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Bools, Floats, Ints32, Ints64


FORMS = ("spherical", "diagonal", "tied", "full", "fixed")
LOG_TWO_PI = float(np.log(2 * np.pi))
BLOCK = 4096


@dataclass(frozen=True, eq=False)
class Places:
    """Rows prepared for the components."""

    numbers: Floats  # of shape (rows, numbers): NaN: missing
    # of shape (rows, groups of nominal columns): cell numbers, which combine the codes of the columns; every column has
    # an additional code for missing, so in the last cell all are missing
    codes: Ints32
    counts: Floats  # of shape (rows, counts): NaN: missing
    constant: Floats  # by row, terms of the log-density common to all components: changes of scale, factorials

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: Any) -> Places:  # noqa: ANN401 - a mask, a slice or numbers
        """Some of the rows."""
        return Places(self.numbers[rows], self.codes[rows], self.counts[rows], self.constant[rows])


@dataclass(frozen=True, eq=False)
class Components(Stored):
    """The component distributions."""

    # {"spherical", "diagonal", "tied", "full", "fixed"}: one variance per component; one per component and column; one
    # covariance matrix for all; one matrix per component; one variance for all, known in advance
    form: str
    weights: Floats  # of the components; they sum to 1
    means: Floats  # of shape (components, numbers)
    # of shape (components,), (components, columns), (columns, columns), (components, columns, columns), or ()
    covariances: Floats
    # tuple of arrays of shape (components, categories, ...): one for each group of nominal columns; with one more axis
    # per column of the group
    shares: tuple[Floats, ...] = ()
    # of shape (components, counts): expected counts
    rates: Floats = field(default_factory=lambda: np.empty((0, 0)))

    @property
    def variances(self) -> Floats:
        """Variances by component and column."""
        k, d = self.means.shape
        if self.form == "full":
            return np.ascontiguousarray(np.diagonal(self.covariances, axis1=1, axis2=2))
        if self.form == "tied":
            return np.tile(np.diagonal(self.covariances), (k, 1))
        if self.form == "diagonal":
            return self.covariances
        return np.broadcast_to(np.reshape(self.covariances, (-1, 1)), (k, d)).copy()

    @property
    def is_correlated(self) -> bool:
        """Whether the numeric columns are correlated within a component."""
        return self.form in ("tied", "full")

    @property
    def n_figures(self) -> int:
        """The number of free parameters."""
        k, d = self.means.shape
        covariance = {
            "spherical": k,
            "diagonal": k * d,
            "tied": d * (d + 1) // 2,
            "full": k * d * (d + 1) // 2,
            "fixed": 0,
        }[self.form]
        nominal = sum(k * max(0, shares[0].size - 1) for shares in self.shares)
        return int(k - 1 + k * d + (covariance if d else 0) + nominal + self.rates.size)

    def matrix(self, component: int) -> Floats:
        """A component's covariance matrix."""
        if self.form == "tied":
            return self.covariances
        return np.asarray(self.covariances[component] if self.form == "full" else np.diag(self.variances[component]))

    def conditional(self, component: int, known: Bools) -> tuple[Floats, Floats]:
        """The regression of unknown numbers on known ones: slopes (unknown by known), and the residual covariance."""
        matrix, absent = self.matrix(component), ~known
        across = matrix[np.ix_(absent, known)]
        slope = np.linalg.solve(matrix[np.ix_(known, known)], across.T).T if known.any() else across
        return np.asarray(slope), np.asarray(matrix[np.ix_(absent, absent)] - slope @ across.T)

    def log_densities(self, places: Places) -> Floats:
        """Logarithms of weight times density, by row and component, without the constants of the rows."""
        out = np.empty((len(places), len(self.weights)))
        for first in range(0, len(out), BLOCK):
            part = slice(first, first + BLOCK)
            out[part] = self.log_shares(places.codes[part])
            if self.is_correlated:
                self._add_correlated(places.numbers[part], out[part])
            elif self.means.shape[1]:
                self._add_independent(places.numbers[part], out[part])
            if self.rates.shape[1]:
                self._add_counts(places.counts[part], out[part])
        return out

    def log_shares(self, codes: Ints32) -> Floats:
        """The terms of the weights and the categories."""
        with np.errstate(divide="ignore"):
            total = np.tile(np.log(self.weights), (len(codes), 1))
        for j, logarithms in enumerate(self._log_cells):
            total += logarithms[codes[:, j]]
        return total

    @cached_property
    def _log_cells(self) -> list[Floats]:
        """Logarithms of the probabilities, by cell and component."""
        k = len(self.weights)
        with np.errstate(divide="ignore"):
            return [np.ascontiguousarray(np.log(with_margins(shares).reshape(k, -1).T)) for shares in self.shares]

    # Far from all means, densities are large and nearly equal: what remains of their difference depends on the order of
    # the sums. Exports add the columns in the same order.

    def _add_independent(self, numbers: Floats, out: Floats) -> None:
        variances = self.variances
        deviations, logarithms = np.sqrt(variances), LOG_TWO_PI + np.log(variances)
        far = np.zeros((len(self.weights), len(numbers)))
        with np.errstate(over="ignore"):  # no component can have a number so far away
            for j, column in enumerate(np.ascontiguousarray(numbers.T)):
                apart = column - self.means[:, j, np.newaxis]
                apart /= deviations[:, j, np.newaxis]
                apart *= apart
                apart += logarithms[:, j, np.newaxis]
                apart[:, np.isnan(column)] = 0.0
                far += apart
        out -= 0.5 * far.T

    def _add_correlated(self, numbers: Floats, out: Floats) -> None:
        for known, rows in patterns(numbers):
            if not known.any():
                continue
            some = numbers[np.ix_(rows, known)]
            for k in range(len(self.weights)):
                root = np.linalg.cholesky(self.matrix(k)[np.ix_(known, known)])
                back = np.linalg.solve(root, np.eye(len(root)))  # for all rows at once
                apart = (some - self.means[k, known]) @ back.T
                logarithm = 2 * float(np.log(np.diagonal(root)).sum()) + len(root) * LOG_TWO_PI
                out[rows, k] -= 0.5 * (np.einsum("ij,ij->i", apart, apart) + logarithm)

    def _add_counts(self, counts: Floats, out: Floats) -> None:
        logarithms = np.log(self.rates)
        for j in range(counts.shape[1]):
            column = counts[:, j, np.newaxis]
            out += np.where(np.isnan(column), 0.0, column * logarithms[:, j] - self.rates[:, j])

    def spread(self, matrix: Floats, shift: Floats, more: Floats) -> Components:
        """The components transformed to `matrix @ z + shift`, where z has further numbers with variances `more`."""
        k = len(self.weights)
        means = np.hstack([self.means, np.zeros((k, len(more)))]) @ matrix.T + shift
        covariances = np.empty((k, len(matrix), len(matrix)))
        for c in range(k):
            whole = np.diag(np.concatenate([np.zeros(self.means.shape[1]), more]))
            whole[: self.means.shape[1], : self.means.shape[1]] = self.matrix(c)
            covariances[c] = matrix @ whole @ matrix.T
        return replace(self, form="full", means=means, covariances=covariances)


def with_margins(shares: Floats) -> Floats:
    """Probabilities of cells, with their sums at the end of every axis, for rows where that column is missing."""
    for axis in range(1, shares.ndim):
        shares = np.concatenate([shares, shares.sum(axis=axis, keepdims=True)], axis=axis)
    nothing: tuple[Any, ...] = (slice(None), *(-1,) * (shares.ndim - 1))
    shares[nothing] = 1.0
    return shares


def patterns(numbers: Floats) -> list[tuple[Bools, Ints64]]:
    """The sets of known columns that occur, and the rows with each."""
    known = ~np.isnan(numbers)
    if known.all():
        return [(np.ones(numbers.shape[1], np.bool_), np.arange(len(numbers)))]
    kinds, member = np.unique(known, axis=0, return_inverse=True)
    member = member.ravel()
    return [(kind, np.flatnonzero(member == number)) for number, kind in enumerate(kinds)]


def log_sum(densities: Floats) -> Floats:
    """The logarithm of the sum of exponentials, by row."""
    most = densities.max(axis=1)
    shift = np.where(np.isfinite(most), most, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(densities - shift[:, np.newaxis]).sum(axis=1)) + shift)
