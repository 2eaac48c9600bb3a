"""Colors as eyes see them: contrast, differences, and what color-blind readers see."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# In linear light, by F. Viénot, H. Brettel and J. Mollon, "Digital video colormaps for checking the legibility of
# displays by dichromats", Color Research & Application 24 (1999).
SIGHTS = {
    "usual": np.eye(3),
    "protanopia": np.array([[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]]),
    "deuteranopia": np.array([[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]]),
}
LIGHTNESS = np.array([0.2126, 0.7152, 0.0722])
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], LIGHTNESS, [0.0193, 0.1192, 0.9505]])


def linear(color: str) -> NDArray[np.float64]:
    """Light of the three primaries."""
    parts = np.array([int(color[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Contrast of two colors as the guidelines for accessible pages define it: from 1 to 21."""
    dark, light = sorted(float(LIGHTNESS @ linear(color)) for color in (one, other))
    return (light + 0.05) / (dark + 0.05)


def difference(one: str, other: str, sight: str = "usual") -> float:
    """How far two colors lie apart in CIELAB, seen by such eyes; about 2 can just be told apart."""
    return float(np.linalg.norm(_lab(one, sight) - _lab(other, sight)))


def _lab(color: str, sight: str) -> NDArray[np.float64]:
    seen = TO_XYZ @ np.clip(SIGHTS[sight] @ linear(color), 0, 1) / TO_XYZ.sum(axis=1)
    x, y, z = np.where(seen > (6 / 29) ** 3, np.cbrt(seen), seen * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])
