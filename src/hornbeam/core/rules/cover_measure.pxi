# Part of cover.pyx: the score of a condition, and whether it beats the best one so far.

cdef enum:
    BY_SHARE = 0
    BY_GAIN = 1
    BY_SMOOTHED_GAIN = 2

cdef enum:
    IS_BELOW = 0
    IS_AT_LEAST = 1
    IS_IN = 2
    IS_MISSING = 3
    IS_AT_MOST = 4
    IS_NOT_IN = 5

cdef double NEAR = 1.0 - 1e-12  # values this close to a bound may equal it, up to rounding
cdef double BAR = 2.0 * LN_2 * (1.0 - 1e-9)


cdef struct Best:  # a condition, and the rule that has it
    int64_t column  # -1: none
    int relation
    double low, high  # the values on both sides of the cut
    double cut
    int64_t code, n_codes  # one category; for a set, how many of the column's ranked categories it has
    double p, t
    double score  # information gain


cdef struct Pool:  # every condition that can be added
    Best* items
    int64_t size, room
    bint failed  # memory ran out


cdef struct Search:  # the search for a condition for a class, on rows with this weight in total and of the class
    int label, measure
    bint sets, leave_out, own_missing, idle, strict
    double whole_p, whole_t
    double added  # added to p and t if the gain is smoothed
    double rate, rate_log  # the fraction of the class before the condition
    double slack  # sums and fractions that differ by less than this part are equal: weights are not integers
    double least  # less weight of the class than this is a rounding residue of such sums
    Pool* pool  # NULL: only the best condition is sought


cdef inline double log_2(double x) noexcept nogil:
    return log(x) / LN_2


cdef inline void set_whole(Search* search, double p, double t) noexcept nogil:
    search.whole_p, search.whole_t = p, t
    search.least = 1e-9 * p if search.slack > 0.0 else 0.0
    search.rate = (p + search.added) / (t + search.added) if t + search.added > 0.0 else 1.0
    search.rate_log = log_2(search.rate) if search.rate > 0.0 else 0.0


cdef inline void begin(const Search* search, Best* best) noexcept nogil:
    """Start without a condition; if only an improvement counts, the rule without one must be beaten."""
    best.column, best.relation, best.code, best.n_codes = -1, 0, 0, 0
    best.cut = best.low = best.high = 0.0
    best.p, best.t, best.score = 0.0, 0.0, -INFINITY
    if search.strict:
        best.p, best.t, best.score = search.whole_p, search.whole_t, 0.0


cdef inline bint greater_share(double p, double t, double other_p, double other_t, double slack) noexcept nogil:
    """Whether p/t is greater, or equal with a greater p; integer weights multiply exactly, without a slack."""
    cdef double one = p * other_t, other = other_p * t, least = 1.0 + slack
    return one > other * least or (one * least >= other and p > other_p * least)


cdef inline bint gains_less(double p, double t, double added, double rate, double bar, bint none) noexcept nogil:
    """Whether p and t certainly gain less than a score, given as `bar` (times `BAR`); `none`: or certainly nothing.

    Often decided without a logarithm: for x of at least 1, ln x is at most (x - 1)(x + 5) / (2 (2 x + 1)), here
    multiplied out with x = a / b.
    """
    cdef double a = p + added, b = (t + added) * rate
    cdef double more = a - b + 1e-15 * b  # allows for rounding
    return (none and more <= 0.0) or p * more * (a + 5.0 * b) < bar * b * (2.0 * a + b)


cdef inline Best* winner(const Search* search, double p, double t, Best* best) noexcept nogil:
    """Where to store the condition that leaves p and t; NULL if it does not beat the best so far.

    By p/t, ties go to the one with more p; by gain too, unless the search is strict: then to the first.
    """
    cdef double score
    if p <= search.least:
        return NULL
    if search.pool != NULL:
        return next_in_pool(search.pool, p, t)
    if search.measure == BY_SHARE:
        if not greater_share(p, t, best.p, best.t, search.slack):
            return NULL
    else:
        if best.score >= 0.0 and gains_less(
            p, t, search.added, search.rate, best.score * BAR, search.strict or best.score > 0.0
        ):
            return NULL
        score = p * (log_2((p + search.added) / (t + search.added)) - search.rate_log)
        if score < best.score or (score == best.score and (search.strict or p <= best.p)):
            return NULL
        best.score = score
    best.p, best.t = p, t
    return best


cdef Best* next_in_pool(Pool* pool, double p, double t) noexcept nogil:
    if pool.size == pool.room:
        if not hb_resize(&pool.items, (2 * pool.room + 64) * sizeof(Best)):
            pool.failed = True
            return NULL
        pool.room = 2 * pool.room + 64
    pool.size += 1
    pool.items[pool.size - 1].p, pool.items[pool.size - 1].t = p, t
    return &pool.items[pool.size - 1]


cdef inline bint could_win(
    const Search* search, double p, double t, const Best* floor, const Best* best
) noexcept nogil:
    """Whether a rule with at most this p, and at least the weight of other classes in this t, could be better than the
    best so far, and not worse than the floor.
    """
    cdef double score
    if p <= search.least:
        return False
    if search.measure == BY_SHARE:
        return p * floor.t >= floor.p * t * NEAR and greater_share(p, t, best.p, best.t, search.slack)
    score = p * (log_2(p / t) - search.rate_log)
    # the gain is monotone only above zero
    if floor.score > 0.0 and score < floor.score * NEAR:
        return False
    return best.score <= 0.0 or score >= best.score * NEAR


cdef inline void fill(Best* to, int64_t column, int relation, int64_t code, int64_t n_codes) noexcept nogil:
    if to != NULL:
        to.column, to.relation, to.code, to.n_codes = column, relation, code, n_codes


cdef inline void offer_cut(
    const Search* search, int64_t column, int relation, double p, double t, double low, double high,  # IN
    Best* best,  # IN, OUT
) noexcept nogil:
    cdef Best* to = winner(search, p, t, best)
    if to != NULL:
        fill(to, column, relation, 0, 0)
        to.low, to.high = low, high
