"""The basic covering algorithm: conditions are added to a rule for a class until it covers no other class.

Columns are sorted once. After a rule only the rows that it covers leave, so a rule should cost about what it covers:

- The first condition is sought among all rows still to be covered, from sums of blocks of every sorted column, blocks
  of blocks and so on; a block is opened only where a cut inside it could beat what is known. As long as only rows of
  the class leave, no share of it rises, so that what a block was found to hold at most is still known. Categories are
  counted as rows go.
- Rules in a row often begin with the same category: its rows become a problem of their own, kept for the next rule.
- A condition that makes the rule perfect is found by walks from the ends of the columns, without listing the rows.
- Otherwise the rows that the rule covers are listed by every column, and the lists narrowed from then on.

Every condition is the best of all columns by p/t or by information gain, where t is the weight that the rule would
cover and p the weight of the class in it; of equals the one with more p, then the first: columns in order, codes or
cuts rising, below a cut before above it.
"""

import numpy as np

from libc.math cimport log2
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

from hornbeam.core.base.interrupt cimport poll
from hornbeam.core.base.share cimport greater_share

BELOW, AT_LEAST, IN, MISSING = 0, 1, 2, 3
SHARE, GAIN = 0, 1  # p/t; p (log p/t - log P/T)
LEAST_ROWS = 512  # a category with fewer rows is not worth a problem of its own
MOST_LEVELS = 2  # nor is a category of a category of a category

include "cover_measure.pxi"
include "cover_columns.pxi"
include "cover_first.pxi"
include "cover_pure.pxi"
include "cover_lists.pxi"


