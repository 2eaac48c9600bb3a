"""Targets as distances from a base, in a unit that single precision can hold.

Ensembles store the values of nodes in single precision. If targets are far from zero, or very large or very small, they
would become equal by rounding; distances from the mean do not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats

WIDEST = 60  # distances up to 2 to this power, and down to its inverse, are kept as they are


@dataclass(frozen=True)
class About:
    """The base, and the unit: a power of two, which is 1 except for very large or very small distances."""

    base: float
    unit: float

    @classmethod
    def of(cls, target: Floats, weights: Floats | None) -> About:
        """The mean of a target, and a unit for distances from it."""
        base = float(np.average(target, weights=weights))
        return cls(base, unit_of(target - base))

    def distances(self, target: Floats) -> Floats:
        """The target as distances from the base, in the unit."""
        distances: Floats = (target - self.base) / self.unit
        return distances


def unit_of(distances: Floats) -> float:
    """A unit for distances: the next power of two above the largest, or 1 if that has an ordinary size.

    Examples
    --------
    >>> unit_of(np.array([-3.0, 1e6])), unit_of(np.array([0.0, 2.0**-100]))
    (1.0, 1.5777218104420236e-30)
    """
    largest = float(np.abs(distances).max(initial=0.0))
    exponent = math.frexp(largest)[1]
    return 1.0 if largest == 0 or abs(exponent) <= WIDEST else math.ldexp(1.0, exponent)
