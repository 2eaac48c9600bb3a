"""Search: the best split of one column at one node, by any criterion.

A criterion is an impurity of rows (impurity.pxd): the gain of a split is the node's impurity minus that of its
branches. Sorted columns are streamed row by row; columns of codes are first counted into bins, which are then cut in an
order (values; for categories the fraction of a class, the mean, ...), taken one by one, or joined into groups.
Candidates are compared in order, and a later one must be better by more than the tolerance.

If a plan is given, the search also stores what the best split does with every value.
"""

from libc.math cimport INFINITY, fabs, log, sqrt
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memcpy, memmove, memset

from hornbeam.core.base.enums cimport (
    ABOVE, ABSOLUTE, BY_SURROGATE, CHI_SQUARE, DEVIATION, EITHER_SIDE, ENTROPY, GINI, GROUPED, INSIGNIFICANT,
    IN_PIECES, MULTIWAY, NO_GAIN, NO_SPLIT, ONE_VS_REST, OUTSCORED, VARIANCE, WITH_MOST, is_number, is_relative,
)
from hornbeam.core.trees.split.cuts cimport Bins, greedy_cuts, optimal_cuts
from hornbeam.core.base.interrupt cimport stopping
from hornbeam.core.base.logarithm cimport LN_2, hb_fill_log_tables, hb_xlog2x
from hornbeam.core.rows.sort cimport hb_sort_indices
from hornbeam.core.base.tolerance cimport SLACK
from hornbeam.core.trees.split.impurity cimport log_chi_square_tail, impurity, variance_impurity
from hornbeam.core.trees.split.scan cimport (
    BLOCK, BLOCKS_FROM, CODED, NOMINAL, SORTED, code_of, count_rows, cuts_in_block, is_cut, least_bits, value_of,
    weigh_rows,
)

hb_fill_log_tables()

cdef double ROUNDING = 1e-12  # a gain of at most this fraction of the impurity counts as zero
cdef double LAST_DIGIT = 1e-15  # fraction of the node's impurity
cdef double NOTHING_LEFT = 1e-13  # squares of at most this fraction of the total are rounding
cdef double BOUND_SLACK = 1.001  # for the rounding of a bound
cdef double WEIGHT_ROUNDING = 1e-9  # bits per unit of weight: a generous bound of rounding errors
cdef int64_t MOST_BINS = 2000  # several cuts are searched among at most this many bins

cdef enum:
    NUMBER_STATS = 3  # weight, sum, sum of squares
    NUMBER_BLOCK = 128  # cuts computed together
    BOUND_BLOCK = 16  # cuts that share one bound
    POWER_STEPS = 300  # of the power method, at most


cdef struct Contest:  # the best split of a column so far
    int criterion
    int n_stats
    int direction  # 1: predictions may only rise from branch to branch, -1: only fall
    const double* parent_fractions
    const double* loss
    double weight  # of the rows that count
    double divisor  # gains are means over this weight
    double before  # impurity of the rows that count
    double least  # minimum weight of a branch
    double limit  # an impurity must be below this to win
    double slack
    double after  # impurity that the best split so far leaves
    double lower  # limits of the branches' predictions
    double upper
    double origin  # subtracted from numbers before summing
    double nothing  # smaller squares are rounding
    bint bounded
    bint nominal


# ---- statistics of rows --------------------------------------------------------------------------------------------


cdef inline double total_weight(const double* stats, const Choices* choices) noexcept nogil:
    cdef double weight = 0.0
    cdef int k
    if choices.regression:
        return stats[0]
    for k in range(choices.n_stats):
        weight += stats[k]
    return weight


cdef inline void move_row(double* low, double* high, int64_t row, int label, double weight, const Choices* choices,
                          const NodeView* node) noexcept nogil:
    """Move a row from the high side to the low side."""
    cdef double y
    if choices.regression:
        y = node.target[row] - node.counts[1]
        low[0] += weight
        high[0] -= weight
        low[1] += weight * y
        high[1] -= weight * y
        low[2] += weight * y * y
        high[2] -= weight * y * y
    else:
        low[label] += weight
        high[label] -= weight


