"""The features of a table as small codes, from which forests and boosting learn.

A numeric column with few values keeps them all; otherwise it is cut into bins of about equal weight, by a sample of its
rows. A nominal column keeps its categories, however many there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.core.base.threads import Threads
from hornbeam.core.rows.bin import bin_numbers, code_values
from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.core.base.arrays import AnyArray, Bools, Floats, Indices, Ints32, Ints64, Uints8
    from hornbeam.data.schema import Schema

MOST_BINS = 256  # a code is a byte
SAMPLE_ROWS = 65_536  # sample by which cuts are chosen if a column has many values


@dataclass(frozen=True, eq=False)
class Binned:
    """Codes of every feature, and what they stand for.

    The code `n_bins` of a feature stands for a missing value. A category's code is its own; an ordered nominal column
    has cuts between its codes.
    """

    codes: Uints8  # (features, rows); zeros for a wide one
    wide: dict[int, Ints32]  # codes of features that a byte cannot hold
    n_bins: Ints32
    has_missing: Bools
    nominal: Bools  # whether codes have no order
    coarse: Bools  # whether some bins hold several values
    cuts: tuple[Floats, ...]  # cuts[f][b] separates bin b from b + 1; empty for a nominal feature

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return int(self.codes.shape[0])

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.codes.shape[1])

    @classmethod
    def of(cls, table: Table, max_bins: int = MOST_BINS, n_threads: int = 1, *, exact: bool = False) -> Binned:
        """Bin the features of a table.

        Parameters
        ----------
        table : Table
            Training rows.
        max_bins : int
            The maximum number of codes of a numeric column, including that of a missing value.
        n_threads : int
            Number of threads, each of which bins other columns.
        exact : bool
            Whether every value of a numeric column gets its own code, however many there are.
        """
        features = table.schema.features
        codes = np.empty((len(features), table.n_rows), np.uint8)
        wide: dict[int, Ints32] = {}
        cuts: list[Floats] = [np.empty(0)] * len(features)
        n_bins = np.zeros(len(features), np.int32)
        has_missing = np.zeros(len(features), np.bool_)
        nominal = np.zeros(len(features), np.bool_)
        coarse = np.zeros(len(features), np.bool_)

        def keep(number: int, stored: NDArray[np.integer]) -> None:
            if n_bins[number] + has_missing[number] <= MOST_BINS:
                codes[number] = stored
            else:
                codes[number] = 0
                wide[number] = stored.astype(np.int32)

        def one(number: int) -> None:
            column = table.schema.columns[features[number]]
            values: AnyArray = table.columns[features[number]]
            if exact and not isinstance(column, Nominal):
                distinct, stored = np.unique(values + 0.0, return_inverse=True)
                has_missing[number] = len(distinct) > 0 and bool(np.isnan(distinct[-1]))
                known: Floats = distinct[: len(distinct) - has_missing[number]]
                cuts[number], n_bins[number] = between(known[:-1], known[1:]), max(len(known), 1)
                keep(number, np.where(np.isnan(values), n_bins[number], stored))
                return
            if not isinstance(column, Nominal):
                few = code_values(values, max_bins, codes[number])
                if few is None:
                    coarse[number] = True
                    cuts[number], has_missing[number] = choose_cuts(values, max_bins)
                    bin_numbers(values, cuts[number], len(cuts[number]) + 1, codes[number])
                else:
                    cuts[number], has_missing[number] = between(few[0][:-1], few[0][1:]), few[1]
                n_bins[number] = len(cuts[number]) + 1
                return
            n_bins[number] = len(column.categories)
            has_missing[number] = bool((values < 0).any())
            nominal[number] = not column.ordered
            if column.ordered:
                cuts[number] = np.arange(0.5, len(column.categories) - 1, dtype=np.float64)
            keep(number, np.where(values < 0, n_bins[number], values))

        if n_threads == 1:
            for number in range(len(features)):
                one(number)
        else:
            with Threads(n_threads) as pool:
                list(pool.map(one, range(len(features))))
        return cls(codes, wide, n_bins, has_missing, nominal, coarse, tuple(cuts))


class CodedTable(Table):
    """A table of which only the codes of the features, the target and the weights are in memory.

    Parameters
    ----------
    schema : Schema
        All columns.
    binned : Binned
        The features.
    target : array
        The target of every row.
    """

    __slots__ = ("binned",)

    def __init__(self, schema: Schema, binned: Binned, target: AnyArray) -> None:
        super().__init__(schema, [np.empty(0)] * len(schema.columns))
        self.binned, self.n_rows = binned, len(target)
        assert schema.target is not None
        self.columns = tuple(target if place == schema.target else none for place, none in enumerate(self.columns))

    def _with_schema(self, schema: Schema) -> Table:
        found = CodedTable.__new__(CodedTable)
        found.schema, found.columns, found.n_rows, found.notes = schema, self.columns, self.n_rows, self.notes
        found.declared, found._orders, found.binned = self.declared, self._orders, self.binned
        return found


def binned_of(table: Table, max_bins: int, n_threads: int, *, exact: bool = False) -> Binned:
    """The features of a table as codes; see `Binned.of`."""
    return table.binned if isinstance(table, CodedTable) else Binned.of(table, max_bins, n_threads, exact=exact)


def choose_cuts(values: NDArray[np.floating], max_bins: int) -> tuple[Floats, bool]:
    """The cuts between the bins of a column with many values, by a sample of its rows; and whether some are missing."""
    missing = bool(np.isnan(values).any())
    return cuts_of(values[:: sample_step(len(values))], max_bins - missing), missing


def sample_step(n_rows: int) -> int:
    """Every row with a number that is a multiple of this is in the sample."""
    return max(1, n_rows // SAMPLE_ROWS)


def cuts_of(sample: NDArray[np.floating], n_bins: int) -> Floats:
    """The cuts between the bins of a column, by a sample of its values."""
    known = sample[~np.isnan(sample)].astype(np.float64)
    distinct, counts = np.unique(known, return_counts=True)
    last = _last_of_bins(counts, n_bins)
    return between(distinct[last], distinct[last + 1])


def _last_of_bins(counts: Ints64, n_bins: int) -> Indices:
    """The last value of every bin but the highest.

    A value with at least one bin's weight gets its own bin. Values between two of these get bins of equal weight, in
    proportion to their weight.
    """
    if len(counts) <= n_bins:
        return np.arange(len(counts) - 1)
    heavy = np.zeros(len(counts), np.bool_)
    largest: list[int] = []
    if counts.max() * n_bins >= counts.sum():  # more than half of the bins would leave none for the values between
        largest = np.argsort(-counts, kind="stable")[: (n_bins - 1) // 2].tolist()
    for value in largest:
        if counts[value] * (n_bins - int(heavy.sum())) < counts[~heavy].sum():
            break
        heavy[value] = True
    run = np.cumsum(heavy)[~heavy]  # values between two heavy ones are a run
    weight = np.bincount(run, counts[~heavy])
    filled = np.flatnonzero(weight)
    spare = n_bins - int(heavy.sum()) - len(filled)
    wanted = spare * weight[filled] / weight.sum()
    n_of_run = np.zeros(len(weight))
    n_of_run[filled] = 1 + np.floor(wanted)
    over = spare - int(np.floor(wanted).sum())
    n_of_run[filled[np.argsort(np.floor(wanted) - wanted, kind="stable")[:over]]] += 1
    number = np.arange(len(counts), dtype=np.float64) * (n_bins + 1)  # of heavy values: no two are the same
    light = counts[~heavy]
    before = np.cumsum(light) - light - (np.cumsum(weight) - weight)[run]
    number[~heavy] = -1 - run * (n_bins + 1) - np.floor((before + light / 2) * n_of_run[run] / weight[run])
    return np.flatnonzero(np.diff(number))


def between(low: Floats, high: Floats) -> Floats:
    """Numbers halfway between neighbors; the lower neighbor if rounding would give the higher."""
    with np.errstate(over="ignore"):
        middle = low + (high - low) * 0.5
    middle = np.where(np.isfinite(middle), middle, low * 0.5 + high * 0.5)
    return np.where(middle < high, middle, low)
