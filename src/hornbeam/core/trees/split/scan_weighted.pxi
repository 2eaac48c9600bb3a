# Part of scan.pyx: sorted lists whose rows have weights.

# The gain of a cut of known weight N into L and R, in bits over all rows, is L D(left, all) + R D(right, all) with D
# the divergence of class fractions, and D <= chi-square / ln 2. So the gain is at most     (sum over classes of l^2 / p
# - L^2) N / (L R ln 2), which is updated with a few operations per row and no logarithm. It is about twice the gain if
# the gain is small: most cuts are ruled out by it, and only the others are computed.
cdef double BOUND_SLACK = 1.001  # for rounding
cdef double ROUNDING = 1e-9  # bits per unit of weight: a generous bound of rounding errors


cdef inline double bound_factor(double known) noexcept nogil:
    return BOUND_SLACK * known / LOG_2


# A second, tighter bound for cuts that pass the first. With x + 1 the ratio of a class's fraction on a side to its
# fraction in all rows, (x + 1) ln(x + 1) - x <= x^2 (x + 3) / (4 x + 6) for every x >= -1, nearly with equality if x is
# not large. Both sides of a class are put over one denominator.
cdef inline bint may_gain(double need, const double* left, const double* totals, const double* inverse, double low,
                          double high, double share, int n_classes) noexcept nogil:
    cdef double gain = 0.0, apart, u, of_low, of_high
    cdef int k
    for k in range(n_classes):
        apart = left[k] - totals[k] * share
        u = apart * inverse[k]
        of_low = 6.0 * low + 4.0 * u
        of_high = 6.0 * high - 4.0 * u
        gain += apart * u * ((3.0 * low + u) * high * of_high + (3.0 * high - u) * low * of_low) / (of_low * of_high)
    return gain * BOUND_SLACK >= need * low * high * LOG_2


cdef inline void fill_inverse(double* inverse, const double* totals, double known, int n_classes) noexcept nogil:
    """The reciprocal of each class's fraction."""
    cdef int k
    for k in range(n_classes):
        inverse[k] = known / totals[k] if totals[k] > 0.0 else 0.0


cdef enum:
    FEW = 4  # classes whose weights are kept in registers
    MARKS = 16  # maximum number of cuts that are tried before all others
    ENTRIES_A_MARK = 32  # minimum distance between them

# FEW x FEW: 1 on the diagonal
cdef double[16] ONE_OF_FEW = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]


cdef inline void move(double* sums, double weight, int64_t label, int n_classes) noexcept nogil:
    """Add to a class's sum; if there are few classes, to all of them at once, which needs no memory access."""
    cdef int k
    if n_classes == FEW:
        for k in range(FEW):
            sums[k] += weight * ONE_OF_FEW[FEW * label + k]
    else:
        sums[label] += weight


cdef inline double sum_of_squares(const double* left, const double* inverse, int n_classes) noexcept nogil:
    """Sum of the squared class weights, each divided by its fraction."""
    cdef double total = 0.0
    cdef int k
    for k in range(n_classes):
        total += left[k] * left[k] * inverse[k]
    return total


cdef inline double bits_of(const double* left, const double* totals, double low, double high,
                           int n_classes) noexcept nogil:
    """Information left by a cut, over all rows with a known value."""
    cdef double bits = hb_xlog2x(low) + hb_xlog2x(high)
    cdef int k
    for k in range(n_classes):
        bits -= hb_xlog2x(left[k]) + hb_xlog2x(totals[k] - left[k])
    return bits


cdef inline double gain_of_marks(const Entry* entries, int64_t n, const Column* column, const Choices* choices,
                                 const NodeView* node, const double* marks, int n_marks, const double* totals,
                                 double known, double least, double before, int n_classes) noexcept nogil:
    """The gain of the best of a few cuts, in bits over all rows: no cut with a much lower gain can be the best."""
    cdef double low, best = 0.0, gain
    cdef int mark, k
    for mark in range(n_marks - 1):
        low = 0.0
        for k in range(n_classes):
            low += marks[mark * n_classes + k]
        if low >= least and known - low >= least and is_cut(entries, n * (mark + 1) // n_marks, column, choices,
                                                            node.exact):
            gain = before - bits_of(marks + mark * n_classes, totals, low, known - low, n_classes)
            best = gain if gain > best else best
    return best


cdef inline double charge_of_list(const Entry* entries, int64_t n, const double* weights, double least,
                                  int64_t* n_cuts) noexcept nogil:
    """The penalty for the choice among the cuts of a list, in bits over all rows, and about how many cuts there are.

    A column whose cuts all gain less has no split, and which of them is best does not matter: unless there are fewer
    cuts than `n_cuts`, none of them needs to be computed exactly.
    """
    cdef int64_t i = 0, end = n, found = 0
    cdef double low = 0.0, high = 0.0
    while i < n and low < least:
        low += weights[i]
        i += 1
    while end > i and high < least:
        end -= 1
        high += weights[end]
    for i in range(max(i, 1), end + 1 if end < n else n):
        found += (entries[i] >> 1) & 1
    n_cuts[0] = found
    return hb_log2(found) if found > 1 else 0.0


cdef struct ClassSums:  # by class, except `marks`: marks x classes
    double* left
    double* totals
    double* inverse
    double* seen
    double* side_logs
    double* marks


