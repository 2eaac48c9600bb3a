"""A linear equation from sums over partitions: the moments of its terms.

All sums are sums of integers, so the equation depends neither on the partitions nor on the order of rows. It differs
from the one learned in memory only by rounding.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hornbeam.data.errors import DataError
from hornbeam.data.schema import Nominal
from hornbeam.learn.linear.least_squares import Moments, standardized, unit_of
from hornbeam.learn.linear.terms import TermColumn, by_rising_value
from hornbeam.model.linear.linear import Factor, Term
from hornbeam.scale.linear.exact import BLOCK_ROWS, as_number, exact_sum

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats
    from hornbeam.data.schema import Schema
    from hornbeam.model.linear.linear import LinearModel
    from hornbeam.scale.parts.typed import Rows
    from hornbeam.scale.source import Source

Sums = dict[Any, Any]


class Place(NamedTuple):
    """The location of a term: a unit from its smallest and largest value, its mean and its deviation."""

    unit: float
    center: float
    scale: float


def learn_linear(source: Source, estimator: Any) -> tuple[LinearModel, str]:
    """Return the equation that an estimator learns from a source, and a digest of the data."""
    estimator._check_scanned()
    schema, executor = source.schema, source.executor
    assert schema.target is not None
    rows = executor.load(source.typed, source.keys)

    def summed(function: Any, *arguments: Any) -> Sums:
        found: Sums = executor.map_reduce(rows, function, arguments, _add)
        return found

    extent = executor.map_reduce(rows, _extents, (), _widen)
    n_rows = extent[schema.target][0]
    if not n_rows:
        raise ValueError("no rows to learn from: every row lacks the target")
    units = {place: unit_of(np.array([low, high])) for place, (count, low, high) in extent.items() if count}
    for place, unit in units.items():
        if not np.isfinite(unit):
            raise DataError("infinite values; expected numbers", column=schema.columns[place].name)
    first = summed(_first_sums, units)
    terms = [(factor,) for place in schema.features for factor in _factors(schema, place, extent, units, first)]
    means = summed(_means, terms, units)
    places = [_at(number, n_rows, units, schema, terms, means) for number in range(len(terms) + 1)]
    squares = summed(_squares, terms, places)
    places = [
        place._replace(scale=float(np.sqrt(as_number(squares[number], n_rows))) * place.unit)
        for number, place in enumerate(places)
    ]
    products = summed(_products, terms, places)
    count = len(terms) + 1
    matrix = np.zeros((count, count))
    for (i, j), total in products.items():
        matrix[i, j] = matrix[j, i] = as_number(total)
    digest = hashlib.sha256(repr((schema.names, sorted(first.items(), key=str), n_rows)).encode()).hexdigest()
    found = Moments(
        np.ascontiguousarray(matrix[:-1, :-1]), matrix[:-1, -1].copy(), float(matrix[-1, -1]), float(n_rows),
        np.array([place.center for place in places[:-1]]), np.array([place.scale for place in places[:-1]]),
        places[-1].center, places[-1].scale,
    )  # fmt: skip
    return estimator._from_moments(schema, terms, found, n_rows), digest


def _add(one: Sums, other: Sums) -> Sums:
    return {key: one.get(key, 0) + other.get(key, 0) for key in {**one, **other}}


# ---- columns ----


def _numbers(schema: Schema) -> list[int]:
    """Positions of numeric features, and of the target."""
    assert schema.target is not None
    return [place for place in schema.features if not isinstance(schema.columns[place], Nominal)] + [schema.target]


def _extents(rows: Rows) -> dict[int, tuple[int, float, float]]:
    found = {}
    for place in _numbers(rows.schema):
        values = rows.usable_column(place)
        values = values[~np.isnan(values)]
        found[place] = (len(values), float(values.min(initial=np.inf)), float(values.max(initial=-np.inf)))
    return found


def _widen(one: dict[int, Any], other: dict[int, Any]) -> dict[int, Any]:
    return {
        place: (count + other[place][0], min(low, other[place][1]), max(high, other[place][2]))
        for place, (count, low, high) in one.items()
    }


def _first_sums(rows: Rows, units: dict[int, float]) -> Sums:
    """Sums of numeric columns, and of the target by category; rows by category."""
    schema = rows.schema
    assert schema.target is not None
    found: Sums = {}
    for place, unit in units.items():
        values = rows.usable_column(place)
        found[place] = exact_sum(values[~np.isnan(values)] / unit)
    target = rows.usable_column(schema.target) / units[schema.target]
    for place in schema.features:
        if isinstance(schema.columns[place], Nominal):
            codes = rows.usable_column(place)
            for code in np.unique(codes[codes >= 0]).tolist():
                own = target[codes == code]
                found[place, code] = exact_sum(own)
                found[place, code, "rows"] = len(own)
    return found


def _factors(schema: Schema, place: int, extent: dict[int, Any], units: dict[int, float], sums: Sums) -> list[Factor]:
    """The factors of a feature, as in memory: a number, or ordered indicators."""
    column = schema.columns[place]
    if not isinstance(column, Nominal):
        count, low, high = extent[place]
        return [Factor(place, fill=as_number(sums[place], count) * units[place])] if count and low < high else []
    rows = [sums.get((place, code, "rows"), 0) for code in range(len(column.categories))]
    totals = [sums.get((place, code), 0) for code in range(len(column.categories))]
    if not sum(rows):
        return []
    overall = as_number(sum(totals), sum(rows))
    means = np.array([as_number(t, n) if n else overall for t, n in zip(totals, rows, strict=True)])
    rising = by_rising_value(means)
    counted = np.array(rows, float)
    share_from = np.cumsum(counted[rising][::-1])[::-1] / counted.sum()
    return [
        Factor(place, tuple(int(code) for code in rising[i:]), fill=float(share_from[i]))
        for i in range(1, len(rows))
        if 0 < share_from[i] < 1 and counted[rising[i - 1]] > 0
    ]


# ---- terms ----


def _columns(rows: Rows, terms: list[tuple[Factor, ...]]) -> list[Floats]:
    """The columns of the terms, and the target."""
    table = rows.table(rows.usable)
    return [*(TermColumn(Term(1.0, term), table)[:] for term in terms), table.target_values()]


def _unit(number: int, schema: Schema, terms: list[tuple[Factor, ...]], units: dict[int, float]) -> float:
    assert schema.target is not None
    place = schema.target if number == len(terms) else terms[number][0].column
    return units.get(place, 1.0)


def _means(rows: Rows, terms: list[tuple[Factor, ...]], units: dict[int, float]) -> Sums:
    columns = _columns(rows, terms)
    return {
        number: exact_sum(values / _unit(number, rows.schema, terms, units)) for number, values in enumerate(columns)
    }


def _at(number: int, n_rows: int, units: dict[int, float], schema: Schema, terms: Any, means: Sums) -> Place:
    unit = _unit(number, schema, terms, units)
    return Place(unit, as_number(means[number], n_rows) * unit, 0.0)


def _squares(rows: Rows, terms: list[tuple[Factor, ...]], places: list[Place]) -> Sums:
    found = {}
    for number, (values, place) in enumerate(zip(_columns(rows, terms), places, strict=True)):
        found[number] = exact_sum(np.square(values / place.unit - place.center / place.unit))
    return found


def _products(rows: Rows, terms: list[tuple[Factor, ...]], places: list[Place]) -> Sums:
    columns = _columns(rows, terms)
    found: Sums = {}
    for start in range(0, len(columns[-1]), BLOCK_ROWS):
        here = [
            standardized(values[start : start + BLOCK_ROWS], place.center, place.scale)
            for values, place in zip(columns, places, strict=True)
        ]
        for i, one in enumerate(here):
            for j in range(i, len(here)):
                found[i, j] = found.get((i, j), 0) + exact_sum(one * here[j])
    return found
