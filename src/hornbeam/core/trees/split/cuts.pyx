"""Cuts: several cuts of one ordered column, greedy or optimal.

A column is given as bins by ascending value with their statistics, each with some weight; cut c is before bin c, so a
branch contains the bins from one cut up to the next. Branches have at least the weight `min_branch`, and none is empty.
The sum of the branches' impurities (impurity.pxd) is minimized; it never rises with another cut.

Greedy takes the best cut, then the best additional cut anywhere, and so on. Optimal finds the best set of exactly k
cuts for every k by dynamic programming: imp(k, 1, j), the least impurity of the first j bins cut k times, is the least
over i of imp(k - 1, 1, i) + impurity(i + 1 .. j). Statistics of an interval are a difference of running sums, so the
whole takes bins^2 (statistics + cuts) steps.

Ties: positions are tried in ascending order, and a later one must be better by more than CUT_SLACK times the impurity
of all rows. If several sets of k cuts are equally good, optimal therefore prefers the smallest last cut, then the
smallest second-to-last, and so on.
"""

import numpy as np

from libc.math cimport INFINITY, fabs, pow
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcpy, memset

from hornbeam.core.base.enums cimport CHI_SQUARE, DEVIATION, ENTROPY, GINI, MISCLASSIFICATION, VARIANCE, is_number
from hornbeam.core.base.logarithm cimport hb_fill_log_tables, hb_log2
from hornbeam.core.base.tolerance cimport SLACK
from hornbeam.core.trees.split.impurity cimport (
    entropy_impurity, impurity, log_chi_square_tail, stats_weight, variance_impurity,
)

cdef extern from "hornbeam/core/trees/split/cuts_loops.h":
    int HB_BY_SQUARES, HB_BY_BITS, HB_BY_LARGEST, HB_BY_EXPECTED
    void hb_classes_left(const double* sums, int64_t stride, int n_stats, const double* fractions, int64_t end,
                         int64_t n, double* left, int by) noexcept nogil
    void hb_numbers_left(const double* sums, int64_t stride, int64_t end, int64_t n, double rounding, int by_root,
                         double* left) noexcept nogil
    double hb_least_total(const double* before, const double* left, int64_t first, int64_t n, double slack,
                          int64_t* best) noexcept nogil

hb_fill_log_tables()

cdef double CUT_SLACK = 1e-12  # fraction of the impurity of all rows: smaller differences are rounding
cdef double ROUNDING = 1e-13  # fraction of the squares of all rows: smaller sums of squares count as zero


cdef void add_up(const double* stats, int64_t n_bins, int n_stats, double* sums) noexcept nogil:
    """Running sums of the statistics, from before the first bin to after the last."""
    cdef int64_t i
    cdef int k
    memset(sums, 0, n_stats * sizeof(double))
    for i in range(n_bins):
        for k in range(n_stats):
            sums[(i + 1) * n_stats + k] = sums[i * n_stats + k] + stats[i * n_stats + k]


cdef inline void between(const double* sums, int64_t start, int64_t end, int n_stats, double* stats) noexcept nogil:
    """Statistics of the bins from `start` up to `end`."""
    cdef int k
    for k in range(n_stats):
        stats[k] = sums[end * n_stats + k] - sums[start * n_stats + k]


cdef inline double impurity_of(const Bins* bins, const double* stats) noexcept nogil:
    if is_number(bins.criterion) and variance_impurity(stats) <= bins.rounding:
        return 0.0
    return impurity(bins.criterion, stats, bins.n_stats, bins.parent_fractions, bins.loss)


cdef inline bint is_branch(const Bins* bins, const double* stats) noexcept nogil:
    """Whether these rows have enough weight."""
    cdef double weight = stats_weight(bins.criterion, stats, bins.n_stats)
    return weight > 0.0 and weight >= bins.min_branch - SLACK


cdef double begin(Bins* bins, double* sums, double* stats) noexcept nogil:
    """Compute running sums, and how much better a later cut must be."""
    add_up(bins.stats, bins.n_bins, bins.n_stats, sums)
    between(sums, 0, bins.n_bins, bins.n_stats, stats)
    # a difference of running sums has rounding errors, which the standard deviation would amplify
    bins.rounding = ROUNDING * stats[2] if is_number(bins.criterion) else 0.0
    return CUT_SLACK * fabs(impurity_of(bins, stats))


