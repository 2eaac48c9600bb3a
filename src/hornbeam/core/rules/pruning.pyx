"""Pruning sets of rules: rows divided into sets for growing and pruning, and description lengths in bits."""

import numpy as np

from libc.math cimport log
from libc.stdint cimport int32_t, int64_t, uint64_t

from hornbeam.core.base.logarithm cimport LN_2
from hornbeam.core.base.tolerance cimport SLACK

cdef uint64_t MULTIPLIER = 0x5DEECE66D
cdef uint64_t MASK = (<uint64_t>1 << 48) - 1


cdef inline uint64_t _draw(uint64_t* state, uint64_t below) noexcept nogil:
    """An integer below a bound, from 31 bits of a linear congruential generator."""
    cdef uint64_t bits, value
    while True:
        state[0] = (state[0] * MULTIPLIER + 11) & MASK
        bits = state[0] >> 17
        if below & (below - 1) == 0:
            return (below * bits) >> 31
        value = bits % below
        # the last, incomplete run of numbers is rejected, or small ones would be too frequent
        if bits - value + below - 1 < <uint64_t>1 << 31:
            return value


def deal(const int32_t[::1] rows, const int32_t[::1] groups, int64_t n_groups, int64_t folds, uint64_t[::1] state):
    """Shuffle rows within their groups and divide them into folds, each with its fraction of every group.

    Parameters
    ----------
    rows : int32 array
    groups : int32 array
        The group of every row of the table.
    n_groups, folds : int
    state : uint64 array of one
        State of the generator; updated.
    """
    cdef int64_t i, j, k, g, n = rows.shape[0], first, place
    cdef int32_t row
    dealt_array = np.empty(n, np.int32)
    cdef int32_t[::1] dealt = dealt_array
    cdef int32_t[::1] grouped = np.empty(n, np.int32)
    cdef int64_t[::1] start = np.zeros(n_groups + 1, np.int64)
    cdef int64_t[::1] filled = np.zeros(n_groups + 1, np.int64)
    cdef uint64_t random = state[0]
    with nogil:
        for i in range(n):
            start[groups[rows[i]] + 1] += 1
        for g in range(n_groups):
            start[g + 1] += start[g]
        for i in range(n):
            g = groups[rows[i]]
            grouped[start[g] + filled[g]] = rows[i]
            filled[g] += 1
        for g in range(n_groups):
            first = start[g]
            for j in range(start[g + 1] - first - 1, 0, -1):
                k = <int64_t>_draw(&random, <uint64_t>(j + 1))
                row = grouped[first + j]
                grouped[first + j] = grouped[first + k]
                grouped[first + k] = row
        place = 0
        for k in range(folds):
            i = k
            while i < n:
                dealt[place] = grouped[i]
                place += 1
                i += folds
    state[0] = random
    return dealt_array


cdef inline double _log2(double x) noexcept nogil:
    return log(x) / LN_2


cdef inline double _choice(double total, double chosen, double share) noexcept nogil:
    """Bits to encode which of a total are chosen, if each is chosen with a known probability.

    An expected fraction may be too large, even above one; what seems impossible then costs many bits, not infinitely
    many.
    """
    cdef double bits = -chosen * _log2(share) if share > SLACK else 0.0
    if total - chosen > SLACK:
        bits -= (total - chosen) * _log2(1.0 - share if 1.0 - share > SLACK else SLACK)
    return bits


cdef double _errors(double share, double covered, double uncovered, double wrong, double missed) noexcept nogil:
    cdef double bits = _log2(covered + uncovered + 1.0), expected
    if covered - uncovered > SLACK:
        expected = share * (wrong + missed)
        bits += _choice(covered, wrong, expected / covered)
        if uncovered > SLACK:
            bits += _choice(uncovered, missed, missed / uncovered)
        return bits
    expected = (1.0 - share) * (wrong + missed)
    if covered > SLACK:
        bits += _choice(covered, wrong, wrong / covered)
    return bits + _choice(uncovered, missed, expected / uncovered)


cdef double _theory(int64_t conditions, double possible) noexcept nogil:
    cdef double bits
    if conditions == 0:
        return 0.0
    bits = _log2(<double>conditions)
    if conditions > 1:
        bits += 2.0 * _log2(bits)
    return 0.5 * (bits + _choice(possible, conditions, conditions / possible))


def errors_length(double share, double covered, double uncovered, double wrong, double missed):
    """Bits to encode which covered rows are wrong, and which uncovered rows are missed.

    Parameters
    ----------
    share : float
        Fraction of the class, among it and the classes after it.
    covered, uncovered, wrong, missed : float
        Weights of rows.
    """
    return _errors(share, covered, uncovered, wrong, missed)


def rule_length(int64_t conditions, double possible):
    """Half the bits to encode how many conditions a rule has, and which of all the possible ones."""
    return _theory(conditions, possible)


def shortest(double share, double[::1] totals, const double[:, ::1] rules, const int64_t[::1] conditions,
             double possible, int64_t first, int64_t step, bint limit_errors):
    """Drop rules, one after another, that are not worth their bits.

    Parameters
    ----------
    share : float
        Fraction of the class.
    totals : array of 4
        Weight covered, uncovered, wrong and missed of the whole set; updated to those of the remaining rules.
    rules : array (rules, 2)
        Weight covered and wrong of each rule, among the rows that reach it.
    conditions : int64 array
        How many each rule has.
    possible : float
        How many conditions there are to choose from.
    first, step : int
        The rule to begin with, and 1 or -1 for the direction.
    limit_errors : bool
        Whether rules that are wrong for at least half of their rows are always dropped.

    Returns
    -------
    (bits, list of int)
        Bits for the errors after dropping, minus the bits saved; and which rules were dropped.
    """
    cdef int64_t k = first
    cdef double covered, uncovered, wrong, missed, saved, sum_saved = 0.0, right
    dropped = []
    while 0 <= k < rules.shape[0]:
        right = rules[k, 0] - rules[k, 1]
        covered, uncovered = totals[0] - rules[k, 0], totals[1] + rules[k, 0]
        wrong, missed = totals[2] - rules[k, 1], totals[3] + right
        saved = _errors(share, totals[0], totals[1], totals[2], totals[3]) + _theory(conditions[k], possible)
        saved -= _errors(share, covered, uncovered, wrong, missed)
        if saved > -SLACK or (limit_errors and rules[k, 0] > 0.0 and rules[k, 1] / rules[k, 0] >= 0.5 - SLACK):
            totals[0], totals[1], totals[2], totals[3] = covered, uncovered, wrong, missed
            dropped.append(k)
            sum_saved += saved
        k += step
    return _errors(share, totals[0], totals[1], totals[2], totals[3]) - sum_saved, dropped
