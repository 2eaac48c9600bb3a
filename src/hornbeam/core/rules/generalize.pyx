"""Generalize: which conditions of a rule can be dropped, by its expected errors without them.

Rows are bits. A row that breaks exactly one condition of a rule would also be covered without that condition, so one
pass over the conditions' bits shows what dropping each of them would do: `once` are rows that break at least one
condition, `twice` those that break two or more.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from hornbeam.core.trees.prune.expected_errors cimport expected_errors
from hornbeam.core.base.interrupt cimport poll
from hornbeam.core.base.tolerance cimport SLACK

cdef extern from "hornbeam/core/rules/generalize_loops.h":
    void hb_look_over(const uint64_t** bits, int n, int64_t n_words, const uint64_t* all_rows, const uint64_t* right,
                      int64_t* count, int64_t* wrong) noexcept nogil
    int hb_lowest_bit(uint64_t word) noexcept nogil

cdef int64_t PATIENCE = 1 << 24  # words processed between two checks for an interrupt


cdef struct Rows:
    int64_t n_words
    const uint64_t* right  # bits of the rows of the rule's class
    const uint64_t* all_rows
    const double* weights  # NULL where every row counts once
    double confidence  # 0: the plain error rate, for held-out rows
    double z


cdef struct Found:  # working memory, and the counts of a rule: one entry more than there are conditions
    const uint64_t** bits
    int32_t* number
    int64_t* count
    int64_t* wrong
    double* weight
    double* errors


cdef inline double weigh(const Rows* rows, uint64_t bits, int64_t word) noexcept nogil:
    """Weight of the rows of one word."""
    cdef double total = 0.0
    while bits:
        total += rows.weights[64 * word + hb_lowest_bit(bits)]
        bits &= bits - 1
    return total


cdef inline double rate(const Rows* rows, double weight, double errors) noexcept nogil:
    """Expected error rate of a rule."""
    if rows.confidence > 0.0:
        return expected_errors(weight, errors, rows.confidence, rows.z) / weight if weight > 0.0 else 1.0
    return (errors + 1.0) / (weight + 2.0)


cdef void look_over(const Rows* rows, Found* found, int n) noexcept nogil:
    """Weight and errors of a rule (at n), and of the rows that break only condition i (at i)."""
    cdef uint64_t once, twice, broken, covered, only
    cdef int64_t word
    cdef int i
    memset(found.weight, 0, (n + 1) * sizeof(double))
    memset(found.errors, 0, (n + 1) * sizeof(double))
    if rows.weights == NULL:
        memset(found.count, 0, (n + 1) * sizeof(int64_t))
        memset(found.wrong, 0, (n + 1) * sizeof(int64_t))
        hb_look_over(found.bits, n, rows.n_words, rows.all_rows, rows.right, found.count, found.wrong)
        for i in range(n + 1):
            found.weight[i] = found.count[i]
            found.errors[i] = found.wrong[i]
        return
    for word in range(rows.n_words):
        once = twice = 0
        for i in range(n):
            broken = ~found.bits[i][word]
            twice |= once & broken
            once |= broken
        covered = ~once & rows.all_rows[word]
        only = once & ~twice & rows.all_rows[word]
        found.weight[n] += weigh(rows, covered, word)
        found.errors[n] += weigh(rows, covered & ~rows.right[word], word)
        for i in range(n):
            broken = only & ~found.bits[i][word]
            found.weight[i] += weigh(rows, broken, word)
            found.errors[i] += weigh(rows, broken & ~rows.right[word], word)


cdef int drop(const Rows* rows, Found* found, int n, double* estimate) noexcept nogil:
    """Repeatedly drop the condition whose removal lowers the estimate most, until each removal would raise it.

    `found.number` has the conditions' numbers, and at the end those of the conditions kept; returns how many.
    """
    cdef int i, best
    cdef double least, candidate
    while True:
        look_over(rows, found, n)
        estimate[0] = rate(rows, found.weight[n], found.errors[n])
        best = -1
        least = estimate[0] + SLACK
        for i in range(n):
            candidate = rate(rows, found.weight[n] + found.weight[i], found.errors[n] + found.errors[i])
            if candidate < least - (SLACK if best >= 0 else 0.0):
                least = candidate
                best = i
        if best < 0:
            return n
        for i in range(best, n - 1):
            found.bits[i] = found.bits[i + 1]
            found.number[i] = found.number[i + 1]
        n -= 1


cdef class Generalizer:
    """Rows used to decide which conditions to drop.

    Parameters
    ----------
    labels : int32 array
        Class of each row.
    n_classes : int
    weights : float64 array or None
    confidence, z : float
        Confidence level of the error limit, and its normal quantile; 0 for held-out rows, whose plain error rate is
        used (with one right and one wrong row added).
    """

    cdef Rows rows
    cdef object weights
    cdef object by_class
    cdef object everything
    cdef int64_t n_rows

    def __init__(self, labels, int n_classes, weights, double confidence, double z):
        cdef const double[::1] of_rows
        cdef const uint64_t[::1] everything
        self.n_rows = len(labels)
        self.by_class = np.stack([pack(labels == label) for label in range(n_classes)])
        self.everything = pack(np.ones(self.n_rows, np.bool_))
        everything = self.everything
        self.rows.n_words = everything.shape[0]
        self.rows.all_rows = &everything[0]
        self.rows.weights = NULL
        self.rows.confidence = confidence
        self.rows.z = z
        self.weights = None
        if weights is not None:
            self.weights = np.ascontiguousarray(weights, np.float64)
            of_rows = self.weights
            self.rows.weights = &of_rows[0]

    def drop(self, const uint64_t[:, ::1] bits, const int64_t[::1] start, const int32_t[::1] condition,
             const int32_t[::1] label):
        """Drop conditions of rules.

        Parameters
        ----------
        bits : uint64 array of conditions x words
            Rows that pass each condition.
        start, condition : int64 and int32 arrays
            The conditions of each rule, one rule after another.
        label : int32 array
            The class of each rule.

        Returns
        -------
        How many conditions each rule keeps, which ones (as indices into `condition`, at the front of each rule's part),
        and the estimate of each rule.
        """
        cdef int64_t n_rules = label.shape[0], r, most = 0, looked_at = 0
        cdef int n, i
        cdef const uint64_t[:, ::1] by_class = self.by_class
        cdef int32_t[::1] n_kept = np.zeros(n_rules, np.int32), kept = np.zeros(condition.shape[0], np.int32)
        cdef double[::1] estimate = np.zeros(n_rules)
        cdef Found found
        cdef char* memory
        for r in range(n_rules):
            most = max(most, start[r + 1] - start[r])
        most += 2
        memory = <char*>malloc(most * (sizeof(void*) + 2 * sizeof(int64_t) + 2 * sizeof(double) + sizeof(int32_t)))
        if memory == NULL:
            raise MemoryError("not enough memory to generalize rules")
        found.bits = <const uint64_t**>memory
        found.count = <int64_t*>(found.bits + most)
        found.wrong = found.count + most
        found.weight = <double*>(found.wrong + most)
        found.errors = found.weight + most
        found.number = <int32_t*>(found.errors + most)
        try:
            with nogil:
                for r in range(n_rules):
                    n = <int>(start[r + 1] - start[r])
                    for i in range(n):
                        found.bits[i] = &bits[condition[start[r] + i], 0]
                        found.number[i] = i
                    self.rows.right = &by_class[label[r], 0]
                    n_kept[r] = drop(&self.rows, &found, n, &estimate[r])
                    for i in range(n_kept[r]):
                        kept[start[r] + i] = condition[start[r] + found.number[i]]
                    looked_at += (n - n_kept[r] + 1) * (n + 1) * self.rows.n_words
                    if looked_at > PATIENCE:
                        looked_at = 0
                        poll()
        finally:
            free(memory)
        return np.asarray(n_kept), np.asarray(kept), np.asarray(estimate)

    def covered(self, const uint64_t[:, ::1] bits, const int64_t[::1] start, const int32_t[::1] condition):
        """The rows that each rule covers: where each rule's rows begin, and their numbers in ascending order."""
        cdef int64_t n_rules = start.shape[0] - 1, r, i, w, n = 0, room = 16 * self.n_rows, looked_at = 0
        cdef uint64_t word
        cdef int64_t[::1] begins = np.zeros(n_rules + 1, np.int64)
        rows = np.empty(room, np.int32)
        cdef int32_t[::1] place = rows
        for r in range(n_rules):
            if n + self.n_rows > room:
                room = 2 * room
                rows = np.concatenate([rows[:n], np.empty(room - n, np.int32)])
                place = rows
            with nogil:
                for w in range(self.rows.n_words):
                    word = self.rows.all_rows[w]
                    for i in range(start[r], start[r + 1]):
                        word &= bits[condition[i], w]
                        if not word:
                            break
                    while word:
                        place[n] = <int32_t>(64 * w + hb_lowest_bit(word))
                        n += 1
                        word &= word - 1
            begins[r + 1] = n
            looked_at += (start[r + 1] - start[r] + 1) * self.rows.n_words
            if looked_at > PATIENCE:
                looked_at = 0
                poll()
        return np.asarray(begins), rows[:n]


def pack(passes):
    """The rows that pass, as bits: row i is bit i mod 64 of word i // 64."""
    packed = np.packbits(passes, bitorder="little")
    words = np.zeros((len(passes) + 63) // 64, np.uint64)
    words.view(np.uint8)[: len(packed)] = packed
    return words
