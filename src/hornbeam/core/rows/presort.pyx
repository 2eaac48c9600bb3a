"""Sort one numeric column once: rows with a known value, by ascending value, ties by row.

A radix sort on an order-preserving integer key (rows/sort.h). -0.0 and 0.0 are the same value and
get the same key; missing values (NaN) are left out.
"""

import numpy as np

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from hornbeam.core.rows.sort cimport hb_ordered_bits, hb_radix_sort

cdef enum:
    DIGIT_BITS = 11
    NARROW_DIGITS = 3  # cover a 32-bit key
    WIDE_DIGITS = 6  # cover a 64-bit key


cdef struct Keyed:
    uint64_t key
    uint32_t row


cdef inline uint64_t ordered_key(double value) noexcept nogil:
    """An integer with the same order as the value."""
    cdef uint64_t bits
    if value == 0.0:
        value = 0.0  # -0.0 becomes 0.0
    memcpy(&bits, &value, 8)
    return hb_ordered_bits(bits)


cdef inline uint32_t ordered_narrow_key(float value) noexcept nogil:
    cdef uint32_t bits
    if value == 0.0:
        value = 0.0
    memcpy(&bits, &value, 4)
    if bits >> 31:
        return ~bits
    return bits | (<uint32_t>1 << 31)


cdef bint fit_in_float(const double* values, int64_t n) noexcept nogil:
    """Whether every known value is a float32."""
    cdef int64_t i
    for i in range(n):
        if values[i] == values[i] and <double>(<float>values[i]) != values[i]:
            return False
    return True


cdef int64_t sort_narrow(const double* values, int64_t n_rows, uint64_t* current, uint64_t* other, uint32_t* counts,
                         uint32_t* order) noexcept nogil:
    """Sort values that are float32, as key and row in one word; returns the number of known rows."""
    cdef int64_t n_known = 0, i
    cdef const uint64_t* found
    for i in range(n_rows):
        if values[i] == values[i]:
            current[n_known] = <uint64_t>ordered_narrow_key(<float>values[i]) << 32 | <uint64_t>i
            n_known += 1
    found = <const uint64_t*>hb_radix_sort(current, other, n_known, sizeof(uint64_t), False, 32, DIGIT_BITS,
                                           NARROW_DIGITS, counts)
    for i in range(n_known):
        order[i] = <uint32_t>found[i]
    return n_known


