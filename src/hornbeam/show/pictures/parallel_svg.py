"""`hornbeam.show.parallel_coordinates`: a vertical axis for every column, a line for every row, clusters in colors.

Axes of numbers range from the minimum to the maximum. Categories have their names beside the axis and space around
them, in which the lines of a cluster are grouped. Missing values have their own position below. Thick lines are the
means and the most frequent categories of the clusters. Plain SVG; nothing needs to be installed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, Numeric
from hornbeam.show.pictures.cluster_rows import ClusterRows, rows_of
from hornbeam.show.pictures.marks import badge, color_of, legend, mark
from hornbeam.show.pictures.palette import mix
from hornbeam.show.pictures.svg_parts import (
    MARGIN,
    SMALL,
    TEXT,
    box,
    document,
    heading,
    round_numbers,
    short,
    text_width,
    write_text,
)
from hornbeam.show.pictures.themes import in_theme
from hornbeam.show.texts.wording import date, printable, short_number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import Floats, Ints32
    from hornbeam.data.schema import Column
    from hornbeam.show.pictures.palette import Theme


PAD, GAP = 8.0, 34.0
HIGH, BELOW = 330.0, 44.0  # height of an axis; distance from its lower end to missing values
LEAST_STEP, MOST_STEP, USUAL_WIDE = 100.0, 190.0, 640.0  # distance between axes; usual total width
NAME_CHARS, LABEL_CHARS = 24, 14  # maximum number of characters of a column's name, of a category
MOST_ROWS, MOST_COLUMNS, MOST_LABELS = 500, 12, 12
BAND = 0.62  # fraction of a category's space that its lines fill
LARGEST = 1e300
SOLID, FAINTEST, INKING = 0.55, 0.14, 45.0  # opacity of lines: lower if there are many
TICKS = 5
FEW_AXES = 6


@dataclass
class Axis:
    """The axis of one column: positions of values from 0 (bottom) to 1, labels, and the position of missing values."""

    name: str
    places: Floats
    means: list[float | None]
    labels: list[tuple[float, str]]
    gaps: bool
    x: float = field(default=0.0)


def parallel_coordinates(
    model: Any,  # noqa: ANN401 - dispatches on it
    table: Any = None,  # noqa: ANN401 - rows of any sort
    *,
    labels: ArrayLike | None = None,
    most: int = MOST_ROWS,
    theme: str = "auto",
    title: str | None = None,
) -> str:
    """Draw every row as a line over vertical axes, one per column; clusters in colors, their means as thick lines.

    Parameters
    ----------
    model, table, labels, theme, title
        As for `cluster_map`.
    most : int
        About how many rows to draw at most, always the same ones. Means are those of all rows.

    Returns
    -------
    str
        A complete SVG document. If there are more than twelve columns, those that distinguish the clusters most are
        drawn.

    Examples
    --------
    >>> import hornbeam
    >>> weather = hornbeam.read("weather")
    >>> picture = hornbeam.show.parallel_coordinates(hornbeam.KMeans(2, random_state=1).fit(weather), weather)
    >>> "outlook" in picture, "overcast" in picture
    (True, True)
    """
    rows = rows_of(model, table, labels, most)
    chosen = _columns(rows)
    axes = [_axis(rows, f) for f in chosen]
    return in_theme(lambda colors: _draw(rows, axes, rows.title() if title is None else title, colors), theme)


def _draw(rows: ClusterRows, axes: list[Axis], title: str, colors: Theme) -> str:
    lines, top, title_end = heading(title, _subtitle(rows, len(axes)), colors)
    top += (3.2 + 1.4 * (_name_rows(axes) - 1)) * TEXT
    right = _place(axes)
    ways, marks = _means(rows, axes, top, colors)
    lines += [*_lines(rows, axes, top, colors), *_uprights(axes, top, colors), *ways]
    lines += [line for axis in axes for line in _labels(axis, top, colors)] + marks
    names, names_end, below = legend(rows.names(), right + PAD, top + 10, TEXT, colors, lines=True)
    gaps = any(axis.gaps for axis in axes)
    bottom = max(top + HIGH + (BELOW + 14) * gaps, below) + MARGIN
    return document(max(names_end, title_end) + MARGIN, bottom, title, [*lines, *names], colors)


def _subtitle(rows: ClusterRows, n_columns: int) -> str:
    features = len(rows.table.schema.features)
    parts = [rows.sizes(), "thick lines: means and most frequent categories"]
    parts += [f"the {n_columns} of {features} columns that distinguish clusters most"] * (n_columns < features)
    return "; ".join(parts)


def _columns(rows: ClusterRows) -> list[int]:
    """The features that are drawn, in the table's order: all, or those that distinguish clusters most."""
    features = rows.table.schema.features
    if len(features) <= MOST_COLUMNS:
        return list(range(len(features)))
    far = dict.fromkeys(rows.table.schema.names, 0.0)
    for cluster in rows.profile.describe(rows.table.schema):
        for trait in cluster.traits:
            far[trait.column] = max(far[trait.column], abs(trait.apart))
    order = sorted(range(len(features)), key=lambda f: (-far[rows.table.schema.columns[features[f]].name], f))
    return sorted(order[:MOST_COLUMNS])


