"""`hornbeam.show.cluster_map`: rows on the plane of largest variance, with colors and marks of clusters.

The plane is that of the first two principal components. Both axes have the same scale, so that distances in the picture
can be compared. Plain SVG; nothing needs to be installed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.in_words import percent
from hornbeam.data.schema import Nominal
from hornbeam.show.pictures.cluster_rows import ClusterRows, rows_of
from hornbeam.show.pictures.marks import badge, color_of, legend, mark
from hornbeam.show.pictures.palette import mix
from hornbeam.show.pictures.svg_parts import MARGIN, SMALL, TEXT, TITLE, box, document, heading, safe, short, write_text
from hornbeam.show.pictures.themes import in_theme
from hornbeam.show.texts.wording import printable

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import Floats
    from hornbeam.data.table import Table
    from hornbeam.show.pictures.palette import Theme


PAD, GAP = 16.0, 26.0
WIDE, LEAST_HIGH, MOST_HIGH = 560.0, 280.0, 480.0  # of the field
MOST_ROWS, MOST_TIPS = 2000, 400
RADIUS, LEAST_RADIUS, FEW_ROWS = 4.2, 2.4, 150  # radius of marks: smaller if there are many rows
MOST_TIMES = 4.0  # a mark of many rows is at most this many times as wide as a mark of one row
MOST_CATEGORIES = 50  # only the most frequent categories of a column are used
ALMOST = 1e-12  # a variance below this, relative to the column's size, is rounding
NAME_CHARS = 18
MINUS = "\N{MINUS SIGN}"
MOST_NAMED = 3  # columns listed beside an axis
LEAST_NAMED = 0.2  # columns with less than this fraction of the greatest weight are not listed


def cluster_map(
    model: Any,  # noqa: ANN401 - dispatches on it
    table: Any = None,  # noqa: ANN401 - rows of any sort
    *,
    labels: ArrayLike | None = None,
    most: int = MOST_ROWS,
    theme: str = "auto",
    title: str | None = None,
) -> str:
    """Draw rows on the plane of their first two principal components, every cluster with a color and a mark.

    Parameters
    ----------
    model : Clustering or fitted estimator
        Whose clusters to draw.
    table : Table, frame or array, optional
        The rows; a dendrogram has its own.
    labels : array, optional
        The cluster of every row, such as `labels_`; by default the model predicts it.
    most : int
        About how many rows to draw at most, always the same ones.
    theme : {"auto", "light", "dark"}
        Colors; by default those of the page around the picture.
    title : str, optional
        The title; by default the table's name and the number of clusters.

    Returns
    -------
    str
        A complete SVG document. The label of each axis has the fraction of the variance and the columns with the
        greatest weights; numbers are at the means of the clusters; rows at the same position are one larger mark.

    Examples
    --------
    >>> import hornbeam
    >>> iris = hornbeam.read("iris")
    >>> picture = hornbeam.show.cluster_map(hornbeam.KMeans(3, random_state=1).fit(iris), iris)
    >>> "component 1: 73% of the variance" in picture
    True
    """
    rows = rows_of(model, table, labels, most)
    directions = components(rows.table)
    return in_theme(lambda colors: _draw(rows, directions, rows.title() if title is None else title, colors), theme)


def _draw(rows: ClusterRows, found: Components, title: str, colors: Theme) -> str:
    left, top = MARGIN + 2.2 * TEXT, MARGIN + TITLE + 2.7 * TEXT
    across, up, high = _scales(found, left, top)
    held = _held(rows, [(across(x), up(y)) for x, y in found.places[rows.drawn]])
    lines, _, right = heading(title, _subtitle(rows, several=len(held) < len(rows.drawn)), colors)
    lines += _axes(found, left, top, high, colors)
    lines += _marks(held, len(rows.drawn), colors)
    for cluster in range(rows.n_clusters):
        own = rows.labels == cluster
        if own.any():
            middle = found.places[own].mean(axis=0)
            lines += badge(cluster, across(middle[0]), up(middle[1]), SMALL, colors)
    beside = left + WIDE + GAP
    names, names_end, below = legend(rows.names(), beside, top + 10, TEXT, colors)
    bottom = max(top + high + 3.6 * TEXT, below)
    return document(max(names_end, right) + MARGIN, bottom + MARGIN / 2, title, [*lines, *names], colors)


def _subtitle(rows: ClusterRows, *, several: bool) -> str:
    parts = [rows.sizes(), "numbers are at the means of clusters"]
    parts += ["larger marks are several rows"] * several + ["a missing value counts as the mean"] * rows.has_gaps()
    return "; ".join(parts)


def _scales(found: Components, left: float, top: float) -> tuple[Any, Any, float]:
    """Functions from components to pixels, with the same scale on both axes, and the height of the field."""
    low, high = found.places.min(axis=0), found.places.max(axis=0)
    span = np.maximum(high - low, 1e-9 * max(float((high - low).max()), 1.0))
    inner = WIDE - 2 * PAD
    tall = float(np.clip(inner * span[1] / span[0], LEAST_HIGH, MOST_HIGH))
    scale = min(inner / span[0], tall / span[1])
    middle = (low + high) / 2

    def across(place: float) -> float:
        return float(left + WIDE / 2 + scale * (place - middle[0]))

    def up(place: float) -> float:
        return float(top + PAD + tall / 2 - scale * (place - middle[1]))

    return across, up, tall + 2 * PAD


def _axes(found: Components, left: float, top: float, high: float, theme: Theme) -> list[str]:
    names = [f"component {place + 1}: {percent(found.fractions[place], 0)} of the variance" for place in (0, 1)]
    below, beside = top + high + 1.5 * TEXT, left - 1.6 * TEXT
    lines = [
        f'<rect {box(left, top, WIDE, high)} fill="none" stroke="{theme.line}"/>',
        write_text(names[0], left, below, SMALL),
        write_text(found.words(0), left, below + 1.4 * SMALL, SMALL, color=theme.muted),
    ]
    turned = [(names[1], beside, theme.ink), (found.words(1), beside + 1.25 * SMALL, theme.muted)]
    for text, x, color in turned:
        place = f"translate({short(x)} {short(top + high)}) rotate(-90)"
        lines.append(f'<text transform="{place}" font-size="{short(SMALL)}" fill="{color}">{safe(text)}</text>')
    return lines


def _held(rows: ClusterRows, places: list[tuple[float, float]]) -> dict[tuple[int, str, str], list[int]]:
    """The rows that are drawn, by cluster and position."""
    held: dict[tuple[int, str, str], list[int]] = {}
    for row, (x, y) in zip(rows.drawn.tolist(), places, strict=True):
        held.setdefault((int(rows.labels[row]), short(x), short(y)), []).append(row)
    return held


def _marks(held: dict[tuple[int, str, str], list[int]], many: int, theme: Theme) -> list[str]:
    """Draw the rows; several of one cluster at one position are one larger mark."""
    radius = max(LEAST_RADIUS, RADIUS * min(1.0, (FEW_ROWS / many) ** 0.25))
    seen = Counter(key[0] for key in held)
    # Small clusters are drawn last, so that large ones do not hide them.
    order = sorted(held, key=lambda key: (-seen[key[0]], key[0]))
    paths: dict[int, list[str]] = {}
    for key in order:
        cluster, x, y = key
        inside = held[key]
        drawn = mark(cluster, float(x), float(y), radius * min(len(inside) ** 0.5, MOST_TIMES))
        tip = f"<title>{safe(_tip(cluster, inside))}</title>" if many <= MOST_TIPS else ""
        paths.setdefault(cluster, []).append(f'<path d="{drawn}">{tip}</path>')
    lines = []
    for cluster, marks in paths.items():
        color = color_of(cluster, theme)
        edge = mix(color, theme.ink, 0.4)  # faint colors need one
        look = f'fill="{color}" fill-opacity="0.7" stroke="{edge}" stroke-width="0.6"'
        lines += [f"<g {look}>", *marks, "</g>"]
    return lines


def _tip(cluster: int, rows: list[int]) -> str:
    listed = ", ".join(str(row + 1) for row in rows[:10]) + ", …" * (len(rows) > 10)  # noqa: PLR2004 - enough for a line
    return f"cluster {cluster}: row{'s' * (len(rows) != 1)} {listed}"


@dataclass(frozen=True, eq=False)
class Components:
    """The first two principal components of rows."""

    places: Floats  # of shape (rows, 2): position of each row
    fractions: Floats  # of shape (2,): the fraction of the variance along each direction
    names: list[str]  # columns and categories that the directions are made of
    weights: Floats  # of shape (names, 2): the weight of each in a direction

    def words(self, direction: int) -> str:
        """The columns with the greatest weights in a direction, as text."""
        weights = self.weights[:, direction]
        order = np.argsort(-np.abs(weights).round(9), kind="stable")[:MOST_NAMED]
        heavy = [f for f in order.tolist() if abs(weights[f]) >= LEAST_NAMED * abs(weights[order[0]]) > 0]
        return ", ".join(f"{'+' if weights[f] > 0 else MINUS} {self.names[f]}" for f in heavy)


def components(table: Table) -> Components:
    """Compute the first two principal components of numbers and categories.

    Every column has the same weight: numbers are scaled to variance one, a nominal column becomes an indicator per
    category, and these have variance one together. A missing value is replaced by the mean.

    Parameters
    ----------
    table : Table
        Its features are used.

    Returns
    -------
    Components
        Directions in which rows do not differ have fraction 0. The largest weight (by absolute value) of each direction
        is positive.

    Examples
    --------
    >>> import hornbeam
    >>> result = components(hornbeam.read("iris"))
    >>> result.fractions.round(2).tolist(), result.words(0)
    ([0.73, 0.23], '+ petallength, + petalwidth, + sepallength')
    """
    names, matrix = _ready(table)
    n, d = matrix.shape
    weights, values = np.zeros((d, 2)), np.zeros(2)
    if n and d:
        across = d <= n  # use the smaller of the two products
        square = matrix.T @ matrix if across else matrix @ matrix.T
        found, directions = np.linalg.eigh(square)
        for place in range(min(2, len(found))):
            value, direction = found[-1 - place], directions[:, -1 - place]
            if value <= ALMOST * max(found[-1], ALMOST):
                continue
            if not across:
                direction = matrix.T @ direction / np.sqrt(value)
            heaviest = int(np.argmax(np.abs(direction).round(9)))
            weights[:, place], values[place] = direction * np.sign(direction[heaviest]), value
    whole = float((matrix**2).sum())
    return Components(matrix @ weights, values / whole if whole > 0 else values, names, weights)


def _ready(table: Table) -> tuple[list[str], Floats]:
    names: list[str] = []
    parts: list[Floats] = []
    for place in table.schema.features:
        column, values = table.schema.columns[place], table.columns[place]
        name = printable(column.name, NAME_CHARS)
        if isinstance(column, Nominal):
            known = values >= 0
            counts = np.bincount(values[known], minlength=len(column.categories))
            codes = sorted(c for c in np.argsort(-counts, kind="stable")[:MOST_CATEGORIES].tolist() if counts[c])
            codes = codes[1:] if len(codes) == 2 else codes  # noqa: PLR2004 - one of two indicators is enough
            usual = counts / max(int(known.sum()), 1)
            block = np.array([np.where(known, values == code, usual[code]) for code in codes])
            found = [f"{name} = {printable(column.categories[code], NAME_CHARS)}" for code in codes]
        else:
            known = ~np.isnan(values)
            size = float(np.abs(values[known]).max(initial=0.0)) or 1.0  # so that squares are finite
            scaled = values / size
            block, found = np.where(known, scaled, scaled[known].mean() if known.any() else 0.0)[np.newaxis], [name]
        if not len(block):
            continue
        block = block - block.mean(axis=1, keepdims=True)
        width = float(np.sqrt((block**2).sum(axis=0).mean()))
        if width > ALMOST:
            parts.append(block / width)
            names += found
    return names, np.concatenate(parts).T if parts else np.zeros((table.n_rows, 0))
