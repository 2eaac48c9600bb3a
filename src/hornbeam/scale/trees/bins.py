"""The codes for the values of each column: one per value, or one per interval between quantiles."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.core.rows.bin import bin_numbers
from hornbeam.data.schema import Nominal
from hornbeam.scale.trees.quantiles import add_leading, leading, quantiles

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats, Ints64
    from hornbeam.data.schema import Schema
    from hornbeam.scale.executors.base import Executor, Handle
    from hornbeam.scale.parts.typed import Rows
    from hornbeam.scale.trees.quantiles import Cells

FIRST_ROWS = 10_000  # rows whose distinct values are counted before all rows are read


@dataclass(frozen=True)
class Coding:
    """The codes of one column; the code after the last one means missing."""

    position: int
    nominal: bool  # categories without an order
    # the smallest and the largest value of every code; for categories their codes
    lower: Floats
    upper: Floats
    exact: bool  # every value has its own code
    lacking: bool  # some value is missing

    @property
    def n_codes(self) -> int:
        """The number of codes, not counting the one for missing."""
        return len(self.upper)

    @property
    def kind(self) -> type:
        """The integer type of the codes."""
        return np.uint8 if self.n_codes < np.iinfo(np.uint8).max else np.uint16

    def encode(self, values: AnyArray) -> AnyArray:
        """The codes of values."""
        if values.dtype.kind != "f":
            return np.where(values < 0, self.n_codes, values).astype(self.kind)
        if self.kind is np.uint8 and self.n_codes:
            few = np.empty(len(values), np.uint8)
            bin_numbers(values, self.upper[:-1], self.n_codes, few)
            return few
        codes = np.searchsorted(self.upper, values)
        codes[np.isnan(values)] = self.n_codes
        return codes.astype(self.kind)

    def least(self, values: Floats, codes: AnyArray) -> Floats:
        """The smallest of some values with each code."""
        found = np.full(self.n_codes, np.inf)
        known = codes < self.n_codes
        every = known.all()
        np.minimum.at(found, codes if every else codes[known], values if every else values[known])
        return found


@dataclass(frozen=True)
class Summary:
    """The result of one pass over all rows: class counts, and the values of each column."""

    classes: Ints64  # rows by class; of a numeric target, all rows
    # by position: the distinct values if they are few, else None; the number of known values
    distinct: dict[int, Floats | None]
    known: dict[int, int]
    omitted: int = 0  # rows with a target, but without any value
    extent: tuple[float, float] = (np.inf, -np.inf)  # of a numeric target
    cells: dict[int, Cells] | None = None  # by position of a numeric column, how many values have the same leading bits

    @property
    def n_rows(self) -> int:
        """Rows with a target."""
        return int(self.classes.sum())


def summarize(executor: Executor, rows: Handle, schema: Schema, most: int) -> Summary:
    """Count the classes, and the distinct values of columns up to a number."""
    summary: Summary | None = executor.map_reduce(rows, _summary, (schema.features, most), _add_summaries)
    assert summary is not None
    if not summary.n_rows:
        raise ValueError("no rows to learn from: every row lacks the target")
    # each partition may have few values, but all together many
    few = {p: None if values is None or len(values) > most else values for p, values in summary.distinct.items()}
    return replace(summary, distinct=few)


def _summary(rows: Rows, features: tuple[int, ...], most: int) -> Summary:
    position = rows.schema.target
    assert position is not None
    target, labels = rows.schema.columns[position], rows.usable_column(position)
    extent = (np.inf, -np.inf)
    if isinstance(target, Nominal):
        classes = np.bincount(labels, minlength=len(target.categories)).astype(np.int64)
    else:
        classes = np.array([len(labels)], np.int64)
        extent = (float(labels.min(initial=np.inf)), float(labels.max(initial=-np.inf)))
    distinct: dict[int, Floats | None] = {}
    known: dict[int, int] = {}
    cells: dict[int, Cells] = {}
    for feature in features:
        values = rows.usable_column(feature)
        if values.dtype.kind != "f":
            known[feature] = int((values >= 0).sum())
            continue
        values = values[~np.isnan(values)]
        known[feature] = len(values)
        few = np.unique(values[:FIRST_ROWS])
        few = few if len(few) > most else np.unique(values)
        distinct[feature] = few if len(few) <= most else None
        cells[feature] = leading(values)
    omitted = int(rows.has_target.sum()) - int(rows.usable.sum())
    return Summary(classes, distinct, known, omitted, extent, cells)


def _add_summaries(one: Summary, other: Summary) -> Summary:
    distinct: dict[int, Floats | None] = {}
    for position, values in one.distinct.items():
        more = other.distinct[position]
        distinct[position] = None if values is None or more is None else np.union1d(values, more)
    known = {position: count + other.known[position] for position, count in one.known.items()}
    omitted = one.omitted + other.omitted
    extent = (min(one.extent[0], other.extent[0]), max(one.extent[1], other.extent[1]))
    cells = {position: add_leading(own, (other.cells or {})[position]) for position, own in (one.cells or {}).items()}
    return Summary(one.classes + other.classes, distinct, known, omitted, extent, cells)


def codings(executor: Executor, rows: Handle, schema: Schema, summary: Summary, most: int) -> list[Coding]:
    """The codes of all features; the smallest values of intervals are not known yet."""
    many = {position: summary.known[position] for position, values in summary.distinct.items() if values is None}
    edges = quantiles(executor, rows, many, most, summary.cells) if many else {}
    return codings_from(schema, summary, {position: (upper, upper) for position, upper in edges.items()})


def with_least(coding: Coding, least: Floats) -> Coding:
    """The codes with the smallest value of each, if they are intervals."""
    return coding if coding.exact else replace(coding, lower=least)


def codings_from(schema: Schema, summary: Summary, extents: dict[int, tuple[Floats, Floats]]) -> list[Coding]:
    """The codes of all features; `extents` has the intervals of columns with many values."""
    result = []
    for position in schema.features:
        column = schema.columns[position]
        lacking = summary.known[position] < summary.n_rows
        if isinstance(column, Nominal):
            codes = np.arange(len(column.categories), dtype=np.float64)
            result.append(Coding(position, not column.ordered, codes, codes, exact=True, lacking=lacking))
        elif position in extents:
            lower, upper = extents[position]
            result.append(Coding(position, nominal=False, lower=lower, upper=upper, exact=False, lacking=lacking))
        else:
            values = summary.distinct[position]
            assert values is not None
            result.append(Coding(position, nominal=False, lower=values, upper=values, exact=True, lacking=lacking))
    return result


def fingerprint(schema: Schema, summary: Summary) -> str:
    """A digest of the summary, which does not depend on the partitions or on the order of rows."""
    digest = hashlib.sha256(repr((schema.names, schema.roles, summary.classes.tolist())).encode())
    if not isinstance(schema.target_column, Nominal):
        digest.update(repr(summary.extent).encode())
    for position, count in sorted(summary.known.items()):
        digest.update(repr((position, count)).encode())
        values = summary.distinct.get(position)
        digest.update(b"" if values is None else np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()