cdef int64_t best_between(const Bins* bins, const double* sums, int64_t start, int64_t end, double slack,
                          double* memory, double* least) noexcept nogil:
    """The best single cut of the bins from `start` up to `end` and the impurity it leaves; -1 if there is none."""
    cdef int n_stats = bins.n_stats
    cdef double* low = memory
    cdef double* high = memory + n_stats
    cdef int64_t cut, best = -1
    cdef double left
    least[0] = INFINITY
    for cut in range(start + 1, end):
        between(sums, start, cut, n_stats, low)
        if not is_branch(bins, low):
            continue
        between(sums, cut, end, n_stats, high)
        if not is_branch(bins, high):
            break
        left = impurity_of(bins, low) + impurity_of(bins, high)
        if best < 0 or left < least[0] - slack:
            best = cut
            least[0] = left
    return best


# ---- greedy ----------------------------------------------------------------------------------------------------------


cdef int64_t greedy_memory(const Bins* bins) noexcept nogil:
    """How many doubles of working memory `greedy_cuts` needs."""
    return (bins.n_bins + 3) * bins.n_stats + 3 * (<int64_t>bins.max_cuts + 2)


cdef int greedy_cuts(const Bins* given, double* memory, int64_t* cuts, double* impurities) noexcept nogil:
    """Best cut first, then the best additional cut anywhere, until none lowers the impurity; returns the number of
    cuts.

    `cuts` (max_cuts of them, OUT) are in the order in which they were found: the first k are the result for k cuts.
    `impurities` (max_cuts + 1, OUT) is the total impurity after 0, 1, ... cuts.
    """
    cdef Bins own = given[0]
    cdef Bins* bins = &own
    cdef int n_stats = bins.n_stats, n_cuts = 0, best, part
    cdef int64_t n_bins = bins.n_bins, end
    cdef double* sums = memory
    cdef double* stats = sums + (n_bins + 1) * n_stats
    # parts by ascending value: where each starts, its best cut, and the gain of that cut
    cdef double* starts = stats + 2 * n_stats
    cdef double* places = starts + bins.max_cuts + 2
    cdef double* gains = places + bins.max_cuts + 2
    cdef double slack
    slack = begin(bins, sums, stats)
    impurities[0] = impurity_of(bins, stats)
    starts[0] = 0
    starts[1] = n_bins
    examine(bins, sums, 0, n_bins, slack, stats, &places[0], &gains[0])
    while n_cuts < bins.max_cuts:
        best = -1
        for part in range(n_cuts + 1):
            if places[part] >= 0 and gains[part] > (slack if best < 0 else gains[best] + slack):
                best = part
        if best < 0:
            break
        cuts[n_cuts] = <int64_t>places[best]
        impurities[n_cuts + 1] = impurities[n_cuts] - gains[best]
        n_cuts += 1
        for part in range(n_cuts, best, -1):
            starts[part + 1] = starts[part]
            places[part] = places[part - 1]
            gains[part] = gains[part - 1]
        starts[best + 1] = <double>cuts[n_cuts - 1]
        for part in range(best, best + 2):
            end = <int64_t>starts[part + 1]
            examine(bins, sums, <int64_t>starts[part], end, slack, stats, &places[part], &gains[part])
    return n_cuts


cdef void examine(const Bins* bins, const double* sums, int64_t start, int64_t end, double slack, double* stats,
                  double* place, double* gain) noexcept nogil:
    cdef double least, before
    between(sums, start, end, bins.n_stats, stats)
    before = impurity_of(bins, stats)
    place[0] = <double>best_between(bins, sums, start, end, slack, stats, &least)
    gain[0] = before - least


# ---- optimal ---------------------------------------------------------------------------------------------------------


cdef int64_t optimal_memory(const Bins* bins) noexcept nogil:
    """How many doubles of working memory `optimal_cuts` needs."""
    cdef int64_t n_bins = bins.n_bins
    cdef int64_t inside = n_bins if n_bins <= bins.limit else bins.limit
    return ((n_bins + 3) * bins.n_stats + n_bins * (bins.n_stats + 1)
            + (inside + 1) * (2 * <int64_t>bins.n_stats + 2 * (<int64_t>bins.max_cuts + 1) + 1))