def _axis(rows: ClusterRows, f: int) -> Axis:
    place = rows.table.schema.features[f]
    column, values = rows.table.schema.columns[place], rows.table.columns[place]
    name = printable(column.name, NAME_CHARS)
    if isinstance(column, Nominal):
        return _nominal(rows, f, column, values, name)
    known = ~np.isnan(values)
    low, high = (float(values[known].min()), float(values[known].max())) if known.any() else (0.0, 0.0)
    size = max(abs(low), abs(high)) or 1.0  # so that differences of very large numbers are finite
    span = high / size - low / size

    def lie(value: Any) -> Any:  # noqa: ANN401 - a number or many
        return (value / size - low / size) / span if span > 0 else value * 0 + 0.5

    means = [
        float(lie(rows.profile.mean[cluster, f])) if rows.profile.known[cluster, f] > 0 else None
        for cluster in range(rows.n_clusters)
    ]
    labels = [(float(lie(tick)), _number(column, tick)) for tick in _ticks(column, low, high)] if known.any() else []
    return Axis(name, np.where(known, lie(values), np.nan), means, labels, bool((~known).any()))


def _ticks(column: Column, low: float, high: float) -> list[float]:
    """Round numbers on the axis; for dates, equal steps; for one value or too large a range, the ends."""
    if low == high:
        return [low]
    if not high - low < LARGEST:
        return [low, high]
    if isinstance(column, Numeric) and column.format is not None:
        return [low + (high - low) * place / TICKS for place in range(TICKS + 1)]
    return [tick for tick in round_numbers(low, high, TICKS) if low <= tick <= high]


def _number(column: Column, value: float) -> str:
    pattern = None if isinstance(column, Nominal) else column.format
    return short_number(value, 3) if pattern is None else printable(date(value, pattern), LABEL_CHARS)


def _nominal(rows: ClusterRows, f: int, column: Nominal, values: Ints32, name: str) -> Axis:
    """Make the axis of a nominal column, first category on top; lines are spread out within a category, by cluster."""
    count = max(len(column.categories), 1)
    center = 1 - (np.arange(count) + 0.5) / count
    known = values >= 0
    places = np.where(known, center[values], np.nan)
    drawn = rows.drawn[known[rows.drawn]]
    for code in np.unique(values[drawn]):
        own = drawn[values[drawn] == code]
        own = own[np.argsort(rows.labels[own], kind="stable")]
        places[own] += BAND / count * (0.5 - (np.arange(len(own)) + 0.5) / len(own))
    part = rows.profile.shares[:, rows.profile.code_start[f] : rows.profile.code_start[f + 1]]
    means: list[float | None] = []
    for cluster in range(rows.n_clusters):
        code = int(part[cluster].argmax()) if rows.profile.known[cluster, f] > 0 else -1
        own = drawn[(values[drawn] == code) & (rows.labels[drawn] == cluster)]
        means.append(None if code < 0 else float(places[own].mean() if len(own) else center[code]))
    common = sorted(np.argsort(-part[-1], kind="stable")[:MOST_LABELS].tolist())
    labels = [(float(center[code]), printable(column.categories[code], LABEL_CHARS)) for code in common]
    return Axis(name, places, means, labels, bool((~known).any()))


def _place(axes: list[Axis]) -> float:
    """Place the axes side by side, with space for names and labels; return the right end."""
    halves = [text_width(axis.name, TEXT, bold=True) / 2 for axis in axes]
    step = float(np.clip(USUAL_WIDE / max(len(axes) - 1, 1), LEAST_STEP, MOST_STEP))
    rows = _name_rows(axes)
    for number, axis in enumerate(axes):
        labels = max((text_width(text, SMALL) for _, text in axis.labels), default=0.0) + 2 * PAD
        axis.x = MARGIN + max(labels, halves[number])
        if number:
            axis.x = max(axis.x, axes[number - 1].x + max(step, labels + 3 * PAD))
        if number >= rows:  # the previous name in the same row
            axis.x = max(axis.x, axes[number - rows].x + halves[number - rows] + halves[number] + 2 * PAD)
    return axes[-1].x + max(GAP + 10, halves[-1])


