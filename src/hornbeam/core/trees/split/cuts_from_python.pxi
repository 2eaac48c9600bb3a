# Part of cuts.pyx: the kernels over NumPy arrays.

CRITERIA = {
    "entropy": ENTROPY,
    "gini": GINI,
    "misclassification": MISCLASSIFICATION,
    "chi-square": CHI_SQUARE,
    "variance": VARIANCE,
    "deviation": DEVIATION,
}


cdef class Given:
    """Arrays that a Bins points to, kept alive while it is used."""

    cdef Bins bins
    cdef const double[:, ::1] stats
    cdef const double[::1] parent_fractions
    cdef const double[:, ::1] loss

    def __init__(self, stats, criterion, int max_cuts, double min_branch, loss=None):
        array = np.ascontiguousarray(stats, np.float64)
        if array.ndim != 2:
            raise ValueError(f"the statistics have {array.ndim} dimensions; expected bins x statistics")
        if criterion not in CRITERIA:
            raise ValueError(f"criterion is {criterion!r}; expected one of {', '.join(map(repr, CRITERIA))}")
        if max_cuts < 0:
            raise ValueError(f"max_cuts is {max_cuts}; expected at least 0")
        self.bins.criterion = CRITERIA[criterion]
        if is_number(self.bins.criterion) and array.shape[1] != 3:
            raise ValueError(f"found {array.shape[1]} statistics per bin; expected weight, sum and sum of squares")
        if array.shape[1] < 1 or not np.isfinite(array).all():
            raise ValueError("statistics must be finite numbers, at least one per bin")
        self.stats = array
        self.bins.n_bins = array.shape[0]
        self.bins.n_stats = <int>array.shape[1]
        self.bins.stats = &self.stats[0, 0] if array.shape[0] else NULL
        total = array.sum(axis=0)
        self.parent_fractions = np.ascontiguousarray(total / total.sum() if total.sum() else total)
        self.bins.parent_fractions = &self.parent_fractions[0]
        self.bins.loss = NULL
        if loss is not None:
            losses = np.ascontiguousarray(loss, np.float64)
            if losses.shape != (array.shape[1], array.shape[1]):
                raise ValueError(f"the loss matrix has the shape {losses.shape}; expected a row and a column per class")
            self.loss = losses
            self.bins.loss = &self.loss[0, 0]
        self.bins.min_branch = min_branch
        # not more cuts than possible positions, so that no memory is wasted
        self.bins.max_cuts = <int>min(max_cuts, max(array.shape[0] - 1, 0))
        self.bins.limit = array.shape[0]
        self.bins.join_alike = 0
        self.bins.rounding = 0.0


def impurities(stats, criterion, loss=None):
    """Impurity of every bin; for chi-square, relative to the class fractions of all bins together."""
    cdef Given given = Given(stats, criterion, 0, 0.0, loss)
    cdef int64_t i
    out = np.empty(given.bins.n_bins)
    cdef double[::1] view = out
    for i in range(given.bins.n_bins):
        view[i] = impurity_of(&given.bins, given.bins.stats + i * given.bins.n_stats)
    return out


def greedy(stats, criterion, max_cuts, min_branch=0.0, loss=None):
    """Cuts in the order found, each the best additional one, and the total impurity after 0, 1, ... of them."""
    cdef Given given = Given(stats, criterion, max_cuts, min_branch, loss)
    memory = np.empty(greedy_memory(&given.bins))
    cuts = np.zeros(max(given.bins.max_cuts, 1), np.int64)
    after = np.zeros(given.bins.max_cuts + 1)
    cdef double[::1] memory_view = memory, after_view = after
    cdef int64_t[::1] cuts_view = cuts
    cdef int n_cuts
    with nogil:
        n_cuts = greedy_cuts(&given.bins, &memory_view[0], &cuts_view[0], &after_view[0])
    return cuts[:n_cuts], after[: n_cuts + 1]


def optimal(stats, criterion, max_cuts, min_branch=0.0, loss=None, limit=1024, join=False):
    """For every possible k, the k cuts with the least impurity, ascending, and that impurity; k = 0, 1, ... max_cuts.

    `limit` is as in `optimal_cuts`; `join` first joins adjacent bins with the same class fractions.
    """
    cdef Given given = Given(stats, criterion, max_cuts, min_branch, loss)
    if limit < 2:
        raise ValueError(f"limit is {limit}; expected at least 2 bins")
    given.bins.limit = limit
    given.bins.join_alike = bool(join)
    memory = np.empty(optimal_memory(&given.bins))
    width = given.bins.max_cuts
    cuts = np.zeros((max(width, 1), max(width, 1)), np.int64)
    after = np.zeros(width + 1)
    cdef double[::1] memory_view = memory, after_view = after
    cdef int64_t[:, ::1] cuts_view = cuts
    cdef int n_cuts
    with nogil:
        n_cuts = optimal_cuts(&given.bins, &memory_view[0], &cuts_view[0, 0], &after_view[0])
    return [cuts[max(k, 1) - 1, :k].copy() for k in range(n_cuts + 1)], after[: n_cuts + 1]


def join(stats):
    """Join adjacent bins with proportional statistics; returns the statistics, and the first bin of each."""
    given = np.ascontiguousarray(stats, np.float64)
    out = np.empty_like(given)
    first = np.empty(len(given), np.int64)
    cdef const double[:, ::1] stats_view = given
    cdef double[:, ::1] out_view = out
    cdef int64_t[::1] first_view = first
    cdef int64_t n_joined
    if not given.size:
        return out, first
    with nogil:
        n_joined = join_alike(&stats_view[0, 0], stats_view.shape[0], <int>stats_view.shape[1], &out_view[0, 0],
                              &first_view[0])
    return out[:n_joined], first[:n_joined]


def log_tail(double statistic, double df):
    """Natural log of the chi-square distribution's upper tail."""
    return log_chi_square_tail(statistic, df)


# ---- cuts of classes with a stopping rule, for supervised discretization ---------------------------------------------
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
