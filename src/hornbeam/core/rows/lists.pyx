"""Lists: the table as sorted lists, which the tree grower and the partial trees share.

A numeric column is a list of entries by ascending value: row, class, and two bits on how the value differs from the
previous one. Nominal columns, and numeric ones with few distinct values, are codes by row.
"""

import numpy as np

from libc.math cimport log2
from libc.stdint cimport uint8_t
from libc.string cimport memset

from hornbeam.core.base.enums cimport IN_PIECES
from hornbeam.core.base.memory cimport hb_pool_free, take
from hornbeam.core.trees.split.scan cimport CODED, NOMINAL, STEPS


cdef class ColumnLists:
    """Columns, classes and parameters of one fit; the subclasses document their parameters."""

    def __dealloc__(self):
        hb_pool_free(&self.pool)

    cdef set_up(self, labels, int n_classes, weights, given, int n_columns):
        """Store the labels and weights, and the choices that every search of lists uses."""
        cdef Choices* choices = &self.choices
        self.labels = labels
        self.weights = None if weights is None else np.ascontiguousarray(weights, np.float64)
        self.n_rows = len(labels)
        self.lists = []
        self.kept = []
        self.columns = <Column*>take(&self.pool, n_columns, sizeof(Column))
        self.code_counts = np.zeros(n_columns, np.int32)
        self.most_codes = 1
        memset(choices, 0, sizeof(Choices))
        choices.n_classes = n_classes
        choices.label_bits = max(n_classes - 1, 1).bit_length() if n_classes else 0
        choices.shift = choices.label_bits + 2
        choices.by_ratio = given["by_ratio"]
        choices.average_filter = given["average_filter"]
        choices.charge_cuts = given["charge_cuts"]
        choices.adaptive_minimum = given["adaptive_minimum"]
        choices.count_for_cut = given["count_for_cut"]
        choices.nominal = given["nominal"]
        choices.first_category_free = given["first_category_free"]
        choices.min_branch = given["min_branch"]
        choices.min_node = given["min_node"]
        choices.min_gap = given["min_gap"]
        choices.min_gain = given["min_gain"]
        choices.tolerance = given["tolerance"]
        self.wide_entries = (self.n_rows << choices.shift) > 1 << 32 or given.get("wide_entries", False)

    def add_sorted(self, const double[::1] values, order, bint ours=False):
        """Add a numeric column with its sort order (known rows only); with `ours`, its memory becomes the list."""
        cdef Column* column = &self.columns[self.n_columns]
        column.kind = SORTED
        column.number = self.n_columns
        column.values = &values[0]
        column.position = len(self.lists)
        self.lists.append((values, order, ours and not self.wide_entries))
        self.n_columns += 1
        self.lacking |= len(order) < values.shape[0]

    def add_codes(self, codes, const double[::1] values, int n_codes, bint nominal, bint many_valued):
        """Add a column of codes, uint8 or int32 (n_codes: missing), with the `values` of codes if it is numeric."""
        cdef Column* column = &self.columns[self.n_columns]
        cdef const uint8_t[::1] narrow
        cdef const int32_t[::1] wide
        column.kind = NOMINAL if nominal else CODED
        column.number = self.n_columns
        column.n_codes = n_codes
        self.code_counts[self.n_columns] = n_codes
        column.many_valued = many_valued
        column.position = -1
        column.wide = codes.dtype == np.int32
        if column.wide:
            wide = codes
            column.codes = &wide[0]
        else:
            narrow = codes
            column.codes = &narrow[0]
        if not nominal and n_codes:
            column.values = &values[0]
        self.kept.append((codes, values))
        self.most_codes = max(self.most_codes, n_codes)
        self.n_columns += 1
        self.coded = True
        if self.choices.missing == IN_PIECES and (np.asarray(codes) == n_codes).any():
            self.lacking = True

    cdef fill_logarithms(self, bint counted):
        """Tabulate x log2 x of every count in units of 1 / scale, so that sums are exact; only if `counted`."""
        cdef int64_t n = self.n_rows if counted else 0, i
        cdef int bits = min(46, 60 - int(n * log2(n + 2.0) + 1).bit_length())
        cdef int64_t[::1] table = np.zeros(n + 1, np.int64)
        cdef double scale = 2.0 ** bits
        with nogil:
            for i in range(2, n + 1):
                table[i] = <int64_t>(i * log2(i) * scale + 0.5)
        self.scale = scale
        self.xlogx = np.asarray(table)

    cdef take_scratch(self, Scratch* scratch, hb_pool* pool):
        """Allocate memory for the scan of entropies."""
        cdef int n_classes = self.choices.n_classes
        cdef size_t cells = (<size_t>self.most_codes + 1) << self.choices.label_bits
        scratch.left_count = <int64_t*>take(pool, 3 * n_classes, sizeof(int64_t))
        scratch.right_count = scratch.left_count + n_classes
        scratch.known_count = scratch.right_count + n_classes
        scratch.left = <double*>take(pool, 21 * n_classes, sizeof(double))
        scratch.right = scratch.left + n_classes
        scratch.inverse = scratch.right + n_classes
        scratch.seen = scratch.inverse + n_classes
        scratch.side_logs = scratch.seen + n_classes
        scratch.marks = scratch.side_logs + n_classes
        scratch.table = <double*>take(pool, max(cells, n_classes), sizeof(double))
        scratch.bags = <double*>take(pool, self.most_codes + 1, sizeof(double))
        scratch.count_table = <uint32_t*>take(pool, 2 * cells, sizeof(uint32_t))


# ---- the lists of all rows -----------------------------------------------------------------------------------------


cdef void fill_list(Entry* entries, const double* values, const uint32_t* order, int64_t n, const int32_t* labels,
                    int shift, double min_gap) noexcept nogil:
    """Entries of a sorted column: row, class, and how the value differs from the previous one."""
    cdef int64_t i
    cdef Entry row
    for i in range(n):
        row = order[i]
        entries[i] = row << shift
    if shift > 2:  # else there are no classes
        for i in range(n):
            entries[i] |= <Entry>labels[entries[i] >> shift] << 2
    compare_neighbors(entries, n, values, shift, min_gap)


cdef void compare_neighbors(Entry* entries, int64_t n, const double* values, int shift, double min_gap) noexcept nogil:
    """Set in every entry whether its value differs from the previous one, and whether by more than min_gap."""
    cdef int64_t i
    cdef Entry steps = STEPS, all_steps = STEPS
    cdef double value, before = 0.0
    for i in range(n):
        value = values[entries[i] >> shift]
        if i:
            steps = (value != before) | (<int>(before + min_gap < value) << 1)
        before = value
        entries[i] = (entries[i] & ~all_steps) | steps


cdef void fill_rows(Entry* entries, int64_t n, const uint32_t* order, const int32_t* labels, int shift) noexcept nogil:
    """Entries of a list of all rows, in a given order or in table order."""
    cdef int64_t i, row
    for i in range(n):
        row = i if order == NULL else order[i]
        entries[i] = (<Entry>row << shift) | (<Entry>labels[row] << 2) | STEPS