cdef inline void node_stats(double* stats, const Choices* choices, const NodeView* node) noexcept nogil:
    """Statistics of all the node's rows; a number's sums are relative to the node's center."""
    if choices.regression:
        stats[0] = node.counts[0]
        stats[1] = node.counts[0] * (node.counts[4] - node.counts[1])
        stats[2] = node.counts[2]
    else:
        memcpy(stats, node.counts, choices.n_stats * sizeof(double))


cdef inline double prediction_of(const double* stats, const Contest* contest) noexcept nogil:
    """What a node with these rows would predict: the mean, or the fraction of the second class."""
    if is_number(contest.criterion):
        return contest.origin + stats[1] / stats[0]
    return stats[1] / (stats[0] + stats[1])


cdef inline double impurity_of(const double* stats, const Contest* contest) noexcept nogil:
    # treat a rounding residue as zero before the square root
    if contest.criterion == DEVIATION and variance_impurity(stats) <= contest.nothing:
        return 0.0
    return impurity(contest.criterion, stats, contest.n_stats, contest.parent_fractions, contest.loss)


include "search_contest.pxi"

# ---- sorted lists --------------------------------------------------------------------------------------------------


cdef void search_sorted(const Entry* entries, int64_t n_known, const Column* column, const Choices* choices,
                        const NodeView* node, Scratch* scratch, Candidate* best, Plan* plan) noexcept nogil:
    """Best cut or cuts of a sorted column; `entries` are the rows with a known value."""
    cdef Contest contest
    cdef double* missing = scratch.missing
    cdef double* known = scratch.all_rows
    cdef int k
    cdef double missing_weight = 0.0, known_weight
    cdef bint sided = choices.missing == EITHER_SIDE or choices.missing == ABOVE
    no_candidate(best)
    if n_known == 0:
        return
    if choices.row_by_row:
        cut_rows(entries, n_known, column, choices, node, scratch, best)
        if plan != NULL:
            plan_one_cut(plan, best, best.position)
        return
    if choices.plain_numbers and n_known == node.n_rows and node.row_weight == NULL:
        cut_numbers(entries, n_known, choices, node, best)
        if plan != NULL:
            plan_one_cut(plan, best, best.position)
        return
    if choices.plain_classes and node.row_weight == NULL and choices.inverse != NULL:
        cut_classes(entries, n_known, choices, node, scratch, best)
        if plan != NULL:
            plan_one_cut(plan, best, best.position)
        return
    node_stats(known, choices, node)
    memset(missing, 0, choices.n_stats * sizeof(double))
    if n_known < node.n_rows:
        memcpy(missing, known, choices.n_stats * sizeof(double))
        memset(known, 0, choices.n_stats * sizeof(double))
        sum_entries(entries, n_known, choices, node, known)
        for k in range(choices.n_stats):
            missing[k] -= known[k]
        missing_weight = total_weight(missing, choices)
    known_weight = total_weight(known, choices)
    if sided:
        for k in range(choices.n_stats):
            known[k] += missing[k]
    if choices.criterion == ABSOLUTE:
        cut_by_median(entries, n_known, column, choices, node, scratch, best)
        if plan != NULL:
            plan_one_cut(plan, best, best.position)
        return
    open_contest(&contest, known, known_weight, column, choices, node, scratch)
    if choices.most_cuts > 1:
        cut_list(entries, n_known, column, choices, node, scratch, &contest, missing_weight, best, plan)
        return
    if contest.weight < 2 * contest.least:
        return
    if (choices.criterion == VARIANCE and choices.inverse != NULL and node.row_weight == NULL and not contest.bounded
            and not choices.boundary_points):
        stream_numbers(entries, n_known, column, choices, node, known, missing, missing_weight, scratch, &contest, best)
    elif (choices.criterion == DEVIATION and n_known == node.n_rows and node.row_weight == NULL
            and not contest.bounded and not choices.boundary_points):
        stream_deviations(entries, n_known, column, choices, node, known, scratch, &contest, best)
    else:
        if choices.missing == EITHER_SIDE and missing_weight > 0.0:
            for k in range(choices.n_stats):
                scratch.high[k] = known[k] - missing[k]
            memcpy(scratch.low, missing, choices.n_stats * sizeof(double))
            stream(entries, n_known, column, choices, node, scratch, &contest, 0, best)
        memcpy(scratch.high, known, choices.n_stats * sizeof(double))
        memset(scratch.low, 0, choices.n_stats * sizeof(double))
        stream(entries, n_known, column, choices, node, scratch, &contest, 1, best)
    finish_two(best, choices, node, scratch, &contest, missing_weight)
    if plan != NULL:
        plan_one_cut(plan, best, best.position)


