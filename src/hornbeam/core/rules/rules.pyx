"""Growing and cutting back single rules: presorted lists of the rows that are left, narrowed as conditions are added.

Where this stands: `learn/rules` decides which rows grow a rule and which prune it; here a rule is grown from such rows
by the best condition after another. A numeric column has its rows sorted once. Three sets of lists are kept: the rows
of the class at hand (`base`), those that no rule covers yet (`live`), and those that the growing rule covers
(`work`), so that every step costs no more than the rows that are still in it.

An entry of a list is one 32-bit word: row, whether its class is the rule's (in `work`), and whether the value differs
from the one before. Where every row counts once, scanning a list touches nothing but the list.
"""

import numpy as np

from libc.math cimport log
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from hornbeam.core.base.interrupt cimport poll
from hornbeam.core.base.tolerance cimport SLACK
from hornbeam.core.base.share cimport greater_share

AT_MOST, AT_LEAST, EQUALS, DIFFERS = 0, 1, 2, 3
SMOOTHED_GAIN, GAIN, ACCURACY = 0, 1, 2
MOST_ROWS = (1 << 30) - 1

cdef enum:
    BELOW = 0
    ABOVE = 1
    SAME = 2
    OTHER = 3  # a category, but not this one

cdef enum:
    BY_SMOOTHED_GAIN = 0
    BY_GAIN = 1
    BY_ACCURACY = 2

cdef double LN2 = log(2.0)

include "rules_measure.pxi"
include "rules_search.pxi"
include "rules_draw.pxi"
include "rules_length.pxi"