def _name_rows(axes: list[Axis]) -> int:
    """The number of rows of column names: two, used alternately, if there are many."""
    return 2 if len(axes) > FEW_AXES else 1


def _height(place: float | None, top: float) -> float:
    """The vertical position of a value in the picture; a missing one is below the axis."""
    return top + HIGH + BELOW if place is None or place != place else top + HIGH * (1 - place)  # noqa: PLR0124 - NaN


def _lines(rows: ClusterRows, axes: list[Axis], top: float, theme: Theme) -> list[str]:
    """A line for every row that is drawn, large clusters first."""
    cover = float(np.clip(INKING / max(len(rows.drawn), 1), FAINTEST, SOLID))
    ways: dict[int, list[str]] = {cluster: [] for cluster in range(rows.n_clusters)}
    for row in rows.drawn.tolist():
        way = " ".join(f"{short(axis.x)},{short(_height(float(axis.places[row]), top))}" for axis in axes)
        ways[int(rows.labels[row])].append(f'<polyline points="{way}"/>')
    lines = []
    for cluster in sorted(ways, key=lambda number: (-len(ways[number]), number)):
        look = f'fill="none" stroke="{color_of(cluster, theme)}" stroke-opacity="{short(cover)}"'
        lines += [f"<g {look}>", *ways[cluster], "</g>"]
    return lines


def _uprights(axes: list[Axis], top: float, theme: Theme) -> list[str]:
    """The axes and their names."""
    lines = []
    for number, axis in enumerate(axes):
        above = top - (1.1 + 1.4 * (number % _name_rows(axes))) * TEXT
        lines.append(
            f'<path d="M{short(axis.x)} {short(top)}v{short(HIGH)}" stroke="{theme.muted}" stroke-width="1.2"/>'
        )
        lines.append(write_text(axis.name, axis.x, above, TEXT, bold=True, anchor="middle"))
    return lines


def _labels(axis: Axis, top: float, theme: Theme) -> list[str]:
    """Draw the labels of an axis on their own background, so that lines do not cross them."""
    lines = []
    labels = [(_height(place, top), text, theme.ink) for place, text in axis.labels]
    labels += [(_height(None, top), "missing", theme.muted)] if axis.gaps else []
    for y, text, color in labels:
        wide = text_width(text, SMALL) + 4
        shape = box(axis.x - 6 - wide, y - 0.62 * SMALL, wide, 1.24 * SMALL)
        lines.append(f'<rect {shape} rx="3" fill="{theme.ground}" fill-opacity="0.8"/>')
        lines.append(f'<path d="M{short(axis.x - 4)} {short(y)}h8" stroke="{theme.muted}" stroke-width="1.2"/>')
        lines.append(write_text(text, axis.x - 8, y + 0.36 * SMALL, SMALL, color=color, anchor="end"))
    return lines


def _means(rows: ClusterRows, axes: list[Axis], top: float, theme: Theme) -> tuple[list[str], list[str]]:
    """Draw the mean of each cluster as a thick line, broken where it is unknown, with its marks and its number."""
    lines: list[str] = []
    over: list[str] = []
    ends: list[tuple[float, int]] = []
    for cluster in range(rows.n_clusters):
        color = color_of(cluster, theme)
        known = [axis.means[cluster] is not None for axis in axes]
        points = [(axis.x, _height(axis.means[cluster], top)) for axis in axes]
        way = ""
        for place, (x, y) in enumerate(points):
            if known[place]:
                way += f"{'L' if place and known[place - 1] else 'M'}{short(x)} {short(y)}"
        if not way:
            continue
        for stroke, wide in ((theme.ground, 6.2), (color, 3.4)):
            lines.append(
                f'<path d="{way}" fill="none" stroke="{stroke}" stroke-width="{wide}" stroke-linejoin="round"/>'
            )
        edge = f'fill="{color}" stroke="{mix(color, theme.ink, 0.4)}" stroke-width="0.8"'
        marks = "".join(mark(cluster, x, y, 5.0) for (x, y), there in zip(points, known, strict=True) if there)
        over.append(f'<path d="{marks}" {edge}/>')
        if known[-1]:
            ends.append((points[-1][1], cluster))
    for y, cluster in _apart(ends, 1.75 * SMALL):
        over += badge(cluster, axes[-1].x + GAP - 10, y, SMALL, theme)
    return lines, over


def _apart(ends: list[tuple[float, int]], step: float) -> list[tuple[float, int]]:
    """Move labels down until none overlap."""
    moved: list[tuple[float, int]] = []
    for y, cluster in sorted(ends):
        moved.append((max(y, moved[-1][0] + step) if moved else y, cluster))
    return moved
