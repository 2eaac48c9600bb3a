# What a condition is worth while a rule grows: information gained, or accuracy.

cdef struct Best:
    int32_t column
    int32_t kind
    double value
    double worth  # information gained
    double positive
    double covered
    double rate  # accuracy before the condition, with one row added of the class where it is smoothed
    double rate_log
    int measure
    double added


cdef inline double _log2(double x) noexcept nogil:
    return log(x) / LN2


cdef inline void _start(Best* best, int measure, double positive, double covered) noexcept nogil:
    """Nothing found; the rate to be improved on."""
    best.column, best.kind, best.value, best.worth = -1, 0, 0.0, 0.0
    best.positive, best.covered, best.measure = positive, covered, measure
    best.added = 1.0 if measure == BY_SMOOTHED_GAIN else 0.0
    best.rate = (positive + best.added) / (covered + best.added) if covered + best.added > 0.0 else 1.0
    best.rate_log = _log2(best.rate) if best.rate > 0.0 else 0.0


cdef inline bint _better(Best* best, double positive, double covered) noexcept nogil:
    """Whether a condition that leaves so much beats the best so far; it then is the best.

    The logarithm is taken only where it may matter: for x of at least 1, ln x is at most
    (x - 1)(x + 5) / (2 (2 x + 1)), here multiplied out with x = a / b.
    """
    cdef double a, b, more, worth
    if best.measure == BY_ACCURACY:
        if greater_share(positive, covered, best.positive, best.covered):
            best.positive, best.covered = positive, covered
            return True
        return False
    a, b = positive + best.added, (covered + best.added) * best.rate
    more = a - b + 1e-15 * b  # what rounding may have hidden
    if more <= 0.0:
        return False
    if positive * more * (a + 5.0 * b) < best.worth * (2.0 * LN2 * (1.0 - 1e-9)) * b * (2.0 * a + b):
        return False
    worth = positive * (_log2(a / (covered + best.added)) - best.rate_log)
    if worth > best.worth:
        best.worth, best.positive, best.covered = worth, positive, covered
        return True
    return False