cdef inline void plan_one_cut(Plan* plan, const Candidate* best, int64_t place) noexcept nogil:
    plan.n_branches = 2
    plan.n_places = 1
    plan.places[0] = place
    plan.missing_branch = best.missing_branch


cdef void sum_entries(const Entry* entries, int64_t n, const Choices* choices, const NodeView* node,
                      double* sums) noexcept nogil:
    cdef int64_t i, row, label_mask = (<int64_t>1 << choices.label_bits) - 1
    cdef double w, y
    for i in range(n):
        row = entries[i] >> choices.shift
        w = 1.0 if node.row_weight == NULL else node.row_weight[row]
        if choices.regression:
            y = node.target[row] - node.counts[1]
            sums[0] += w
            sums[1] += w * y
            sums[2] += w * y * y
        else:
            sums[(entries[i] >> 2) & label_mask] += w


include "search_bits.pxi"


cdef void stream(const Entry* entries, int64_t n, const Column* column, const Choices* choices, const NodeView* node,
                 Scratch* scratch, Contest* contest, int missing_branch, Candidate* best) noexcept nogil:
    """Try every cut, with missing values on the side where `low` and `high` already have them."""
    cdef double* low = scratch.low
    cdef double* high = scratch.high
    cdef int64_t i, row, label_mask = (<int64_t>1 << choices.label_bits) - 1
    cdef int label, k, cuts = 0
    cdef double w, low_weight = total_weight(low, choices), high_weight = total_weight(high, choices)
    cdef bint ruled_out = choices.criterion == ENTROPY and not contest.bounded and not choices.boundary_points
    if choices.xlogx != NULL and node.row_weight == NULL and not contest.bounded and not choices.boundary_points:
        stream_bits(entries, n, column, choices, node, scratch, contest, missing_branch, best)
        return
    for k in range(choices.n_stats if ruled_out else 0):
        w = low[k] + high[k]
        scratch.inverse[k] = (low_weight + high_weight) / w if w > 0.0 else 0.0
    for i in range(n):
        row = entries[i] >> choices.shift
        label = (entries[i] >> 2) & label_mask
        if i and is_cut(entries, i, column, choices, node.exact):
            if ruled_out and not may_win(low, scratch.inverse, low_weight, high_weight, contest):
                cuts += 1
            elif not (choices.boundary_points and one_class(entries, i, n, column, choices, node)):
                cuts += 1
                if wins(low, high, low_weight, high_weight, contest):
                    best.position = i
                    best.missing_branch = missing_branch
                    memcpy(scratch.kept, low, choices.n_stats * sizeof(double))
        w = 1.0 if node.row_weight == NULL else node.row_weight[row]
        move_row(low, high, row, label, w, choices, node)
        low_weight += w
        high_weight -= w
    if choices.missing == ABOVE and n < node.n_rows:
        cuts += 1
        if wins(low, high, low_weight, high_weight, contest):
            best.position = n
            best.missing_branch = missing_branch
            memcpy(scratch.kept, low, choices.n_stats * sizeof(double))
    best.n_cuts = max(best.n_cuts, cuts)


