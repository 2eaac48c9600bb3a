"""Exact quantiles of all partitions: values are counted by the leading bits of a pattern that sorts in the same order.

Counts are integers, so the result depends neither on the partitions nor on their order. Only the cells that contain a
quantile are refined, until few values are left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import AnyArray, Floats, Ints64, Uints64
    from hornbeam.scale.executors.base import Executor, Handle
    from hornbeam.scale.parts.typed import Rows

FIRST_BITS = 16
MORE_BITS = 8
ALL_BITS = 64
FEW = 100_000  # if at most this many values are left in cells with quantiles, the values are sent


def patterns(values: Floats) -> Uints64:
    """Integers in the order of the values.

    Examples
    --------
    >>> import numpy as np
    >>> bool((np.diff(patterns(np.array([-np.inf, -2.0, -0.5, 0.0, 1e-300, 3.0])).astype(object)) > 0).all())
    True
    """
    bits = np.ascontiguousarray(values, np.float64).view(np.uint64)
    negative = (bits.view(np.int64) >> 63).view(np.uint64)  # all bits of negative numbers, none of others
    return bits ^ (negative | np.uint64(1 << 63))


def numbers(found: Uints64) -> Floats:
    """The values of patterns."""
    top = np.uint64(1 << 63)
    return np.where(found & top, found & ~top, ~found).view(np.float64)


Cells = tuple["Uints64", "Ints64"]  # leading bits, and how many values have them
Refined = tuple[int, "Uints64"]  # number of known bits, and the leading bits of the cells that are refined


def quantiles(
    executor: Executor, rows: Handle, known: dict[int, int], count: int, first: Mapping[int, Cells] | None = None
) -> dict[int, Floats]:
    """Distinct values at the ranks n / count, 2 n / count, ..., n of every column.

    Parameters
    ----------
    executor : Executor Counts the values. rows : Handle
        Partitions of rows.
    known : dict
        The number of known values, by position of the column.
    count : int
        Number of quantiles; the last one is the maximum.
    first : mapping, optional
        For each column how many values have the same leading bits, if that was counted before; see `leading`.
    """
    ranks = {p: np.unique([-(-n * i // count) for i in range(1, count + 1)]) for p, n in known.items()}
    below = {p: np.zeros(len(ranks[p]), np.int64) for p in known}  # number of values before the cell of each rank
    cells: dict[int, Refined] = {p: (0, np.zeros(1, np.uint64)) for p in known}
    prefix = {p: np.zeros(len(ranks[p]), np.uint64) for p in known}
    found: dict[int, Floats] = {}
    few: dict[int, Refined] = {}
    while cells:
        counts: dict[int, Ints64] = {}
        if first is not None and all(bits == 0 for bits, _ in cells.values()):
            counts = {position: _dense(first[position]) for position in cells}
        else:
            counts = executor.map_reduce(rows, count_cells, (cells,), add_counts)
        left: dict[int, Refined] = {}
        for position, (bits, heads) in cells.items():
            more = FIRST_BITS if bits == 0 else MORE_BITS
            resolved = bits + more
            table = counts[position].reshape(len(heads), -1)
            inside = _descend(table, heads, prefix[position], ranks[position], below[position], more)
            distinct = np.unique(prefix[position])
            if resolved == ALL_BITS:
                found[position] = numbers(distinct)
            elif inside <= FEW:
                few[position] = (resolved, distinct)
            else:
                left[position] = (resolved, distinct)
        cells = left
    if few:
        values = executor.map_reduce(rows, values_in_cells, (few,), merge_values)
        for position, one in few.items():
            inner = ranks[position] - below[position]
            found[position] = _among(values[position], one, prefix[position], inner)
    return {p: found[p] for p in known}


def leading(values: Floats) -> Cells:
    """The leading bits of the patterns of known values, and how many values have them."""
    counts = np.bincount((patterns(values) >> np.uint64(ALL_BITS - FIRST_BITS)).astype(np.int64))
    heads = np.flatnonzero(counts)
    return heads.astype(np.uint64), counts[heads].astype(np.int64)


def add_leading(one: Cells, other: Cells) -> Cells:
    """The sums of both."""
    total = _dense(one) + _dense(other)
    heads = np.flatnonzero(total)
    return heads.astype(np.uint64), total[heads]


def _dense(cells: Cells) -> Ints64:
    total = np.zeros(1 << FIRST_BITS, np.int64)
    total[cells[0].astype(np.int64)] = cells[1]
    return total


def _descend(table: Ints64, heads: Uints64, prefix: Uints64, ranks: Ints64, below: Ints64, more: int) -> int:
    """Find the smaller cell of every rank; return how many values are in these cells."""
    place = np.searchsorted(heads, prefix)
    total = np.cumsum(table, axis=1)
    inside: dict[int, int] = {}
    for i, (cell, rank) in enumerate(zip(place.tolist(), (ranks - below).tolist(), strict=True)):
        part = int(np.searchsorted(total[cell], rank))
        below[i] += int(total[cell, part]) - int(table[cell, part])
        prefix[i] = (prefix[i] << np.uint64(more)) | np.uint64(part)
        inside[int(prefix[i])] = int(table[cell, part])
    return sum(inside.values())


def _among(counted: tuple[Uints64, Ints64], cells: Refined, prefix: Uints64, ranks: Ints64) -> Floats:
    """The values at these ranks of their cells."""
    values, counts = counted
    heads = values >> np.uint64(ALL_BITS - cells[0])
    result = np.empty(len(prefix), np.uint64)
    for i, (head, rank) in enumerate(zip(prefix, ranks.tolist(), strict=True)):
        start, stop = np.searchsorted(heads, head), np.searchsorted(heads, head, side="right")
        result[i] = values[start + np.searchsorted(np.cumsum(counts[start:stop]), rank)]
    return numbers(np.unique(result))


def _in_cells(rows: Rows, position: int, cells: Refined) -> tuple[Uints64, AnyArray]:
    """The patterns in cells that are refined, and the index of the cell of each."""
    bits, heads = cells
    values = rows.usable_column(position)
    found = patterns(values[~np.isnan(values)])
    if bits == 0:
        return found, np.zeros(len(found), np.int64)
    top = found >> np.uint64(ALL_BITS - bits)
    # looked up by the last bits; those that several heads share are searched
    last = np.uint64((1 << FIRST_BITS) - 1)
    table = np.full(1 << FIRST_BITS, -1, np.int32)
    own = (heads & last).astype(np.int64)
    table[own] = np.arange(len(heads))
    shared = np.flatnonzero(np.bincount(own, minlength=len(table)) > 1)
    table[shared] = len(heads)
    place = table[(top & last).astype(np.int64)]
    inside = np.flatnonzero(place >= 0)
    found, top, place = found[inside], top[inside], place[inside]
    unclear = np.flatnonzero(place == len(heads))
    place[unclear] = np.minimum(np.searchsorted(heads, top[unclear]), len(heads) - 1)
    inside = np.flatnonzero(heads[place] == top)
    return found[inside], place[inside].astype(np.int64)


def count_cells(rows: Rows, cells: dict[int, Refined]) -> dict[int, Ints64]:
    """How many values each part of each cell has."""
    counts: dict[int, Ints64] = {}
    for position, (bits, heads) in cells.items():
        more = FIRST_BITS if bits == 0 else MORE_BITS
        found, place = _in_cells(rows, position, (bits, heads))
        part = (found >> np.uint64(ALL_BITS - bits - more)) & np.uint64((1 << more) - 1)
        index = (place << more) | part.astype(np.int64)
        counts[position] = np.bincount(index, minlength=len(heads) << more).astype(np.int64)
    return counts


def values_in_cells(rows: Rows, cells: dict[int, Refined]) -> dict[int, tuple[Uints64, Ints64]]:
    """The values in some cells, as patterns, and how often each occurs."""
    return {
        position: np.unique(_in_cells(rows, position, one)[0], return_counts=True) for position, one in cells.items()
    }


def add_counts(one: dict[int, Ints64], other: dict[int, Ints64]) -> dict[int, Ints64]:
    """Sums of counts by key; a key that only one has is kept."""
    for key, counts in other.items():
        one[key] = one[key] + counts if key in one else counts
    return one


def merge_values(
    one: dict[int, tuple[Uints64, Ints64]], other: dict[int, tuple[Uints64, Ints64]]
) -> dict[int, tuple[Uints64, Ints64]]:
    """Values of both, with their counts added."""
    merged = {}
    for key, (values, counts) in one.items():
        distinct, place = np.unique(np.concatenate([values, other[key][0]]), return_inverse=True)
        total = np.zeros(len(distinct), np.int64)
        np.add.at(total, place, np.concatenate([counts, other[key][1]]))
        merged[key] = (distinct, total)
    return merged
