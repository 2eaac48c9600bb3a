"""Means and deviations of the columns, and the order of the categories by their mean target, from exact sums."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.learn.trees.model_trees.model_tree import Places
from hornbeam.scale.folds import part_of
from hornbeam.scale.linear.exact import exact_sum, exact_sums
from hornbeam.scale.parts.typed import Typed
from hornbeam.scale.trees.numbers import Span, Sums

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Indices, Ints64
    from hornbeam.data.schema import Schema
    from hornbeam.model.linear.linear import Factor
    from hornbeam.scale.linear.exact import Counts
    from hornbeam.scale.parts.typed import Rows
    from hornbeam.scale.source import Source


class Spread(NamedTuple):
    """Of a numeric column: the mean and the standard deviation of its known values, or 1 if they are all equal."""

    middle: float
    unit: float
    low: float
    high: float


@dataclass(frozen=True)
class Columns:
    """What the passes over all rows found, by position of the column."""

    spreads: dict[int, Spread]  # of numeric columns with a known value, and of the target
    counts: dict[int, Ints64]  # rows by category
    orders: dict[int, Indices]  # the category of each rank; ordered columns have none

    def places(self, factors: list[Factor]) -> Places:
        """The places of inputs; see `places_of`."""
        found = Places(np.zeros(len(factors)), np.zeros(len(factors)), np.ones(len(factors)))
        for place, factor in enumerate(factors):
            if factor.codes is None:
                own = self.spreads[factor.column]
                found.fills[place], found.center[place], found.scale[place] = own.middle, own.middle, own.unit
            else:
                counts = self.counts[factor.column]
                found.fills[place] = counts[list(factor.codes)].sum() / counts.sum() if counts.sum() else 0.0
        return found


def examine(source: Source) -> Columns:
    """Two passes over all rows: the extents of the numeric columns, and then sums."""
    schema, executor = source.schema, source.executor
    assert schema.target is not None
    rows = executor.load(source.typed, source.keys)
    extents: dict[int, tuple[float, float]] = executor.map_reduce(rows, _extents, (), _widen)
    if extents[schema.target][0] > extents[schema.target][1]:
        raise ValueError("no rows to learn from: every row lacks the target")
    spans = {place: Span.of(*ends) for place, ends in extents.items() if ends[0] <= ends[1]}
    sums: dict[Any, Any] = executor.map_reduce(rows, _sums, (spans,), _add)
    spreads = {}
    for place, span in spans.items():
        mean, squares = sums[place].values(span)
        deviation = float(np.sqrt(squares / sums[place].rows))
        spreads[place] = Spread(mean, deviation if deviation > 0 else 1.0, *extents[place])
    counts, orders = {}, {}
    for place in schema.features:
        column = schema.columns[place]
        if isinstance(column, Nominal):
            counts[place], totals = sums[place, "rows"], sums[place, "total"]
            if not column.ordered:
                orders[place] = _order(counts[place], totals)
    return Columns(spreads, counts, orders)


def _order(counts: Ints64, totals: Counts) -> Indices:
    """The categories by rising mean; those without rows have the mean of all rows."""
    rows = int(counts.sum())
    overall = int(totals.sum()) / rows if rows else 0.0
    means = [int(total) / int(count) if count else overall for total, count in zip(totals, counts, strict=True)]
    return np.argsort(np.array(means), kind="stable")


def _extents(rows: Rows) -> dict[int, tuple[float, float]]:
    found = {}
    for place in _numbers(rows.schema):
        values = rows.usable_column(place)
        values = values[~np.isnan(values)]
        found[place] = (float(values.min(initial=np.inf)), float(values.max(initial=-np.inf)))
    return found


def _widen(one: dict[int, Any], other: dict[int, Any]) -> dict[int, Any]:
    return {place: (min(low, other[place][0]), max(high, other[place][1])) for place, (low, high) in one.items()}


def _numbers(schema: Schema) -> list[int]:
    """Positions of numeric features, and of the target."""
    assert schema.target is not None
    return [place for place in schema.features if not isinstance(schema.columns[place], Nominal)] + [schema.target]


def _sums(rows: Rows, spans: dict[int, Span]) -> dict[Any, Any]:
    """Sums of numeric columns and their squares; of nominal ones rows and sums of the target by category."""
    schema = rows.schema
    assert schema.target is not None
    found: dict[Any, Any] = {}
    for place, span in spans.items():
        values = rows.usable_column(place)
        values = values[~np.isnan(values)]
        shares = span.shares(values)
        ends = float(values.min(initial=np.inf)), float(values.max(initial=-np.inf))
        found[place] = Sums(len(values), exact_sum(shares), exact_sum(shares * shares), *ends)
    target = spans[schema.target].shares(rows.usable_column(schema.target))
    for place in schema.features:
        column = schema.columns[place]
        if isinstance(column, Nominal):
            codes, n_codes = rows.usable_column(place), len(column.categories)
            known = codes >= 0
            found[place, "rows"] = np.bincount(codes[known], minlength=n_codes).astype(np.int64)
            found[place, "total"] = exact_sums(target[known], codes[known], n_codes)
    return found


def _add(one: dict[Any, Any], other: dict[Any, Any]) -> dict[Any, Any]:
    return {key: sums.plus(other[key]) if isinstance(sums, Sums) else sums + other[key] for key, sums in one.items()}


# ---- ranks of categories ----


def ranked(source: Source, columns: Columns) -> Source:
    """The source in which nominal columns are ordered, so that the code of a category is its rank."""
    kinds = list(source.schema.columns)
    for place, order in columns.orders.items():
        kind = kinds[place]
        assert isinstance(kind, Nominal)
        kinds[place] = Nominal(kind.name, tuple(kind.categories[code] for code in order), ordered=True)
    schema = replace(source.schema, columns=tuple(kinds))
    return part_of(source, schema=schema, typed=Typed(source.typed.parts, schema))


def unranked(table: Table, schema: Schema, columns: Columns) -> Table:
    """The rows of a ranked table with the codes of a schema again."""
    found = list(table.columns)
    for place, order in columns.orders.items():
        found[place] = np.append(order, -1).astype(np.int32)[found[place]]
    return Table(schema, found, copy=False)
