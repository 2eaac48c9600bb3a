"""The colors of all pictures: safe for color-blind readers, and enough contrast on white or on a dark background.

Categories: M. Okabe and K. Ito, *Color Universal Design* (2008), without black; yellow comes last because it is faint
on white. Further categories are gray. Numbers go from light to dark blue, on a dark background from dark to light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats

CATEGORIES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
OTHER = "#6A747F"  # differs in lightness from all other colors, for color-blind readers
LOW, HIGH = "#D6E6F2", "#08306B"
INK, MUTED, LINE, EDGE, FAINT = "#1F2933", "#5C6975", "#B4C0CB", "#C9D3DC", "#DFE6EC"


class Theme(NamedTuple):
    """The colors of one picture: background, letters, lines, and distinct colors for categories.

    `edge` is for branches, `other` for categories beyond the list; numbers go from `low` to `high`.
    """

    ground: str
    ink: str
    muted: str
    line: str
    faint: str
    categories: tuple[str, ...]
    edge: str
    other: str
    low: str
    high: str


LIGHT = Theme("#ffffff", INK, MUTED, LINE, FAINT, CATEGORIES, EDGE, OTHER, LOW, HIGH)
DARK = Theme(  # the same hues, bright enough for a dark background
    "#161B22",
    "#E6EBF0",
    "#9DA9B5",
    "#54616D",
    "#2B343D",
    ("#4FA3E3", "#E69F00", "#1FBF8F", "#E394C3", "#9AD8FF", "#F26B3A", "#F0E442"),
    "#46525E",
    "#7C8894",
    "#23405C",
    "#A9D6FF",
)


def mix(color: str, other: str, share: float) -> str:
    """Return the color that is `share` of the way from one to another.

    Examples
    --------
    >>> mix("#000000", "#ffffff", 0.5)
    '#808080'
    """
    parts = [(int(one[i : i + 2], 16), int(two[i : i + 2], 16)) for one, two in [(color, other)] for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in parts)


def letters_on(color: str) -> str:
    """Black or white, whichever reads better on a color: the contrast is at least 4.5 to 1 for every color.

    Examples
    --------
    >>> letters_on("#D6E6F2"), letters_on("#08306B")
    ('#000000', '#ffffff')
    """
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    light = sum(
        weight * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)  # noqa: PLR2004 - sRGB's
        for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True)
    )
    return "#000000" if (light + 0.05) ** 2 > 1.05 * 0.05 else "#ffffff"


def of_classes(weights: Floats, theme: Theme = LIGHT) -> list[str]:
    """Choose a color for every class: in order if there are enough colors, else only for the most frequent classes.

    Parameters
    ----------
    weights : array
        The classes' weights.
    theme : Theme
        Whose colors.

    Examples
    --------
    >>> import numpy
    >>> of_classes(numpy.array([1.0, 5.0]))
    ['#0072B2', '#E69F00']
    """
    occurring = [code for code in range(len(weights)) if weights[code] > 0]
    chosen = sorted(occurring, key=lambda code: (-weights[code], code))[: len(theme.categories)]
    if len(weights) <= len(theme.categories):
        return list(theme.categories[: len(weights)])
    colors = dict(zip(sorted(chosen), theme.categories, strict=False))
    return [colors.get(code, theme.other) for code in range(len(weights))]
