"""Numbers of a list written alike, as R prints them: one form, one width, no more digits than are needed.

Used by the text style `rpart`. All numbers get the decimals (or, where that is shorter, the exponent form) that the one
needing most of them asks for, at most `digits` significant ones.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

DIGITS = 7
SCALED = (1e-290, 1e290)  # between these a number can be scaled by a power of ten
LONG_EXPONENT = 100  # from here on an exponent has three digits


def rounded(value: float, digits: int = DIGITS) -> float:
    """Round to significant digits as R's `signif` does: scaled as a double, then a half to the even digit.

    Examples
    --------
    >>> rounded(112.536585), rounded(1234566.5), rounded(77531.425)
    (112.5366, 1234566.0, 77531.42)
    """
    if value == 0 or not SCALED[0] < abs(value) < SCALED[1]:
        return float(f"{value:.{digits - 1}e}")
    power = digits - 1 - math.floor(math.log10(abs(value)))
    if power > 0:
        return round(value * 10.0**power) / 10.0**power
    return round(value / 10.0**-power) * 10.0**-power


def alike(values: Sequence[float], digits: int = DIGITS, decimals: int = 0) -> list[str]:
    """Write numbers alike, flush right.

    Parameters
    ----------
    values : sequence of float
        What to write.
    digits : int
        The most significant digits a number may ask for.
    decimals : int
        The fewest decimals, where no exponent is used.

    Examples
    --------
    >>> alike([4981550.0, 74975.21])
    ['4981550.00', '  74975.21']
    >>> alike([100000.0, 1.0])
    ['1e+05', '1e+00']
    >>> alike([0.5, 0.25], decimals=7)
    ['0.5000000', '0.2500000']
    """
    parts = [_needed(value, digits) for value in values]
    negative = [value < 0 for value in values]
    places = max((max(0, figures - power - 1) for figures, power in parts), default=0)
    whole = max((max(power, 0) + 1 + sign for (_, power), sign in zip(parts, negative, strict=True)), default=0)
    figures = max((found for found, _ in parts), default=1)
    exponent = 5 if any(abs(power) >= LONG_EXPONENT for _, power in parts) else 4
    plain_width = whole + (places + 1 if places else 0)
    power_width = any(negative) + (figures + 1 if figures > 1 else 1) + exponent
    if plain_width <= power_width:
        places = max(places, decimals)
        told = [f"{value:.{places}f}" for value in values]
    else:
        told = [f"{value:.{figures - 1}e}" for value in values]
    room = max(map(len, told), default=0)
    return [text.rjust(room) for text in told]


def _needed(value: float, digits: int) -> tuple[int, int]:
    """Significant digits a number needs, at most `digits`, and the power of ten of the first of them."""
    if value == 0:
        return 1, 0
    figures, _, power = f"{abs(value):.{digits - 1}e}".partition("e")
    return len(figures.replace(".", "").rstrip("0")), int(power)
