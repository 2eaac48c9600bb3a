"""Scan: the best split of one column at one node.

Numeric columns are scanned along their sorted list; columns with few values and nominal ones through a table of
codes x classes. Candidates are compared in order, and a later one must be better by more than the tolerance: the
comparison is not transitive, so the order is part of the result.

Where every row counts once, entropies are sums of whole numbers (x log2 x as fixed point), exact in any order. With
weights they are floating-point sums in list order.
"""

from libc.math cimport ceil, log
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memset

from hornbeam.core.base.enums cimport MULTIWAY, NO_GAIN, NO_SPLIT, OUTSCORED
from hornbeam.core.base.logarithm cimport hb_fill_log_tables, hb_log2, hb_xlog2x
from hornbeam.core.base.tolerance cimport SLACK

hb_fill_log_tables()

cdef double LOG_2 = log(2.0)


cdef inline double minimum_side(double known, const Choices* choices) noexcept nogil:
    """Least weight either side of a cut must hold."""
    cdef double least
    if not choices.adaptive_minimum:
        return choices.min_branch
    # a tenth of the known weight a class, but no less than min_branch and no more than 25 (Quinlan 1993)
    least = 0.1 * known / choices.n_classes
    if least <= choices.min_branch + SLACK:
        return choices.min_branch
    return 25.0 if least > 25.0 + SLACK else least


cdef inline void finish(Candidate* best, double gain, double low, double high, double known,
                        const Choices* choices, const NodeView* node) noexcept nogil:
    """Charge, split information and score of the best cut, which leaves `low` and `high` on its sides."""
    cdef double bits
    best.gain = gain
    best.charge = hb_log2(best.n_cuts) / node.weight if choices.charge_cuts and best.n_cuts > 0 else 0.0
    best.gain -= best.charge
    if best.gain <= SLACK if choices.charge_cuts or choices.by_ratio else best.gain <= choices.min_gain:
        best.verdict = NO_GAIN
        return
    bits = hb_xlog2x(node.weight) - hb_xlog2x(low) - hb_xlog2x(high) - hb_xlog2x(node.weight - known)
    set_score(best, bits, choices, node)


cdef inline void set_score(Candidate* best, double bits, const Choices* choices,
                           const NodeView* node) noexcept nogil:
    """Score of a valid candidate whose split information is `bits` over all rows."""
    best.verdict = OUTSCORED
    best.split_information = bits / node.weight
    if choices.by_ratio:
        best.score = 0.0 if bits < SLACK else best.gain / best.split_information
    else:
        best.score = best.gain


# ---- sorted lists --------------------------------------------------------------------------------------------------


cdef void scan_sorted(const Entry* entries, int64_t n_known, const Column* column, const Choices* choices,
                      const NodeView* node, const int64_t* xlogx, double scale, Scratch* scratch,
                      Candidate* best) noexcept nogil:
    """Best cut of a sorted column; `entries` are the rows with a known value."""
    best.verdict = NO_SPLIT
    best.n_cuts = 0
    best.position = -1
    best.gain = best.charge = best.split_information = best.score = 0.0
    if node.row_weight != NULL:
        scan_weighted(entries, n_known, column, choices, node, scratch, best)
    elif choices.n_classes == 2:
        scan_two_classes(entries, n_known, column, choices, node, xlogx, scale, best)
    else:
        scan_counts(entries, n_known, column, choices, node, xlogx, scale, scratch, best)


