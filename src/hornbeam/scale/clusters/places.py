"""The distance of k-means over all partitions, and partitions as numbers and codes on its scale."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.learn.linear.least_squares import unit_of
from hornbeam.model.neighbors.distance import Distance
from hornbeam.model.neighbors.scales import is_number, numbers_of
from hornbeam.scale.clusters.sums import as_numbers, sums_by
from hornbeam.scale.gather import first_rows, unite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import AnyArray, Floats
    from hornbeam.data.schema import Schema
    from hornbeam.model.clusters.partition import Measure
    from hornbeam.model.neighbors.scales import NumericScale
    from hornbeam.scale.executors.base import Executor, Handle
    from hornbeam.scale.parts import Key
    from hornbeam.scale.parts.typed import Rows, Typed
    from hornbeam.scale.source import Source


class Extent(NamedTuple):
    """A column: of numbers the known ones, the least and the greatest; of categories the rows of each."""

    known: int
    low: float
    high: float
    counts: AnyArray


@dataclass(frozen=True)
class Spread:
    """Means and variances of the columns of numbers, by position; exact sums, rounded once."""

    extents: dict[int, Extent]
    means: dict[int, float]
    variances: dict[int, float]
    units: dict[int, float]


@dataclass(frozen=True)
class Placed:
    """A loader: from a key to the numbers and the codes of a partition, on the scale of a measure."""

    typed: Typed
    measure: Measure

    def __call__(self, key: Key) -> dict[str, AnyArray]:
        """The rows of a partition."""
        numbers, codes = self.measure.places(features_of(self.typed(key)))
        return {"numbers": numbers, "codes": codes}


def features_of(rows: Rows) -> Table:
    """The features of all rows of a partition."""
    table = rows.table()
    return table.select(list(table.schema.features))


def sample_of(source: Source, rows: Handle, sizes: dict[Key, int]) -> Table:
    """The features of every n-th row, at most `local_rows` of them."""
    step = max(-(-sum(sizes.values()) // max(source.local_rows, 1)), 1)
    arguments = (first_rows(rows.keys, sizes), step)
    found: dict[Key, list[AnyArray]] = source.executor.map_reduce(rows, _every, arguments, unite)
    columns = [np.concatenate(parts) for parts in zip(*(found[key] for key in rows.keys), strict=True)]
    return Table(source.schema.select(list(source.schema.features)), columns, copy=False)


def _every(rows: Rows, first: dict[Key, int], step: int) -> dict[Key, list[AnyArray]]:
    table = features_of(rows)
    return {rows.key: [column[-first[rows.key] % step :: step].copy() for column in table.columns]}


def spread_of(executor: Executor, rows: Handle, schema: Schema) -> Spread:
    """Means and variances of the features."""
    extents = executor.map_reduce(rows, _extents, (schema,), _add_extents)
    number = [place for place in schema.features if is_number(schema.columns[place]) and extents[place].known]
    units = {place: unit_of(np.array([extents[place].low, extents[place].high])) for place in number}
    counts = np.array([extents[place].known for place in number], object)
    nothing = dict.fromkeys(number, 0.0)
    sums = executor.map_reduce(rows, _sums, (schema, units, nothing, 1), _add_sums)
    means = as_numbers(np.array([sums[place] for place in number], object), counts)
    about = {place: float(mean) for place, mean in zip(number, means, strict=True)}
    squares = executor.map_reduce(rows, _sums, (schema, units, about, 2), _add_sums)
    variances = as_numbers(np.array([squares[place] for place in number], object), counts)
    by_unit = dict(zip(number, variances.tolist(), strict=True))
    return Spread(
        extents,
        {place: mean * units[place] for place, mean in about.items()},
        {place: found * units[place] ** 2 for place, found in by_unit.items()},
        units,
    )


def distance_of(schema: Schema, spread: Spread, numeric: NumericScale, weights: Mapping[str, float] | None) -> Distance:
    """The distance as `Distance.of` learns it from a table, of the features alone."""
    features = schema.select(list(schema.features))
    # two rows with the extremes have the range of the column, and one without any value the kind of the scale
    columns: list[AnyArray] = []
    for place in schema.features:
        column, extent = schema.columns[place], spread.extents[place]
        ends = np.array([extent.low, extent.high]) if extent.known else np.full(2, np.nan)
        if isinstance(column, Nominal):
            ends = np.where(np.isnan(ends), -1, ends) if column.ordered else np.full(2, -1)
        columns.append(ends.astype(np.int32 if isinstance(column, Nominal) else np.float64))
    distance = Distance.of(Table(features, columns), numeric=numeric, missing="ignore", weights=weights)
    scales = {name: getattr(distance, name).copy() for name in ("center", "width", "least", "greatest", "expected")}
    for f, place in enumerate(schema.features):
        extent = spread.extents[place]
        if not is_number(schema.columns[place]):
            shares = extent.counts / max(extent.known, 1)
            scales["expected"][f] = np.sqrt(1 - float(np.sum(shares**2))) if extent.known else 0.0
        elif extent.known:
            deviation = float(np.sqrt(spread.variances[place]))
            if numeric == "deviation":
                mean = spread.means[place]
                scales["center"][f], scales["width"][f] = mean, deviation
                ends = np.array([extent.low - mean, extent.high - mean])
                scales["least"][f], scales["greatest"][f] = ends / deviation if deviation > 0 else (0.0, 0.0)
            width = scales["width"][f]
            scales["expected"][f] = np.sqrt(2.0) * deviation / width if width > 0 else 0.0
    return replace(distance, **scales)


# ---- on workers ----


def _extents(rows: Rows, schema: Schema) -> dict[int, Extent]:
    table = rows.table()
    found = {}
    for place in schema.features:
        column, values = schema.columns[place], table.columns[place]
        counts: AnyArray = np.zeros(0, np.int64)
        if isinstance(column, Nominal):
            counts = np.bincount(values[values >= 0], minlength=len(column.categories)).astype(np.int64)
        numbers = numbers_of(column, values)
        known = numbers[~np.isnan(numbers)]
        found[place] = Extent(len(known), float(known.min(initial=np.inf)), float(known.max(initial=-np.inf)), counts)
    return found


def _add_extents(one: dict[int, Extent], other: dict[int, Extent]) -> dict[int, Extent]:
    return {
        place: Extent(
            here.known + other[place].known,
            min(here.low, other[place].low),
            max(here.high, other[place].high),
            here.counts + other[place].counts,
        )
        for place, here in one.items()
    }


def _sums(rows: Rows, schema: Schema, units: dict[int, float], about: dict[int, float], power: int) -> dict[int, int]:
    """Sums of numbers, or of squares of their differences from means, in units."""
    table = rows.table()
    none = np.zeros(table.n_rows, np.int32)
    found = {}
    for place, unit in units.items():
        values: Floats = numbers_of(schema.columns[place], table.columns[place]) / unit - about[place]
        found[place] = sums_by(none, values if power == 1 else values * values, 1)[0]
    return found


def _add_sums(one: dict[int, int], other: dict[int, int]) -> dict[int, int]:
    return {place: total + other[place] for place, total in one.items()}