cdef int optimal_cuts(const Bins* given, double* memory, int64_t* cuts, double* impurities) noexcept nogil:
    """Least impurity of exactly k cuts for k = 0 .. max_cuts; returns the greatest possible k.

    `cuts` (max_cuts x max_cuts, OUT): in row k - 1 the k cuts, ascending. `impurities` (max_cuts + 1, OUT): by k,
    infinite if k cuts are not possible.

    With more than `limit` bins, adjacent bins with the same class fractions are joined (without `min_branch` this loses
    nothing: impurities are concave, so no cut between such bins is better than the one at either end); if there are
    still more, bins are joined to `limit` bins of about equal weight, and afterwards each cut is moved to its best
    position among all bins, repeatedly until none moves. The result is then good but not guaranteed to be optimal.
    """
    cdef Bins own = given[0]
    cdef Bins* bins = &own
    cdef int n_stats = bins.n_stats, n_cuts, k, i
    cdef int64_t n_bins = bins.n_bins, n_joined
    cdef double* sums = memory
    cdef double* stats = sums + (n_bins + 1) * n_stats
    cdef double* joined = stats + 2 * n_stats
    cdef int64_t* first = <int64_t*>(joined + n_bins * n_stats)
    cdef double* rest = joined + n_bins * (n_stats + 1)
    cdef int64_t* row
    cdef double slack
    cdef bint coarse
    slack = begin(bins, sums, stats)
    if not bins.join_alike and n_bins <= bins.limit:
        return solve(bins, sums, n_bins, slack, stats, rest, cuts, impurities)
    n_joined = join_alike(bins.stats, n_bins, n_stats, joined, first)
    coarse = n_joined > bins.limit
    if coarse:
        n_joined = join_by_weight(bins, joined, first, n_joined)
    add_up(joined, n_joined, n_stats, rest)
    n_cuts = solve(bins, rest, n_joined, slack, stats, rest + (n_joined + 1) * n_stats, cuts, impurities)
    for k in range(1, n_cuts + 1):
        row = cuts + <int64_t>(k - 1) * bins.max_cuts
        for i in range(k):
            row[i] = first[row[i]]
        if coarse:
            impurities[k] = settle(bins, sums, slack, stats, row, k)
    return n_cuts


cdef int solve(const Bins* bins, const double* sums, int64_t n_bins, double slack, double* stats, double* memory,
               int64_t* cuts, double* impurities) noexcept nogil:
    """The dynamic programming of `optimal_cuts`, over `n_bins` bins, using their running sums."""
    cdef int max_cuts = bins.max_cuts, n_stats = bins.n_stats, k, n_cuts = 0, i, most
    cdef int64_t room = n_bins + 1, end, place = 0, n_starts = 0
    cdef double* least = memory  # by number of cuts, then by number of first bins
    cdef int64_t* last = <int64_t*>(memory + room * (max_cuts + 1))  # the last of those cuts
    cdef double* by_stat = memory + 2 * room * (max_cuts + 1)  # the running sums, statistic by statistic
    cdef double* left = by_stat + room * n_stats  # by start: the impurity of the bins up to the end
    for end in range(room):
        for k in range(n_stats):
            by_stat[k * room + end] = sums[end * n_stats + k]
    for end in range(1, room):
        while n_starts < end:  # later starts leave less weight
            between(sums, n_starts, end, n_stats, stats)
            if not is_branch(bins, stats):
                break
            n_starts += 1
        most = max_cuts if end == n_bins else max_cuts - 1  # the last cut is searched only for all bins
        if n_starts > 0:
            impurities_left(bins, sums, by_stat, room, end, n_starts if most > 0 else 1, stats, left)
        least[end] = left[0] if n_starts > 0 else INFINITY
        for k in range(1, most + 1):
            least[k * room + end] = hb_least_total(least + (k - 1) * room, left, k, n_starts, slack, &place)
            last[k * room + end] = place
    for k in range(max_cuts + 1):
        impurities[k] = least[k * room + n_bins] if n_bins > 0 else (0.0 if k == 0 else INFINITY)
        if impurities[k] == INFINITY:
            continue
        n_cuts = k
        place = n_bins
        for i in range(k, 0, -1):
            place = last[i * room + place]
            cuts[<int64_t>(k - 1) * max_cuts + i - 1] = place
    return n_cuts


