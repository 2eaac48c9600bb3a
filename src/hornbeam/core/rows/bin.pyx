"""Columns as small codes: the index of every distinct value if there are few, otherwise the bin of every value."""

import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memset

cdef enum:
    SIDE_BY_SIDE = 16  # values looked up together; enough to hide memory latency
    SLOTS = 1024  # of the table in which distinct values are found
    MOST_BINS = 256

ctypedef fused real:
    float
    double


def code_values(const real[:] values, int limit, uint8_t[::1] codes):
    """Number the distinct values of a column in ascending order; returns the known ones and whether any is missing.

    None if there are more than `limit`, a missing one included; the codes are then meaningless. -0.0 counts as 0.0.

    Parameters
    ----------
    values : array  # IN
    limit : int of at most 256  # IN
    codes : array  # OUT
        A missing value gets the number after the last; 1 if there is no other value.
    """
    cdef double slots[SLOTS]
    cdef bint used[SLOTS]
    cdef uint8_t number[SLOTS]  # of a slot's value, and of a missing one, in the order in which they first occur
    cdef uint8_t rank[MOST_BINS]
    cdef int64_t n = values.shape[0], i
    cdef int n_found = 0, slot, of_missing = -1
    cdef bint overflow = False, in_order = True
    cdef double value, before = 0.0
    cdef bint started = False
    cdef uint8_t code = 0
    if limit > MOST_BINS or codes.shape[0] != n:
        raise ValueError(f"got a limit of {limit} and {codes.shape[0]} codes for {n} values")
    memset(used, 0, sizeof(used))
    with nogil:
        for i in range(n):
            value = <double>values[i] + 0.0
            if not started or value != before:
                if value != value:
                    if of_missing < 0:
                        if n_found == limit:
                            overflow = True
                            break
                        of_missing = n_found
                        n_found += 1
                    codes[i] = <uint8_t>of_missing
                    continue
                before = value
                started = True
                slot = slot_of(value)
                while used[slot] and slots[slot] != value:
                    slot = (slot + 1) & (SLOTS - 1)
                if not used[slot]:
                    if n_found == limit:
                        overflow = True
                        break
                    used[slot] = True
                    slots[slot] = value
                    number[slot] = <uint8_t>n_found
                    n_found += 1
                code = number[slot]
            codes[i] = code
    if overflow:
        return None
    met = sorted((slots[i], number[i]) for i in range(SLOTS) if used[i])
    for i in range(len(met)):
        rank[<int>met[i][1]] = <uint8_t>i
        in_order = in_order and met[i][1] == i
    if of_missing >= 0:
        rank[of_missing] = <uint8_t>max(len(met), 1)
        in_order = in_order and rank[of_missing] == of_missing
    if not in_order:
        with nogil:
            for i in range(n):
                codes[i] = rank[codes[i]]
    return np.array([value for value, _ in met], np.float64), of_missing >= 0


cdef extern from "hornbeam/core/rows/bin.h":
    int slot_of "hb_slot_of"(double value) noexcept nogil


def bin_numbers(const real[:] values, const double[::1] cuts, int missing_code, uint8_t[::1] codes):
    """The bin of every value: how many cuts are below it; `missing_code` for a missing value.

    Parameters
    ----------
    values : array  # IN
    cuts : array of at most 255 ascending numbers  # IN
    missing_code : int  # IN
    codes : array  # OUT
    """
    cdef double padded[MOST_BINS]
    cdef int64_t n = values.shape[0], i, count
    cdef int64_t j
    if cuts.shape[0] >= MOST_BINS or codes.shape[0] != n:
        raise ValueError(f"{cuts.shape[0]} cuts and {codes.shape[0]} codes for {n} values")
    for i in range(MOST_BINS):
        padded[i] = cuts[i] if i < cuts.shape[0] else INFINITY
    cdef double block[SIDE_BY_SIDE]
    cdef int step, first = 128
    while first > 1 and first > cuts.shape[0]:
        first >>= 1
    cdef int place[SIDE_BY_SIDE]
    with nogil:
        i = 0
        while i < n:
            count = min(<int64_t>SIDE_BY_SIDE, n - i)
            for j in range(SIDE_BY_SIDE):
                block[j] = <double>values[i + (j if j < count else 0)]
                place[j] = 0
            step = first
            while step:
                for j in range(SIDE_BY_SIDE):
                    place[j] += step * <int>(padded[place[j] + step - 1] < block[j])
                step >>= 1
            for j in range(count):
                codes[i + j] = <uint8_t>(place[j] if block[j] == block[j] else missing_code)
            i += SIDE_BY_SIDE
