"""Small charts for pages: curves and points in a field that is still readable on a phone. Plain SVG.

Names of curves are below the field, so that the picture stays narrow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.show.charts.chart_field import DASHES, LEGEND_CHARS, RADIUS, Axis, Field, axis_of
from hornbeam.show.pictures.marks import color_of, mark
from hornbeam.show.pictures.svg_parts import SMALL, short, write_text
from hornbeam.show.pictures.themes import in_theme
from hornbeam.show.texts.wording import date, printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import Floats
    from hornbeam.show.charts.chart_field import Range
    from hornbeam.show.pictures.palette import Theme

    Pair = tuple[ArrayLike, ArrayLike]

SIZE = (226.0, 170.0)  # of the plotting area
MOST_POINTS = 600
DOT = 2.2


def curve_chart(
    series: Mapping[str, Pair],
    *,
    title: str,
    x_label: str,
    y_label: str,
    faint: Sequence[Pair] = (),
    x_range: Range | None = None,
    y_range: Range | None = None,
    diagonal: bool = False,
    marked: bool = False,
    date_format: str | None = None,
    theme: str = "auto",
) -> str:
    """Draw one curve, or several with their names, and many faint ones behind them.

    Parameters
    ----------
    series : mapping of name to a pair of arrays
        The x and y coordinates of the points of each curve.
    title, x_label, y_label : str
        Texts.
    faint : sequence of pairs of arrays
        Curves without names, behind the others.
    x_range, y_range : pair of float, optional
        The smallest range to draw; by default that of the points.
    diagonal : bool
        Draw a dashed line where both numbers are equal.
    marked : bool
        Whether the points are marked.
    date_format : str, optional
        The x values are dates, written in this format.
    theme : {"auto", "light", "dark"}
        Colors.

    Examples
    --------
    >>> picture = curve_chart({"": ([1, 2], [3, 4])}, title="<t>", x_label="x", y_label="y", faint=[([1, 2], [0, 5])])
    >>> picture.count("<polyline"), "<t>" in picture
    (1, False)
    """
    lines = {name: _arrays(*pair) for name, pair in series.items()}
    behind = [_arrays(*pair) for pair in faint]
    every = [*lines.values(), *behind]
    across, up = axis_of([x for x, _ in every], x_range, tight=True), axis_of([y for _, y in every], y_range)
    if date_format is not None:
        across = Axis(across.low, across.high, across.ticks, labels={t: date(t, date_format) for t in across.ticks})

    def draw(theme: Theme) -> str:
        field = Field(across, up, title, "", x_label, y_label, theme, SIZE)
        field.add(field.diagonal() if diagonal else "")
        way = "".join(f"M{'L'.join(field.at(*one) for one in zip(x, y, strict=True))}" for x, y in behind)
        look = f'fill="none" stroke="{color_of(0, theme)}" stroke-width="1" stroke-opacity="0.22"'
        field.add(f'<path d="{way}" {look}/>' if way else "")
        for index, (x, y) in enumerate(lines.values()):
            color, dash = color_of(index, theme), DASHES[index % len(DASHES)]
            points = " ".join(field.at(*one, sep=",") for one in zip(x, y, strict=True))
            look = f'fill="none" stroke="{color}" stroke-width="2.4" stroke-linejoin="round"'
            look += f' stroke-dasharray="{dash}"' if dash else ""
            field.add(f'<polyline points="{points}" {look}/>')
            if marked:
                marks = "".join(
                    mark(index, field.across(a), field.height(b), RADIUS) for a, b in zip(x, y, strict=True)
                )
                field.add(f'<path d="{marks}" fill="{color}"/>')
        if len(lines) > 1:
            _names_below(field, list(lines))
        return field.write(f"{y_label} by {x_label}.")

    return in_theme(draw, theme)


def point_chart(
    x: ArrayLike, y: ArrayLike, *, title: str, x_label: str, y_label: str, diagonal: bool = False, theme: str = "auto"
) -> str:
    """Draw points; if there are more than 600, an evenly spaced selection of them.

    Parameters
    ----------
    x, y : array
        Positions of the points.
    title, x_label, y_label, diagonal, theme
        As for `curve_chart`.

    Examples
    --------
    >>> point_chart([1, 2], [3, 4], title="t", x_label="x", y_label="y", diagonal=True).startswith("<svg")
    True
    """
    all_x, all_y = _arrays(x, y)
    drawn = np.unique(np.linspace(0, max(len(all_x) - 1, 0), MOST_POINTS).round().astype(np.intp))[: len(all_x)]
    across, up = axis_of([all_x], None), axis_of([all_y], None)

    def draw(theme: Theme) -> str:
        field = Field(across, up, title, "", x_label, y_label, theme, SIZE)
        field.add(field.diagonal() if diagonal else "")
        spots = dict.fromkeys(
            (short(field.across(a)), short(field.height(b)))
            for a, b in zip(all_x[drawn].tolist(), all_y[drawn].tolist(), strict=True)
        )
        way = "".join(mark(0, float(a), float(b), DOT) for a, b in spots)
        field.add(f'<path d="{way}" fill="{color_of(0, theme)}" fill-opacity="0.6"/>' if way else "")
        return field.write(f"{len(drawn)} of {len(all_x)} points: {y_label} by {x_label}.")

    return in_theme(draw, theme)


def _arrays(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """The points that are finite numbers."""
    across, up = np.asarray(x, np.float64), np.asarray(y, np.float64)
    known = np.isfinite(across) & np.isfinite(up)
    return across[known], up[known]


def _names_below(field: Field, names: Sequence[str]) -> None:
    """Name the curves below the field, each on its own line."""
    y = field.bottom + 1.8 * SMALL
    for index, name in enumerate(names):
        color, dash = color_of(index, field.theme), DASHES[index % len(DASHES)]
        look = f'stroke="{color}" stroke-width="2.4"' + (f' stroke-dasharray="{dash}"' if dash else "")
        field.add(f'<path d="M{short(field.left)} {short(y - 0.35 * SMALL)}h26" {look}/>')
        label = printable(str(name), LEGEND_CHARS)
        field.add(write_text(label, field.left + 34, y, SMALL))
        field.reach(field.left + 34, label)
        y += 1.6 * SMALL
    field.bottom = y - 1.2 * SMALL