cdef void scan_two_classes(const Entry* entries, int64_t n, const Column* column, const Choices* choices,
                           const NodeView* node, const int64_t* xlogx, double scale,
                           Candidate* best) noexcept nogil:
    cdef bint exact = node.exact
    cdef double least = minimum_side(n, choices)
    cdef int64_t low = <int64_t>ceil(least - SLACK), i, j, end, ones = 0, left1 = 0, left0
    cdef int64_t block1, before, bits, best_bits, limit, slack
    cdef bint blocks = n >= BLOCKS_FROM
    if low < 1:
        low = 1
    if n < 2 * least - SLACK or n < 2 * low:
        return
    if n == node.n_rows:
        ones = <int64_t>node.counts[1]
    else:
        for i in range(n):
            ones += (entries[i] >> 2) & 1
    before = xlogx[n] - xlogx[ones] - xlogx[n - ones]
    slack = <int64_t>(choices.tolerance * node.weight * scale)
    best_bits = before
    limit = best_bits - slack
    for i in range(low):
        left1 += (entries[i] >> 2) & 1
    i = low
    end = n - low + 1
    while i < end:
        if blocks and i + BLOCK <= end:
            block1 = 0
            for j in range(i, i + BLOCK):
                block1 += (entries[j] >> 2) & 1
            if least_bits(xlogx, i - left1, left1, BLOCK - block1, block1, n, ones) >= limit:
                best.n_cuts += cuts_in_block(entries, i, column, choices, exact)
                left1 += block1
                i += BLOCK
                continue
            j = i + BLOCK
        else:
            j = end
        while i < j:
            if is_cut(entries, i, column, choices, exact):
                best.n_cuts += 1
                left0 = i - left1
                bits = two_bits(xlogx, left0, left1, n, ones)
                if bits < limit:
                    best_bits = bits
                    limit = bits - slack
                    best.position = i
            left1 += (entries[i] >> 2) & 1
            i += 1
    if best.n_cuts == 0:
        return
    finish(best, (before - best_bits) / scale / node.weight, best.position, n - best.position, n, choices, node)


cdef void scan_counts(const Entry* entries, int64_t n, const Column* column, const Choices* choices,
                      const NodeView* node, const int64_t* xlogx, double scale, Scratch* scratch,
                      Candidate* best) noexcept nogil:
    cdef bint exact = node.exact
    cdef int64_t* left = scratch.left_count
    cdef int64_t* right = scratch.right_count
    cdef double least = minimum_side(n, choices)
    cdef int64_t low = <int64_t>ceil(least - SLACK), i, end, low_k, high_k, sides = 0
    cdef int64_t bits, before, best_bits, limit, slack
    cdef int k, n_classes = choices.n_classes
    cdef int64_t label_mask = (<int64_t>1 << choices.label_bits) - 1
    if low < 1:
        low = 1
    if n < 2 * least - SLACK or n < 2 * low:
        return
    memset(left, 0, n_classes * sizeof(int64_t))
    if n == node.n_rows:
        for k in range(n_classes):
            right[k] = <int64_t>node.counts[k]
    else:
        memset(right, 0, n_classes * sizeof(int64_t))
        for i in range(n):
            right[(entries[i] >> 2) & label_mask] += 1
    before = xlogx[n]
    for k in range(n_classes):
        before -= xlogx[right[k]]
    slack = <int64_t>(choices.tolerance * node.weight * scale)
    best_bits = before
    limit = best_bits - slack
    for i in range(low):
        k = (entries[i] >> 2) & label_mask
        left[k] += 1
        right[k] -= 1
    for k in range(n_classes):
        sides += xlogx[left[k]] + xlogx[right[k]]
    end = n - low
    for i in range(low, end + 1):
        if is_cut(entries, i, column, choices, exact):
            best.n_cuts += 1
            bits = xlogx[i] + xlogx[n - i] - sides
            if bits < limit:
                best_bits = bits
                limit = bits - slack
                best.position = i
        k = (entries[i] >> 2) & label_mask
        low_k = left[k]
        high_k = right[k]
        sides += xlogx[low_k + 1] - xlogx[low_k] + xlogx[high_k - 1] - xlogx[high_k]
        left[k] = low_k + 1
        right[k] = high_k - 1
    if best.n_cuts == 0:
        return
    finish(best, (before - best_bits) / scale / node.weight, best.position, n - best.position, n, choices, node)


include "scan_weighted.pxi"
include "scan_codes.pxi"
