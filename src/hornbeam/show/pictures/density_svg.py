"""`hornbeam.show.densities`: the components of a mixture as curves over each column, or as ellipses over two columns.

A curve is the weight of a component times its density, so the curves add up to the density of all rows, which is drawn
dashed. The densities are those of the model with all other columns missing.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.in_words import percent, plural
from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.data.takes_rows import takes_rows
from hornbeam.model.clusters.mixture import Mixture
from hornbeam.show.charts.chart_field import Axis, Field, axis_of, category_axis, dashed
from hornbeam.show.charts.plane import two_columns
from hornbeam.show.pictures.marks import color_of, legend, mark
from hornbeam.show.pictures.palette import mix
from hornbeam.show.pictures.svg_parts import MARGIN, TEXT, document, heading, safe, short
from hornbeam.show.pictures.themes import in_theme
from hornbeam.show.texts.wording import NAME_LIMIT, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hornbeam.show.pictures.palette import Theme

    Floats = NDArray[np.float64]

STEPS = 240  # points of a curve
REACH = 3.5  # how many standard deviations from a mean are drawn
MOST_BARS = 40  # of a histogram
PANEL = (330.0, 170.0)
PLANE = (520.0, 420.0)
PER_ROW = 2
RINGS = (1.0, 2.0)  # standard deviations around a mean


@takes_rows()
def densities(
    model: Any,  # noqa: ANN401 - dispatches on it
    table: Table | None = None,
    *,
    columns: Sequence[str | int] | None = None,
    plane: Sequence[str | int] | None = None,
    theme: str = "auto",
    title: str | None = None,
) -> str:
    """Draw the densities of a mixture as SVG.

    Parameters
    ----------
    model : Mixture or fitted estimator
        What to draw.
    table : Table, optional
        Rows: drawn as a histogram behind the curves, or as points on the plane.
    columns : sequence of str or int, optional
        Columns to draw, one panel each; by default all.
    plane : two columns, optional
        Draw one picture over two numeric columns instead: ellipses one and two standard deviations around the means.
    theme : {"auto", "light", "dark"}
        Colors; by default those of the page around the picture.
    title : str, optional
        The title; by default the name of the table and the number of components.

    Returns
    -------
    str
        A complete SVG document.

    Examples
    --------
    >>> import hornbeam
    >>> mixture = hornbeam.MixtureModel(3, random_state=0).fit(hornbeam.read("iris"))
    >>> picture = hornbeam.show.densities(mixture)
    >>> "petalwidth" in picture, "component 2" in picture
    (True, True)
    """
    found = getattr(model, "model_", model)
    if not isinstance(found, Mixture):
        raise TypeError(f"cannot draw the densities of a {type(found).__name__}; expected a Mixture or its estimator")
    k = found.n_clusters
    name = printable(found.schema.name, NAME_LIMIT)
    title = f"{name}: {plural(k, 'component')}" if title is None else title
    if plane is not None:
        places = two_columns(found.schema, plane)
        return in_theme(lambda colors: _plane(found, places, table, colors, title), theme)
    features = found.schema.features
    places = list(features) if columns is None else [found.schema.position(column) for column in columns]
    for place in places:
        if place not in features:
            raise ValueError(f"column {found.schema.columns[place].name!r} is not a feature of the mixture")
    return in_theme(lambda colors: _panels(found, places, table, colors, title), theme)


def marginals(model: Mixture, place: int, values: NDArray[Any]) -> Floats:
    """Weight times density of every component at values of one column, all others missing; (values, components)."""
    arrays: list[NDArray[Any]] = []
    for other, column in enumerate(model.schema.columns):
        nothing: NDArray[Any] = (
            np.full(len(values), -1, np.int32) if isinstance(column, Nominal) else np.full(len(values), np.nan)
        )
        arrays.append(values if other == place else nothing)
    return np.exp(model.log_densities(Table(model.schema, arrays)))


def _panels(model: Mixture, places: Sequence[int], table: Table | None, theme: Theme, title: str) -> str:
    names = _names(model)
    subtitle = "dashed: all components together" + ("; gray: the rows" if table is not None else "")
    lines, y, title_end = heading(title, subtitle, theme)
    drawn_names, right, y = legend(names, MARGIN, y + 24, TEXT, theme, lines=True)
    lines += drawn_names
    y += 4
    x, lowest = 0.0, y
    for number, place in enumerate(places):
        if number and number % PER_ROW == 0:
            x, y = 0.0, lowest
        drawn = _panel(model, place, table, theme)
        lines += [f'<g transform="translate({short(x)} {short(y)})">', *drawn.lines, "</g>"]
        x += drawn.right + MARGIN
        right, lowest = max(right, x), max(lowest, y + drawn.bottom + MARGIN)
    return document(max(right, title_end) + MARGIN, lowest, title, lines, theme, description="; ".join(names))


def _names(model: Mixture) -> list[str]:
    """The name of each component, with its weight."""
    weights = model.components.weights / model.components.weights.sum()
    return [f"component {number}: {percent(weight)} of the rows" for number, weight in enumerate(weights)]


def _panel(model: Mixture, place: int, table: Table | None, theme: Theme) -> Field:
    column = model.schema.columns[place]
    given = None if table is None else table.column(column.name)
    return _bars(model, place, given, theme) if isinstance(column, Nominal) else _curves(model, place, given, theme)


def _curves(model: Mixture, place: int, given: NDArray[Any] | None, theme: Theme) -> Field:
    known = None if given is None else given[~np.isnan(given)]
    grid, counts = _grid(model, place, known)
    found = marginals(model, place, grid)
    found = np.where(np.isfinite(found), found, 0.0)
    edges, heights = _histogram(known, counts=counts)
    top = float(max(found.sum(axis=1).max(initial=0.0), heights.max(initial=0.0))) or 1.0
    name = printable(model.schema.columns[place].name, NAME_LIMIT)
    x = axis_of([grid, edges], None, tight=True)
    field = Field(x, Axis(0.0, top, [0.0]), name, "", "", "density", theme, PANEL, inset=0.0)
    for low, high, height in zip(edges, edges[1:], heights, strict=False):
        if height > 0:
            way = f"M{field.at(low, 0)}L{field.at(low, height)}L{field.at(high, height)}L{field.at(high, 0)}Z"
            field.add(f'<path d="{way}" fill="{theme.faint}"/>')
    for component in range(found.shape[1]):
        look = f'fill="none" stroke="{color_of(component, theme)}" stroke-width="2"'
        field.add(f'<path data-component="{component}" d="{_way(field, grid, found[:, component])}" {look}/>')
    if found.shape[1] > 1:
        field.add(dashed(_way(field, grid, found.sum(axis=1)), theme))
    return field


def _way(field: Field, grid: Floats, heights: Floats) -> str:
    return "M" + "L".join(field.at(x, y) for x, y in zip(grid.tolist(), heights.tolist(), strict=True))


def _grid(model: Mixture, place: int, known: Floats | None) -> tuple[Floats, bool]:
    """The points at which a curve is computed, and whether the column holds counts (then these are whole numbers)."""
    ends: list[float] = [] if known is None or not len(known) else [float(known.min()), float(known.max())]
    kind = "normal"
    for component in range(model.n_clusters):
        column = next(one for one in model.distributions(component) if one.column == model.schema.columns[place].name)
        kind, values = column.distribution, column.parameters
        if kind == "poisson":
            ends += [0.0, values["rate"] + REACH * math.sqrt(values["rate"]) + 1]
        elif kind == "log-normal":
            median, factor = values["median"] - values["minimum"], values["factor"]
            ends += [values["minimum"] + median / factor**REACH, values["minimum"] + median * factor**2]
        elif kind == "log-odds":
            ends += [values["low"], values["high"]]
        else:
            ends += [values["mean"] - REACH * values["deviation"], values["mean"] + REACH * values["deviation"]]
    low, high = min(ends), max(ends)
    if kind == "poisson":
        return np.arange(math.floor(low), math.ceil(high) + 1, dtype=np.float64), True
    if kind == "log-odds":
        inside = (high - low) / (2 * STEPS)
        return np.linspace(low + inside, high - inside, STEPS), False
    return np.linspace(low, high, STEPS) if high > low else np.array([low - 1.0, low, low + 1.0]), False


def _histogram(known: Floats | None, *, counts: bool) -> tuple[Floats, Floats]:
    """Edges and heights of a histogram whose area is one."""
    if known is None or not len(known):
        return np.empty(0), np.empty(0)
    if counts:
        edges = np.arange(math.floor(known.min()), math.ceil(known.max()) + 2) - 0.5
        heights, _ = np.histogram(known, edges)
    else:
        bars = int(min(MOST_BARS, max(5, math.sqrt(len(known)))))
        heights, edges = np.histogram(known, bars)
    return edges, heights / (heights.sum() * np.diff(edges))


def _bars(model: Mixture, place: int, given: NDArray[Any] | None, theme: Theme) -> Field:
    """A nominal column: the proportion of each category in each component."""
    column = model.schema.columns[place]
    assert isinstance(column, Nominal)
    k, n = model.n_clusters, len(column.categories)
    found = marginals(model, place, np.arange(n, dtype=np.int32))
    within = found / np.maximum(found.sum(axis=0), np.finfo(np.float64).tiny)
    rows = None
    if given is not None and (given >= 0).any():
        rows = np.bincount(given[given >= 0], minlength=n) / (given >= 0).sum()
    x = category_axis(column.categories)
    name = printable(column.name, NAME_LIMIT)
    field = Field(x, Axis(0.0, 1.0, [0.0, 0.5, 1.0]), name, "", "", "proportion", theme, PANEL, inset=0.0)
    step = 0.8 / k
    for code in range(n):
        if rows is not None:
            field.add(
                _bar(field, code - 0.45, 0.9, float(rows[code]), theme.faint, f"{percent(rows[code])} of the rows")
            )
        for component in range(k):
            share = float(within[code, component])
            words = f"component {component}: {percent(share)} {printable(column.categories[code], NAME_LIMIT)}"
            field.add(_bar(field, code - 0.4 + component * step, 0.9 * step, share, color_of(component, theme), words))
    return field


def _bar(field: Field, low: float, wide: float, height: float, color: str, words: str) -> str:
    way = f"M{field.at(low, 0)}L{field.at(low, height)}L{field.at(low + wide, height)}L{field.at(low + wide, 0)}Z"
    return f'<path d="{way}" fill="{color}"><title>{safe(words)}</title></path>'


def _plane(model: Mixture, places: Sequence[int], table: Table | None, theme: Theme, title: str) -> str:
    numbers = _normal_numbers(model, places)
    straight = model.straight
    rings: list[tuple[int, float, Floats]] = []
    angles = np.linspace(0, 2 * np.pi, 73)
    circle = np.array([np.cos(angles), np.sin(angles)])
    for component in range(model.n_clusters):
        middle = straight.means[component, numbers]
        values, vectors = np.linalg.eigh(straight.matrix(component)[np.ix_(numbers, numbers)])
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        rings += [(component, ring, middle[:, np.newaxis] + ring * root @ circle) for ring in RINGS]
    points = np.empty((2, 0))
    if table is not None:
        points = np.array([table.column(model.schema.columns[place].name) for place in places])
        points = points[:, ~np.isnan(points).any(axis=0)]
    across, up = (axis_of([points[side], *(ring[side] for _, _, ring in rings)], None, tight=True) for side in (0, 1))
    names = [printable(model.schema.columns[place].name, NAME_LIMIT) for place in places]
    components = _names(model)
    field = Field(across, up, title, "ellipses: one and two standard deviations", names[0], names[1], theme, PLANE)
    for x, y in points.T.tolist():
        field.add(f'<circle cx="{short(field.across(x))}" cy="{short(field.height(y))}" r="2" fill="{theme.line}"/>')
    for component, ring, curve in rings:
        color = color_of(component, theme)
        way = "M" + "L".join(field.at(x, y) for x, y in curve.T.tolist()) + "Z"
        dash = "" if ring == RINGS[0] else ' stroke-dasharray="5 4"'
        field.add(f'<path d="{way}" fill="none" stroke="{color}" stroke-width="2"{dash}/>')
    for component in range(model.n_clusters):
        x, y = straight.means[component, numbers]
        outline = mark(component, field.across(x), field.height(y), 5)
        color = color_of(component, theme)
        field.add(f'<path d="{outline}" fill="{color}" stroke="{mix(color, theme.ink, 0.4)}"/>')
    field.legend(components)
    return field.write(f"{title}; {names[0]} and {names[1]}; {'; '.join(components)}")


def _normal_numbers(model: Mixture, places: Sequence[int]) -> list[int]:
    """The indices of two columns among the normal columns of the mixture."""
    kinds = {place: one.kind for place, one in zip(model.columns.numeric, model.columns.distributions, strict=True)}
    normal = [place for place, kind in kinds.items() if kind != "poisson"]
    for place in places:
        if kinds.get(place) != "normal":
            name, found = model.schema.columns[place].name, kinds.get(place, "nominal")
            msg = f"column {name!r} is {found}; expected two columns with normal distributions, for ellipses"
            raise ValueError(msg)
    return [normal.index(place) for place in places]