cdef inline void sum_list(const Entry* entries, int64_t n, const double* row_weight, double* weights,
                          const ClassSums* sums, int n_marks, const Choices* choices, int n_classes) noexcept nogil:
    """Class weights of a list and at each mark, and the weights of its rows in order: rows are looked up only here."""
    cdef double* totals = sums.totals
    cdef int64_t label_mask = (<int64_t>1 << choices.label_bits) - 1, i, start = 0, end
    cdef int k, mark, shift = choices.shift
    cdef double w
    for k in range(n_classes):
        totals[k] = 0.0
    for mark in range(n_marks):
        end = n * (mark + 1) // n_marks
        for i in range(start, end):
            w = row_weight[entries[i] >> shift]
            weights[i] = w
            move(totals, w, (entries[i] >> 2) & label_mask, n_classes)
        for k in range(n_classes):
            sums.marks[mark * n_classes + k] = totals[k]
        start = end


cdef inline void cut_weighted(const Entry* entries, int64_t n, const Column* column, const Choices* choices,
                              const NodeView* node, double* weights, Candidate* best, const ClassSums* sums,
                              int n_classes) noexcept nogil:
    """Best cut if rows have weights; compiled for FEW classes and for any number.

    Cuts that gain less than `threshold` are skipped. That changes nothing as long as the first cut taken is better than
    all skipped ones by more than the slack, whichever of them had been the best so far; or if all cuts gain less than
    the penalty for the choice among them. If neither is certain, the search is repeated without a threshold.
    """
    cdef bint exact = node.exact, certain
    cdef double* left = sums.left
    cdef double* totals = sums.totals
    cdef double* inverse = sums.inverse
    cdef double* seen = sums.seen
    cdef double* side_logs = sums.side_logs
    cdef double* marks = sums.marks
    cdef int k, n_cuts, n_marks = <int>min(1 + n // ENTRIES_A_MARK, MARKS)
    cdef int64_t label_mask = (<int64_t>1 << choices.label_bits) - 1, i, start = 0, end
    cdef double known = 0.0, least, low, high, w, before, best_bits, limit, slack, bits, best_low = 0.0
    cdef int64_t n_expected = 0
    cdef double squares, factor, need, threshold, of_known, charge = 0.0
    sum_list(entries, n, node.row_weight, weights, sums, n_marks, choices, n_classes)
    for k in range(n_classes):
        known += totals[k]
    least = minimum_side(known, choices)
    if known < 2 * least - SLACK or n < 2 or (choices.count_for_cut and n < 2 * least - SLACK):
        return
    fill_inverse(inverse, totals, known, n_classes)
    before = hb_xlog2x(known)
    for k in range(n_classes):
        seen[k] = 0.0
        side_logs[k] = hb_xlog2x(totals[k])
        before -= side_logs[k]
    slack = choices.tolerance * node.weight
    factor = bound_factor(known)
    of_known = 1.0 / known
    threshold = gain_of_marks(entries, n, column, choices, node, marks, n_marks, totals, known, least, before,
                              n_classes)
    threshold -= 4.0 * slack + ROUNDING * known
    least -= SLACK
    if node.only_splits and choices.charge_cuts:
        charge = charge_of_list(entries, n, weights, least, &n_expected)
        threshold = charge if charge > threshold else threshold
    while True:
        certain = threshold <= slack
        if certain:
            threshold = slack
        n_cuts = 0
        best.position = -1
        best_bits = before
        limit = best_bits - slack
        need = threshold
        low = squares = 0.0
        high = known
        for k in range(n_classes):
            left[k] = 0.0
        for i in range(n):
            if low >= least and is_cut(entries, i, column, choices, exact) and i:
                if high < least:
                    break
                n_cuts += 1
                if n_classes == FEW:
                    squares = sum_of_squares(left, inverse, n_classes)
                if ((squares - low * low) * factor >= need * low * high
                        and may_gain(need, left, totals, inverse, low, high, low * of_known, n_classes)):
                    bits = hb_xlog2x(low) + hb_xlog2x(high)
                    for k in range(n_classes):
                        if left[k] != seen[k]:
                            seen[k] = left[k]
                            side_logs[k] = hb_xlog2x(left[k]) + hb_xlog2x(totals[k] - left[k])
                        bits -= side_logs[k]
                    if bits < limit and (certain or before - bits >= threshold):
                        if not certain and before - bits < threshold + 2.0 * slack:
                            n_expected = n + 1  # too close: not certain
                            break
                        certain = True
                        best_bits = bits
                        limit = bits - slack
                        need = before - limit
                        best.position = i
                        best_low = low
            k = (entries[i] >> 2) & label_mask
            w = weights[i]
            if n_classes != FEW:
                squares += w * (2.0 * left[k] + w) * inverse[k]
            move(left, w, k, n_classes)
            low += w
            high -= w
        if certain or (threshold == charge and n_cuts >= n_expected):
            break
        threshold = 0.0
    best.n_cuts = n_cuts
    if n_cuts == 0:
        return
    finish(best, (before - best_bits) / node.weight, best_low, known - best_low, known, choices, node)


cdef void scan_weighted(const Entry* entries, int64_t n, const Column* column, const Choices* choices,
                        const NodeView* node, Scratch* scratch, Candidate* best) noexcept nogil:
    cdef double[FEW] left, totals, inverse, seen, side_logs
    cdef double[FEW * MARKS] marks
    cdef ClassSums sums
    if choices.n_classes <= FEW:
        sums.left, sums.totals, sums.inverse, sums.seen, sums.side_logs = left, totals, inverse, seen, side_logs
        sums.marks = marks
        cut_weighted(entries, n, column, choices, node, scratch.weights, best, &sums, FEW)
    else:
        sums.left, sums.totals, sums.inverse, sums.seen = scratch.left, scratch.right, scratch.inverse, scratch.seen
        sums.side_logs, sums.marks = scratch.side_logs, scratch.marks
        cut_weighted(entries, n, column, choices, node, scratch.weights, best, &sums, choices.n_classes)