cdef class RowLists:
    """Rows of a table, by column, from which rules are grown.

    Parameters
    ----------
    columns : list of arrays
        float64 values (NaN: missing) or int32 codes (-1: missing).
    orders : list
        For a numeric column the rows with a value, by rising value; None for a nominal one.
    n_codes : list of int
        How many codes a nominal column has; 0 for a numeric one.
    classes : int32 array
        The class of every row.
    weights : float64 array or None
        None: every row counts once.
    """

    cdef int64_t n_rows, n_columns, most_codes
    cdef const double** values
    cdef const int32_t** codes
    cdef int64_t* n_codes
    cdef uint32_t** lists  # base, live and work of every column
    cdef int64_t* lengths
    cdef uint8_t* complete  # whether no row lacks the column's value
    cdef const int32_t* classes
    cdef const double* weights
    cdef uint8_t* state  # by row: bit 0 in the rule at hand, bit 1 of its class
    cdef uint32_t* rows
    cdef double* covered
    cdef double* positive
    cdef uint64_t* both
    cdef object kept

    def __cinit__(self, columns, orders, n_codes, const int32_t[::1] classes, weights):
        cdef int64_t i, n = classes.shape[0], c = len(columns)
        if n > MOST_ROWS:
            raise ValueError(f"{n} rows were given; rules are grown from at most {MOST_ROWS}")
        self.n_rows, self.n_columns = n, c
        self.values = <const double**>malloc(max(c, 1) * sizeof(void*))
        self.codes = <const int32_t**>malloc(max(c, 1) * sizeof(void*))
        self.n_codes = <int64_t*>malloc(max(c, 1) * sizeof(int64_t))
        self.lists = <uint32_t**>malloc(3 * max(c, 1) * sizeof(void*))
        self.lengths = <int64_t*>malloc(3 * max(c, 1) * sizeof(int64_t))
        self.complete = <uint8_t*>malloc(max(c, 1))
        if not (self.values and self.codes and self.n_codes and self.lists and self.lengths and self.complete):
            raise MemoryError
        self.kept = [classes, weights]
        self.classes = &classes[0] if n else NULL
        self.weights = NULL
        cdef const double[::1] numbers
        cdef const int32_t[::1] labels
        if weights is not None and n:
            numbers = weights
            self.weights = &numbers[0]
        self.most_codes = 1
        for i in range(c):
            self.values[i] = NULL
            self.codes[i] = NULL
            self.n_codes[i] = n_codes[i]
            self.kept.append(columns[i])
            if n_codes[i]:
                labels = columns[i]
                self.codes[i] = &labels[0] if n else NULL
                self.most_codes = max(self.most_codes, self.n_codes[i])
            elif n:
                numbers = columns[i]
                self.values[i] = &numbers[0]
            self._list(i, None if n_codes[i] else orders[i])
        self.state = <uint8_t*>self._room(n, np.uint8)
        self.rows = <uint32_t*>self._room(n, np.uint32)
        self.covered = <double*>self._room(self.most_codes + 1, np.float64)
        self.positive = <double*>self._room(self.most_codes + 1, np.float64)
        self.both = <uint64_t*>self._room(2 * (self.most_codes + 1), np.uint64)

    def __dealloc__(self):
        free(<void*>self.values)
        free(<void*>self.codes)
        free(self.n_codes)
        free(<void*>self.lists)
        free(self.lengths)
        free(self.complete)

    cdef void* _room(self, int64_t n, kind):
        """Memory that lives as long as the lists do, filled with zeros."""
        array = np.zeros(max(n, 1), kind)
        self.kept.append(array)
        cdef uint8_t[::1] view = array.view(np.uint8)
        return &view[0]

    cdef void _list(self, int64_t column, order):
        """The base list of a column, with marks where its value changes; room for the other two."""
        cdef int64_t i, n = 0 if order is None else len(order), kind
        cdef const uint32_t[::1] sorted_rows
        cdef uint32_t* entries
        cdef const double* values = self.values[column]
        for kind in range(3):
            self.lengths[3 * column + kind] = n if kind < 2 else 0
            self.lists[3 * column + kind] = <uint32_t*>self._room(n, np.uint32) if order is not None else NULL
        self.complete[column] = n == self.n_rows
        if n == 0:
            return
        sorted_rows = order
        entries = self.lists[3 * column]
        for i in range(n):
            entries[i] = sorted_rows[i] << 2
            if i and values[sorted_rows[i]] != values[sorted_rows[i - 1]]:
                entries[i] |= 1
        memcpy(self.lists[3 * column + 1], entries, n * sizeof(uint32_t))

    # ---- which rows are in the lists ----

    def keep(self, const int32_t[::1] rows):
        """Leave no other rows in the lists than these."""
        with nogil:
            self._choose(rows, 0, 1)
            self._copy()

    def drop(self, const int32_t[::1] rows):
        """Take rows away, until `restart` brings them back."""
        with nogil:
            self._choose(rows, 1, 0)

    def restart(self):
        """Bring back the rows that `drop` has taken away."""
        with nogil:
            self._copy()

    cdef void _choose(self, const int32_t[::1] rows, int kind, uint32_t wanted) noexcept nogil:
        """Leave in the base (0) or live (1) lists some rows, or all but these."""
        cdef int64_t i, place
        for i in range(rows.shape[0]):
            self.state[rows[i]] = 1
        for i in range(self.n_columns):
            if self.n_codes[i] == 0:
                place = 3 * i + kind
                self.lengths[place] = _sift(self.lists[place], self.lengths[place], self.state, wanted)
        for i in range(rows.shape[0]):
            self.state[rows[i]] = 0

    cdef void _copy(self) noexcept nogil:
        cdef int64_t i
        for i in range(self.n_columns):
            if self.n_codes[i] == 0:
                self.lengths[3 * i + 1] = self.lengths[3 * i]
                memcpy(self.lists[3 * i + 1], self.lists[3 * i], self.lengths[3 * i] * sizeof(uint32_t))

    # ---- rules ----

    def narrow(self, const int32_t[::1] rows, int positive, const int32_t[::1] columns, const int32_t[::1] kinds,
               const double[::1] values):
        """Weight covered, and covered of a class, after each condition; and the rows that pass all of them."""
        cdef int64_t i, c, kept, n = rows.shape[0]
        cdef double weight
        left_array = np.array(rows)
        sums = np.zeros((2, columns.shape[0]))
        cdef int32_t[::1] left = left_array
        cdef double[:, ::1] out = sums
        with nogil:
            for c in range(columns.shape[0] if n else 0):
                n = _filter(self.values[columns[c]], self.codes[columns[c]], kinds[c], values[c], &left[0], n)
                if self.weights == NULL:
                    kept = 0
                    for i in range(n):
                        kept += self.classes[left[i]] == positive
                    out[0, c], out[1, c] = <double>n, <double>kept
                    continue
                for i in range(n):
                    weight = self.weights[left[i]]
                    out[0, c] += weight
                    if self.classes[left[i]] == positive:
                        out[1, c] += weight
        return sums[0], sums[1], left_array[:n]

    def grow(self, const int32_t[::1] rows, int positive, const int32_t[::1] columns, const int32_t[::1] kinds,
             const double[::1] values, int measure, double least, bint sets=False):
        """Add conditions to a rule, each the best by a measure, until it is perfect or nothing helps.

        Parameters
        ----------
        rows : int32 array
            Rows to grow from, all of them in the lists.
        positive : int
            The class that the rule is for.
        columns, kinds, values : arrays
            Conditions that the rule has already; its nominal columns are not asked for again.
        measure : int
            SMOOTHED_GAIN, GAIN or ACCURACY.
        least : float
            A condition must leave at least this much weight of the class.
        sets : bool
            A condition may also leave a category out; several of them on one column leave a set of categories.

        Returns
        -------
        Three arrays: the columns, kinds and values of the conditions added.
        """
        cdef int64_t i, c, n = rows.shape[0]
        cdef bint fresh = True
        cdef double all_weight = 0.0, of_positive = 0.0
        cdef Best best
        cdef uint8_t[::1] used = np.zeros(max(self.n_columns, 1), np.uint8)
        found = []
        with nogil:
            if n:
                memcpy(self.rows, &rows[0], n * sizeof(int32_t))
            for c in range(columns.shape[0]):
                n = _filter(self.values[columns[c]], self.codes[columns[c]], kinds[c], values[c],
                            <int32_t*>self.rows, n)
                if kinds[c] == SAME:
                    used[columns[c]] = 1
            n = self._mark(n, positive, &of_positive, &all_weight)
        while n:
            _start(&best, measure, of_positive, all_weight)
            if 1.0 - best.rate <= SLACK:
                break
            with nogil:
                for c in range(self.n_columns):
                    poll()
                    if self.n_codes[c] == 0:
                        if fresh:
                            self._enter(c)
                        else:
                            i = 3 * c + 2
                            self.lengths[i] = _sift(self.lists[i], self.lengths[i], self.state, 1)
                        if _scan(self.lists[3 * c + 2], self.lengths[3 * c + 2], self.values[c], self.weights,
                                 self.complete[c], of_positive, all_weight, &best):
                            best.column = <int32_t>c
                    elif not used[c]:
                        self._count(c, n)
                        if _compare(self.covered + 1, self.positive + 1, self.n_codes[c], &best):
                            best.column = <int32_t>c
                        if sets and _compare_others(self.covered + 1, self.positive + 1, self.n_codes[c], &best):
                            best.column = <int32_t>c
            fresh = False
            if best.column < 0 or least - best.positive > SLACK:
                break
            found.append((best.column, best.kind, best.value))
            if best.kind == SAME:
                used[best.column] = 1
            of_positive, all_weight = best.positive, best.covered
            with nogil:
                n = self._tighten(n, best.column, best.kind, best.value)
        with nogil:
            for i in range(n):
                self.state[self.rows[i] >> 2] = 0
        return (
            np.array([each[0] for each in found], np.int32),
            np.array([each[1] for each in found], np.int32),
            np.array([each[2] for each in found], np.float64),
        )

    cdef int64_t _mark(self, int64_t n, int positive, double* of_positive, double* all_weight) noexcept nogil:
        """Mark the rule's rows and their class, and put many of them in rising order, in which memory is read faster.

        How many there are.
        """
        cdef int64_t i, kept = 0
        cdef uint32_t row, of_class
        cdef double weight
        for i in range(n):
            row = self.rows[i]
            of_class = self.classes[row] == positive
            self.state[row] = <uint8_t>(1 | (of_class << 1))
            self.rows[i] = (row << 2) | (of_class << 1)
        if n > self.n_rows >> 4:
            i = 0
            while kept < n and i < self.n_rows:
                self.rows[kept] = (<uint32_t>i << 2) | (self.state[i] & 2)
                kept += self.state[i] & 1
                i += 1
            n = kept
        for i in range(n):
            row = self.rows[i]
            weight = 1.0 if self.weights == NULL else self.weights[row >> 2]
            all_weight[0] += weight
            of_positive[0] += weight * ((row >> 1) & 1)
        return n

    cdef void _enter(self, int64_t column) noexcept nogil:
        """The work list of a column: the live rows of the rule at hand, with their class."""
        cdef const uint32_t* source = self.lists[3 * column + 1]
        cdef uint32_t* out = self.lists[3 * column + 2]
        cdef int64_t i, n = 0
        cdef uint32_t entry, state, pending = 0
        for i in range(self.lengths[3 * column + 1]):
            entry = source[i]
            state = self.state[entry >> 2]
            pending |= entry & 1
            out[n] = (entry & <uint32_t>0xfffffffc) | (state & 2) | pending
            n += state & 1
            pending &= ~state
        self.lengths[3 * column + 2] = n

    cdef int64_t _tighten(self, int64_t n, int32_t column, int32_t kind, double value) noexcept nogil:
        """Leave those of the rule's rows that meet one more condition; how many there are."""
        cdef int64_t i, kept = 0
        cdef uint32_t entry, row
        cdef uint8_t passes
        for i in range(n):
            entry = self.rows[i]
            row = entry >> 2
            if kind == SAME:
                passes = self.codes[column][row] == <int32_t>value
            elif kind == OTHER:
                passes = self.codes[column][row] != <int32_t>value and self.codes[column][row] >= 0
            elif kind == BELOW:
                passes = self.values[column][row] <= value
            else:
                passes = self.values[column][row] >= value
            self.state[row] &= <uint8_t>(-passes)
            self.rows[kept] = entry
            kept += passes
        return kept

    cdef void _count(self, int64_t column, int64_t n) noexcept nogil:
        """Count the rule's rows by category; a missing value is counted before the first."""
        cdef const int32_t* codes = self.codes[column]
        cdef double* covered = self.covered + 1
        cdef double* positive = self.positive + 1
        cdef uint64_t* both = self.both + 2  # counts of rows, of the class in the upper half; two, added to in turn
        cdef int64_t i, k = self.n_codes[column]
        cdef uint32_t entry
        cdef double weight
        memset(self.covered, 0, (k + 1) * sizeof(double))
        memset(self.positive, 0, (k + 1) * sizeof(double))
        if self.weights == NULL:
            memset(self.both, 0, 2 * (k + 1) * sizeof(uint64_t))
            for i in range(n):
                entry = self.rows[i]
                both[2 * codes[entry >> 2] + (i & 1)] += 1 + (<uint64_t>(entry & 2) << 31)
            for i in range(k):
                covered[i] = <double>((both[2 * i] + both[2 * i + 1]) & <uint64_t>0xffffffff)
                positive[i] = <double>((both[2 * i] + both[2 * i + 1]) >> 32)
        else:
            for i in range(n):
                entry = self.rows[i]
                weight = self.weights[entry >> 2]
                covered[codes[entry >> 2]] += weight
                positive[codes[entry >> 2]] += weight * ((entry >> 1) & 1)
