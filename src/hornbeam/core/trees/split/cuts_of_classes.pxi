# Part of cuts.pyx: cuts with a stopping rule, for supervised discretization.
#
# `divide` works top-down: the best cut by entropy, then each part recursively, while the description gets shorter.
# `merge` works bottom-up: it joins the two adjacent bins whose classes differ least, while the difference is not
# significant.


cdef double description_charge(const double* whole, const double* low, const double* high, int n_classes,
                               double weight) noexcept nogil:
    """Bits that a cut must save, over all rows of the part (Fayyad and Irani 1993)."""
    cdef double classes = 0.0, below = 0.0, above = 0.0, mixed, possible
    cdef double low_weight = 0.0, high_weight = 0.0
    cdef int k
    for k in range(n_classes):
        classes += whole[k] > SLACK
        below += low[k] > SLACK
        above += high[k] > SLACK
        low_weight += low[k]
        high_weight += high[k]
    mixed = (classes * entropy_impurity(whole, n_classes) / weight
             - below * entropy_impurity(low, n_classes) / low_weight
             - above * entropy_impurity(high, n_classes) / high_weight)
    # log2(3^classes - 2); for many classes the 2 is negligible
    possible = hb_log2(pow(3.0, classes) - 2.0) if classes < 30.0 else classes * hb_log2(3.0)
    return hb_log2(weight - 1.0) + possible - mixed


def divide(stats):
    """Cut by entropy as long as the minimum description length allows; returns ascending cuts.

    `stats` are bins by ascending value x class weights, none of them empty.
    """
    cdef Given given = Given(stats, "entropy", 1, 0.0)
    cdef Bins* bins = &given.bins
    cdef int n_classes = bins.n_stats
    cdef int64_t n_bins = bins.n_bins, start, end, place, depth = 0
    cdef double weight, slack, before, least
    memory = np.empty((n_bins + 4) * n_classes)
    waiting = np.empty((n_bins + 1, 2), np.int64)  # parts not processed yet
    marked = np.zeros(max(n_bins, 1), np.uint8)
    cdef double[::1] memory_view = memory
    cdef int64_t[:, ::1] waiting_view = waiting
    cdef uint8_t[::1] marked_view = marked
    cdef double* sums = &memory_view[0]
    cdef double* low = sums + (n_bins + 1) * n_classes
    cdef double* high = low + n_classes
    cdef double* whole = high + n_classes
    if n_bins < 2:
        return np.zeros(0, np.int64)
    with nogil:
        slack = begin(bins, sums, low)
        waiting_view[0, 0] = 0
        waiting_view[0, 1] = n_bins
        depth = 1
        while depth > 0:
            depth -= 1
            start = waiting_view[depth, 0]
            end = waiting_view[depth, 1]
            between(sums, start, end, n_classes, whole)
            weight = stats_weight(ENTROPY, whole, n_classes)
            if weight <= 1.0:
                continue
            before = entropy_impurity(whole, n_classes)
            place = best_between(bins, sums, start, end, slack, low, &least)
            if place < 0:
                continue
            between(sums, start, place, n_classes, low)
            between(sums, place, end, n_classes, high)
            if before - least <= slack or before - least <= description_charge(whole, low, high, n_classes, weight):
                continue
            marked_view[place] = 1
            waiting_view[depth, 0] = place
            waiting_view[depth, 1] = end
            waiting_view[depth + 1, 0] = start
            waiting_view[depth + 1, 1] = place
            depth += 2
    return np.flatnonzero(marked)


cdef double difference(const double* one, const double* other, int n_classes) noexcept nogil:
    """Pearson's statistic of two rows of class weights; exactly 0 if integers are proportional."""
    cdef double first = 0.0, second = 0.0, total = 0.0, gap
    cdef int k
    for k in range(n_classes):
        first += one[k]
        second += other[k]
    if first <= 0.0 or second <= 0.0:
        return 0.0
    for k in range(n_classes):
        if one[k] + other[k] > 0.0:
            gap = one[k] * second - other[k] * first
            total += gap * gap / (one[k] + other[k])
    return total / first / second


cdef inline void play(int64_t* winner, const double* gap, int64_t size, int64_t leaf) noexcept nogil:
    """Update a tournament tree after the gap at `leaf` changed: the smallest wins, the first on ties."""
    cdef int64_t node = (size + leaf) >> 1, one, other
    while node >= 1:
        one = winner[2 * node]
        other = winner[2 * node + 1]
        winner[node] = one if gap[one] <= gap[other] else other
        node >>= 1


def merge(stats, double significance, int64_t max_bins):
    """Join the two adjacent bins that differ least, while that is not significant or there are more than `max_bins`.

    `stats` are bins by ascending value x class weights. The test has one degree of freedom fewer than there are classes
    with any weight. Returns the remaining cuts, ascending.
    """
    counts = np.array(stats, np.float64, order="C")
    if counts.ndim != 2 or not np.isfinite(counts).all():
        raise ValueError("expected a table of finite weights (bins x classes)")
    cdef int64_t n_bins = counts.shape[0], left = n_bins, size = 1, i, place, after, before
    cdef int n_classes = <int>counts.shape[1], k
    cdef double df = (counts.sum(axis=0) > 0.0).sum() - 1.0, limit = np.log(significance)
    if n_bins < 2:
        return np.zeros(0, np.int64)
    while size < n_bins:
        size *= 2
    gaps = np.full(size, np.inf)  # between a bin and the next one
    winners = np.zeros(2 * size, np.int64)
    nexts = np.arange(1, n_bins + 1)
    previous = np.arange(-1, n_bins - 1)
    gone = np.zeros(n_bins, np.bool_)
    cdef double[:, ::1] table = counts
    cdef double[::1] gap = gaps
    cdef int64_t[::1] winner = winners, following = nexts, preceding = previous
    cdef uint8_t[::1] absent = gone.view(np.uint8)
    with nogil:
        for i in range(n_bins - 1):
            gap[i] = difference(&table[i, 0], &table[i + 1, 0], n_classes)
        for i in range(size):
            winner[size + i] = i
        for i in range(size - 1, 0, -1):
            winner[i] = winner[2 * i] if gap[winner[2 * i]] <= gap[winner[2 * i + 1]] else winner[2 * i + 1]
        while left > 1:
            place = winner[1]
            if left <= max_bins and log_chi_square_tail(gap[place], df) < limit:
                break
            after = following[place]
            for k in range(n_classes):
                table[place, k] += table[after, k]
            absent[after] = 1
            left -= 1
            following[place] = following[after]
            gap[after] = INFINITY
            play(&winner[0], &gap[0], size, after)
            if following[place] < n_bins:
                preceding[following[place]] = place
                gap[place] = difference(&table[place, 0], &table[following[place], 0], n_classes)
            else:
                gap[place] = INFINITY
            play(&winner[0], &gap[0], size, place)
            before = preceding[place]
            if before >= 0:
                gap[before] = difference(&table[before, 0], &table[place, 0], n_classes)
                play(&winner[0], &gap[0], size, before)
    return np.flatnonzero(~gone)[1:]