cdef int64_t sort_wide(const double* values, int64_t n_rows, Keyed* current, Keyed* other, uint32_t* counts,
                       uint32_t* order) noexcept nogil:
    """Sort any values; returns the number of known rows.

    After sorting by the upper half of the keys, only few values are out of place, and those are close to each other.
    Only if there are too many are the lower digits sorted as well.
    """
    cdef int64_t n_known, i
    cdef Keyed* found
    n_known = fill_keys(values, n_rows, current)
    found = <Keyed*>hb_radix_sort(current, other, n_known, sizeof(Keyed), False, WIDE_DIGITS // 2 * DIGIT_BITS,
                                  DIGIT_BITS, WIDE_DIGITS // 2, counts)
    if not settle_neighbors(found, n_known):
        fill_keys(values, n_rows, current)
        found = <Keyed*>hb_radix_sort(current, other, n_known, sizeof(Keyed), False, 0, DIGIT_BITS, WIDE_DIGITS, counts)
    for i in range(n_known):
        order[i] = found[i].row
    return n_known


cdef int64_t fill_keys(const double* values, int64_t n_rows, Keyed* keys) noexcept nogil:
    """The keys of the rows with a known value; returns how many."""
    cdef int64_t n_known = 0, i
    for i in range(n_rows):
        if values[i] == values[i]:
            keys[n_known].key = ordered_key(values[i])
            keys[n_known].row = <uint32_t>i
            n_known += 1
    return n_known


cdef bint settle_neighbors(Keyed* sorted_above, int64_t n) noexcept nogil:
    """Put values with the same upper digits in order, by insertion; False if that would take too long."""
    cdef int64_t i, j, steps = 8 * n
    cdef Keyed moved
    for i in range(1, n):
        if sorted_above[i].key < sorted_above[i - 1].key:
            moved = sorted_above[i]
            j = i
            while j > 0 and sorted_above[j - 1].key > moved.key:
                sorted_above[j] = sorted_above[j - 1]
                j -= 1
            sorted_above[j] = moved
            steps -= i - j
            if steps < 0:
                return False
    return True


class Workroom:
    """Memory for sorting columns of one length, reused from column to column (by one thread at a time)."""

    def __init__(self, n_rows):
        self.counts = np.empty(WIDE_DIGITS << DIGIT_BITS, np.uint32)
        self.words = np.empty((2, n_rows), np.uint64)

    def for_records(self):
        """The larger memory needed for values that are not float32."""
        n_rows = self.words.shape[1]
        if self.words.shape[0] == 2:
            self.words = np.empty((4, n_rows), np.uint64)
        return self.words


def sort_known(const double[::1] values, room=None, out=None):
    """Rows with a known value, by ascending value, ties by row, as a uint32 array.

    `room` is a Workroom for as many rows; without one, memory is allocated for this column only. `out` is memory for
    the result.
    """
    cdef int64_t n_rows = values.shape[0], n_known = 0
    if n_rows >= <int64_t>1 << 32:
        raise ValueError(f"{n_rows} rows; a table has at most 2**32 - 1")
    order = np.empty(n_rows, np.uint32) if out is None else out
    if n_rows == 0:
        return order
    if room is None:
        room = Workroom(n_rows)
    cdef uint32_t[::1] rows = order
    cdef uint32_t[::1] counts = room.counts
    cdef uint64_t[:, ::1] words
    cdef bint narrow
    with nogil:
        narrow = fit_in_float(&values[0], n_rows)
    words = room.words if narrow else room.for_records()
    with nogil:
        if narrow:
            n_known = sort_narrow(&values[0], n_rows, &words[0, 0], &words[1, 0], &counts[0], &rows[0])
        else:  # a record is two words
            n_known = sort_wide(&values[0], n_rows, <Keyed*>&words[0, 0], <Keyed*>&words[2, 0], &counts[0], &rows[0])
    return order if n_known == n_rows else order[:n_known].copy()


def few_values(const double[::1] values, int limit):
    """Codes (uint8, by ascending value; missing is the number of values) and the values, if there are at most `limit`.

    None otherwise. `limit` may be at most 128.
    """
    cdef int64_t n = values.shape[0], i
    cdef uint64_t keys[256]
    cdef uint8_t found[256]
    cdef bint used[256]
    cdef int n_found = 0, slot = 0
    cdef uint64_t key
    cdef bint overflow = False
    cdef uint8_t[::1] codes = np.empty(n, np.uint8)
    memset(used, 0, sizeof(used))
    with nogil:
        for i in range(n):
            if values[i] != values[i]:
                codes[i] = 255
                continue
            key = ordered_key(values[i])
            slot = <int>((key * <uint64_t>0x9E3779B97F4A7C15) >> 56)
            while used[slot] and keys[slot] != key:
                slot = (slot + 1) & 255
            if not used[slot]:
                if n_found == limit:
                    overflow = True
                    break
                used[slot] = True
                keys[slot] = key
                found[slot] = n_found
                n_found += 1
            codes[i] = found[slot]
    if overflow:
        return None
    distinct = np.full(n_found, np.nan)
    cdef double[::1] view = distinct
    for i in range(n):  # find a first row of each; values are few, so this ends early
        if codes[i] != 255 and view[codes[i]] != view[codes[i]]:
            view[codes[i]] = values[i] + 0.0
            n_found -= 1
            if n_found == 0:
                break
    rank = np.empty(256, np.uint8)
    rank[255] = len(distinct)
    rank[np.argsort(distinct)] = np.arange(len(distinct), dtype=np.uint8)
    return rank[np.asarray(codes)], np.sort(distinct)


cdef inline int64_t count_below(const double* values, const uint32_t* order, int64_t n, double limit,
                                bint equal) noexcept nogil:
    """How many sorted values are below `limit`, or equal to it if `equal` is set."""
    cdef int64_t low = 0, high = n, middle
    while low < high:
        middle = (low + high) >> 1
        if values[order[middle]] < limit or (equal and values[order[middle]] == limit):
            low = middle + 1
        else:
            high = middle
    return low


def largest_at_most(const double[::1] values, const uint32_t[::1] order, const double[::1] limits, double slack):
    """For each limit, the index in `order` of the largest value not above it (or above it by less than `slack`), and
    whether another value is within `slack` below that one.
    """
    cdef int64_t i, below, n = order.shape[0], count = limits.shape[0]
    last = np.zeros(count, np.int64)
    crowded = np.zeros(count, np.bool_)
    cdef int64_t[::1] last_view = last
    cdef uint8_t[::1] crowded_view = crowded.view(np.uint8)
    cdef double found
    if n == 0:
        return last, crowded
    with nogil:
        for i in range(count):
            last_view[i] = count_below(&values[0], &order[0], n, limits[i] + slack, slack == 0.0) - 1
            found = values[order[last_view[i]]]
            below = count_below(&values[0], &order[0], n, found, False) - 1
            crowded_view[i] = below >= 0 and found - values[order[below]] <= slack
    return last, crowded


def keep_in_order(const uint32_t[::1] order, const uint32_t[::1] place, int64_t count):
    """The entries of `place` for the rows in `order`, except 2**32 - 1 (none); at most `count` of them."""
    kept = np.empty(count + 1, np.uint32)  # one more: every entry is written, and overwritten if the row has none
    cdef uint32_t[::1] out = kept
    cdef int64_t i, n = 0
    cdef uint32_t here, none = 0xffffffff
    with nogil:
        for i in range(order.shape[0]):
            here = place[order[i]]
            out[n] = here
            n += here != none
    return kept[:n] if n == count else kept[:n].copy()


include "tie_order.pxi"
