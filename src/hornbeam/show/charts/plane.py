"""The plane of two columns, with the other columns of a table fixed: its limits, the rows in it, a grid to predict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, Numeric
from hornbeam.data.table import Table
from hornbeam.show.texts.wording import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hornbeam.core.base.arrays import AnyArray, Bools, Floats
    from hornbeam.data.schema import Column, Schema
    from hornbeam.show.plot import Axes

    Range = tuple[float, float]

MARGIN = 0.05  # around the rows, as a fraction of the range
SPREAD = 0.3  # jitter of rows with the same category, so that none hides another


def two_columns(schema: Schema, columns: Sequence[str | int]) -> list[int]:
    """The positions of the two columns: those named, or the features if there are two."""
    features = list(schema.features)
    chosen = list(dict.fromkeys(schema.position(column) for column in columns)) if len(columns) else features
    if len(chosen) != 2:  # noqa: PLR2004 - a plane
        names = ", ".join(repr(schema.columns[place].name) for place in chosen)
        raise ValueError(f"{len(chosen)} columns ({names}); name the two to draw: columns=(horizontal, vertical)")
    for place in chosen:
        if place not in features:
            raise ValueError(f"the column {schema.columns[place].name!r} is not a feature of the model")
    return chosen


def limits_of(schema: Schema, place: int, tables: Sequence[Table]) -> Range:
    """The range of a column that is drawn: all rows and a margin; a category has width 1."""
    column = schema.columns[place]
    if isinstance(column, Nominal):
        return -0.5, len(column.categories) - 0.5
    values = np.concatenate([table.column(column.name) for table in tables])
    values = values[~np.isnan(values)]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    margin = MARGIN * (high - low) if high > low else 0.5
    return low - margin, high + margin


def held_value(schema: Schema, rows: Table, place: int, given: Mapping[int, Any]) -> Any:  # noqa: ANN401 - a number or a code
    """The fixed value of a column that is not drawn: the one given, or the median or most frequent value of the rows.

    Parameters
    ----------
    schema : Schema
        The columns.
    rows : Table
        Rows with this schema.
    place : int
        The position of the column.
    given : mapping of int to value
        A number or the name of a category, by the position of the column.

    Returns
    -------
    float or numpy.int32
        NaN or -1 if all values are missing.
    """
    column, values = schema.columns[place], rows.columns[place]
    if isinstance(column, Numeric):
        known = values[~np.isnan(values)]
        return float(given[place]) if place in given else float(np.median(known)) if len(known) else np.nan
    if place not in given:
        known = values[values >= 0]
        return np.int32(np.bincount(known).argmax() if len(known) else -1)
    if given[place] not in column.categories:
        names = ", ".join(map(repr, column.categories))
        raise ValueError(f"column {column.name!r} has no category {given[place]!r}; it has {names}")
    return np.int32(column.categories.index(given[place]))


def middles(schema: Schema, place: int, limits: Range, steps: int) -> Floats:
    """Points along an axis of a grid: the categories, or the middles of `steps` equal parts."""
    column = schema.columns[place]
    if isinstance(column, Nominal):
        return np.arange(len(column.categories), dtype=float)
    low, high = limits
    return low + (np.arange(steps) + 0.5) * (high - low) / steps


def rows_on_plane(schema: Schema, sides: Mapping[int, Floats], held: Mapping[int, Any]) -> Table:
    """Make a table of the features with one row per point of a grid, line by line.

    Parameters
    ----------
    schema : Schema
        The columns.
    sides : mapping of int to array
        The points along the horizontal and the vertical axis, by the positions of the two columns.
    held : mapping of int to value
        The value of every other feature.

    Returns
    -------
    Table
        One row per point.
    """
    grid = dict(zip(sides, (part.ravel() for part in np.meshgrid(*sides.values())), strict=True))
    count = len(next(iter(grid.values())))
    arrays: list[AnyArray] = []
    for place in schema.features:
        nominal = isinstance(schema.columns[place], Nominal)
        values = grid[place] if place in grid else np.full(count, held[place])
        arrays.append(values.astype(np.int32) if nominal else values.astype(np.float64))
    return Table(schema.select(schema.features), arrays)


def points_of(columns: Sequence[AnyArray]) -> tuple[list[Floats], Bools]:
    """The positions of rows on the plane, and which have both values; rows with the same category get some jitter."""
    known = np.ones(len(columns[0]), np.bool_)
    random = np.random.default_rng(0)
    points: list[Floats] = []
    for values in columns:
        nominal = values.dtype.kind == "i"
        known &= values >= 0 if nominal else ~np.isnan(values)
        points.append(values + (random.uniform(-SPREAD, SPREAD, len(values)) if nominal else 0.0))
    return points, known


def set_limits(axes: Axes, limits: Sequence[Range], columns: Sequence[Column]) -> None:
    """Set the limits of matplotlib's axes, and write the names of categories beside them."""
    axes.set_xlim(limits[0])
    axes.set_ylim(limits[1])
    for axis, column in zip((axes.xaxis, axes.yaxis), columns, strict=True):
        if isinstance(column, Nominal):
            axis.set_ticks(range(len(column.categories)), [printable(name, 20) for name in column.categories])
