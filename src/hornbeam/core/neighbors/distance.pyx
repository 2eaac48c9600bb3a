"""Distances of rows with numbers and categories: whole blocks of them, and the nearest rows.

Rows are given as columns: numbers already scaled (NaN: missing), and codes (the number of categories: missing). A row's
distances from a run of other rows are summed column after column, so that the innermost loops are simple and a sum does
not depend on blocks or threads. `distance_loops.h` has those loops, `distance_nearest.pxi` the search for the nearest
rows.
"""

import numpy as np

from libc.math cimport INFINITY, NAN
from libc.stdint cimport int8_t, int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from hornbeam.core.base.interrupt cimport poll
from hornbeam.core.base.memory cimport hb_resize
from hornbeam.core.rows.sort cimport hb_merge_sort

cdef extern from "hornbeam/core/neighbors/distance_loops.h":
    void hb_d_squares(double* s, const double* x, double q, double w, int64_t n) noexcept nogil
    void hb_d_sizes(double* s, const double* x, double q, double w, int64_t n) noexcept nogil
    void hb_d_squares_or(double* s, const double* x, double q, double w, double other, int64_t n) noexcept nogil
    void hb_d_sizes_or(double* s, const double* x, double q, double w, double other, int64_t n) noexcept nogil
    void hb_d_far(double* s, const double* x, double low, double high, double both, double w, int squared,
                  int64_t n) noexcept nogil
    void hb_d_known(double* known, const double* x, double w, int64_t n) noexcept nogil
    void hb_d_codes(double* s, const int32_t* c, int32_t q, int32_t none, double differ, double absent,
                    int64_t n) noexcept nogil
    void hb_d_known_codes(double* known, const int32_t* c, int32_t none, double w, int64_t n) noexcept nogil
    void hb_d_same(double* s, double add, int64_t n) noexcept nogil
    void hb_d_roots(double* s, int64_t n) noexcept nogil

cdef enum:
    POLLED = 256  # rows between two checks for interruption
    NUMBER = 0  # kinds of columns
    OVERLAP = 1
    TABLE = 2
    FARTHEST = 0  # treatments of a missing value
    IGNORE = 1
    AVERAGE = 2
    BLOCK = 512  # rows whose sums are computed at a time

cdef struct Measure:
    int n_features
    const int8_t* kind
    const int32_t* place  # index of the column among the numbers, or among the codes
    const double* weight
    const double* low  # smallest and largest scaled number of a column
    const double* high
    const double* expected  # the average difference, for missing values that count as average
    const int32_t* n_codes
    const int64_t* table_start  # differences of two categories, with one more row and column for a missing value
    const double* table
    double whole  # sum of the weights
    int missing
    bint squared
    bint mean

cdef struct Rows:
    const double* numbers
    const int32_t* codes
    const int8_t* complete  # by feature: no value is missing
    int64_t n_rows


cdef Rows rows_of(const double[:, ::1] numbers, const int32_t[:, ::1] codes, const int8_t[::1] complete):
    cdef Rows rows
    rows.numbers = &numbers[0, 0] if numbers.shape[0] and numbers.shape[1] else NULL
    rows.codes = &codes[0, 0] if codes.shape[0] and codes.shape[1] else NULL
    rows.complete = &complete[0] if complete.shape[0] else NULL
    rows.n_rows = numbers.shape[1]
    return rows


cdef class Columns:
    """Properties of the columns: kinds, weights, ranges, tables of differences; see `Measure`."""

    cdef Measure measure
    cdef object kept

    def __init__(self, const int8_t[::1] kind, const int32_t[::1] place, const double[::1] weight,
                 const double[::1] low, const double[::1] high, const double[::1] expected,
                 const int32_t[::1] n_codes, tuple tables, int missing, bint squared, bint mean):
        cdef const int64_t[::1] table_start = tables[0]
        cdef const double[::1] table = tables[1]
        cdef int f
        self.kept = (kind, place, weight, low, high, expected, n_codes, table_start, table)
        self.measure.n_features = <int>kind.shape[0]
        if self.measure.n_features:
            self.measure.kind = &kind[0]
            self.measure.place = &place[0]
            self.measure.weight = &weight[0]
            self.measure.low = &low[0]
            self.measure.high = &high[0]
            self.measure.expected = &expected[0]
            self.measure.n_codes = &n_codes[0]
            self.measure.table_start = &table_start[0]
        self.measure.table = &table[0] if table.shape[0] else NULL
        self.measure.missing = missing
        self.measure.squared = squared
        self.measure.mean = mean
        self.measure.whole = 0.0
        for f in range(self.measure.n_features):
            self.measure.whole += weight[f]


cdef inline double farther(double x, double low, double high) noexcept nogil:
    return x - low if x - low > high - x else high - x


cdef inline double power(double x, bint squared) noexcept nogil:
    return x * x if squared else x


