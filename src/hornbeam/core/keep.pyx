"""Rows seen one after another, of which some are kept: those that the kept ones answer wrongly.

Ranges of columns grow with the rows seen, so that a table in one piece and in many gives the same. A kept row may have
a record of how often it was right while it was among the nearest: only those that are significantly better than their
class's share answer, and those significantly worse are dropped. Weights of columns may be learned along the way.
`keep_tree.pxi` finds the nearest where every kept row answers: a tree that grows with them.
"""

import numpy as np

from libc.math cimport INFINITY, sqrt
from libc.stdint cimport int8_t, int32_t, int64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy

from hornbeam.core.distance_loops cimport hb_d_squares

cdef enum:
    SEEN = 0  # what became of a row
    KEPT = 1
    DROPPED = 2
    NO_WEIGHTS = 0  # which weights of columns are learned
    FOR_ALL = 1
    BY_CLASS = 2

cdef struct Stream:
    int p
    int n_classes
    const double* value  # rows x columns: numbers, or codes; NaN: missing
    const int32_t* target
    const int8_t* nominal
    double* low
    double* high
    double* weight  # sets of weights x columns
    int n_sets
    int learned
    double rate
    bint records
    double accept  # how many standard errors a record must be away, to answer and to be dropped
    double reject
    int64_t* kept  # row numbers, in the order in which they were kept
    int64_t n_kept
    int64_t* right  # by place among the kept
    int64_t* tried
    double* least  # the lower limit of a kept row's success, at `accept`
    int64_t* class_count
    int64_t n_seen
    int8_t* became
    double* apart  # distance of the row at hand, by place among the kept
    int64_t n_compared  # kept rows held against rows seen
    double* held  # values of the kept rows, close together; NULL where there is no tree


cdef inline double difference(const Stream* s, int f, double x, double y) noexcept nogil:
    """Of two values of a column: 0 to 1, as great as it can be where one is missing."""
    cdef double width, place
    if s.nominal[f]:
        return 0.0 if x == y else 1.0  # a missing code is not equal to itself
    width = s.high[f] - s.low[f]
    if x == x and y == y:
        return (x - y) / width if width > 0.0 else 0.0
    if x != x and y != y:
        return 1.0
    place = x if x == x else y
    place = (place - s.low[f]) / width if width > 0.0 else 0.0
    return place if place > 1.0 - place else 1.0 - place


cdef inline const double* weights_for(const Stream* s, int64_t kept_row) noexcept nogil:
    return s.weight + (s.target[kept_row] * <int64_t>s.p if s.n_sets > 1 else 0)


cdef inline double distance(const Stream* s, int64_t row, const double* y, const double* w,
                            double enough) noexcept nogil:
    """Sum of (weight x difference) squared; given up once it is more than `enough`."""
    cdef const double* x = s.value + row * s.p
    cdef double total = 0.0, d
    cdef int f
    for f in range(s.p):
        d = w[f] * difference(s, f, x[f], y[f])
        total += d * d
        if total > enough:
            return INFINITY
    return total


cdef inline double limit(double right, double tried, double z, int side) noexcept nogil:
    """The limit, lower (-1) or upper (1), of a share that was seen `right` times in `tried`."""
    cdef double p, middle, spread
    if tried == 0.0:
        return 0.0 if side < 0 else 1.0
    p = right / tried
    middle = p + z * z / (2.0 * tried)
    spread = z * sqrt(p * (1.0 - p) / tried + z * z / (4.0 * tried * tried))
    return (middle + side * spread) / (1.0 + z * z / tried)


cdef void widen(Stream* s, int64_t row) noexcept nogil:
    cdef int f
    cdef double x
    for f in range(s.p):
        x = s.value[row * s.p + f]
        if s.nominal[f] or x != x:
            continue
        if not x >= s.low[f]:  # NaN at first
            s.low[f] = x
        if not x <= s.high[f]:
            s.high[f] = x


