"""The rule engine: adds conditions to a rule for a class, each time the best of all columns by a measure.

A rule is grown from all rows that no rule covers yet, or from given rows (if other rows are used to prune it). Columns
are sorted once.

- The rows that a rule covers are listed for every column, and the lists are narrowed as conditions are added.
- There may be many rows that are not covered yet, and the cost of a rule should depend on what it covers. For this
there
  is an index: the first condition is found from sums over blocks of every sorted column, blocks of blocks and so on; a
  block is opened only if a cut inside it could beat the best so far. As long as only rows of the class are removed, no
  fraction of the class rises, so the upper bounds of blocks remain valid. Categories are counted as rows are removed.
- Consecutive rules often begin with the same category: its rows become a subproblem, kept for the next rule.
- A condition that makes the rule perfect is found by scans from the ends of the columns, without listing the rows.

The best condition is chosen by p/t or by information gain, where t is the weight that the rule would cover and p the
weight of the class in it. Ties go to the one with more p, then to the first: columns in order, codes or cuts ascending,
below a cut before above it. A strict search adds a condition only if the measure improves.
"""

import numpy as np

from libc.math cimport INFINITY, log
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from hornbeam.core.base.interrupt cimport poll
from hornbeam.core.base.logarithm cimport LN_2
from hornbeam.core.base.memory cimport enlarge, hb_resize
from hornbeam.core.base.tolerance cimport SLACK
from hornbeam.core.rows.partition cimport keep_marked
from hornbeam.core.trees.split.scan cimport STEPS, count_rows

cdef extern from "hornbeam/core/base/simd.h":
    int hb_lowest_bit(uint64_t word) noexcept nogil

BELOW, AT_LEAST, IN, MISSING, AT_MOST, NOT_IN = 0, 1, 2, 3, 4, 5
SHARE, GAIN, SMOOTHED_GAIN = 0, 1, 2  # p/t; p (log p/t - log P/T); the same with one added to every count
cdef enum:  # which conditions are allowed, and when they are added (bits)
    WITH_SETS = 1  # one of several categories
    WITH_OTHERS = 2  # every category but one
    WITH_MISSING = 4  # "is missing" is also a condition; otherwise a missing value fails every condition
    WITH_IDLE = 8  # also conditions that exclude no row, each nominal column once, until no column is left
    WITH_STRICT = 16  # only conditions that improve the measure; cuts are at values, not halfway between two
SETS, LEAVE_OUT, OWN_MISSING, IDLE, STRICT = WITH_SETS, WITH_OTHERS, WITH_MISSING, WITH_IDLE, WITH_STRICT
MOST_ROWS = (1 << 29) - 1
LEAST_ROWS = 512  # a category with fewer rows does not become a subproblem
MOST_LEVELS = 2  # maximum nesting depth of subproblems

include "cover_measure.pxi"
include "cover_columns.pxi"
include "cover_rule.pxi"
include "cover_lists.pxi"
include "cover_first.pxi"
include "cover_pure.pxi"
include "cover_rows.pxi"


