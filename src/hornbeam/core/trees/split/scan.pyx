"""Scan: the best split of one column at one node.

Numeric columns are scanned along their sorted list; columns with few values and nominal ones through a table of
codes x classes. Candidates are compared in order, and a later one must be better by more than the tolerance: the
comparison is not transitive, so the order is part of the result.

If every row counts once, entropies are sums of integers (x log2 x as fixed point), exact in any order. With weights
they are floating-point sums in list order.
"""

from libc.math cimport ceil, log
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcpy, memset

from hornbeam.core.base.enums cimport MULTIWAY, NO_GAIN, NO_SPLIT, OUTSCORED
from hornbeam.core.base.logarithm cimport hb_fill_log_tables, hb_log2, hb_xlog2x
from hornbeam.core.base.tolerance cimport SLACK

hb_fill_log_tables()

cdef double LOG_2 = log(2.0)


cdef inline double minimum_side(double known, const Choices* choices) noexcept nogil:
    """Minimum weight of each side of a cut."""
    cdef double least
    if not choices.adaptive_minimum:
        return choices.min_branch
    # a tenth of the known weight per class, but at least min_branch and at most 25 (Quinlan 1993)
    least = 0.1 * known / choices.n_classes
    if least <= choices.min_branch + SLACK:
        return choices.min_branch
    return 25.0 if least > 25.0 + SLACK else least


cdef inline void finish(Candidate* best, double gain, double low, double high, double known,
                        const Choices* choices, const NodeView* node) noexcept nogil:
    """Penalty, split information and score of the best cut, which leaves `low` and `high` on its sides."""
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


# ---- splits from a table of codes x classes, for nominal columns and those with few values --------------------------


cdef void scan_codes(const Entry* rows, const double* local_weight, const Column* column, const Choices* choices,
                     const NodeView* node, Scratch* scratch, Candidate* best) noexcept nogil:
    """Best split of a coded or nominal column; `rows` are the node's rows, `local_weight` their weights."""
    cdef int n_codes = column.n_codes, stride = 1 << choices.label_bits, i
    cdef int64_t cells = <int64_t>(n_codes + 1) * stride
    if local_weight == NULL:
        count_rows(rows, node.n_rows, column.codes, column.wide, 0, choices.label_bits, scratch.count_table, cells)
        for i in range(n_codes * stride):
            scratch.table[i] = scratch.count_table[i]
    else:
        weigh_rows(rows, local_weight, column, choices, node.n_rows, scratch.table, cells)
    scan_table(column, choices, node, scratch, best)


cdef void scan_table(const Column* column, const Choices* choices, const NodeView* node,
                     Scratch* scratch, Candidate* best) noexcept nogil:
    """Best split of a coded or nominal column from its table of codes x classes."""
    cdef int n_codes = column.n_codes, stride = 1 << choices.label_bits, i, k, n_classes = choices.n_classes
    cdef double* table = scratch.table
    cdef double* bags = scratch.bags
    cdef double* totals = scratch.right
    cdef double known = 0.0, cell
    best.verdict = NO_SPLIT
    best.n_cuts = 0
    best.position = -1
    best.code = -1
    best.gain = best.charge = best.split_information = best.score = 0.0
    memset(totals, 0, n_classes * sizeof(double))
    for i in range(n_codes):
        bags[i] = 0.0
        for k in range(n_classes):
            cell = table[i * stride + k]
            bags[i] += cell
            totals[k] += cell
        known += bags[i]
    if column.kind == CODED:
        cut_codes(table, bags, totals, known, column, choices, node, scratch, best)
    elif choices.nominal == MULTIWAY:
        split_multiway(table, bags, totals, known, column, choices, node, best)
    else:
        split_one_category(table, bags, totals, known, column, choices, node, best)