cdef void learn_weights(Stream* s, int64_t row, int64_t kept_row) noexcept nogil:
    """Raise the weights of columns where the neighbour was right, else lower them: most where the two are alike."""
    cdef double* w = s.weight + (s.target[kept_row] * <int64_t>s.p if s.n_sets > 1 else 0)
    cdef double x, y, d, total = 0.0
    cdef double step = s.rate if s.target[row] == s.target[kept_row] else -s.rate
    cdef int f
    for f in range(s.p):
        x, y = s.value[row * s.p + f], s.value[kept_row * s.p + f]
        if x == x and y == y:  # a column without the value tells nothing
            d = difference(s, f, x, y)
            w[f] += step * (1.0 - (d if d > 0.0 else -d))
            if w[f] < 0.0:
                w[f] = 0.0
        total += w[f]
    for f in range(s.p):
        w[f] = w[f] * (s.p / total) if total > 0.0 else 1.0  # their mean stays 1


cdef void hold(Stream* s, int64_t place) noexcept nogil:
    memcpy(s.held + place * s.p, s.value + s.kept[place] * s.p, s.p * sizeof(double))


cdef void add(Stream* s, int64_t row) noexcept nogil:
    s.kept[s.n_kept] = row
    s.right[s.n_kept] = s.tried[s.n_kept] = 0
    s.least[s.n_kept] = 0.0
    if s.held != NULL:
        hold(s, s.n_kept)
    s.n_kept += 1
    s.became[row] = KEPT


cdef int64_t nearest_of_all(Stream* s, int64_t row) noexcept nogil:
    """The place of the nearest kept row, the first on a tie; -1 where there is none."""
    cdef int64_t j, best = -1
    cdef double least = INFINITY, d
    for j in range(s.n_kept):
        d = distance(s, row, s.value + s.kept[j] * s.p, weights_for(s, s.kept[j]), least)
        if d < least or best < 0:
            least, best = d, j
    return best


cdef int64_t nearest_accepted(Stream* s, int64_t row) noexcept nogil:
    """The same among those that may answer, or among all where none may; every distance is noted."""
    cdef int64_t j, best = -1, accepted = -1
    cdef double n = <double>s.n_seen
    for j in range(s.n_kept):
        s.apart[j] = distance(s, row, s.value + s.kept[j] * s.p, weights_for(s, s.kept[j]), INFINITY)
        if best < 0 or s.apart[j] < s.apart[best]:
            best = j
        if accepted < 0 or s.apart[j] < s.apart[accepted]:
            if s.least[j] > limit(s.class_count[s.target[s.kept[j]]], n, s.accept, 1):
                accepted = j
    return accepted if accepted >= 0 else best


cdef void keep_records(Stream* s, int64_t row, double reach) noexcept nogil:
    """Kept rows as near as `reach` have been tried once more; those that are significantly bad are dropped."""
    cdef int64_t j, left = 0
    cdef double n = <double>s.n_seen
    cdef bint bad
    cdef int64_t kept_row
    for j in range(s.n_kept):
        kept_row, bad = s.kept[j], False
        if s.apart[j] <= reach:
            s.tried[j] += 1
            s.right[j] += s.target[kept_row] == s.target[row]
            s.least[j] = limit(s.right[j], s.tried[j], s.accept, -1)
            bad = limit(s.right[j], s.tried[j], s.reject, 1) < limit(s.class_count[s.target[kept_row]], n, s.reject, -1)
        if bad:
            s.became[kept_row] = DROPPED
            continue
        s.kept[left], s.right[left], s.tried[left], s.least[left] = kept_row, s.right[j], s.tried[j], s.least[j]
        left += 1
    s.n_kept = left


include "keep_tree.pxi"


