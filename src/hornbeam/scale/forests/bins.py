"""The bins of forests and boosting over all partitions: the same as for a table in memory.

A numeric column with few values keeps them all; another is cut by the values of every n-th row, so rows are numbered
over all partitions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hornbeam.core.rows.bin import bin_numbers, code_values
from hornbeam.data.schema import Nominal
from hornbeam.learn.forests.binned import MOST_BINS, between, cuts_of, sample_step
from hornbeam.scale.gather import first_rows, unite

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats
    from hornbeam.data.schema import Schema
    from hornbeam.scale.executors.base import Executor, Handle
    from hornbeam.scale.parts import Key
    from hornbeam.scale.parts.typed import Rows


class Seen(NamedTuple):
    """The values of a column in some partitions."""

    few: Floats | None  # the distinct values, if they are few; for categories always None
    missing: bool


@dataclass(frozen=True)
class Bins:
    """The codes of one feature; the code `n_bins` stands for a missing value."""

    position: int
    n_bins: int
    missing: bool
    nominal: bool  # without an order
    coarse: bool  # some bins hold several values
    cuts: Floats
    values: Floats | None  # of every code, if each value has its own

    @property
    def wide(self) -> bool:
        """Whether a byte cannot hold the codes."""
        return self.n_bins + self.missing > MOST_BINS

    def encode(self, values: AnyArray) -> AnyArray:
        """The codes of values, one or four bytes each."""
        if values.dtype.kind != "f":
            return np.where(values < 0, self.n_bins, values).astype(np.int32 if self.wide else np.uint8)
        codes = np.empty(len(values), np.uint8)
        if self.values is None:
            bin_numbers(values, self.cuts, self.n_bins, codes)
        else:
            codes[:] = np.where(np.isnan(values), self.n_bins, np.searchsorted(self.values, values))
        return codes


def find_bins(
    executor: Executor, rows: Handle, schema: Schema, max_bins: int
) -> tuple[tuple[Bins, ...], dict[Key, int]]:
    """The bins of all features, and the number of rows with a target in every partition."""
    found: tuple[dict[Key, int], dict[int, Seen]] = executor.map_reduce(rows, _look, (max_bins,), _add_looks)
    counts, seen = found
    if not sum(counts.values()):
        raise ValueError("no rows to learn from: every row lacks the target")
    many = tuple(p for p, one in seen.items() if one.few is None and not isinstance(schema.columns[p], Nominal))
    samples = _samples(executor, rows, counts, many) if many else {}
    return tuple(_bins_of(schema, place, seen[place], samples, max_bins) for place in schema.features), counts


def _bins_of(schema: Schema, place: int, seen: Seen, samples: dict[int, Floats], max_bins: int) -> Bins:
    column, none = schema.columns[place], np.empty(0)
    if isinstance(column, Nominal):
        n = len(column.categories)
        cuts = np.arange(0.5, n - 1, dtype=np.float64) if column.ordered else none
        return Bins(place, n, seen.missing, not column.ordered, coarse=False, cuts=cuts, values=None)
    if seen.few is not None:
        cuts = between(seen.few[:-1], seen.few[1:])
        return Bins(place, len(cuts) + 1, seen.missing, nominal=False, coarse=False, cuts=cuts, values=seen.few)
    cuts = cuts_of(samples[place], max_bins - seen.missing)
    return Bins(place, len(cuts) + 1, seen.missing, nominal=False, coarse=True, cuts=cuts, values=None)


# ---- on workers ----


def _look(rows: Rows, max_bins: int) -> tuple[dict[Key, int], dict[int, Seen]]:
    found = {}
    for position in rows.schema.features:
        values = rows.usable_column(position)
        if values.dtype.kind != "f":
            found[position] = Seen(None, bool((values < 0).any()))
            continue
        few = code_values(values, max_bins, np.empty(len(values), np.uint8)) if len(values) else (values, False)
        missing = bool(np.isnan(values).any()) if few is None else few[1]
        found[position] = Seen(None if few is None else few[0], missing)
    return {rows.key: int(rows.usable.sum())}, {
        p: _few_enough(one, rows.schema, p, max_bins) for p, one in found.items()
    }


def _few_enough(one: Seen, schema: Schema, position: int, max_bins: int) -> Seen:
    """The same without the values, if they are too many (a missing one counts too)."""
    if isinstance(schema.columns[position], Nominal) or one.few is None or len(one.few) + one.missing <= max_bins:
        return one
    return one._replace(few=None)


def _add_looks(
    one: tuple[dict[Key, int], dict[int, Seen]], other: tuple[dict[Key, int], dict[int, Seen]]
) -> tuple[dict[Key, int], dict[int, Seen]]:
    merged = {}
    for position, here in one[1].items():
        there = other[1][position]
        few = None if here.few is None or there.few is None else np.union1d(here.few, there.few)
        missing = here.missing or there.missing
        if few is not None and len(few) + missing > MOST_BINS:
            few = None
        merged[position] = Seen(few, missing)
    return one[0] | other[0], merged


def _samples(executor: Executor, rows: Handle, counts: dict[Key, int], many: tuple[int, ...]) -> dict[int, Floats]:
    """The values of every n-th row, in the order of the rows."""
    step = sample_step(sum(counts.values()))
    arguments = (first_rows(rows.keys, counts), step, many)
    found: dict[Key, dict[int, Floats]] = executor.map_reduce(rows, _sample, arguments, unite)
    return {place: np.concatenate([found[key][place] for key in rows.keys]) for place in many}


def _sample(rows: Rows, first: dict[Key, int], step: int, many: tuple[int, ...]) -> dict[Key, dict[int, Any]]:
    start = -first[rows.key] % step
    return {rows.key: {place: rows.usable_column(place)[start::step].copy() for place in many}}
