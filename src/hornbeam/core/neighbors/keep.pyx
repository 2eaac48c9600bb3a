"""Rows are seen one after another, and those that the rows kept so far misclassify are kept.

The ranges of columns grow with the rows seen, so a table gives the same result in one part or in many. A kept row may
have a record of how often it was right while it was among the nearest: only rows significantly better than the
frequency of their class are used, and those significantly worse are dropped. Weights of columns may be learned along
the way. If every kept row is used, a tree over them grows with them (`keep_tree.pxi`) and finds the nearest
(`keep_look.pxi`); otherwise bounds of all distances are computed, many at a time (`keep_records.pxi`).
"""

import numpy as np

from libc.math cimport INFINITY, floor, sqrt
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from hornbeam.core.base.interrupt cimport poll
from hornbeam.core.base.memory cimport hb_resize

cdef extern from "hornbeam/core/neighbors/keep_loops.h":
    enum:
        HB_K_LANES
        HB_K_COLUMNS

    double hb_k_beyond(const double* x, const double* low, const double* high, const double* scale,
                       int p) noexcept nogil
    void hb_k_near(const double* x, const double* block, const double* scale, const double* differ, int p,
                   int64_t n_blocks, double enough, double* bound, uint8_t* found) noexcept nogil

cdef enum:
    SEEN = 0  # the outcome of a row
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
    double rate  # of fixed steps; negative: weights are means of the evidence
    double* alike  # sets x columns: summed evidence for each column, and its maximum
    double* most_alike
    bint records
    double accept  # how many standard errors a record must differ by to be used, and to be dropped
    double reject
    int64_t* kept  # row numbers, in the order in which they were kept
    int64_t n_kept
    int64_t* right  # by index among the kept
    int64_t* tried
    double* least  # the lower confidence limit of a kept row's success rate, at `accept`
    int64_t* class_count
    int64_t n_seen
    int8_t* became
    int64_t n_compared  # kept rows compared with rows seen


cdef inline double difference(const Stream* s, int f, double x, double y) noexcept nogil:
    """The difference of two values of a column: 0 to 1, the greatest possible if one is missing."""
    cdef double width, place
    if s.nominal[f]:
        return 0.0 if x == y else 1.0  # a missing code (NaN) is not equal to itself
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
    """Sum of (weight x difference) squared; infinite once it is more than `enough`."""
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
    """The confidence limit, lower (-1) or upper (1), of a proportion: `right` times in `tried`."""
    cdef double p, middle, spread
    if tried == 0.0:
        return 0.0 if side < 0 else 1.0
    p = right / tried
    middle = p + z * z / (2.0 * tried)
    spread = z * sqrt(p * (1.0 - p) / tried + z * z / (4.0 * tried * tried))
    return (middle + side * spread) / (1.0 + z * z / tried)


cdef bint widen(Stream* s, int64_t row) noexcept nogil:
    """Extend the ranges to a row; returns whether one grew."""
    cdef int f
    cdef double x
    cdef bint grew = False
    for f in range(s.p):
        x = s.value[row * s.p + f]
        if s.nominal[f] or x != x:
            continue
        if not x >= s.low[f]:  # NaN at first
            s.low[f], grew = x, True
        if not x <= s.high[f]:
            s.high[f], grew = x, True
    return grew


cdef inline double evidence_share(const Stream* s, int64_t row, int64_t kept_row) noexcept nogil:
    """How much a row counts for the weights: less if its class, or the neighbor's, is frequent and easy to predict."""
    cdef int64_t one = s.class_count[s.target[row]], other = s.class_count[s.target[kept_row]]
    return 1.0 - <double>(one if one > other else other) / <double>s.n_seen


