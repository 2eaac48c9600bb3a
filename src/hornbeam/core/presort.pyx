"""Sort one numeric column once: rows with a known value, by rising value, ties by row.

A stable least-significant-digit radix sort on an order-preserving integer key. -0.0 and 0.0 are the same value and get the
same key; missing values (NaN) are left out.
"""

import numpy as np

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

DEF DIGIT_BITS = 11
DEF DIGITS = 6  # 6 digits of 11 bits cover the 64-bit key
DEF SPAN = 2048


cdef struct Keyed:
    uint64_t key
    uint32_t row


cdef inline uint64_t ordered_key(double value) noexcept nogil:
    cdef uint64_t bits
    if value == 0.0:
        value = 0.0  # -0.0 becomes 0.0
    memcpy(&bits, &value, 8)
    if bits >> 63:
        return ~bits
    return bits | (<uint64_t>1 << 63)


cdef int64_t sort_rows(
    const double* values,  # IN
    int64_t n_rows,  # IN
    uint32_t* order,  # OUT, room for n_rows
) noexcept nogil:
    """Fill `order`; give the number of known rows, or -1 where memory ran out."""
    cdef Keyed* current = <Keyed*>malloc((n_rows + 1) * sizeof(Keyed))
    cdef Keyed* other = <Keyed*>malloc((n_rows + 1) * sizeof(Keyed))
    cdef Keyed* swap
    cdef int64_t* counts = <int64_t*>malloc(DIGITS * SPAN * sizeof(int64_t))
    cdef int64_t n_known = 0, i, total, here
    cdef int64_t* digit_counts
    cdef uint64_t key
    cdef int digit, shift
    if current == NULL or other == NULL or counts == NULL:
        free(current)
        free(other)
        free(counts)
        return -1
    memset(counts, 0, DIGITS * SPAN * sizeof(int64_t))
    for i in range(n_rows):
        if values[i] != values[i]:
            continue
        key = ordered_key(values[i])
        current[n_known].key = key
        current[n_known].row = <uint32_t>i
        n_known += 1
        for digit in range(DIGITS):
            counts[digit * SPAN + ((key >> (digit * DIGIT_BITS)) & (SPAN - 1))] += 1
    for digit in range(DIGITS):
        digit_counts = counts + digit * SPAN
        shift = digit * DIGIT_BITS
        if n_known == 0 or digit_counts[(current[0].key >> shift) & (SPAN - 1)] == n_known:
            continue  # every key has the same digit here
        total = 0
        for i in range(SPAN):
            here = digit_counts[i]
            digit_counts[i] = total
            total += here
        for i in range(n_known):
            here = (current[i].key >> shift) & (SPAN - 1)
            other[digit_counts[here]] = current[i]
            digit_counts[here] += 1
        swap = current
        current = other
        other = swap
    for i in range(n_known):
        order[i] = current[i].row
    free(current)
    free(other)
    free(counts)
    return n_known


def sort_known(const double[::1] values):
    """Rows with a known value, by rising value, ties by row, as a uint32 array."""
    if values.shape[0] >= <int64_t>1 << 32:
        raise ValueError(f"{values.shape[0]} rows; a table holds at most 2**32 - 1")
    order = np.empty(values.shape[0], np.uint32)
    cdef uint32_t[::1] view = order
    cdef int64_t n_rows = values.shape[0], n_known = 0
    if n_rows:
        with nogil:
            n_known = sort_rows(&values[0], n_rows, &view[0])
        if n_known < 0:
            raise MemoryError("no memory to sort a column")
    return order if n_known == n_rows else order[:n_known].copy()


def few_values(const double[::1] values, int limit):
    """Codes (uint8, by rising value; missing is the number of values) and the values, where there are at most `limit`.

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
    for i in range(n):  # a first row of each; values are few, so this ends early
        if codes[i] != 255 and view[codes[i]] != view[codes[i]]:
            view[codes[i]] = values[i] + 0.0
            n_found -= 1
            if n_found == 0:
                break
    rank = np.empty(256, np.uint8)
    rank[255] = len(distinct)
    rank[np.argsort(distinct)] = np.arange(len(distinct), dtype=np.uint8)
    return rank[np.asarray(codes)], np.sort(distinct)