cdef void impurities_left(const Bins* bins, const double* sums, const double* by_stat, int64_t room, int64_t end,
                          int64_t n_starts, double* stats, double* left) noexcept nogil:
    """The impurity of the bins from each of the first starts up to `end`, as `impurity_of` computes it."""
    cdef int64_t start
    if is_number(bins.criterion):
        hb_numbers_left(by_stat, room, end, n_starts, bins.rounding, bins.criterion == DEVIATION, left)
    elif bins.criterion == GINI:
        hb_classes_left(by_stat, room, bins.n_stats, NULL, end, n_starts, left, HB_BY_SQUARES)
    elif bins.criterion == ENTROPY:
        hb_classes_left(by_stat, room, bins.n_stats, NULL, end, n_starts, left, HB_BY_BITS)
    elif bins.criterion == CHI_SQUARE:
        hb_classes_left(by_stat, room, bins.n_stats, bins.parent_fractions, end, n_starts, left, HB_BY_EXPECTED)
    elif bins.loss == NULL:
        hb_classes_left(by_stat, room, bins.n_stats, NULL, end, n_starts, left, HB_BY_LARGEST)
    else:
        for start in range(n_starts):
            between(sums, start, end, bins.n_stats, stats)
            left[start] = impurity_of(bins, stats)


cdef double settle(const Bins* bins, const double* sums, double slack, double* stats, int64_t* cuts,
                   int n_cuts) noexcept nogil:
    """Move each cut to its best position between its neighbors until none moves; returns the total impurity."""
    cdef bint moved = True
    cdef int i
    cdef int64_t start, end, place
    cdef double now, least, total = 0.0
    while moved:
        moved = False
        for i in range(n_cuts):
            start = cuts[i - 1] if i > 0 else 0
            end = cuts[i + 1] if i + 1 < n_cuts else bins.n_bins
            between(sums, start, cuts[i], bins.n_stats, stats)
            now = impurity_of(bins, stats)
            between(sums, cuts[i], end, bins.n_stats, stats)
            now += impurity_of(bins, stats)
            place = best_between(bins, sums, start, end, slack, stats, &least)
            if place >= 0 and place != cuts[i] and least < now - slack:
                cuts[i] = place
                moved = True
    for i in range(n_cuts + 1):
        between(sums, cuts[i - 1] if i > 0 else 0, cuts[i] if i < n_cuts else bins.n_bins, bins.n_stats, stats)
        total += impurity_of(bins, stats)
    return total


# ---- fewer bins ------------------------------------------------------------------------------------------------------


cdef int64_t join_alike(const double* stats, int64_t n_bins, int n_stats, double* joined,
                        int64_t* first) noexcept nogil:
    """Join neighboring bins whose statistics are proportional, such as bins of the same single class.

    `joined` (as large as `stats`, OUT) gets the statistics, `first` (n_bins, OUT) the first bin of each; returns how
    many there are now.
    """
    cdef int64_t n_joined = 0, i
    cdef int k
    for i in range(n_bins):
        if n_joined > 0 and are_alike(joined + (n_joined - 1) * n_stats, stats + i * n_stats, n_stats):
            for k in range(n_stats):
                joined[(n_joined - 1) * n_stats + k] += stats[i * n_stats + k]
        else:
            memcpy(joined + n_joined * n_stats, stats + i * n_stats, n_stats * sizeof(double))
            first[n_joined] = i
            n_joined += 1
    return n_joined


cdef inline bint are_alike(const double* one, const double* other, int n_stats) noexcept nogil:
    cdef int k, pivot = 0
    while pivot < n_stats and one[pivot] == 0.0 and other[pivot] == 0.0:
        pivot += 1
    for k in range(pivot + 1, n_stats):
        if one[pivot] * other[k] != other[pivot] * one[k]:
            return False
    # if only one side is zero at the pivot, the products above are zero only if that side is zero throughout
    return True


cdef int64_t join_by_weight(const Bins* bins, double* stats, int64_t* first, int64_t n_bins) noexcept nogil:
    """Join neighbors, in place, to at most `limit` bins of about equal weight; returns their number."""
    cdef int n_stats = bins.n_stats, k
    cdef int64_t i, n_joined = 0
    cdef double total = 0.0, so_far = 0.0, weight
    for i in range(n_bins):
        total += stats_weight(bins.criterion, stats + i * n_stats, n_stats)
    for i in range(n_bins):
        weight = stats_weight(bins.criterion, stats + i * n_stats, n_stats)
        if n_joined == 0 or (n_joined < bins.limit and so_far * bins.limit >= total * n_joined):
            if n_joined != i:
                memcpy(stats + n_joined * n_stats, stats + i * n_stats, n_stats * sizeof(double))
            first[n_joined] = first[i]
            n_joined += 1
        else:
            for k in range(n_stats):
                stats[(n_joined - 1) * n_stats + k] += stats[i * n_stats + k]
        so_far += weight
    return n_joined


include "cuts_from_python.pxi"