cdef void learn_weights(Stream* s, int64_t row, int64_t kept_row) noexcept nogil:
    """Raise the weights of columns if the neighbor was right, else lower them; most where the two rows are similar.

    Either by fixed steps, or a weight is how far the mean evidence is above one half. The evidence of a row for a
    column is 1 - difference if the neighbor was right, and the difference if it was wrong.
    """
    cdef int64_t start = s.target[kept_row] * <int64_t>s.p if s.n_sets > 1 else 0
    cdef double* w = s.weight + start
    cdef double* alike = s.alike + start
    cdef double* most = s.most_alike + start
    cdef double x, y, d, total = 0.0
    cdef double share = evidence_share(s, row, kept_row)
    cdef bint right = s.target[row] == s.target[kept_row]
    cdef int f
    for f in range(s.p):
        x, y = s.value[row * s.p + f], s.value[kept_row * s.p + f]
        if x == x and y == y:  # a column with a missing value gives no evidence
            d = difference(s, f, x, y)
            d = d if d > 0.0 else -d
            if s.rate >= 0.0:
                w[f] += (s.rate if right else -s.rate) * (1.0 - d)
            else:
                most[f] += share
                alike[f] += share * (1.0 - d if right else d)
        if s.rate < 0.0:  # update every column: the scale of the others has changed
            w[f] = alike[f] / most[f] - 0.5
        if w[f] < 0.0:
            w[f] = 0.0
        total += w[f]
    for f in range(s.p):
        w[f] = w[f] * (s.p / total) if total > 0.0 else 1.0  # their mean stays 1


cdef void add(Stream* s, int64_t row) noexcept nogil:
    s.kept[s.n_kept] = row
    s.right[s.n_kept] = s.tried[s.n_kept] = 0
    s.least[s.n_kept] = 0.0
    s.n_kept += 1
    s.became[row] = KEPT


include "keep_records.pxi"
include "keep_tree.pxi"
include "keep_look.pxi"


cdef class KeptTree:
    """A tree over kept rows, passed from one call of `keep` to the next; a copied or stored tree is empty."""

    cdef Tree tree
    cdef bint begun
    cdef bint taken  # in use by a call that has not returned (and may never)

    def __dealloc__(self):
        end_tree(&self.tree)

    def __reduce__(self):
        return KeptTree, ()


cdef bint see(Stream* s, int64_t row, Tree* tree, Shelf shelf) noexcept nogil:
    """Process one more row; False if memory runs out."""
    cdef bint right
    if widen(s, row) and tree != NULL:
        set_scales(s, tree)
    right = predicts_right(s, tree, row) if tree != NULL else shelf.predicts_right(s, row)
    if not right:
        add(s, row)
    s.class_count[s.target[row]] += 1
    s.n_seen += 1
    return right or (put_if_new(s, tree, s.n_kept - 1) if tree != NULL else shelf.put(s, s.n_kept - 1))


cdef class Policy:
    """Which rows are kept and which are used: which weights are learned, at which rate, and the limits of records."""

    cdef int learned
    cdef double rate, accept, reject
    cdef bint records

    def __init__(self, int learned, double rate, bint records, double accept, double reject):
        self.learned, self.rate, self.records, self.accept, self.reject = learned, rate, records, accept, reject


cdef class Seen:
    """What was learned from the rows so far: ranges and weights of columns, and counts of classes. It is updated."""

    cdef double[::1] low, high
    cdef double[:, ::1] weight
    cdef double[:, :, ::1] evidence
    cdef int64_t[::1] class_count
    cdef int64_t n_seen

    def __init__(self, double[::1] low, double[::1] high, double[:, ::1] weight, double[:, :, ::1] evidence,
                 int64_t[::1] class_count, int64_t n_seen):
        self.low, self.high, self.weight, self.evidence = low, high, weight, evidence
        self.class_count, self.n_seen = class_count, n_seen

    cdef void fill(self, Stream* s, Policy policy) noexcept:
        s.n_classes = <int>self.class_count.shape[0]
        s.low = &self.low[0] if s.p else NULL
        s.high = &self.high[0] if s.p else NULL
        s.weight = &self.weight[0, 0] if s.p else NULL
        s.alike = &self.evidence[0, 0, 0] if s.p else NULL
        s.most_alike = &self.evidence[1, 0, 0] if s.p else NULL
        s.class_count, s.n_seen = &self.class_count[0], self.n_seen
        s.n_sets, s.learned, s.rate = <int>self.weight.shape[0], policy.learned, policy.rate
        s.records, s.accept, s.reject = policy.records, policy.accept, policy.reject


