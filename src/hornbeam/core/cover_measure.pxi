# Part of cover.pyx: what a condition is worth, against the best so far.

cdef struct Best:
    int64_t column  # -1: none
    int relation
    double low, high  # values on both sides of the cut
    double cut
    int64_t code  # of a set: how many of the codes in `ranked` belong to it
    double p
    double t
    double score  # of the gain


cdef inline bint is_better(
    int measure, double p, double t, double whole_p, double whole_t,  # IN
    Best* best,  # IN, OUT: its score is that of the candidate where it wins
) noexcept nogil:
    cdef double one, other
    if p <= 0.0:
        return False
    if measure == 0:
        # p/t against best.p/best.t without rounding: sums of whole weights multiply exactly
        one = p * best.t
        other = best.p * t
        if best.column >= 0 and (one < other or (one == other and p <= best.p)):
            return False
        return True
    one = p * (log2(p / t) - log2(whole_p / whole_t))
    if best.column >= 0 and (one < best.score or (one == best.score and p <= best.p)):
        return False
    best.score = one
    return True


cdef inline bint could_win(
    int measure, double p, double t, double whole_p, double whole_t, const Best* floor, const Best* best
) noexcept nogil:
    """Whether a rule with at most this p, and at least the weight of other classes in this t, could be better than the
    best so far, and no worse than the floor.
    """
    cdef double score
    if p <= 0.0:
        return False
    if measure == 0:
        if floor.column >= 0 and (p * floor.t < floor.p * t or (p * floor.t == floor.p * t and p < floor.p)):
            return False
        return best.column < 0 or p * best.t > best.p * t or (p * best.t == best.p * t and p > best.p)
    score = p * (log2(p / t) - log2(whole_p / whole_t))
    # the gain is monotone only above nothing
    if floor.column >= 0 and floor.score > 0.0 and score < floor.score:
        return False
    return best.column < 0 or best.score <= 0.0 or score >= best.score


cdef inline void offer_missing(
    int measure, int64_t column, double p, double t, double whole_p, double whole_t,  # IN
    Best* best,  # IN, OUT
) noexcept nogil:
    if is_better(measure, p, t, whole_p, whole_t, best):
        best.column, best.relation, best.p, best.t, best.code = column, 3, p, t, 0