cdef void add_number(const Measure* m, int f, const double* x, bint complete, double q, double* sums, double* known,
                     int64_t n) noexcept nogil:
    cdef double w = m.weight[f], other
    if q == q:
        if complete:
            if m.squared:
                hb_d_squares(sums, x, q, w, n)
            else:
                hb_d_sizes(sums, x, q, w, n)
        else:
            other = 0.0
            if m.missing == FARTHEST:
                other = farther(q, m.low[f], m.high[f])
            elif m.missing == AVERAGE:
                other = m.expected[f]
            if m.squared:
                hb_d_squares_or(sums, x, q, w, other, n)
            else:
                hb_d_sizes_or(sums, x, q, w, other, n)
        if known:
            hb_d_known(known, x, w, n)
    elif m.missing == FARTHEST:
        hb_d_far(sums, x, m.low[f], m.high[f], m.high[f] - m.low[f], w, m.squared, n)
    elif m.missing == AVERAGE:
        hb_d_same(sums, w * power(m.expected[f], m.squared), n)


cdef void add_codes(const Measure* m, int f, const int32_t* c, int32_t q, double* sums, double* known,
                    int64_t n) noexcept nogil:
    cdef double w = m.weight[f], absent = 0.0
    cdef int32_t none = m.n_codes[f]
    cdef const double* row
    cdef int64_t i
    if m.kind[f] == TABLE:
        if known and q == none:
            return
        row = m.table + m.table_start[f] + <int64_t>q * (none + 1)
        for i in range(n):
            sums[i] += w * power(row[c[i]], m.squared)
        if known:
            hb_d_known_codes(known, c, none, w, n)
        return
    if m.missing == FARTHEST:
        absent = w
    elif m.missing == AVERAGE:
        absent = w * power(m.expected[f], m.squared)
    if q == none:
        if m.missing != IGNORE:
            hb_d_same(sums, absent, n)
        return
    hb_d_codes(sums, c, q, none, w, absent, n)
    if known:
        hb_d_known_codes(known, c, none, w, n)


cdef void sums_of(const Measure* m, const Rows* a, int64_t i, const Rows* b, int64_t start, int64_t n, double* sums,
                  double* known) noexcept nogil:
    """Compare row i of `a` with n rows of `b`: sums of powers of differences; infinite where no value is known."""
    cdef int f
    cdef int64_t j, p
    cdef double* counted = known if m.missing == IGNORE else NULL
    memset(sums, 0, n * sizeof(double))
    if counted:
        memset(known, 0, n * sizeof(double))
    for f in range(m.n_features):
        if m.weight[f] == 0.0:
            continue
        p = m.place[f]
        if m.kind[f] == NUMBER:
            add_number(m, f, b.numbers + p * b.n_rows + start, b.complete[f], a.numbers[p * a.n_rows + i], sums,
                       counted, n)
        else:
            add_codes(m, f, b.codes + p * b.n_rows + start, a.codes[p * a.n_rows + i], sums, counted, n)
    if counted:
        for j in range(n):
            if known[j] > 0.0:
                sums[j] = sums[j] / known[j] if m.mean else sums[j] * (m.whole / known[j])
            else:
                sums[j] = INFINITY
    elif m.mean and m.whole > 0.0:
        for j in range(n):
            sums[j] /= m.whole


def between(Columns columns, a_numbers, a_codes, a_complete, b_numbers, b_codes, b_complete, int64_t first,
            int64_t last, out, bint rooted=True):
    """Distances of rows `first` to `last` - 1 of a from all rows of b, written to `out` (float32 or float64).

    If not `rooted`, no root is taken: squared distances if squares are summed.

    NaN if a pair has no known column in common and missing values are ignored.
    """
    cdef Rows a = rows_of(a_numbers, a_codes, a_complete), b = rows_of(b_numbers, b_codes, b_complete)
    cdef const Measure* m = &columns.measure
    cdef float[:, ::1] small
    cdef double[:, ::1] large
    cdef bint is_small = out.dtype == np.float32
    cdef int64_t i, j, block, start, n
    cdef double sums[BLOCK]
    cdef double known[BLOCK]
    if is_small:
        small = out
    else:
        large = out
    with nogil:
        for block in range((b.n_rows + BLOCK - 1) // BLOCK):
            start = block * BLOCK
            n = min(<int64_t>BLOCK, b.n_rows - start)
            for i in range(first, last):
                poll()
                sums_of(m, &a, i, &b, start, n, sums, known)
                if m.squared and rooted:
                    hb_d_roots(sums, n)
                if is_small:
                    for j in range(n):
                        small[i, start + j] = <float>(sums[j] if sums[j] < INFINITY else NAN)
                else:
                    for j in range(n):
                        large[i, start + j] = sums[j] if sums[j] < INFINITY else NAN


def at_rows(Columns columns, a_numbers, a_codes, a_complete, b_numbers, b_codes, b_complete,
            const int64_t[:, ::1] rows, double[:, ::1] out):
    """The sums, without a root, of every row of a and the rows of b listed for it; infinite for -1 (none)."""
    cdef Rows a = rows_of(a_numbers, a_codes, a_complete), b = rows_of(b_numbers, b_codes, b_complete)
    cdef const Measure* m = &columns.measure
    cdef int64_t i, j
    cdef double known
    with nogil:
        for i in range(rows.shape[0]):
            if i % POLLED == 0:
                poll()
            for j in range(rows.shape[1]):
                if rows[i, j] < 0:
                    out[i, j] = INFINITY
                else:
                    sums_of(m, &a, i, &b, rows[i, j], 1, &out[i, j], &known)


include "distance_nearest.pxi"
