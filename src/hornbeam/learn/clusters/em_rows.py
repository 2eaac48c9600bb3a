"""What EM is given: rows, centered and scaled, and the choices of a fit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.model.clusters.components import Places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

TINY = float(np.finfo(np.float64).tiny)
CORRELATED = ("tied", "full")  # forms with a covariance for every pair of columns
MOST_BYTES = 2**29


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
        Rows that every category, and every rate, of every component has beforehand.
    conjugate : bool
        Whether normal columns and weights have a prior too.
    """

    form: str
    variance: float
    equal: bool
    least: float
    added: float
    pseudo_count: float
    conjugate: bool = False


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows made ready: numbers, centered and scaled, codes of cells, and counts."""

    places: Places
    sizes: tuple[tuple[int, ...], ...]  # by group of nominal columns: how many categories each column has
    weights: Floats
    middle: Floats
    scale: Floats
    spread: Floats  # variances of the columns, once scaled
    rates: Floats  # means of the counts
    complete: bool

    @classmethod
    def of(cls, places: Places, sizes: tuple[tuple[int, ...], ...], weights: Floats, form: str) -> Rows:
        """Center every column, and scale it by its deviation (all by one number where a variance is shared)."""
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
        """By group: how many cells there are, those with missing values among them."""
        return [math.prod(size + 1 for size in group) for group in self.sizes]


def check_memory(n_columns: int, form: str, k: int) -> None:
    """Refuse covariance matrices that would take far more memory than they are of use."""
    needed = 8 * n_columns**2 * (4 * k + 1)  # sums of products, covariances, inverses; room for eigenvectors
    if form in CORRELATED and needed > MOST_BYTES:
        msg = (
            f"covariance_type is {form!r}: covariances of {n_columns} columns in {k} components take about "
            f"{needed / 2**30:.1f} GiB, more than the {MOST_BYTES / 2**30:.1f} GiB allowed; expected fewer columns or "
            "components, covariance_type='diagonal', or pca"
        )
        raise ValueError(msg)