cdef void count_rows(const Entry* rows, int64_t n, const void* codes, bint wide, int lowest_code, int label_bits,
                     uint32_t* table, int64_t cells) noexcept nogil:
    cdef const uint8_t* narrow_codes = <const uint8_t*>codes
    cdef const int32_t* wide_codes = <const int32_t*>codes
    cdef int bits = label_bits, shift = label_bits + 2
    cdef uint32_t mask = (1 << bits) - 1
    cdef int64_t i, paired = n & ~<int64_t>1
    cdef uint32_t* first = table - <int64_t>lowest_code * (1 << bits)
    cdef uint32_t* second = first + cells  # adjacent rows often hit the same cell: two tables avoid waiting
    memset(table, 0, 2 * cells * sizeof(uint32_t))
    if wide:  # missing values have the code -1: negative numbers must not be shifted
        for i in range(0, paired, 2):
            first[<int64_t>(<uint64_t>wide_codes[rows[i] >> shift] << bits) | ((rows[i] >> 2) & mask)] += 1
            second[<int64_t>(<uint64_t>wide_codes[rows[i + 1] >> shift] << bits) | ((rows[i + 1] >> 2) & mask)] += 1
        if n > paired:
            first[<int64_t>(<uint64_t>wide_codes[rows[paired] >> shift] << bits) | ((rows[paired] >> 2) & mask)] += 1
    else:
        for i in range(0, paired, 2):
            first[(<int64_t>narrow_codes[rows[i] >> shift] << bits) | ((rows[i] >> 2) & mask)] += 1
            second[(<int64_t>narrow_codes[rows[i + 1] >> shift] << bits) | ((rows[i + 1] >> 2) & mask)] += 1
        if n > paired:
            first[(<int64_t>narrow_codes[rows[paired] >> shift] << bits) | ((rows[paired] >> 2) & mask)] += 1
    for i in range(cells):
        table[i] += table[cells + i]


cdef void weigh_rows(const Entry* rows, const double* local_weight, const Column* column, const Choices* choices,
                     int64_t n, double* table, int64_t cells) noexcept nogil:
    cdef const uint8_t* narrow = <const uint8_t*>column.codes
    cdef const int32_t* wide = <const int32_t*>column.codes
    cdef int bits = choices.label_bits, shift = choices.shift
    cdef uint32_t mask = (1 << bits) - 1
    cdef int64_t i
    memset(table, 0, cells * sizeof(double))
    if column.wide:
        for i in range(n):
            table[(<int64_t>wide[rows[i] >> shift] << bits) | ((rows[i] >> 2) & mask)] += local_weight[i]
    else:
        for i in range(n):
            table[(<int64_t>narrow[rows[i] >> shift] << bits) | ((rows[i] >> 2) & mask)] += local_weight[i]


cdef void cut_codes(const double* table, const double* bags, const double* totals, double known,
                    const Column* column, const Choices* choices, const NodeView* node, Scratch* scratch,
                    Candidate* best) noexcept nogil:
    """Best cut between the codes of a column with few distinct values."""
    cdef double* left = scratch.left
    cdef int stride = 1 << choices.label_bits, n_classes = choices.n_classes, i, k, previous = -1
    cdef double least = minimum_side(known, choices), low = 0.0, before, bits, best_bits, limit, slack, best_low = 0.0
    if known < 2 * least - SLACK:
        return
    before = hb_xlog2x(known)
    for k in range(n_classes):
        before -= hb_xlog2x(totals[k])
        left[k] = 0.0
    slack = choices.tolerance * node.weight
    best_bits = before
    limit = best_bits - slack
    for i in range(column.n_codes):
        if bags[i] == 0.0:
            continue
        if (previous >= 0 and low >= least - SLACK and known - low >= least - SLACK
                and column.values[previous] + choices.min_gap < column.values[i]):
            best.n_cuts += 1
            bits = hb_xlog2x(low) + hb_xlog2x(known - low)
            for k in range(n_classes):
                bits -= hb_xlog2x(left[k]) + hb_xlog2x(totals[k] - left[k])
            if bits < limit:
                best_bits = bits
                limit = bits - slack
                best.code = previous
                best_low = low
        for k in range(n_classes):
            left[k] += table[i * stride + k]
        low += bags[i]
        previous = i
    if best.n_cuts == 0:
        return
    best.position = 0
    finish(best, (before - best_bits) / node.weight, best_low, known - best_low, known, choices, node)


