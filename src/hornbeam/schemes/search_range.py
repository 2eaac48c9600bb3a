"""Where to look for a parameter's value: plain data beside the parameters that schemes declare, for `evaluate.tune`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Value = str | int | float | bool | None
Scale = Literal["linear", "log", "whole"]

FIGURES = 3  # significant digits of the numbers tried, so that what is shown is what was tried
NEAR_WHOLE = 1e-9


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from `low` to `high`, both included.

    Parameters
    ----------
    low, high : float
        The ends.
    scale : {"linear", "log", "whole"}
        Equal steps, equal ratios, or whole numbers in about equal ratios (all of them, if they are few).
    steps : int
        How many numbers a first, coarse grid has.
    simpler : {"low", "high"}, optional
        The end at which models are simpler, if either.
    where : tuple of str and tuple, optional
        Another parameter and those of its values with which this one matters.

    Examples
    --------
    >>> Range(0.001, 1, "log", 4).values(), Range(1, 64, "whole", 4).values(), Range(0, 3, "whole", 4).values()
    ((0.001, 0.01, 0.1, 1.0), (1, 4, 16, 64), (0, 1, 2, 3))
    """

    low: float
    high: float
    scale: Scale = "linear"
    steps: int = 5
    simpler: Literal["low", "high"] | None = None
    where: tuple[str, tuple[Value, ...]] | None = None

    def __post_init__(self) -> None:
        """Refuse ranges that have no numbers, or none on their scale."""
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            msg = f"a range goes from {self.low} to {self.high}; expected two finite numbers, the lower first"
            raise ValueError(msg)
        if self.scale not in ("linear", "log", "whole"):
            msg = f"the scale of a range is {self.scale!r}; expected linear, log or whole"
            raise ValueError(msg)
        if self.scale == "log" and self.low <= 0:
            msg = f"a range on a log scale starts at {self.low}; expected more than 0"
            raise ValueError(msg)
        if self.scale == "whole" and not (float(self.low).is_integer() and float(self.high).is_integer()):
            msg = f"a range of whole numbers goes from {self.low} to {self.high}; expected whole numbers"
            raise ValueError(msg)
        if self.steps < 2:  # noqa: PLR2004 - both ends
            msg = f"a range has {self.steps} steps; expected 2 or more"
            raise ValueError(msg)

    @property
    def by_ratio(self) -> bool:
        """Whether equal ratios are equally far apart."""
        return self.scale == "log" or (self.scale == "whole" and self.low > 0)

    def values(self) -> tuple[float | int, ...]:
        """Give the numbers of the coarse grid, ascending."""
        if self.scale == "whole" and self.high - self.low < self.steps:
            return tuple(range(int(self.low), int(self.high) + 1))
        return tuple(sorted({self.at(step / (self.steps - 1)) for step in range(self.steps)}))

    def place(self, value: float) -> float:
        """Give the position of a number on the scale: 0 at the low end, 1 at the high end."""
        if not self.by_ratio:
            return (value - self.low) / (self.high - self.low)
        return math.log(value / self.low) / math.log(self.high / self.low) if value > 0 else -math.inf

    def at(self, place: float) -> float | int:
        """Give the number at a position on the scale, rounded to few digits (powers of two are kept as they are)."""
        if place in (0, 1):
            return self._plain(self.high if place else self.low)
        value: float
        if self.by_ratio:
            value = self.low * (self.high / self.low) ** place
        else:
            value = self.low + (self.high - self.low) * place
        if self.scale == "whole":
            return round(value)
        if value > 0 and abs(math.log2(value) - round(math.log2(value))) < NEAR_WHOLE:
            return self._plain(2.0 ** round(math.log2(value)))
        return self._plain(float(f"{value:.{FIGURES}g}"))

    def between(self, one: float, other: float) -> float | int:
        """Give the number half way between two others on the scale."""
        return self.at((self.place(one) + self.place(other)) / 2)

    def _plain(self, value: float) -> float | int:
        return int(value) if self.scale == "whole" else float(value)  # 1 might be a count where 1.0 is a share


Search = Range | tuple[Value, ...]


def describe(search: Search) -> str:
    """Describe a search range in a few words.

    Examples
    --------
    >>> describe(Range(0.01, 0.5, "log")), describe(("sqrt", None))
    ('0.01 to 0.5', 'sqrt, none')
    """
    if isinstance(search, Range):
        return f"{search.low:g} to {search.high:g}"
    return ", ".join("none" if value is None else str(value) for value in search)
