# Part of search.pyx: sums of rows, and the cost of a leaf with these sums.
#
# For classes, sum c is the cost of predicting class c for all rows. For numbers, the sums are those of the target and
# of its squares, in units chosen by the caller. The last sum is the weight.


cdef inline void add_row(const Problem* s, int64_t* total, int32_t row) noexcept nogil:
    cdef int i
    cdef const int64_t* own = s.sums + <int64_t>row * s.width
    for i in range(s.width):
        total[i] += own[i]


cdef inline int64_t leaf_cost(const Problem* s, const int64_t* total) noexcept nogil:
    """The cost of a leaf with these sums, its penalty included."""
    cdef int i
    cdef int64_t least
    cdef double sum_of
    if s.numbers:
        if total[2] <= 0:
            return s.penalty
        sum_of = <double>total[0]
        least = <int64_t>rint(<double>total[1] * s.scale_squares - sum_of * sum_of * s.scale_sums / <double>total[2])
        if least < 0:
            least = 0
    else:
        least = total[0]
        for i in range(1, s.width - 1):
            if total[i] < least:
                least = total[i]
    return least * s.factor + s.penalty


cdef inline int64_t rest_cost(const Problem* s, const int64_t* total, const int64_t* part) noexcept nogil:
    """The cost of a leaf with the other rows."""
    cdef int i
    cdef int64_t least, other
    cdef double sum_of
    if s.numbers:
        if total[2] - part[2] <= 0:
            return s.penalty
        sum_of = <double>(total[0] - part[0])
        least = <int64_t>rint(
            <double>(total[1] - part[1]) * s.scale_squares
            - sum_of * sum_of * s.scale_sums / <double>(total[2] - part[2])
        )
        if least < 0:
            least = 0
    else:
        least = total[0] - part[0]
        for i in range(1, s.width - 1):
            other = total[i] - part[i]
            if other < least:
                least = other
    return least * s.factor + s.penalty


cdef inline bint must_stop(Problem* s) noexcept nogil:
    """Whether the time is over or the work was interrupted."""
    if s.halt:
        return True
    if stopping():
        s.halt = INTERRUPTED
    elif s.deadline and hb_ticks() > s.deadline:
        s.halt = OUT_OF_TIME
    return s.halt != GOING_ON