cdef void split_multiway(const double* table, const double* bags, const double* totals, double known,
                         const Column* column, const Choices* choices, const NodeView* node,
                         Candidate* best) noexcept nogil:
    """One branch per category; at least two branches must have min_branch."""
    cdef int stride = 1 << choices.label_bits, n_classes = choices.n_classes, i, k, full = 0
    cdef double gain_bits, split_bits = 0.0, term
    for i in range(column.n_codes):
        full += bags[i] >= choices.min_branch - SLACK
    if full < 2:
        return
    gain_bits = hb_xlog2x(known)
    for k in range(n_classes):
        gain_bits -= hb_xlog2x(totals[k])
    for i in range(column.n_codes):
        if bags[i] == 0.0:
            continue
        term = hb_xlog2x(bags[i])
        split_bits -= term
        gain_bits -= term
        for k in range(n_classes):
            if table[i * stride + k] > 0.0:
                gain_bits += hb_xlog2x(table[i * stride + k])
    if gain_bits < SLACK and choices.tolerance >= SLACK:
        gain_bits = 0.0
    best.gain = gain_bits / node.weight
    if choices.textbook_gain:
        best.gain = textbook_gain(table, bags, totals, known, column.n_codes, choices)
    set_score(best, split_bits + hb_xlog2x(node.weight) - hb_xlog2x(node.weight - known), choices, node)


cdef double textbook_gain(const double* table, const double* bags, const double* totals, double known, int n_codes,
                          const Choices* choices) noexcept nogil:
    """Entropy minus the weighted mean of the branches' entropies, one term after another.

    Mathematically equal gains then differ as in a program (WEKA) that computes them so and compares them exactly.
    """
    cdef double gain = textbook_entropy(totals, known, choices.n_classes)
    cdef int i
    for i in range(n_codes):
        if bags[i] > 0.0:
            gain -= bags[i] / known * textbook_entropy(table + (<int64_t>i << choices.label_bits), bags[i],
                                                       choices.n_classes)
    return gain


cdef double textbook_entropy(const double* counts, double total, int n_classes) noexcept nogil:
    cdef double entropy = 0.0
    cdef int k
    for k in range(n_classes):
        if counts[k] > 0.0:
            entropy -= counts[k] * (log(counts[k]) / LOG_2)
    return entropy / total + log(total) / LOG_2


cdef void split_one_category(const double* table, const double* bags, const double* totals, double known,
                             const Column* column, const Choices* choices, const NodeView* node,
                             Candidate* best) noexcept nogil:
    """One category against the rest; the best score over categories, with at least min_branch on each side."""
    cdef int stride = 1 << choices.label_bits, n_classes = choices.n_classes, i, k
    cdef double before, bits, rest, cell
    cdef Candidate candidate = best[0]
    before = hb_xlog2x(known)
    for k in range(n_classes):
        before -= hb_xlog2x(totals[k])
    for i in range(column.n_codes):
        rest = known - bags[i]
        if bags[i] < choices.min_branch - SLACK or rest < choices.min_branch - SLACK:
            continue
        bits = hb_xlog2x(bags[i]) + hb_xlog2x(rest)
        for k in range(n_classes):
            cell = table[i * stride + k]
            bits -= hb_xlog2x(cell) + hb_xlog2x(totals[k] - cell)
        candidate.gain = before - bits
        if candidate.gain < SLACK and choices.tolerance >= SLACK:
            candidate.gain = 0.0
        candidate.gain /= node.weight
        candidate.code = i
        set_score(&candidate, hb_xlog2x(node.weight) - hb_xlog2x(node.weight - known) - hb_xlog2x(bags[i])
                  - hb_xlog2x(rest), choices, node)
        if (i == 0 and choices.first_category_free) or candidate.score > best.score + choices.tolerance:
            best[0] = candidate
        elif best.verdict == NO_SPLIT:
            # the column has a split, even if it is not worth taking
            best.verdict = OUTSCORED
            best.code = -1


include "scan_weighted.pxi"
include "scan_chunks.pxi"