cdef bint see(Stream* s, int64_t row, Tree* tree) noexcept nogil:
    """One more row; False where memory ran out."""
    cdef int64_t j, chosen
    cdef double reach
    cdef int32_t answer
    widen(s, row)
    if tree == NULL:
        s.n_compared += s.n_kept
    if tree != NULL:
        j = nearest_in_tree(s, tree, row)
    elif s.records:
        j = nearest_accepted(s, row)
    else:
        j = nearest_of_all(s, row)
    if j < 0:
        add(s, row)
    else:
        chosen = s.kept[j]
        answer = s.target[chosen]
        if s.records:
            reach = s.apart[j]
            keep_records(s, row, reach)
        if s.learned != NO_WEIGHTS:
            learn_weights(s, row, chosen)
        if answer == s.target[row]:
            s.class_count[s.target[row]] += 1
            s.n_seen += 1
            return True
        add(s, row)
    s.class_count[s.target[row]] += 1
    s.n_seen += 1
    return tree == NULL or put_if_new(s, tree, s.n_kept - 1, j)


def keep(const double[:, ::1] value, const int32_t[::1] target, const int8_t[::1] nominal, int64_t first,
         double[::1] low, double[::1] high, double[:, ::1] weight, int learned, double rate, bint records,
         double accept, double reject, int64_t[::1] right, int64_t[::1] tried, int64_t[::1] class_count,
         int64_t n_seen, bint with_tree):
    """See rows from `first` on; the rows before are those kept already, with their records.

    `low`, `high`, `weight` and `class_count` are brought up to date. Gives the numbers of the rows kept, their records
    (right, tried), whether each may answer, what became of every row (0 seen, 1 kept, 2 dropped), and how many kept
    rows were held against rows seen, one by one.
    """
    cdef int64_t n = value.shape[0], row, j
    cdef Stream s
    cdef Tree tree
    cdef bint well = True
    kept_array, right_array, tried_array = np.arange(n + 1), np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    least_array, apart_array, became_array = np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 1, np.int8)
    cdef int64_t[::1] kept_view = kept_array, right_view = right_array, tried_view = tried_array
    cdef double[::1] least_view = least_array, apart_view = apart_array
    cdef int8_t[::1] became_view = became_array
    s.p, s.n_classes = <int>value.shape[1], <int>class_count.shape[0]
    s.value = &value[0, 0] if n and s.p else NULL
    s.target = &target[0] if n else NULL
    s.nominal = &nominal[0] if s.p else NULL
    s.low = &low[0] if s.p else NULL
    s.high = &high[0] if s.p else NULL
    s.weight = &weight[0, 0] if s.p else NULL
    s.n_sets, s.learned, s.rate = <int>weight.shape[0], learned, rate
    s.records, s.accept, s.reject = records, accept, reject
    s.kept, s.right, s.tried, s.least = &kept_view[0], &right_view[0], &tried_view[0], &least_view[0]
    s.class_count, s.n_seen = &class_count[0], n_seen
    s.became, s.apart = &became_view[0], &apart_view[0]
    s.n_kept, s.n_compared = first, 0
    for j in range(first):
        s.right[j], s.tried[j] = right[j], tried[j]
        s.least[j] = limit(s.right[j], s.tried[j], accept, -1)
        s.became[j] = KEPT
    held_array = np.empty((n + 1 if with_tree else 0, max(s.p, 1)))  # touched as rows are kept
    cdef double[:, ::1] held_view = held_array
    s.held = &held_view[0, 0] if with_tree else NULL
    well = begin_tree(&tree, s.p)
    try:
        with nogil:
            if with_tree:
                for j in range(first):
                    hold(&s, j)
                    well = well and put_if_new(&s, &tree, j, nearest_in_tree(&s, &tree, j))
            for row in range(first, n):
                if not well:
                    break
                well = see(&s, row, &tree if with_tree else NULL)
        if not well:
            raise MemoryError
    finally:
        end_tree(&tree)
    answers = np.zeros(s.n_kept, np.bool_)
    for j in range(s.n_kept):
        answers[j] = s.least[j] > limit(s.class_count[s.target[s.kept[j]]], <double>s.n_seen, accept, 1)
    count = s.n_kept
    records_of = right_array[:count], tried_array[:count]
    return kept_array[:count], *records_of, answers, became_array[:n], s.n_compared
