"""Ridge least squares on sums of products (a Gram matrix), and the choice of terms to keep.

Columns are standardized before products are computed, so that neither offsets nor units cost accuracy, and the ridge
means the same for every column. If the system is still singular, because columns are collinear, it is solved by its
eigenvectors without those that are only rounding errors; if terms are selected, those that are combinations of earlier
ones are removed first.

Removing a term needs no new solution: with P the inverse of the Gram matrix plus ridge and b the coefficients, removing
term j changes b by ``-P[:, j] * b[j] / P[j, j]``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, Self, TypeVar

import numpy as np
from scipy import linalg

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.core.base.arrays import Floats, Indices

    class Sliceable(Protocol):
        """A column of numbers that is only read in slices."""

        def __getitem__(self, rows: slice, /) -> Floats: ...


Selection = Literal["greedy", "smallest"]

BLOCK_ROWS = 8192  # rows per block: they stay in the cache, and the sums depend on nothing else
LARGEST = 1.5  # a larger standardized coefficient suggests collinear terms
NOISE = 1e-14  # of a sum of squares: smaller values are rounding errors
ENOUGH = 1e-6  # of a term's sum of squares: with such a ridge no system is nearly singular
COLLINEAR = 1e-11  # of a term's sum of squares: with a smaller remainder the term is a combination of others


@dataclass(frozen=True, eq=False)
class Moments:
    """Weighted sums of products of standardized columns, with their means and scales."""

    gram: Floats  # sums of products of the terms; `weight` on the diagonal (0 for a constant term)
    cross: Floats  # one entry per term: sums of products of each term with the target
    target: float  # sum of squares of the target: `weight`, or 0 if it is constant
    weight: float  # summed weight of the rows
    # center, scale: one entry per term: mean and standard deviation
    center: Floats
    scale: Floats
    # target_center, target_scale: the same of the target
    target_center: float
    target_scale: float


@dataclass(frozen=True, eq=False)
class Fit:
    """Coefficients of the selected terms."""

    intercept: float  # in the target's unit
    kept: Indices  # the selected terms, in ascending order
    coefficients: Floats  # their coefficients, in the units of the columns
    standardized: Floats  # the same for standard deviations of 1
    error: float  # summed squared error, in the target's unit squared


def unit_of(values: Floats) -> float:
    """The largest power of two below the largest absolute value.

    Dividing by it is exact, and keeps sums and squares of the largest numbers finite.
    """
    return float(np.ldexp(1.0, int(np.frexp(np.abs(values).max())[1]) - 1))


def spread(values: Floats, weights: Floats | None) -> tuple[float, float]:
    """Mean and standard deviation (divided by the weight), safe for numbers of any size; 0 if nothing varies."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        return low, 0.0
    unit = unit_of(np.array([low, high]))
    scaled = values / unit
    mean = float(np.average(scaled, weights=weights))
    squares = np.square(scaled - mean)
    return mean * unit, float(np.sqrt(np.average(squares, weights=weights))) * unit


def moments(columns: Sequence[Sliceable], target: Floats, weights: Floats | None = None) -> Moments:
    """Return the moments of complete columns of numbers.

    Parameters
    ----------
    columns : sequence of arrays
        One per term, without missing values; any object with slices of numbers.
    target : array
        The target.
    weights : array, optional
        Row weights above zero; by default every row counts once.

    Examples
    --------
    >>> found = moments([np.array([0.0, 1.0, 2.0])], np.array([1.0, 3.0, 5.0]))
    >>> found.gram.round(9).tolist(), found.cross.round(9).tolist(), found.target_center
    ([[3.0]], [3.0], 3.0)
    """
    places = [spread(column[:], weights) for column in columns]
    center = np.array([mean for mean, _ in places])
    scale = np.array([deviation for _, deviation in places])
    mean, deviation = spread(target, weights)
    count = len(columns) + 1
    products = np.zeros((count, count))
    parts = [*zip(columns, center.tolist(), scale.tolist(), strict=True), (target, mean, deviation)]
    block = np.empty((BLOCK_ROWS, count))
    for start in range(0, len(target), BLOCK_ROWS):
        here = block[: min(BLOCK_ROWS, len(target) - start)]
        for place, (values, middle, unit) in enumerate(parts):
            here[:, place] = standardized(values[start : start + BLOCK_ROWS], middle, unit)
        weighted = here if weights is None else here * weights[start : start + BLOCK_ROWS, None]
        products += weighted.T @ here
    return Moments(
        np.ascontiguousarray(products[:-1, :-1]),
        products[:-1, -1].copy(),
        float(products[-1, -1]),
        float(len(target) if weights is None else weights.sum()),
        center,
        scale,
        mean,
        deviation,
    )


