# p/t, the share of its class in what a rule covers: the one place where two rules are compared by it.


cdef inline bint greater_share(double p, double t, double other_p, double other_t) noexcept nogil:
    """Whether p/t is greater, or the same and p is; without rounding, since sums of whole weights multiply exactly."""
    cdef double one = p * other_t, other = other_p * t
    return one > other or (one == other and p > other_p)
