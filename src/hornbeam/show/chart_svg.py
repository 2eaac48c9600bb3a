"""Small charts as plain SVG: lines, bars, dots with intervals, points, tables of numbers. Nothing to install.

Each function returns a complete SVG document, the same bytes for the same numbers, in a theme (`themes.py`): by default
that of the page around it, which needs ``color-scheme: light dark`` there. Series differ in more than their colors:
lines have different dashes, points different marks. Values that are not finite numbers are left out. Names come from
data and are always written as plain text.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.show.charts.chart_field import DASHES, NAME_CHARS, PAD, RADIUS, Field, axis_of
from hornbeam.show.charts.chart_rows import bar_chart, interval_chart
from hornbeam.show.charts.heat_map import Cells, draw_cells
from hornbeam.show.charts.histogram import HIGH, WIDE, Histogram, draw_histogram
from hornbeam.show.pictures.marks import color_of, mark
from hornbeam.show.pictures.palette import mix
from hornbeam.show.pictures.svg_parts import MARGIN, TEXT, document, heading, safe, short
from hornbeam.show.pictures.themes import in_theme
from hornbeam.show.texts.wording import printable, short_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import Floats
    from hornbeam.show.pictures.palette import Theme

    Range = tuple[float, float]

__all__ = ["bar_chart", "histogram_chart", "interval_chart", "line_chart", "matrix_chart", "scatter_chart"]

MOST_MARKED = 25  # by default, the points of a line are marked if there are no more than this
MOST_POINTS = 2000
LEAST_RADIUS, FEW_POINTS = 1.8, 150  # radius of marks if there are many, and how many points are few


def line_chart(
    series: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    title: str,
    x_label: str,
    y_label: str,
    subtitle: str = "",
    bands: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
    x_range: Range | None = None,
    y_range: Range | None = None,
    x_log: bool = False,
    diagonal: bool = False,
    marked: bool | None = None,
    theme: str = "auto",
) -> str:
    """Draw one line, or several with their names.

    Parameters
    ----------
    series : mapping of name to a pair of arrays
        The x and y coordinates of the points of each line, in the order in which they are joined.
    title, x_label, y_label, subtitle : str
        Texts; the subtitle is in small letters below the title.
    bands : mapping of name to a pair of arrays, optional
        The lower and upper ends of a band around the line of that name.
    x_range, y_range : pair of float, optional
        The smallest range to draw; by default that of the points.
    x_log : bool
        Use a logarithmic horizontal axis; every number must be above zero.
    diagonal : bool
        Draw a dashed line where both numbers are equal, such as the line of random guessing in a ROC chart.
    marked : bool, optional
        Whether points are marked; by default if there are few.
    theme : {"auto", "light", "dark"}
        Colors.

    Examples
    --------
    >>> picture = line_chart({"<a>": ([1, 2, 3], [3, 2, 2.5])}, title="errors", x_label="size", y_label="error")
    >>> picture.startswith("<svg xmlns="), "<a>" in picture
    (True, False)
    """
    lines = {name: _known(*pair) for name, pair in series.items()}
    around = {name: _known(lines[name][0], *ends) for name, ends in (bands or {}).items()}
    across = axis_of([x for x, _ in lines.values()], x_range, log=x_log, tight=True)
    heights = [y for _, y in lines.values()] + [end for _, *ends in around.values() for end in ends]
    up = axis_of(heights, y_range)

    def draw(theme: Theme) -> str:
        field = Field(across, up, title, subtitle, x_label, y_label, theme)
        field.add(field.diagonal() if diagonal else "")
        indices = {name: i for i, name in enumerate(lines)}
        for name, (x, low, high) in around.items():
            way = [field.at(*pair) for pair in (*zip(x, low, strict=True), *zip(x[::-1], high[::-1], strict=True))]
            color = color_of(indices[name], theme)
            field.add(f'<path d="M{"L".join(way)}Z" fill="{color}" fill-opacity="0.16"/>' if way else "")
        for name, (x, y) in lines.items():
            field.add(*_line(field, indices[name], name, x, y, marked=marked))
        if len(lines) > 1:
            field.legend(list(lines), lines=True)
        return field.write(f"Lines of {y_label} by {x_label}: {', '.join(map(str, lines))}.")

    return in_theme(draw, theme)


def _line(field: Field, index: int, name: str, x: Floats, y: Floats, *, marked: bool | None) -> list[str]:
    """Draw one line with its marks."""
    theme, way = field.theme, " ".join(field.at(*pair, sep=",") for pair in zip(x, y, strict=True))
    color, dash = color_of(index, theme), DASHES[index % len(DASHES)]
    look = f'fill="none" stroke="{color}" stroke-width="2" stroke-linejoin="round"'
    look += f' stroke-dasharray="{dash}"' if dash else ""
    drawn = [f'<polyline points="{way}" {look}/>'] if len(x) > 1 else []
    if marked or len(x) == 1 or (marked is None and len(x) <= MOST_MARKED):
        edge = f'fill="{color}" stroke="{theme.ground}" stroke-width="0.8"'
        drawn.append(f"<g {edge}>")
        for across, up in zip(x.tolist(), y.tolist(), strict=True):
            tip = f"{name}: {short_number(across)}, {short_number(up)}".removeprefix(": ")
            outline = mark(index, field.across(across), field.height(up), RADIUS)
            drawn.append(f'<path d="{outline}"><title>{safe(tip)}</title></path>')
        drawn.append("</g>")
    return drawn


def scatter_chart(
    x: ArrayLike,
    y: ArrayLike,
    *,
    title: str,
    x_label: str,
    y_label: str,
    subtitle: str = "",
    groups: Sequence[str] | None = None,
    x_range: Range | None = None,
    y_range: Range | None = None,
    diagonal: bool = False,
    most: int = MOST_POINTS,
    theme: str = "auto",
) -> str:
    """Draw points; groups differ in color and mark, several points at one position are one larger mark.

    Parameters
    ----------
    x, y : array
        Positions of the points.
    groups : sequence of str, optional
        The group of every point.
    most : int
        The largest number of points to draw; if there are more, every n-th is drawn and the picture notes it.
    title, x_label, y_label, subtitle, x_range, y_range, diagonal, theme
        As for `line_chart`.

    Examples
    --------
    >>> picture = scatter_chart([1, 2], [3, 4], groups=["a", "b"], title="t", x_label="x", y_label="y")
    >>> picture.count("<path d=") > 2
    True
    """
    all_x, all_y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    of_point = np.asarray([""] * len(all_x) if groups is None else [str(group) for group in groups], dtype=object)
    names = list(dict.fromkeys(of_point.tolist()))
    known = np.flatnonzero(np.isfinite(all_x) & np.isfinite(all_y))
    drawn = known if len(known) <= most else known[np.linspace(0, len(known) - 1, most).round().astype(int)]
    across = axis_of([all_x[known]], x_range)
    up = axis_of([all_y[known]], y_range)
    part = f"{len(drawn)} of {len(known)} points" if len(drawn) < len(known) else ""
    below = "; ".join(text for text in (subtitle, part) if text)

    def draw(theme: Theme) -> str:
        field = Field(across, up, title, below, x_label, y_label, theme)
        field.add(field.diagonal() if diagonal else "")
        radius = max(LEAST_RADIUS, RADIUS * min(1.0, (FEW_POINTS / max(len(drawn), 1)) ** 0.25))
        for i, name in enumerate(names):
            own = drawn[of_point[drawn] == name]
            held = Counter(
                (short(field.across(a)), short(field.height(b)))
                for a, b in zip(all_x[own].tolist(), all_y[own].tolist(), strict=True)
            )
            color = color_of(i, theme)
            look = f'fill="{color}" fill-opacity="0.65" stroke="{mix(color, theme.ink, 0.4)}" stroke-width="0.5"'
            marks = (mark(i, float(a), float(b), radius * min(n**0.5, 3.0)) for (a, b), n in held.items())
            field.add(f'<path d="{"".join(marks)}" {look}/>' if held else "")
        if len(names) > 1:
            field.legend(names)
        return field.write(f"{len(known)} points: {y_label} by {x_label}.")

    return in_theme(draw, theme)


def matrix_chart(
    rows: Sequence[str],
    columns: Sequence[str],
    values: ArrayLike,
    *,
    title: str,
    x_label: str = "",
    y_label: str = "",
    subtitle: str = "",
    texts: Sequence[Sequence[str]] | None = None,
    scale: Range | None = None,
    theme: str = "auto",
) -> str:
    """Draw a table of numbers as cells, greater numbers in stronger colors.

    Parameters
    ----------
    rows, columns : sequence of str
        Names, from the top and from the left.
    values : array of shape (rows, columns)
        The numbers that the colors show.
    title, x_label, y_label, subtitle, theme
        As for `line_chart`.
    texts : sequence of sequence of str, optional
        The texts in the cells; by default the numbers.
    scale : pair of float, optional
        The numbers of the palest and the strongest color; by default the least and greatest.

    Examples
    --------
    >>> picture = matrix_chart(["yes", "no"], ["yes", "no"], [[7, 2], [3, 2]], title="play", x_label="prediction")
    >>> "yes, no: 2" in picture
    True
    """
    numbers = np.asarray(values, np.float64).reshape(len(rows), len(columns))
    if texts is None:
        texts = [[short_number(value) for value in line] for line in numbers.tolist()]
    known = numbers[np.isfinite(numbers)]
    ends = ((float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)) if scale is None else scale
    downward, across = ([printable(str(name), NAME_CHARS) for name in part] for part in (rows, columns))
    notes = [
        [f"{row}, {column}: {text}" for column, text in zip(across, line, strict=True)]
        for row, line in zip(downward, texts, strict=True)
    ]
    cells = Cells("", across, downward[::-1], numbers[::-1].tolist(), texts[::-1], notes[::-1])

    def draw(theme: Theme) -> str:
        lines, y, right = heading(title, subtitle, theme)
        drawn, wide, bottom = draw_cells(cells, MARGIN, y + 1.9 * TEXT, x_label, y_label, ends, True, theme)
        wide = max(MARGIN + wide, right) + MARGIN
        return document(wide, bottom + MARGIN / 2 + PAD, title, [*lines, *drawn], theme, description=subtitle)

    return in_theme(draw, theme)


def histogram_chart(
    values: ArrayLike,
    *,
    title: str,
    x_label: str,
    y_label: str = "rows",
    subtitle: str = "",
    bars: int | None = None,
    size: tuple[float, float] = (WIDE, HIGH),
    theme: str = "auto",
) -> str:
    """Draw a histogram of numbers.

    Parameters
    ----------
    values : array
        Numbers; missing ones are left out.
    title, x_label, y_label, subtitle, theme
        As for `line_chart`.
    bars : int, optional
        The number of bars; by default it depends on the number of values.
    size : pair of float
        Width and height of the field.

    Examples
    --------
    >>> "1 to 2: 3" in histogram_chart([1, 1.2, 1.3, 2.5, 3], title="t", x_label="x", bars=2)
    True
    """
    given = np.asarray(values, np.float64)
    known = given[np.isfinite(given)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    if not high > low:
        low, high = low - (abs(low) or 1.0) / 100, high + (abs(high) or 1.0) / 100
    edges = np.linspace(low, high, (bars or min(max(math.ceil(2 * len(known) ** (1 / 3)), 5), 40)) + 1)
    counts = np.histogram(known, edges)[0].tolist()
    notes = [f"{short_number(a)} to {short_number(b)}: {n}" for (a, b), n in zip(pairwise(edges), counts, strict=True)]
    shown = Histogram(edges.tolist(), counts or [0], notes, x_label, y_label, short_number, size=size)

    def draw(theme: Theme) -> str:
        lines, y, right = heading(title, subtitle, theme)
        drawn, wide, bottom = draw_histogram(shown, MARGIN, y + 1.9 * TEXT, theme)
        text = f"{len(known)} numbers from {short_number(low)} to {short_number(high)}."
        wide = max(MARGIN + wide, right) + MARGIN
        return document(wide, bottom + MARGIN, title, [*lines, *drawn], theme, description=text)

    return in_theme(draw, theme)


def _known(x: ArrayLike, *others: ArrayLike) -> tuple[Floats, ...]:
    """The arrays without the entries at which any of them is not finite."""
    arrays = [np.asarray(values, np.float64) for values in (x, *others)]
    known = np.all([np.isfinite(values) for values in arrays], axis=0)
    return tuple(values[known] for values in arrays)