def standardized(values: Floats, center: float, scale: float) -> Floats:
    """Standardized values; zeros for a constant column."""
    if scale == 0.0:
        return np.zeros(len(values))
    if abs(center) + scale < 1e150:  # noqa: PLR2004 - differences of such numbers are finite
        return (values - center) / scale
    return values / scale - center / scale


def inverse(gram: Floats, ridge: float) -> tuple[Floats, bool]:
    """The inverse of a Gram matrix with a ridge, and whether it is exact.

    If columns are collinear, directions that are only rounding errors are left out: the result is then an inverse on
    the other directions, with False.
    """
    largest = np.diag(gram).max(initial=0.0)
    # For a term that is a combination of others the remainder is due to the ridge, unless the ridge is large enough.
    least = COLLINEAR * largest + len(gram) * ridge if ridge < ENOUGH * largest else 0.0
    try:
        factor = linalg.cho_factor(gram + ridge * np.eye(len(gram)), lower=True, check_finite=False)
        if np.square(np.diag(factor[0])).min(initial=np.inf) > least:
            solved: Floats = linalg.cho_solve(factor, np.eye(len(gram)), check_finite=False)
            return solved, True
    except linalg.LinAlgError:
        pass
    size, along = linalg.eigh(gram, check_finite=False)
    real = size > COLLINEAR * size.max(initial=0.0)
    found: Floats = (along[:, real] / (size[real] + ridge)) @ along[:, real].T
    return found, bool(real.all())


def independent(gram: Floats, kept: Indices) -> Indices:
    """The terms that are not combinations of earlier ones."""
    left = gram[np.ix_(kept, kept)].copy()
    least = COLLINEAR * np.diag(left).max(initial=0.0)
    found = []
    for place in range(len(kept)):
        own = left[place, place]
        if own > least:
            found.append(place)
            left[place + 1 :, place + 1 :] -= np.outer(left[place + 1 :, place], left[place, place + 1 :] / own)
    return kept[found]


class System(Protocol):
    """The remaining terms, their standardized coefficients, and their squared error."""

    kept: Indices
    coefficients: Floats

    @property
    def weight(self) -> float:
        """Summed weight of the rows."""

    @property
    def error(self) -> float:
        """Squared error, in any unit."""

    def without(self, place: int, *, afresh: bool = False) -> Self:
        """The same without one of the remaining terms; `afresh`: solved again, not updated."""

    def errors_without_each(self) -> Floats:
        """The squared error without each of the terms."""


class GramSystem:
    """A system solved from moments; removing a term is an update of the inverse."""

    def __init__(self, found: Moments, kept: Indices, ridge: float) -> None:
        self.found, self.kept, self.ridge = found, kept, ridge
        self.inverse, self.regular = inverse(found.gram[np.ix_(kept, kept)], ridge)
        cross = found.cross[kept]
        self.coefficients: Floats = self.inverse @ cross
        self.objective = found.target - float(self.coefficients @ cross)

    @property
    def weight(self) -> float:
        """Summed weight of the rows."""
        return self.found.weight

    @property
    def error(self) -> float:
        """Squared error, which together with the ridge's penalty is the objective; never below rounding."""
        penalty = self.ridge * float(self.coefficients @ self.coefficients)
        return max(self.objective - penalty, NOISE * self.found.target)

    def without(self, place: int, *, afresh: bool = False) -> GramSystem:
        """The same without one of the remaining terms; `afresh`: solved again, not updated."""
        rest = np.delete(np.arange(len(self.kept)), place)
        if afresh or not self.regular:  # an update would be inaccurate for collinear terms
            return GramSystem(self.found, self.kept[rest], self.ridge)
        other = GramSystem.__new__(GramSystem)
        other.found, other.ridge, other.kept, other.regular = self.found, self.ridge, self.kept[rest], True
        column, own = self.inverse[rest, place], self.inverse[place, place]
        other.inverse, other.coefficients = self.inverse[np.ix_(rest, rest)], self.coefficients[rest]
        other.objective = self.objective
        if own > 0:
            other.inverse = other.inverse - np.outer(column, column / own)
            other.coefficients = other.coefficients - column * (self.coefficients[place] / own)
            other.objective = self.objective + float(self.coefficients[place]) ** 2 / own
        return other

    def errors_without_each(self) -> Floats:
        """The squared error without each of the terms."""
        if not self.regular:
            return np.array([self.without(place).error for place in range(len(self.kept))])
        b, inner = self.coefficients, self.inverse
        own = np.diag(inner)
        step = np.divide(b, own, out=np.zeros(len(b)), where=own > 0)
        # Squared norm of the coefficients after the update, for all terms at once; the removed one becomes zero.
        length = b @ b - 2 * step * (inner @ b) + np.square(step) * np.square(inner).sum(axis=0)
        errors: Floats = np.maximum(self.objective + b * step - self.ridge * length, NOISE * self.found.target)
        return errors