def keep(const double[:, ::1] value, const int32_t[::1] target, const int8_t[::1] nominal, int64_t first, Seen seen,
         Policy policy, const int64_t[::1] right, const int64_t[::1] tried, KeptTree kept_tree):
    """Process rows from `first` on; the rows before are already kept, with their records.

    If all kept rows are used with the same weights, a tree finds them: an empty one, or the tree of the call that kept
    the earlier rows. If that tree has been extended with other rows since, or is in use, a new one is made.

    Returns the numbers of the rows kept, their records (right, tried), whether each may be used, the outcome of every
    row (0 seen, 1 kept, 2 dropped), how many pairs of a kept row and a row seen were compared, and the tree.
    """
    cdef int64_t n = value.shape[0], row, j
    cdef Stream s
    cdef Tree* tree = NULL
    cdef Shelf shelf = Shelf()  # not used if there is a tree
    cdef bint well = True
    kept_array, right_array, tried_array = np.arange(n + 1), np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    least_array, became_array = np.zeros(n + 1), np.zeros(n + 1, np.int8)
    cdef int64_t[::1] kept_view = kept_array, right_view = right_array, tried_view = tried_array
    cdef double[::1] least_view = least_array
    cdef int8_t[::1] became_view = became_array
    s.p = <int>value.shape[1]
    s.value = &value[0, 0] if n and s.p else NULL
    s.target = &target[0] if n else NULL
    s.nominal = &nominal[0] if s.p else NULL
    seen.fill(&s, policy)
    s.kept, s.right, s.tried, s.least = &kept_view[0], &right_view[0], &tried_view[0], &least_view[0]
    s.became = &became_view[0]
    s.n_kept, s.n_compared = first, 0
    for j in range(first):
        s.right[j], s.tried[j] = right[j], tried[j]
        s.least[j] = limit(s.right[j], s.tried[j], s.accept, -1)
        s.became[j] = KEPT
    if kept_tree is not None:
        if kept_tree.taken or kept_tree.tree.n_held != first:
            kept_tree = KeptTree()
        kept_tree.taken, tree = True, &kept_tree.tree
        if not kept_tree.begun:
            kept_tree.begun = True
            well = begin_tree(&s, tree)
        if tree.p != s.p:
            raise ValueError(f"the tree has {tree.p} columns, the rows have {s.p}")
    with nogil:
        if tree == NULL:
            well = shelf.begin(&s)
            for j in range(first):
                well = well and shelf.put(&s, j)
        elif well:
            set_scales(&s, tree)
            for j in range(tree.n_held, first):
                poll()
                well = well and put_if_new(&s, tree, j)
        for row in range(first, n):
            if not well:
                break
            poll()
            well = see(&s, row, tree, shelf)
        shelf.close_gaps(&s)
    if not well:
        raise MemoryError
    if kept_tree is not None:
        kept_tree.taken = False
    used = np.zeros(s.n_kept, np.bool_)
    cdef uint8_t[::1] used_view = used.view(np.uint8)
    for j in range(s.n_kept):
        used_view[j] = s.least[j] > limit(s.class_count[s.target[s.kept[j]]], <double>s.n_seen, s.accept, 1)
    count = s.n_kept
    records_of = right_array[:count], tried_array[:count]
    return kept_array[:count], *records_of, used, became_array[:n], s.n_compared, kept_tree