cdef class Cover(Rows):
    """Grows rules for a class, from all uncovered rows or from given rows."""

    cdef Cover part(self, int64_t at, int64_t code):
        """The uncovered rows of a category, as a subproblem; None if there are few."""
        cdef Cover made
        cdef int64_t i
        cdef double p, t
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
        number = np.asarray(<uint32_t[:self.field.n_rows]>self.number[at])
        number[rows] = np.arange(len(rows), dtype=np.uint32)
        self.lists.n_rows = len(rows)
        memcpy(self.lists.rows, address(rows), len(rows) * sizeof(uint32_t))
        mark_rows(&self.field, &self.lists, 0, &p, &t)
        orders = [None] * self.field.n_columns
        for i in range(self.field.n_columns):
            if self.field.columns[i].n_codes == 0:
                list_column(&self.field, &self.lists, i)
                orders[i] = number[taken(self.lists.entries[i], self.lists.sizes[i]) >> ROW_SHIFT]
        unmark_rows(&self.lists)
        made = Cover(
            [each[rows] for each in self.columns],
            orders,
            [self.field.columns[i].n_codes for i in range(self.field.n_columns)],
            self.classes[rows],
            None if self.weights is None else self.weights[rows],
            self.field.n_classes,
        )
        made.level = self.level + 1
        made.origin = rows.astype(np.int64)
        self.parts[at][code] = made
        return made

    # ---- rules ----

    cdef void load(self, conditions) except *:
        """Set the rule to conditions as returned by `grow`."""
        cdef Best best
        cdef int32_t[::1] several
        self.rule.size = self.rule.n_codes = 0
        for step in conditions:
            codes = step[3]
            best.column, best.relation, best.cut, best.n_codes = step[0], step[1], step[2], len(codes)
            if best.n_codes > 1:
                several = np.array(codes, np.int32)
                add_condition(&self.rule, &best, &several[0])
                continue
            if best.n_codes:
                best.code = codes[0]
            add_condition(&self.rule, &best, NULL)

    cdef void list_given(self, Search* search, const int32_t[::1] rows, start, uint8_t[::1] used) except *:
        """List the rows that meet the first conditions of a rule."""
        cdef int64_t i, n = rows.shape[0]
        cdef double p, t
        if n:
            memcpy(self.lists.rows, &rows[0], n * sizeof(int32_t))
        self.load(start)
        for i in range(self.rule.size):
            n = keep_passing(&self.field, &self.rule, i, 0, self.lists.rows, n, NULL)
            self.note_used(search, &self.rule.conditions[i], used)
        self.lists.n_rows = n
        mark_rows(&self.field, &self.lists, search.label, &p, &t)
        set_whole(search, p, t)

    cdef void note_used(self, const Search* search, const Condition* condition, uint8_t[::1] used) noexcept:
        """Whether a column may be used again: a nominal one only if sets of categories can be narrowed."""
        if self.field.columns[condition.column].n_codes and not search.sets and condition.relation != IS_NOT_IN:
            used[condition.column] = True

    def grow(self, int label, int measure, int choices, int64_t most=MOST_ROWS, double least=0.0, rows=None, start=()):
        """Grow a rule for a class: conditions are added until it covers no other class or no condition helps.

        Parameters
        ----------
        label : int
            The class.
        measure : int
            `SHARE`, `GAIN` or `SMOOTHED_GAIN`.
        choices : int
            The sum of `SETS`, `LEAVE_OUT`, `OWN_MISSING`, `IDLE` and `STRICT`, as they apply.
        most : int
            The greatest number of conditions.
        least : float
            The minimum weight of the class that a condition must leave (strict search).
        rows : int32 array or None
            Rows to grow from, none of them covered yet; None: all uncovered rows.
        start : sequence of tuple
            Conditions that a rule grown from given rows already has.

        Returns
        -------
        list of tuple
            For every condition in order: column, relation, cut, codes (a tuple), p and t of the rule up to it.
        """
        cdef Field* field = &self.field
        cdef Best best
        cdef Search search
        cdef bint listed = rows is not None, fresh = True
        cdef list steps = []
        cdef Cover part
        cdef uint8_t[::1] used = np.zeros(field.n_columns + 1, np.uint8)
        set_up(&search, field, label, measure, choices)
        self.rule.size = self.rule.n_codes = self.lists.n_rows = 0
        if listed:
            self.list_given(&search, rows, start, used)
        else:
            set_whole(&search, field.class_left[label], sum(self.class_left.tolist()))
        try:
            while len(steps) < most and (
                1.0 - search.rate > SLACK if search.strict else search.whole_p < search.whole_t * (1.0 - search.slack)
            ):
                begin(&search, &best)
                poll()
                with nogil:
                    if not listed and self.rule.size == 0:
                        search_all(field, &search, &self.memory, &self.scratch, &best)
                    elif listed or not search_pure(
                        field, &self.rule, &search, &used[0], self.lists.rows, &self.scratch, &best
                    ):
                        if not listed:
                            self.list_covered(label)
                            listed = True
                        search_lists(field, &search, &used[0], fresh, &self.lists, &self.scratch, &best)
                        fresh = False
                if best.column < 0 or is_worse(&search, &best, least):
                    break
                self.finish(&search, &best)
                if not steps and field.indexed:
                    remember(&self.memory, label, &best)
                steps.append((best.column, best.relation, best.cut, self.codes_of(&best), best.p, best.t))
                if not listed and len(steps) == 1 and best.n_codes == 1 and not search.idle:
                    part = self.part(best.column, best.code)
                    if part is not None:
                        return steps + part.grow(label, measure, choices, most - 1)
                add_condition(&self.rule, &best, field.columns[best.column].ranked)
                self.note_used(&search, &self.rule.conditions[self.rule.size - 1], used)
                if listed:
                    with nogil:
                        self.lists.n_rows = keep_passing(
                            field, &self.rule, self.rule.size - 1, ROW_SHIFT, self.lists.rows, self.lists.n_rows,
                            self.lists.state,
                        )
                set_whole(&search, best.p, best.t)
        finally:
            if listed:
                unmark_rows(&self.lists)
        return steps

    cdef void list_covered(self, int label) noexcept nogil:
        """List the rows that the rule covers."""
        cdef double p, t
        self.lists.n_rows = rows_covered(&self.field, &self.rule, -1, self.lists.rows)
        mark_rows(&self.field, &self.lists, label, &p, &t)

    cdef void finish(self, const Search* search, Best* best) except *:
        """Set the cut: at a value, or halfway between two."""
        if search.strict and best.relation == IS_BELOW:
            best.relation, best.cut = IS_AT_MOST, best.low
        elif search.strict:
            best.cut = best.high
        else:
            best.cut = middle(best.low, best.high)

    cdef tuple codes_of(self, const Best* best):
        return (best.code,) * best.n_codes if best.n_codes <= 1 else self.ranked(best.column, best.n_codes)

    def ranked(self, int64_t column, int64_t size):
        """The categories of a column with the largest fractions of the class, as counted by the last search."""
        cdef int64_t i
        return tuple(sorted([self.field.columns[column].ranked[i] for i in range(size)]))

    def candidates(self, const int32_t[::1] rows, int label, int choices, start=()):
        """All conditions that can be added to a rule that covers these rows.

        Parameters
        ----------
        rows : int32 array
            The rows that the rule covers and no earlier rule does.
        label, choices : int
            As in `grow`.
        start : sequence of tuple
            The conditions of the rule.

        Returns
        -------
        structured array or None
            For every condition: column, relation, low, high (the values on both sides of a cut), code, n_codes, p and
            t.
        """
        cdef Search search
        cdef Pool pool
        cdef Best best
        cdef uint8_t[::1] used = np.zeros(self.field.n_columns + 1, np.uint8)
        set_up(&search, &self.field, label, BY_SHARE, choices)
        pool.items, pool.size, pool.room, pool.failed = NULL, 0, 0, False
        search.pool = &pool
        try:
            self.list_given(&search, rows, start, used)
            begin(&search, &best)
            with nogil:
                search_lists(&self.field, &search, &used[0], True, &self.lists, &self.scratch, &best)
            if pool.failed:
                raise MemoryError("not enough memory for the conditions of a rule")
            if pool.size == 0:
                return None
            return np.array(<Best[:pool.size]>pool.items)
        finally:
            unmark_rows(&self.lists)
            free(pool.items)

    def covered(self, steps):
        """The uncovered rows that a rule covers, ascending; the rule as returned by `grow`."""
        cdef Cover part = None
        if not steps:
            return self.rows()
        column, relation, _, codes = steps[0][:4]
        if relation == IS_IN and len(codes) == 1 and self.parts[column] is not None:
            part = self.parts[column][codes[0]]
        if part is not None:
            return np.sort(part.origin[part.covered(steps[1:])])
        self.load(steps)
        n = rows_covered(&self.field, &self.rule, -1, self.lists.rows)
        return np.sort(taken(self.lists.rows, n)).astype(np.int64)

    def narrow(self, const int32_t[::1] rows, int label, steps):
        """The weight covered, and that of a class, after each condition; and the rows that meet all conditions."""
        cdef int64_t i, c, of_class, n = rows.shape[0]
        cdef double p, t, weight
        kept = np.array(rows)
        cdef uint32_t[::1] left = kept.view(np.uint32)
        sums = np.zeros((2, len(steps)))
        cdef double[:, ::1] out = sums
        self.load(steps)
        with nogil:
            for c in range(self.rule.size if n else 0):
                n = keep_passing(&self.field, &self.rule, c, 0, &left[0], n, NULL)
                if self.field.weights == NULL:
                    of_class = 0
                    for i in range(n):
                        of_class += self.field.classes[left[i]] == label
                    p, t = <double>of_class, <double>n
                else:
                    p = t = 0.0
                    for i in range(n):
                        weight = self.field.weights[left[i]]
                        t += weight
                        p += weight * (self.field.classes[left[i]] == label)
                out[0, c], out[1, c] = t, p
        return sums[0], sums[1], kept[:n]