AnySystem = TypeVar("AnySystem", bound=System)


def solve(
    found: Moments, ridge: float = 1e-8, selection: Selection | None = None, *, drop_collinear: bool = False
) -> Fit:
    """Fit a linear equation by least squares with a ridge on standardized columns.

    Parameters
    ----------
    found : Moments
        The moments of the terms and the target.
    ridge : float
        Added to the diagonal of the Gram matrix of the standardized columns.
    selection : {"smallest", "greedy"}, optional
        Which terms to remove, see `select`. None: no term.
    drop_collinear : bool
        First remove the term with the largest standardized coefficient, as long as that is above 1.5.

    Returns
    -------
    Fit
        Constant terms have no coefficients.

    Examples
    --------
    >>> x, z = np.arange(6.0), np.array([1.0, -1, 0, 0, -1, 1])
    >>> fit = solve(moments([x, z], 3 + 2 * x), selection="smallest")
    >>> fit.kept.tolist(), fit.coefficients.round(6).tolist(), round(fit.intercept, 6)
    ([0], [2.0], 3.0)
    """
    varying = np.flatnonzero(found.scale > 0) if found.target_scale > 0 else np.empty(0, np.intp)
    system = GramSystem(found, varying, ridge)
    if selection is not None and not system.regular:
        # Of collinear terms a selection might remove the wrong one.
        system = GramSystem(found, independent(found.gram, varying), ridge)
    system = select(system, selection, drop_collinear=drop_collinear)
    if len(system.kept) < len(varying):  # solved again, without the rounding errors of many updates
        system = GramSystem(found, system.kept, ridge)
    return _in_units(system)


def select(system: AnySystem, selection: Selection | None, *, drop_collinear: bool = False) -> AnySystem:
    """Remove terms one at a time as long as Akaike's criterion decreases.

    The criterion is the squared error divided by that of all terms, times the weight of the rows minus the number of
    parameters, plus twice the number of parameters.

    Parameters
    ----------
    system : System
        The system with every term.
    selection : {"smallest", "greedy"}, optional
        Try the term with the smallest standardized coefficient, or the one whose removal gives the lowest criterion.
    drop_collinear : bool
        First remove the term with the largest standardized coefficient, as long as that is above 1.5.
    """
    while drop_collinear and len(system.kept) and np.abs(system.coefficients).max() > LARGEST:
        system = system.without(int(np.abs(system.coefficients).argmax()), afresh=True)
    if selection is None:
        return system
    full, parameters = system.error, len(system.kept) + 1

    def criterion(error: float, kept: int) -> float:
        return error / full * (system.weight - parameters) + 2 * (kept + 1) if full > 0 else 2.0 * (kept + 1)

    best = criterion(full, len(system.kept))
    while len(system.kept):
        if selection == "smallest":
            place = int(np.abs(system.coefficients).argmin())
        else:  # with fewer rows than terms a larger error would lower the criterion
            place = int(np.argmin([criterion(e, len(system.kept) - 1) for e in system.errors_without_each()]))
        other = system.without(place)
        found = criterion(other.error, len(other.kept))
        if not found < best:
            break
        system, best = other, found
    return system


def _in_units(system: GramSystem) -> Fit:
    """The coefficients in the units of the columns and the target."""
    found, kept = system.found, system.kept
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        coefficients = system.coefficients / found.scale[kept] * found.target_scale
        shift = float((system.coefficients * (found.center[kept] / found.scale[kept])).sum()) * found.target_scale
    intercept = found.target_center - shift
    check_units(coefficients, intercept, found.scale[kept], found.target_scale)
    error = system.error if found.target > 0 else 0.0
    with np.errstate(over="ignore"):
        squared = error * found.target_scale**2 if found.target_scale < 1e150 else np.inf  # noqa: PLR2004 - its square is finite
    return Fit(intercept, kept, coefficients, system.coefficients, float(min(squared, np.finfo(float).max)))


def check_units(coefficients: Floats, intercept: float, scale: Floats, target_scale: float) -> None:
    """Raise an error if coefficients overflow, because the scales of target and columns differ too much."""
    if not (np.isfinite(coefficients).all() and np.isfinite(intercept)):
        msg = (
            f"a coefficient is too large for a number: the target varies by {target_scale:.3g}, a column by as little "
            f"as {scale.min(initial=np.inf):.3g}; give the columns other units"
        )
        raise ValueError(msg)
