"""The plane of two columns through a table's other columns: which part is drawn, and rows on it to be asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, Numeric
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from hornbeam.data.schema import Schema

    Floats = NDArray[np.float64]
    Range = tuple[float, float]

MARGIN = 0.05  # of the range, around the rows


def two_columns(schema: Schema, columns: Sequence[str | int]) -> list[int]:
    """The places of the columns across and up: those named, or the features, where there are two."""
    features = list(schema.features)
    chosen = list(dict.fromkeys(schema.position(column) for column in columns)) if len(columns) else features
    if len(chosen) != 2:  # noqa: PLR2004 - a plane
        names = ", ".join(repr(schema.columns[place].name) for place in chosen)
        msg = f"{len(chosen)} columns ({names}); name the two to draw: columns=(across, up)"
        raise ValueError(msg)
    for place in chosen:
        if place not in features:
            msg = f"the column {schema.columns[place].name!r} is no feature: the model does not go by it"
            raise ValueError(msg)
    return chosen


def limits_of(schema: Schema, place: int, tables: Sequence[Table]) -> Range:
    """The part of a column's axis that is drawn: all rows and a margin; a category is as wide as one."""
    column = schema.columns[place]
    if isinstance(column, Nominal):
        return -0.5, len(column.categories) - 0.5
    values = np.concatenate([table.column(column.name) for table in tables])
    values = values[~np.isnan(values)]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    margin = MARGIN * (high - low) if high > low else 0.5
    return low - margin, high + margin


def held_value(schema: Schema, rows: Table, place: int, given: Mapping[int, Any]) -> Any:  # noqa: ANN401 - a number or a code
    """The value of a column that is not drawn: the one given, or the median or commonest of the rows.

    Parameters
    ----------
    schema : Schema
        Whose columns and codes.
    rows : Table
        Under this schema.
    place : int
        Of the column.
    given : mapping of int to value
        By the place of a column, a number or the name of a category.

    Returns
    -------
    float or numpy.int32
        NaN or -1 where no row has a value.
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
        msg = f"column {column.name!r} has no category {given[place]!r}; it has {names}"
        raise ValueError(msg)
    return np.int32(column.categories.index(given[place]))


def middles(schema: Schema, place: int, limits: Range, steps: int) -> Floats:
    """Points along an axis that are asked about: the categories, or the middles of so many equal parts."""
    column = schema.columns[place]
    if isinstance(column, Nominal):
        return np.arange(len(column.categories), dtype=float)
    low, high = limits
    return low + (np.arange(steps) + 0.5) * (high - low) / steps


def rows_on_plane(schema: Schema, sides: Mapping[int, Floats], held: Mapping[int, Any]) -> Table:
    """A table of the features with a row for every point of a grid, line by line.

    Parameters
    ----------
    schema : Schema
        Whose features.
    sides : mapping of int to array
        By the places of the two columns, points across and up.
    held : mapping of int to value
        The value of every other feature.

    Returns
    -------
    Table
        As many rows as there are points.
    """
    grid = dict(zip(sides, (part.ravel() for part in np.meshgrid(*sides.values())), strict=True))
    count = len(next(iter(grid.values())))
    arrays: list[NDArray[Any]] = []
    for place in schema.features:
        nominal = isinstance(schema.columns[place], Nominal)
        values = grid[place] if place in grid else np.full(count, held[place])
        arrays.append(values.astype(np.int32) if nominal else values.astype(np.float64))
    return Table(schema.select(schema.features), arrays)