cdef object taken(const uint32_t* numbers, int64_t n):
    """A copy of some numbers as an array."""
    return np.array(<const uint32_t[:n]>numbers) if n else np.empty(0, np.uint32)


cdef void set_up(Search* search, const Field* field, int label, int measure, int choices) except *:
    search.label, search.measure = label, measure
    search.sets, search.leave_out = choices & WITH_SETS > 0, choices & WITH_OTHERS > 0
    search.own_missing, search.idle = choices & WITH_MISSING > 0, choices & WITH_IDLE > 0
    search.strict = choices & WITH_STRICT > 0
    search.added = 1.0 if measure == BY_SMOOTHED_GAIN else 0.0
    search.slack = 0.0 if field.weights == NULL or field.whole_weights else 1.0 - NEAR
    search.pool = NULL


cdef bint is_worse(const Search* search, const Best* best, double least) noexcept:
    """Whether the best condition must not be added."""
    if search.strict:
        return least - best.p > SLACK
    return (best.t >= search.whole_t and not search.idle) or best.p * search.whole_t < search.whole_p * best.t * NEAR


def middle(low: float, high: float) -> float:
    """A number above `low` and not above `high`, near the midpoint and without unneeded digits."""
    half = low + (high - low) / 2.0
    short = float(f"{half:.12g}")
    if low < short <= high:
        return short
    return half if low < half else high
