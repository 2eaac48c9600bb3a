# Part of cover.pyx: what a condition is worth, against the best so far.

cdef double NEAR = 1.0 - 1e-12  # what is this near to a bound may be it, but for rounding
cdef double LITTLE = 1e-9  # of a bit: more than rounding
cdef double M_LN2 = 0.6931471805599453


cdef struct Best:
    int64_t column  # -1: none
    int relation
    double low, high  # values on both sides of the cut
    double cut
    int64_t code  # of a set: how many of the codes kept belong to it
    double p
    double t
    # of the gain: what it is, and a line above the logarithm of p/t that touches it there
    double score, rise, offset


cdef struct Search:  # what is sought: a condition for a class, on rows of which so much is of the class
    int label
    int measure
    bint sets, own_missing, idle
    double whole_p, whole_t, whole_log


cdef inline void set_whole(Search* search, double p, double t) noexcept nogil:
    search.whole_p, search.whole_t, search.whole_log = p, t, log2(p / t) if p > 0.0 else 0.0


cdef struct Scratch:  # by category
    double* code_p
    double* code_t
    int64_t* ranked
    int64_t* kept  # the codes of the best condition, as many as it says
    uint8_t* mixed  # there are rows of other classes


cdef inline void nothing(Best* best) noexcept nogil:
    best.column, best.relation, best.code = -1, 0, 0
    best.p = best.t = best.score = best.rise = best.offset = best.cut = best.low = best.high = 0.0


cdef inline bint is_better(
    const Search* search, double p, double t,  # IN
    Best* best,  # IN, OUT: its score is that of the candidate where it wins
) noexcept nogil:
    cdef double one
    if p <= 0.0:
        return False
    if search.measure == 0:
        return best.column < 0 or greater_share(p, t, best.p, best.t)
    # logarithms are dear, a line above them is not
    if best.score > 0.0 and p * ((best.offset + LITTLE) * t + best.rise * p) < best.score * t:
        return False
    one = p * (log2(p / t) - search.whole_log)
    if best.column >= 0 and (one < best.score or (one == best.score and p <= best.p)):
        return False
    best.score = one
    best.rise = t / p / M_LN2
    best.offset = log2(p / t) - 1.0 / M_LN2 - search.whole_log
    return True


cdef inline bint could_win(
    const Search* search, double p, double t, const Best* floor, const Best* best
) noexcept nogil:
    """Whether a rule with at most this p, and at least the weight of other classes in this t, could be better than the
    best so far, and no worse than the floor.
    """
    cdef double score
    if p <= 0.0:
        return False
    if search.measure == 0:
        if p * floor.t < floor.p * t * NEAR:
            return False
        return best.column < 0 or greater_share(p, t, best.p, best.t)
    score = p * (log2(p / t) - search.whole_log)
    # the gain is monotone only above nothing
    if floor.column >= 0 and floor.score > 0.0 and score < floor.score * NEAR:
        return False
    return best.column < 0 or best.score <= 0.0 or score >= best.score * NEAR


cdef inline void offer_missing(
    const Search* search, int64_t column, double p, double t,  # IN
    Best* best,  # IN, OUT
) noexcept nogil:
    # what is left of sums of fractions is nothing
    if p > 1e-9 * search.whole_p and is_better(search, p, t, best):
        best.column, best.relation, best.p, best.t, best.code = column, 3, p, t, 0


cdef inline void offer_cut(
    const Search* search, int64_t column, double p, double t, double known_p, double known_t, double low, double high,
    Best* best,  # IN, OUT
) noexcept nogil:
    """Offer what lies below a cut, then what lies above it."""
    if is_better(search, p, t, best):
        best.column, best.relation, best.p, best.t, best.code = column, 0, p, t, 0
        best.low, best.high = low, high
    if is_better(search, known_p - p, known_t - t, best):
        best.column, best.relation, best.p, best.t, best.code = column, 1, known_p - p, known_t - t, 0
        best.low, best.high = low, high