cdef inline bint may_win(const double* low, const double* inverse, double low_weight, double high_weight,
                         const Contest* contest) noexcept nogil:
    """Whether a cut may leave less entropy than the limit, by the bound of scan_weighted.pxi, without a logarithm.

    `inverse` is the reciprocal of every class's fraction.
    """
    cdef double squares = 0.0, known = low_weight + high_weight
    cdef double need = contest.before - contest.limit - WEIGHT_ROUNDING * known
    cdef int k
    for k in range(contest.n_stats):
        squares += low[k] * low[k] * inverse[k]
    return (squares - low_weight * low_weight) * (BOUND_SLACK * known / LN_2) >= need * low_weight * high_weight


cdef inline bint differs(Entry entry, int64_t label, int64_t label_mask, double y, const Choices* choices,
                         const NodeView* node) noexcept nogil:
    """Whether a row has another class or number."""
    if choices.regression:
        return node.target[entry >> choices.shift] != y
    return ((entry >> 2) & label_mask) != label


cdef bint one_class(const Entry* entries, int64_t i, int64_t n, const Column* column, const Choices* choices,
                    const NodeView* node) noexcept nogil:
    """Whether the values on both sides of a cut all belong to one class, so that the best cut is not here."""
    cdef int64_t j, label_mask = (<int64_t>1 << choices.label_bits) - 1
    cdef int64_t label = (entries[i] >> 2) & label_mask
    cdef double y = node.target[entries[i] >> choices.shift] if choices.regression else 0.0
    j = i
    while True:
        j -= 1
        if differs(entries[j], label, label_mask, y, choices, node):
            return False
        if j == 0 or is_cut(entries, j, column, choices, node.exact):
            break
    j = i + 1
    while j < n and not is_cut(entries, j, column, choices, node.exact):
        if differs(entries[j], label, label_mask, y, choices, node):
            return False
        j += 1
    return True


cdef void cut_list(const Entry* entries, int64_t n, const Column* column, const Choices* choices, const NodeView* node,
                   Scratch* scratch, Contest* contest, double missing_weight, Candidate* best,
                   Plan* plan) noexcept nogil:
    """Several cuts of a sorted column: a bin for every distinct value."""
    cdef int64_t i, row, label_mask = (<int64_t>1 << choices.label_bits) - 1, n_bins = 0
    cdef double* bin_stats = scratch.bins
    cdef double w, y
    cdef int k
    for i in range(n):
        row = entries[i] >> choices.shift
        if i == 0 or is_cut(entries, i, column, choices, node.exact):
            scratch.starts[n_bins] = i
            memset(bin_stats + n_bins * choices.n_stats, 0, choices.n_stats * sizeof(double))
            n_bins += 1
        w = 1.0 if node.row_weight == NULL else node.row_weight[row]
        if choices.regression:
            y = node.target[row] - node.counts[1]
            bin_stats[(n_bins - 1) * 3] += w
            bin_stats[(n_bins - 1) * 3 + 1] += w * y
            bin_stats[(n_bins - 1) * 3 + 2] += w * y * y
        else:
            bin_stats[(n_bins - 1) * choices.n_stats + ((entries[i] >> 2) & label_mask)] += w
    if choices.missing == ABOVE and missing_weight > 0.0:
        memcpy(bin_stats + n_bins * choices.n_stats, scratch.missing, choices.n_stats * sizeof(double))
        scratch.starts[n_bins] = n
        n_bins += 1
    best.n_cuts = <int>(n_bins - 1)
    cut_bins(n_bins, choices, node, scratch, contest, missing_weight, best, plan)
    if plan != NULL and best.verdict != NO_SPLIT:
        for k in range(plan.n_places):
            plan.places[k] = scratch.starts[plan.places[k]]


include "search_short.pxi"
include "search_bins.pxi"
include "search_nominal.pxi"
include "search_median.pxi"
include "search_rows.pxi"