cdef class Cover:
    """Rows to be covered by rules, their columns sorted.

    Parameters
    ----------
    numbers : list of float64 arrays or None
        A numeric column's values, NaN for missing.
    orders : list of uint32 arrays or None
        Its rows with a value, by rising value.
    codes : list of int32 arrays or None
        A nominal column's codes, -1 for missing.
    n_codes : list of int
        How many categories it has; 0 for a numeric column.
    classes : int32 array
        The class of every row.
    weights : float64 array or None
        The weight of every row; None: every row counts once.
    n_classes : int
    """

    cdef list numbers, orders, codes, kept
    cdef list members  # of every column: rows by category, as they were at first
    cdef object classes, weights, here, class_left
    cdef Field field
    cdef Lists lists
    cdef Rule rule
    cdef Scratch scratch
    cdef Memory memory
    cdef int level  # how many categories deep
    cdef list parts  # of every column, None or by category: its rows as a problem of their own, or None
    cdef uint32_t** number  # of every column with parts: a row's number in its category's part; NULL: it has none
    cdef object origin  # the numbers that a part's rows have in the whole

    def __init__(self, numbers, orders, codes, n_codes, classes, weights, n_classes):
        cdef int64_t at, k, n = len(classes), most = max(n_codes, default=0) + 1
        cdef Column* column
        self.kept, self.members = [], []
        self.numbers = [None if each is None else np.ascontiguousarray(each, np.float64) for each in numbers]
        self.orders = [None if each is None else np.ascontiguousarray(each, np.uint32) for each in orders]
        self.codes = [None if each is None else np.ascontiguousarray(each, np.int32) for each in codes]
        self.classes = np.ascontiguousarray(classes, np.int32)
        self.weights = None if weights is None else np.ascontiguousarray(weights, np.float64)
        self.level, self.origin = 0, None
        self.field.n_rows, self.field.n_columns, self.field.n_classes = n, len(n_codes), n_classes
        self.field.columns = <Column*>self.room(self.field.n_columns * sizeof(Column))
        self.field.classes = <const int32_t*>address(self.classes)
        self.field.weights = NULL
        self.field.whole_weights = weights is None or bool((self.weights == np.floor(self.weights)).all())
        if weights is not None:
            self.field.weights = <const double*>address(self.weights)
        self.here, self.class_left = np.ones(n, np.uint8), np.zeros(n_classes)
        self.field.here = <uint8_t*>address(self.here)
        self.field.class_left = <double*>address(self.class_left)
        self.field.rows_left = <int64_t*>self.room(n_classes * sizeof(int64_t))
        self.scratch.code_p = <double*>self.room(most * sizeof(double))
        self.scratch.code_t = <double*>self.room(most * sizeof(double))
        self.scratch.ranked = <int64_t*>self.room(most * sizeof(int64_t))
        self.scratch.kept = <int64_t*>self.room(most * sizeof(int64_t))
        self.scratch.mixed = <uint8_t*>self.room(most)
        self.memory.cuts = <Best*>self.room(n_classes * REMEMBERED * sizeof(Best))
        self.memory.size = <int64_t*>self.room(n_classes * sizeof(int64_t))
        self.number = <uint32_t**>self.room(self.field.n_columns * sizeof(void*))
        self.lists.rows = <uint32_t*>self.room(n * sizeof(uint32_t))
        self.lists.inside = <uint8_t*>self.room(n)
        self.lists.sizes = <int64_t*>self.room(self.field.n_columns * sizeof(int64_t))
        self.lists.places = <uint32_t**>self.room(self.field.n_columns * sizeof(void*))
        for at in range(self.field.n_columns):
            column = &self.field.columns[at]
            column.n_codes = k = n_codes[at]
            if k:
                column.codes = <const int32_t*>address(self.codes[at])
                column.counts = <double*>self.room((k + 1) * n_classes * sizeof(double))
                found = np.where(codes[at] < 0, k, codes[at])
            else:
                found = np.where(np.isnan(numbers[at]), 0, -1)
                self.make_places(column, at)
            order = np.argsort(found, kind="stable").astype(np.uint32)
            sizes = np.bincount(found + 1, minlength=k + 2)
            # rows with a number come first, and are no category
            self.members.append((order[sizes[0]:], np.cumsum(sizes) - sizes[0], sizes[1:]))
            column.members = <uint32_t*>self.room((n - sizes[0]) * sizeof(uint32_t))
            column.start = <int64_t*>self.room((k + 1) * sizeof(int64_t))
            column.size = <int64_t*>self.room((k + 1) * sizeof(int64_t))
            column.alive = <int64_t*>self.room((k + 1) * sizeof(int64_t))
        self.restore()

    def __dealloc__(self):
        free(self.rule.conditions)
        free(self.rule.codes)

    cdef void* room(self, int64_t size) except NULL:
        """Memory that lives as long as this does, filled with zeros."""
        self.kept.append(np.zeros(size // 8 + 1, np.int64))
        return <void*>address(self.kept[len(self.kept) - 1])

    cdef void make_places(self, Column* column, int64_t at) except *:
        cdef int64_t n = len(self.orders[at]), blocks = n
        cdef int level
        column.values = <const double*>address(self.numbers[at])
        column.rows = <uint32_t*>self.room(n * sizeof(uint32_t))
        column.place = <uint32_t*>self.room(self.field.n_rows * sizeof(uint32_t))
        column.sorted = <double*>self.room(n * sizeof(double))
        column.classes = <int32_t*>self.room(n * sizeof(int32_t))
        self.lists.places[at] = <uint32_t*>self.room(n * sizeof(uint32_t))
        for level in range(LEVELS):
            blocks = (blocks >> STEP) + 1
            column.sums[level] = <double*>self.room(blocks * (self.field.n_classes + 1) * sizeof(double))
            column.highest[level] = <double*>self.room(blocks * sizeof(double))

    def restore(self):
        """Start again with all rows."""
        cdef int64_t at, i, code
        cdef uint32_t row
        cdef Field* field = &self.field
        cdef Column* column
        cdef const uint32_t* order
        self.parts = [None] * field.n_columns
        memset(<void*>self.number, 0, field.n_columns * sizeof(void*))
        memset(field.here, 1, field.n_rows)
        field.sought, field.in_a_row = -1, 0
        memset(field.class_left, 0, field.n_classes * sizeof(double))
        memset(field.rows_left, 0, field.n_classes * sizeof(int64_t))
        memset(self.memory.size, 0, field.n_classes * sizeof(int64_t))
        for i in range(field.n_rows):
            field.class_left[field.classes[i]] += weight_of(field, <uint32_t>i)
            field.rows_left[field.classes[i]] += 1
        for at in range(field.n_columns):
            column = &field.columns[at]
            rows, starts, sizes = self.members[at]
            for code in range(column.n_codes + 1):
                column.start[code] = starts[code]
                column.size[code] = column.alive[code] = sizes[code]
            if len(rows):
                memcpy(column.members, address(rows), len(rows) * sizeof(uint32_t))
            if column.n_codes:
                memset(column.counts, 0, (column.n_codes + 1) * field.n_classes * sizeof(double))
                for i in range(field.n_rows):
                    code = column.codes[i] if column.codes[i] >= 0 else column.n_codes
                    column.counts[code * field.n_classes + field.classes[i]] += weight_of(field, <uint32_t>i)
                continue
            order = <const uint32_t*>address(self.orders[at])
            column.n_places = column.n_left = len(self.orders[at])
            for i in range(column.n_places):
                row = order[i]
                column.rows[i], column.place[row] = row, <uint32_t>i
                column.sorted[i], column.classes[i] = column.values[row], field.classes[row]
            sum_up(field, column)

    def class_weights(self):
        """The weight of every class among the rows still to be covered."""
        return self.class_left.copy()

    def rows(self):
        """The rows still to be covered, rising."""
        return np.flatnonzero(self.here)

    def remove(self, const int64_t[::1] rows):
        """Take rows away that were still to be covered."""
        cdef int64_t i
        for i in range(rows.shape[0]):
            self.take(<uint32_t>rows[i])

    cdef void take(self, uint32_t row) noexcept:
        """Take a row away, here and in the part of every category that it is in."""
        cdef int64_t at
        cdef Field* field = &self.field
        cdef double* left
        cdef object part
        field.here[row] = 0
        if field.classes[row] != field.sought:
            field.sought = -1
        left = &field.class_left[field.classes[row]]
        left[0] -= weight_of(field, row)
        field.rows_left[field.classes[row]] -= 1
        if field.rows_left[field.classes[row]] == 0 or left[0] < 0.0:  # what rounding leaves of sums is nothing
            left[0] = 0.0
        for at in range(field.n_columns):
            take_away(field, &field.columns[at], row)
            if self.number[at] != NULL and field.columns[at].codes[row] >= 0:
                part = (<list>self.parts[at])[field.columns[at].codes[row]]
                if part is not None:
                    (<Cover>part).take(self.number[at][row])

    cdef Cover part(self, int64_t at, int64_t code):
        """The rows of a category still to be covered, as a problem of their own; None where they are few."""
        cdef Cover made
        cdef int64_t i
        if self.parts[at] is not None and self.parts[at][code] is not None:
            return self.parts[at][code]
        if self.level >= MOST_LEVELS or self.field.columns[at].alive[code] < LEAST_ROWS:
            return None
        members, starts, sizes = self.members[at]
        rows = members[starts[code]:starts[code] + sizes[code]]
        rows = rows[self.here[rows] == 1]
        if self.parts[at] is None:
            self.parts[at] = [None] * self.field.columns[at].n_codes
            self.number[at] = <uint32_t*>self.room(self.field.n_rows * sizeof(uint32_t))
        number = np.zeros(self.field.n_rows, np.uint32)
        number[rows] = np.arange(len(rows), dtype=np.uint32)
        for i in range(len(rows)):
            self.number[at][<int64_t>rows[i]] = <uint32_t>i
        self.lists.n_rows = len(rows)
        memcpy(self.lists.rows, address(rows), len(rows) * sizeof(uint32_t))
        list_rows(&self.field, &self.lists)
        made = Cover(
            [None if values is None else np.asarray(values)[rows] for values in self.numbers],
            [None if values is None else number[self.listed(i)]
             for i, values in enumerate(self.numbers)],
            [None if codes is None else np.asarray(codes)[rows] for codes in self.codes],
            [self.field.columns[i].n_codes for i in range(self.field.n_columns)],
            np.asarray(self.classes)[rows],
            None if self.weights is None else np.asarray(self.weights)[rows],
            self.field.n_classes,
        )
        made.level = self.level + 1
        made.origin = rows.astype(np.int64)
        self.parts[at][code] = made
        return made

    cdef object listed(self, int64_t at):
        """The rows of a numeric column's list, in order."""
        cdef int64_t i
        cdef int64_t[::1] rows = np.empty(self.lists.sizes[at], np.int64)
        for i in range(rows.shape[0]):
            rows[i] = self.field.columns[at].rows[self.lists.places[at][i]]
        return np.asarray(rows)

    def grow(self, int label, int measure, bint sets, bint own_missing, bint idle, int64_t most):
        """Grow a rule for a class on the rows still to be covered.

        Parameters
        ----------
        label : int
            The class.
        measure : int
            `SHARE` or `GAIN`.
        sets : bool
            A condition may ask for one of several categories.
        own_missing : bool
            "Is missing" is a condition too; else a missing value fails every condition.
        idle : bool
            Conditions that exclude no row are added too, each nominal column once, until there is no column left.
        most : int
            At most so many conditions.

        Returns
        -------
        list of tuple
            For every condition in order: column, relation, cut, codes (a tuple), p and t of the rule up to it.
        """
        cdef int64_t i
        cdef Field* field = &self.field
        cdef Best best
        cdef Search search
        cdef bint listed = False
        cdef list steps = []
        cdef Cover part
        cdef uint8_t[::1] used = np.zeros(field.n_columns + 1, np.uint8)
        search.label, search.measure = label, measure
        search.sets, search.own_missing, search.idle = sets, own_missing, idle
        cdef double whole = 0.0
        for i in range(field.n_classes):
            whole += field.class_left[i]
        set_whole(&search, field.class_left[label], whole)
        self.rule.size = self.rule.n_codes = 0
        while search.whole_p < search.whole_t and len(steps) < most:
            nothing(&best)
            poll()
            with nogil:
                if self.rule.size == 0:
                    search_all(field, &search, &self.memory, &self.scratch, &best)
                elif listed or not search_pure(
                    field, &self.rule, &search, &used[0], self.lists.rows, &self.scratch, &best
                ):
                    if not listed:
                        self.lists.n_rows = rows_covered(field, &self.rule, -1, self.lists.rows)
                        list_rows(field, &self.lists)
                        listed = True
                    search_lists(field, &self.lists, &search, &used[0], &self.scratch, &best)
            if (best.column < 0 or (best.t >= search.whole_t and not idle)
                    or best.p * search.whole_t < search.whole_p * best.t * NEAR):
                break
            best.cut = middle(best.low, best.high)
            if not steps:
                remember(&self.memory, label, &best)
            steps.append((best.column, best.relation, best.cut, self.codes_of(&best), best.p, best.t))
            if len(steps) == 1 and best.relation == 2 and best.code == 1 and not idle:
                part = self.part(best.column, self.scratch.kept[0])
                if part is not None:
                    return steps + part.grow(label, measure, sets, own_missing, idle, most - 1)
            if field.columns[best.column].n_codes and not sets:
                used[best.column] = True
            add_condition(&self.rule, &best, self.scratch.kept)
            if listed:
                narrow_lists(field, &self.lists, &self.rule)
            set_whole(&search, best.p, best.t)
        return steps

    cdef tuple codes_of(self, const Best* best):
        cdef int64_t i
        return tuple(sorted([self.scratch.kept[i] for i in range(best.code)])) if best.relation == 2 else ()

    def covered(self, steps):
        """The rows still to be covered that a rule covers, rising; the rule as `grow` gives it."""
        cdef Best best
        cdef int64_t i, n
        cdef Cover part = None
        if not steps:
            return self.rows()
        column, relation, _, codes = steps[0][:4]
        if relation == 2 and len(codes) == 1 and self.parts[column] is not None:
            part = self.parts[column][codes[0]]
        if part is not None:
            return np.sort(part.origin[part.covered(steps[1:])])
        self.rule.size = self.rule.n_codes = 0
        for step in steps:
            best.column, best.relation, best.cut, best.code = step[0], step[1], step[2], len(step[3])
            for i in range(best.code):
                self.scratch.kept[i] = step[3][i]
            add_condition(&self.rule, &best, self.scratch.kept)
        n = rows_covered(&self.field, &self.rule, -1, self.lists.rows)
        if 16 * n > self.field.n_rows:
            mask = np.zeros(self.field.n_rows, np.bool_)
            mask[np.asarray(<uint32_t[:n]>self.lists.rows)] = True
            return np.flatnonzero(mask)
        sort_rising(self.lists.rows, n)
        cdef int64_t[::1] rows = np.empty(n, np.int64)
        for i in range(n):
            rows[i] = self.lists.rows[i]
        return np.asarray(rows)


cdef const void* address(array):
    """Where an array without gaps begins."""
    cdef const uint8_t[::1] view = np.ascontiguousarray(array).view(np.uint8).reshape(-1)
    return &view[0] if view.shape[0] else NULL


def middle(low: float, high: float) -> float:
    """A number above `low` and not above `high`, half-way but for digits that nobody wants to read."""
    half = low + (high - low) / 2.0
    short = float(f"{half:.12g}")
    if low < short <= high:
        return short
    return half if low < half else high
